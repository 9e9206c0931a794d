"""The instruct formats of Mistral: v1 (7B v0.1, v0.2, Mixtral), v3 (7B v0.3, Large 2407), Nemo, and Large 2411."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from lect.plugin import Call, Chat, Message, Template, Writer

BOS = "<s>"
EOS = "</s>"
TOOL_MARKERS = ("[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]")


def call_id(chat: Chat, call: Call) -> str:
    """Return the id of a call.

    Raises:
        RefusedError: If it is not as long as these models want it.
    """
    if call.id is None or len(call.id) != 9:
        chat.refuse(
            f"the id of a tool call is {call.id!r}; these models want nine letters and digits", instead="'call00001'"
        )
    return call.id


def result_id(chat: Chat, message: Message) -> str:
    """Return which call a result belongs to.

    Raises:
        RefusedError: If it is not as long as these models want it.
    """
    given = message.raw.get("tool_call_id")
    if not isinstance(given, str) or len(given) != 9:
        chat.refuse(
            f"tool_call_id is {given!r}; these models want nine letters and digits", instead="the id of the call"
        )
    text: str = chat.given(given, "messages", message.index, "tool_call_id")
    return text


def v1(chat: Chat, out: Writer) -> None:
    """Write the first format, in which the system text opens the first turn."""
    system = chat.system
    messages = chat.messages[1:] if system else chat.messages
    chat.require_alternation(messages)
    out.append(chat.bos)
    for message in out.turns(messages):
        if message.role == "user":
            out.append(" [INST] ")
            if system and message is messages[0]:
                out += system.content, "\n\n"
            out += message.content, " [/INST]"
        elif message.role == "assistant":
            out += " ", message.content, chat.eos
        else:
            refuse_role(chat, message)


def refuse_role(chat: Chat, message: Message) -> None:
    """Refuse a role that the format has no word for.

    Raises:
        RefusedError: Always.
    """
    chat.refuse(
        f"there are no words for the role {message.role!r}",
        instead="user and assistant, after a system message at most",
    )


def write_tools(chat: Chat, out: Writer, gap: str) -> None:
    """Write the tools. Texts stand in quotes as they are: the maker's template does not escape them."""
    out += "[AVAILABLE_TOOLS]", gap, "["
    for index, tool in enumerate(chat.tools):
        function: Mapping[str, Any] = tool.get("function", tool)
        path = ("tools", index, "function") if "function" in tool else ("tools", index)
        out.append(', {"type": "function", "function": {' if index else '{"type": "function", "function": {')
        shown = [(key, value) for key, value in function.items() if key != "return"]
        for place, (key, value) in enumerate(shown):
            out += ', "' if place else '"', chat.printed(key, *path, key), '": '
            if isinstance(value, str):
                out += '"', chat.given(value, *path, key), '"'
            else:
                out.append(chat.json(value, *path, key))
        out.append("}}")
    out.append("][/AVAILABLE_TOOLS]")


def write_calls(chat: Chat, out: Writer, message: Message, gap: str) -> None:
    """Write the calls of a message as one JSON list."""
    out += "[TOOL_CALLS]", gap, "["
    for index, call in enumerate(message.tool_calls):
        function = {**call.raw.get("function", call.raw), "arguments": call.arguments}
        out += ", " if index else "", chat.json(function, *call.path)[:-1], ', "id": "', call_id(chat, call), '"}'
    out += "]", chat.eos


def v3(chat: Chat, out: Writer, *, gap: str, trims: bool) -> None:
    """Write v3 and Nemo: tools and the system text stand in the last user turn.

    They differ in a space here and there.
    """
    system = chat.system
    messages = chat.messages[1:] if system else chat.messages
    chat.require_alternation(
        [each for each in messages if each.role not in ("tool", "tool_results") and not each.tool_calls]
    )
    questions = [message for message in messages if message.role == "user"]
    out.append(chat.bos)
    for message in out.turns(messages):
        if message.role == "user":
            if chat.tools and message.raw == questions[-1].raw:
                write_tools(chat, out, gap)
            out += "[INST]", gap
            if system and message is messages[-1]:
                out += system.content, "\n\n"
            out += message.content, "[/INST]"
        elif message.tool_calls:
            write_calls(chat, out, message, gap)
        elif message.role == "assistant":
            out += gap, chat.shown(message).strip() if trims else message.content, chat.eos
        elif message.role in ("tool", "tool_results"):
            out += (
                "[TOOL_RESULTS]",
                gap,
                '{"content": ',
                chat.shown(message),
                ', "call_id": "',
                result_id(chat, message),
                '"}[/TOOL_RESULTS]',
            )
        else:
            refuse_role(chat, message)


def large_2411(chat: Chat, out: Writer) -> None:
    """Write Large 2411: system texts have markers of their own."""
    out.append(chat.bos)
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "[INST] ", message.content, "[/INST]"
        elif message.role == "system":
            out += "[SYSTEM_PROMPT] ", message.content, "[/SYSTEM_PROMPT]"
        elif message.role == "assistant":
            out += " ", message.content, chat.eos
        else:
            chat.refuse(f"there are no words for the role {message.role!r}", instead="system, user or assistant")


V1 = Template(
    "mistral-v1",
    v1,
    bos=BOS,
    eos=EOS,
    stop=[EOS],
    stop_token_ids=[2],
    markers=[BOS, EOS, "[INST]", "[/INST]"],
    text_separators=True,
    looks_for=(),
    source="mistralai/Mistral-7B-Instruct-v0.1, tokenizer_config.json",
)


def _v3(name: str, source: str, *, gap: str, trims: bool) -> Template:
    return Template(
        name,
        partial(v3, gap=gap, trims=trims),
        roles=["system", "user", "assistant", "tool", "tool_results"],
        bos=BOS,
        eos=EOS,
        capabilities=["system", "tools", "parallel_tools"],
        stop=[EOS],
        stop_token_ids=[2],
        markers=[BOS, EOS, "[INST]", "[/INST]", *TOOL_MARKERS],
        looks_for=(),
        reply="mistral",
        source=source,
    )


V3 = _v3("mistral-v3", "mistralai/Mistral-7B-Instruct-v0.3, tokenizer_config.json", gap=" ", trims=True)
NEMO = _v3("mistral-nemo", "mistralai/Mistral-Nemo-Instruct-2407, tokenizer_config.json", gap="", trims=False)
LARGE_2411 = Template(
    "mistral-large-2411",
    large_2411,
    bos=BOS,
    eos=EOS,
    stop=[EOS],
    stop_token_ids=[2],
    markers=[BOS, EOS, "[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"],
    looks_for=(),
    source="mistralai/Mistral-Large-Instruct-2411, tokenizer_config.json",
)
