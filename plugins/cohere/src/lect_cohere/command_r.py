"""Command R and Aya, and Command R7B, which can be given documents."""

from lect.plugin import Chat, Template, Writer
from lect_cohere.documents import Calls, write_documents
from lect_cohere.words import (
    ACTIONS,
    AVAILABLE,
    CUTOFF,
    DEFAULT_PREAMBLE,
    DEVELOPER_PREAMBLE,
    DOCUMENT_TOOL,
    GROUNDED,
    GROUNDING,
    LOOK_THROUGH,
    PLAN,
    REFLECTION,
    RESPOND,
    SAFETY,
    SKIP_PLAN,
    SKIP_REFLECTION,
    THEN,
    TRAINED,
)

BOS = "<BOS_TOKEN>"
TURN = "<|START_OF_TURN_TOKEN|>"
END = "<|END_OF_TURN_TOKEN|>"
STOP_IDS = (255001,)
MARKERS = (BOS, "<EOS_TOKEN>", TURN, END, "<|SYSTEM_TOKEN|>", "<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>")
SECTIONS = (
    "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_THINKING|>", "<|END_THINKING|>", "<|START_ACTION|>",
    "<|END_ACTION|>", "<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>",
)  # fmt: skip


def write_turns(chat: Chat, out: Writer, opening: str, closing: str) -> None:
    """Write the turns after a system message; an answer stands between `opening` and `closing`."""
    messages = chat.messages[1:] if chat.system else chat.messages
    chat.require_alternation(messages)
    for message in out.turns(messages):
        if message.role == "user":
            out += TURN, "<|USER_TOKEN|>", message.content.strip(), END
        elif message.role == "assistant":
            out += TURN, "<|CHATBOT_TOKEN|>", opening, message.content.strip(), closing, END
    if chat.add_generation_prompt:
        out += TURN, "<|CHATBOT_TOKEN|>", opening


def command_r(chat: Chat, out: Writer) -> None:
    """Write Command R."""
    out.append(chat.bos)
    if chat.system:
        out.turn(chat.system)
        out += TURN, "<|SYSTEM_TOKEN|>", chat.system.content, END
        out.turn(None)
    write_turns(chat, out, "", "")


def command_r7b(chat: Chat, out: Writer) -> None:
    """Write Command R7B: with documents it is told how to use them; without, only what the caller says."""
    out.append(chat.bos)
    if chat.documents:
        with_documents(chat, out)
        return
    out.turn(chat.system)
    out += TURN, "<|SYSTEM_TOKEN|>", chat.system.content if chat.system else "", END
    out.turn(None)
    write_turns(chat, out, "<|START_RESPONSE|>", "<|END_RESPONSE|>")


def with_documents(chat: Chat, out: Writer) -> None:
    """Write Command R7B with documents, which it is given as the result of a tool after the first question."""
    system = (
        chat.messages[0] if chat.messages and chat.messages[0].role == "system" and chat.messages[0].content else None
    )
    out += TURN, "<|SYSTEM_TOKEN|># System Preamble\n", SAFETY["CONTEXTUAL"], "\n\n", CUTOFF, "\n\n", TRAINED, "\n\n"
    out += PLAN, "\n", SKIP_PLAN, "\n\n", THEN, ACTIONS, REFLECTION, "\n", SKIP_REFLECTION, "\n\n", RESPOND, "\n\n"
    if chat.option("enable_citations"):
        out += GROUNDING, '"Reflection" and ', GROUNDED, "\n\n"
    out += AVAILABLE, "[\n    ", DOCUMENT_TOOL, "\n]\n```\n\n", DEFAULT_PREAMBLE
    if system:
        out.turn(system)
        out += "\n\n", DEVELOPER_PREAMBLE, "\n", system.content
        out.turn(None)
    out.append(END)
    calls = Calls(chat, out, indent="\n")
    for message in out.turns(chat.messages):
        role = message.role
        if role == "system" and message is not system:
            out += TURN, "<|SYSTEM_TOKEN|>", message.content, END
        elif role == "user":
            out += TURN, "<|USER_TOKEN|>", message.content, END
            if not calls.documents_sent:
                calls.documents_sent = True
                calls.number += 1
                write_documents(chat, out, LOOK_THROUGH, "\n            ", ",\n            ", "\n        ")
        elif role in ("assistant", "chatbot"):
            out += TURN, "<|CHATBOT_TOKEN|>"
            if message.tool_calls:
                plan = chat.given(message.raw.get("tool_plan") or "", "messages", message.index, "tool_plan")
                out += "<|START_THINKING|>", plan, "<|END_THINKING|>"
                calls.write(message)
            else:
                out += "<|START_RESPONSE|>", message.content, "<|END_RESPONSE|>"
            out.append(END)
        elif role == "tool":
            calls.write_results(message, whole=True)
    out += TURN, "<|CHATBOT_TOKEN|>"


COMMAND_R = Template(
    "command-r",
    command_r,
    bos=BOS,
    stop=[END],
    stop_token_ids=STOP_IDS,
    markers=MARKERS,
    looks_for=(),
    reply="command_r_plus",
    source="CohereLabs/c4ai-command-r-v01, tokenizer_config.json: the default template",
)
COMMAND_R7B = Template(
    "command-r7b",
    command_r7b,
    roles=["system", "user", "assistant", "chatbot", "tool"],
    bos=BOS,
    capabilities=["system", "documents"],
    options=["documents", "enable_citations"],
    stop=[END],
    stop_token_ids=STOP_IDS,
    markers=[*MARKERS, *SECTIONS],
    looks_for=(),
    reply="cohere_action",
    source="CohereLabs/c4ai-command-r7b-12-2024, tokenizer_config.json: the default template",
)
