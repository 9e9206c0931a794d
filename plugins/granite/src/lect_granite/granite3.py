"""Granite 3.1 and 3.3: every role in markers; tools and documents in turns of their own."""

from collections.abc import Mapping
from typing import Any

from lect.errors import MessageError
from lect.plugin import Chat, Template, Writer
from lect_granite.words import (
    ALIGN_WITH_DOCUMENTS,
    CITATIONS_3_1,
    CITATIONS_3_3,
    HALLUCINATIONS_3_1,
    HALLUCINATIONS_3_3,
    HELPFUL,
    THINKING_3_3,
    TOOLS_3_1,
    TOOLS_3_3,
)

STOP = "<|end_of_text|>"
MARKERS = ("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>", "<|tool_call|>")


def controls_of(chat: Chat) -> Mapping[str, Any]:
    """Return the option `controls`.

    Raises:
        MessageError: If it is no mapping.
    """
    controls = chat.option("controls") or {}
    if not isinstance(controls, Mapping):
        msg = f"option controls is {controls!r}; expected a mapping\n  try: controls={{'citations': True}}"
        raise MessageError(msg)
    return controls


def write_turns(chat: Chat, out: Writer) -> None:
    """Write the messages after a first system message, and the opening of the answer with what controls it."""
    messages = chat.messages[1:] if chat.system else chat.messages
    for message in out.turns(messages):
        out += "<|start_of_role|>", message.role, "<|end_of_role|>", message.content, "<|end_of_text|>\n"
    if messages and chat.add_generation_prompt:
        out.append("<|start_of_role|>assistant")
        if controls_of(chat):
            out += " ", chat.json(chat.option("controls"), "options", "controls")
        out.append("<|end_of_role|>")


def write_system(chat: Chat, out: Writer, *words: str) -> None:
    """Write the system turn: the caller's, or the maker's words."""
    out.append("<|start_of_role|>system<|end_of_role|>")
    if chat.system:
        out.turn(chat.system)
        out.append(chat.system.content)
        out.turn(None)
    else:
        out += words
    out.append("<|end_of_text|>\n")


def granite3_1(chat: Chat, out: Writer) -> None:
    """Write Granite 3.1."""
    documents, controls = chat.documents, controls_of(chat)
    words = [
        "Knowledge Cutoff Date: April 2024.\nToday's Date: ",
        chat.date().strftime("%B %d, %Y"),
        ".\nYou are Granite, developed by IBM.",
    ]
    if chat.tools:
        words += [TOOLS_3_1, "\n\n" if documents else ""]
    elif documents:
        words.append(" ")
    words.append(ALIGN_WITH_DOCUMENTS if documents else "" if chat.tools else HELPFUL)
    if documents:
        words += [
            CITATIONS_3_1 if "citations" in controls else "",
            HALLUCINATIONS_3_1 if "hallucinations" in controls else "",
        ]
    write_system(chat, out, *words)
    if chat.tools:
        out += "<|start_of_role|>tools<|end_of_role|>", chat.json(chat.tools, "tools", indent=4), "<|end_of_text|>\n"
    if documents:
        out.append("<|start_of_role|>documents<|end_of_role|>")
        for index, document in enumerate(documents):
            text = chat.given(document.get("text", ""), "documents", index, "text")
            out += "\n\n" if index else "", f"Document {index}\n", text
        out.append("<|end_of_text|>\n")
    write_turns(chat, out)


def granite3_3(chat: Chat, out: Writer) -> None:
    """Write Granite 3.3, which can be asked to think."""
    documents, controls = chat.documents, controls_of(chat)
    tools = chat.option("available_tools") or chat.tools
    tools_path = ("options", "available_tools") if chat.option("available_tools") else ("tools",)
    words = [
        "Knowledge Cutoff Date: April 2024. Today's Date: ",
        chat.date().strftime("%B %d, %Y"),
        ". You are Granite, developed by IBM.",
    ]
    if tools:
        words.append(TOOLS_3_3)
    if documents:
        words += [" ", ALIGN_WITH_DOCUMENTS]
    elif not tools:
        words.append(THINKING_3_3 if chat.option("thinking") else HELPFUL)
    if documents:
        words += [
            CITATIONS_3_3 if "citations" in controls else "",
            HALLUCINATIONS_3_3 if "hallucinations" in controls else "",
        ]
    write_system(chat, out, *words)
    if tools:
        out += (
            "<|start_of_role|>available_tools<|end_of_role|>",
            chat.json(tools, *tools_path, indent=4),
            "<|end_of_text|>\n",
        )
    for index, document in enumerate(documents):
        number = document.get("doc_id", "")
        where = ("documents", index, "doc_id")
        shown = chat.given(number, *where) if isinstance(number, str) else chat.printed(number, *where)
        out += '<|start_of_role|>document {"document_id": "', shown, '"}<|end_of_role|>\n'
        out += chat.given(document.get("text", ""), "documents", index, "text"), "<|end_of_text|>\n"
    write_turns(chat, out)


GRANITE3_1 = Template(
    "granite-3.1",
    granite3_1,
    capabilities=["system", "tools", "documents"],
    options=["documents", "controls", "date"],
    stop=[STOP],
    stop_token_ids=[0],
    markers=MARKERS,
    looks_for=(),
    reply="granite3_list",
    source="ibm-granite/granite-3.1-3b-a800m-instruct, tokenizer_config.json",
)
GRANITE3_3 = Template(
    "granite-3.3",
    granite3_3,
    capabilities=["system", "tools", "documents", "reasoning"],
    options=["available_tools", "documents", "controls", "thinking", "date"],
    stop=[STOP],
    stop_token_ids=[0],
    markers=[*MARKERS, "<|start_of_cite|>", "<|end_of_cite|>", "<think>", "</think>", "<response>", "</response>"],
    looks_for=(),
    reply="granite3_list",
    source="ibm-granite/granite-3.3-2b-instruct, chat_template.jinja",
)
