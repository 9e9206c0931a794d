"""Jamba 1.5 and 1.6: messages between markers, tools in the first system message, documents before the question."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from lect.plugin import Chat, Message, Template, Writer
from lect.plugin.grammar import JSON_OBJECT, Grammar, ReplyFormat, Section

JAMBA = ReplyFormat(
    Grammar(
        "jamba",
        sections=(Section((JSON_OBJECT,), (("<tool_calls>", "["),), (("]", "</tool_calls>"),), between=","),),
    ),
    stop=("<|eom|>", "<|endoftext|>"),
    names="Jamba 1.5 and 1.6",
    example='<tool_calls>[\n    {"name": "get_weather", "arguments": {"city": "Paris"}}\n]</tool_calls>',
    model_types=("jamba",),
)


def write_system(chat: Chat, out: Writer, default: str) -> None:
    """Write the first system message, which is always there: the caller's text and the tools."""
    system = chat.system
    text = system.content if system else default
    out.append("<|bom|><|system|> ")
    out.turn(system)
    out += text, "\n\n" if chat.tools and text else ""
    out.turn(None)
    if chat.tools:
        out.append("<tool_definitions>\n# Tools\n\n## Functions")
        for index, tool in enumerate(chat.tools):
            kind = tool.get("type")
            if kind not in (None, "function"):
                chat.refuse("a tool must be a function", instead='"type": "function"')
            function, path = chat.function(index) if kind else (tool, ("tools", index))
            out += "\n\n", chat.json(function, *path, indent=2)
        out.append("\n</tool_definitions>")


def write_documents(chat: Chat, out: Writer) -> None:
    """Write the documents: title, other fields, text."""
    out.append("<documents>\n# Documents\n\nYou can use the following documents for reference:")
    for index, document in enumerate(chat.documents):
        out.append(f"\n\n## Document ID: {index}")
        if document.get("title") is not None:
            out += "\nTitle: ", chat.text(document["title"], "documents", index, "title")
        for key, value in document.items():
            if key not in ("title", "text"):
                where = ("documents", index, key)
                out += "\n", chat.transformed(key, titled, *where), ": ", chat.text(value, *where)
        out += "\nText: ", chat.text(document.get("text", ""), "documents", index, "text")
    out.append("\n</documents>")


def titled(key: str) -> str:
    """Return a key in title case, as Jinja's `title` writes it."""
    import re

    return "".join(word[0].upper() + word[1:].lower() for word in re.split(r"([-\s({\[<]+)", key) if word)


def write_modes(out: Writer, knobs: Mapping[str, Any]) -> None:
    """Write what the option `knobs` requires of the answer."""
    out.append(
        "<active_output_modes>\n# Active Modes\n\n"
        "The following modes configure the format or style of your responses. You should adhere to all currently "
        "active modes simultaneously."
    )
    if knobs.get("citation_mode") == "fast":
        out.append(
            "\n\n## Citation Mode\n\n"
            "Provide a list of references only for the documents you base your response on. Format your response with "
            "the original answer followed by a citation section. Use this template: "
            "`{answer}<citations>DOCUMENT_IDS</citations>`, where DOCUMENT_IDS are the relevant document numbers (e.g. "
            "[2, 5, 9]), or [] if the answer cannot be supported by the provided documents."
        )
    if knobs.get("response_format") == "json_object":
        out.append(
            "\n\n## JSON Mode\n\n"
            "Provide your response in JSON format. Adhere strictly to any schema given by the user. If an appropriate "
            "JSON format exists, use it without modification."
        )
    out.append("\n</active_output_modes>")


def write_message(chat: Chat, out: Writer, message: Message) -> None:
    """Write a message, with the calls of an answer."""
    out += "<|bom|><|", message.role, "|> "
    if message.name is not None:
        out += "(", message.name, ")"
    out.append(message.content)
    if message.role == "assistant" and message.tool_calls:
        out.append("<tool_calls>[\n")
        for index, call in enumerate(message.tool_calls):
            out += ",\n" if index else "", '    {"name": "', call.name, '", "arguments": '
            out += chat.arguments_as_given(call), "}"
        out.append("\n]</tool_calls>")


def write_citations(chat: Chat, out: Writer, message: Message) -> None:
    """Write which documents an answer was based on."""
    where = ("messages", message.index, "citations")
    numbers = [each.get("document_id") for each in chat.expect("mappings", message.raw["citations"], *where)]
    out += "<citations>", chat.printed(numbers, *where), "</citations>"


def jamba(chat: Chat, out: Writer, *, newer: bool) -> None:
    """Write Jamba 1.5, or the newer 1.6, which cites only where the option `knobs` allows it."""
    knobs = chat.option("knobs", kind="mapping") or {}
    asks_to_cite = knobs.get("is_set") and knobs.get("citation_mode") != "off"
    messages = chat.without_system
    question = max((message.index for message in messages if message.role == "user"), default=-1)
    if question < 0 and messages:
        question = messages[0].index
    out.append(chat.bos)
    write_system(chat, out, chat.text_option("default_system_message", "") if newer else "")
    for message in messages:
        out.append("<|eom|>")
        if message.index == question and (chat.documents or knobs.get("is_set")):
            out.append("<|bom|><|system|> ")
            if chat.documents:
                write_documents(chat, out)
            if knobs.get("is_set"):
                out.append("\n\n" if chat.documents else "")
                write_modes(out, knobs)
            out.append("<|eom|>")
        out.turn(message)
        write_message(chat, out, message)
        cited = message.raw.get("citations")
        if message.role == "assistant" and (asks_to_cite and cited is not None if newer else cited):
            write_citations(chat, out, message)
        out.turn(None)
    out.append("<|eom|>")
    if chat.add_generation_prompt:
        out += "<|bom|><|", chat.option("role_to_predict", kind="text") or "assistant", "|>"
        preamble = chat.option("generation_preamble", kind="text")
        if preamble is not None and preamble.strip():
            out += " ", preamble


JAMBA1_5 = Template(
    "jamba-1.5",
    partial(jamba, newer=False),
    roles=["system", "user", "assistant", "tool"],
    bos="<|startoftext|>",
    capabilities=["system", "tools", "parallel_tools", "documents"],
    options={"documents": None, "knobs": None, "role_to_predict": str, "generation_preamble": str},
    stop=["<|eom|>", "<|endoftext|>"],
    markers=[
        "<tool_definitions>",
        "</tool_definitions>",
        "<tool_calls>",
        "</tool_calls>",
        "<|startoftext|>",
        "<|endoftext|>",
        "<|bom|>",
        "<|eom|>",
        "<|system|>",
        "<|user|>",
        "<|assistant|>",
        "<|tool|>",
    ],
    reply=JAMBA.grammar,
    source="ai21labs/AI21-Jamba-1.5-Mini, tokenizer_config.json",
)
JAMBA1_6 = JAMBA1_5.but(
    name="jamba-1.6",
    program=partial(jamba, newer=True),
    options={**JAMBA1_5.options, "default_system_message": str},
    source="ai21labs/AI21-Jamba-Large-1.6, tokenizer_config.json",
)
