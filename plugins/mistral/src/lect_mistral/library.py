"""The formats of mistral-common, the maker's library: messages of one role are merged, and their order is checked."""

from collections.abc import Collection, Iterable
from functools import partial
from typing import NamedTuple

from lect.plugin import Chat, Message, Part, Template, Writer
from lect_mistral import media
from lect_mistral.instruct import MISTRAL_CALLS, call_id, result_id
from lect_mistral.small import SMALL_3_2

MAY_FOLLOW = {
    "": ("system", "user"),
    "system": ("system", "user", "assistant"),
    "user": ("system", "user", "assistant"),
    "assistant": ("user", "assistant", "tool"),
    "tool": ("user", "assistant", "tool"),
}
"""Which roles may follow a role; the empty one is the beginning."""


class Chunk(NamedTuple):
    """A piece of what one role says: consecutive texts, an image, or a thought."""

    type: str
    pieces: list[str]
    part: Part | None = None


def groups_of(messages: Iterable[Message]) -> list[list[Message]]:
    """Return the messages, with consecutive messages of one role grouped."""
    groups: list[list[Message]] = []
    for message in messages:
        if groups and message.role == groups[-1][0].role and message.role not in ("system", "tool"):
            groups[-1].append(message)
        else:
            groups.append([message])
    return groups


def chunks_of_message(message: Message) -> list[Chunk]:
    """Return the content of a message in chunks, one per part."""
    if message.parts:
        return [
            Chunk("text", [part.text]) if part.type == "text" else Chunk(part.type, [], part) for part in message.parts
        ]
    return [] if message.raw.get("content") is None else [Chunk("text", [message.content])]


def with_reasoning(chat: Chat, message: Message) -> list[Chunk]:
    """Return the content of a message with its reasoning as a thought before it."""
    chunks = chunks_of_message(message)
    if not message.reasoning:
        return chunks
    if any(chunk.type == "thinking" for chunk in chunks):
        chat.refuse("there is reasoning both beside the content and in it", instead="one of the two")
    return [Chunk("thinking", [message.reasoning]), *(chunks if message.parts or message.content else ())]


def chunks_of(chat: Chat, group: Iterable[Message], *, thinks: bool) -> list[Chunk]:
    """Return what one role says; consecutive texts are joined, with an empty line between them."""
    chunks: list[Chunk] = []
    for message in group:
        for chunk in with_reasoning(chat, message) if thinks else chunks_of_message(message):
            if chunk.type == "text" and chunks and chunks[-1].type == "text":
                chunks[-1].pieces.extend(["\n\n", *chunk.pieces])
            else:
                chunks.append(chunk)
    return chunks


def write_chunks(chat: Chat, out: Writer, chunks: Iterable[Chunk], allowed: Collection[str]) -> None:
    """Write texts, and chunks of the types in `allowed`.

    Raises:
        RefusedError: If there is anything else.
    """
    for chunk in chunks:
        if chunk.type == "text":
            out += chunk.pieces
        elif chunk.type not in allowed:
            chat.refuse(f"content of type {chunk.type!r} is not supported here", instead="text")
        elif chunk.type == "thinking":
            write_thought(chat, out, chunk)
        elif chunk.part:
            out.append("[IMG]")
            out.used(*chunk.part.path)


def write_thought(chat: Chat, out: Writer, chunk: Chunk) -> None:
    """Write a thought: the reasoning of a message, or a part, which may say that it is not closed yet."""
    part = chunk.part
    out.append("[THINK]")
    if part is None:
        out += chunk.pieces
    else:
        out.append(chat.text(part.raw.get("thinking", ""), *part.path, "thinking"))
    if part is None or part.raw.get("closed", True):
        out.append("[/THINK]")


def images_first(chunks: list[Chunk]) -> list[Chunk]:
    """Return the chunks of a question; if they are a text and one image, the image comes first."""
    is_pair = len(chunks) == 2 and chunks[0].type == "text" and chunks[1].type == "image"
    return chunks[::-1] if is_pair else chunks


def write_numbered_calls(chat: Chat, out: Writer, message: Message, *, first: bool) -> None:
    """Write calls as JSON objects with their ids."""
    for index, call in enumerate(message.tool_calls):
        out += "" if first and not index else ", ", '{"name": "', call.name, '", "arguments": '
        out += chat.arguments_as_given(call), ', "id": "', call_id(chat, call), '"}'


def write_calls(chat: Chat, out: Writer, message: Message) -> None:
    """Write calls, each as its name and its arguments."""
    for call in message.tool_calls:
        out += "[TOOL_CALLS]", call.name, "[ARGS]", chat.arguments_as_given(call)


def write_answer(chat: Chat, out: Writer, group: list[Message], *, numbered: bool, thinks: bool) -> None:
    """Write an answer: its content and its calls.

    Raises:
        RefusedError: If it has neither.
    """
    chunks = chunks_of(chat, group, thinks=thinks)
    calling = [message for message in group if message.tool_calls]
    if not calling and not any(chunk.type != "text" or any(chunk.pieces) for chunk in chunks):
        chat.refuse("an assistant message has neither content nor tool calls", instead="leave the message out")
    write_chunks(chat, out, chunks, ["thinking"] if thinks else ())
    if numbered and calling:
        out.append("[TOOL_CALLS][")
        for message in calling:
            write_numbered_calls(chat, out, message, first=message is calling[0])
        out.append("]")
    else:
        for message in calling:
            write_calls(chat, out, message)
    out.append(chat.eos)


def write_result(chat: Chat, out: Writer, message: Message, *, numbered: bool) -> None:
    """Write the result of a tool."""
    out.append("[TOOL_RESULTS]")
    if numbered:
        out += result_id(chat, message), "[TOOL_CONTENT]"
    out += chat.content(message), "[/TOOL_RESULTS]"


def library(chat: Chat, out: Writer, *, numbered: bool, images: bool, thinks: bool) -> None:
    """Write a format of mistral-common.

    Where calls and results are `numbered`, their ids are written, and the tools precede the last question; else
    they precede the first.
    """
    groups = groups_of(chat.messages)
    questions = [group for group in groups if group[0].role == "user"]
    with_tools = questions[-1 if numbered else 0] if questions and chat.tools else None
    out.append(chat.bos)
    role = ""
    for group in groups:
        before, role = role, group[0].role
        if role not in MAY_FOLLOW[before]:
            chat.refuse(f"a message of the role {role!r} cannot follow {before or 'nothing'!r}")
        out.turn(group[0])
        if role == "user":
            if group is with_tools:
                out += "[AVAILABLE_TOOLS]", chat.json(chat.tools, "tools"), "[/AVAILABLE_TOOLS]"
            out.append("[INST]")
            chunks = chunks_of(chat, group, thinks=thinks)
            write_chunks(chat, out, images_first(chunks) if images else chunks, ["image"] if images else ())
            out.append("[/INST]")
        elif role == "assistant":
            write_answer(chat, out, group, numbered=numbered, thinks=thinks)
        elif role == "tool":
            write_result(chat, out, group[0], numbered=numbered)
        else:
            out.append("[SYSTEM_PROMPT]")
            write_chunks(chat, out, chunks_of(chat, group, thinks=thinks), ["thinking"] if thinks else ())
            out.append("[/SYSTEM_PROMPT]")
    out.turn(None)


SMALL_2501 = Template(
    "mistral-small-2501",
    partial(library, numbered=True, images=False, thinks=False),
    roles=["system", "user", "assistant", "tool"],
    bos="<s>",
    eos="</s>",
    capabilities=["system", "tools", "parallel_tools"],
    accepts=["parts", "null"],
    stop={"</s>": 2},
    markers=SMALL_3_2.markers,
    control_tokens=SMALL_3_2.control_tokens,
    reply=MISTRAL_CALLS.grammar,
    source="mistralai/mistral-common 1.13.0, integrations/chat_templates: v7-tekken",
)
MINISTRAL_3 = SMALL_2501.but(
    name="ministral-3",
    program=partial(library, numbered=False, images=True, thinks=False),
    capabilities=["system", "tools", "parallel_tools", "images"],
    media=media.SMALL,
    source="mistralai/mistral-common 1.13.0, integrations/chat_templates: v13-tekken-image",
)
MAGISTRAL_2509 = SMALL_2501.but(
    name="magistral-2509",
    program=partial(library, numbered=False, images=True, thinks=True),
    capabilities=["system", "tools", "parallel_tools", "images", "reasoning"],
    markers=[*SMALL_3_2.markers, "[THINK]", "[/THINK]"],
    media=media.SMALL,
    source="mistralai/mistral-common 1.13.0, integrations/chat_templates: v13-tekken-think",
)
