"""Command A Reasoning: it thinks, uses tools and documents, and can be held to JSON."""

from typing import Any

from lect.plugin import Chat, Message, Template, Writer
from lect_cohere.command_r import BOS, END, MARKERS, SECTIONS, STOP_IDS, TURN
from lect_cohere.documents import Calls, write_documents
from lect_cohere.words import (
    ACTIONS,
    AVAILABLE,
    CARRY_OUT,
    CUTOFF,
    DEFAULT_PREAMBLE,
    DEVELOPER_PREAMBLE,
    DOCUMENT_TOOL,
    GROUNDED,
    GROUNDING,
    JSON_ONLY,
    LOOK_THROUGH,
    PLAN,
    REASONING,
    REFLECTION,
    RESPOND,
    RESPOND_UNPLANNED,
    SAFETY,
    SKIP_PLAN,
    SKIP_REFLECTION,
    THEN,
    TRAINED,
)


class Mode:
    """How the model is to work, from the options of the caller's."""

    def __init__(self, chat: Chat):
        self.reasoning = chat.option("reasoning", True)
        self.skip_thinking = chat.option("skip_thinking", not self.reasoning)
        self.safety = "STRICT" if str(chat.option("safety_mode", "CONTEXTUAL")).upper() == "STRICT" else "CONTEXTUAL"
        self.citations = chat.option("enable_citations", False)
        form: Any = chat.option("response_format") or {}
        self.schema_name = "json_schema" if form.get("json_schema") else "schema"
        self.schema = form.get(self.schema_name)
        self.json = form.get("type") == "json_object" or self.schema


def write_tool_use(out: Writer, mode: Mode) -> None:
    """Write how to use tools: with a plan, which may be skipped where the model need not reason, or without."""
    if mode.skip_thinking:
        out += CARRY_OUT, ACTIONS, "\n", RESPOND_UNPLANNED, "\n"
    elif mode.reasoning:
        out += PLAN, "\n", THEN, ACTIONS, REFLECTION, "\n", RESPOND, "\n"
    else:
        out += PLAN, SKIP_PLAN, "\n", THEN, ACTIONS, REFLECTION, SKIP_REFLECTION, "\n", RESPOND, "\n"


def write_tools(chat: Chat, out: Writer, mode: Mode) -> None:
    """Write what the model can do with tools and which it has.

    Where lines run together, they do so in the maker's template.
    """
    out += TRAINED, "\n"
    write_tool_use(out, mode)
    if mode.citations:
        out += GROUNDING, "" if mode.skip_thinking else '"Reflection" and ', GROUNDED, "\n"
    out += AVAILABLE, "["
    documents = chat.documents
    if documents:
        out += "    ", DOCUMENT_TOOL, "," if chat.tools else ""
    for index, tool in enumerate(chat.tools):
        function = tool.get("function", tool)
        where = ("tools", index, "function") if "function" in tool else ("tools", index)
        name = chat.given(function.get("name", ""), *where, "name")
        about = chat.given(function.get("description", ""), *where, "description")
        parameters = chat.json(function.get("parameters", {}), *where, "parameters")
        out += (
            "," if index else "",
            '    {"name": "',
            name,
            '", "description": "',
            about,
            '", "parameters": ',
            parameters,
            ', "responses": null}',
        )
    out.append("]\n```\n")


def write_content(out: Writer, message: Message) -> None:
    """Write text, and of parts the text parts, with a line break between two that follow each other."""
    if not message.parts:
        out.append(message.content)
    after_text = False
    for part in message.parts:
        if part.type == "text":
            out += "\n" if after_text else "", part.text
        after_text = part.type == "text"


def write_system(chat: Chat, out: Writer, mode: Mode, system: Message | None) -> None:
    """Write the system turn: the maker's preamble, and the caller's words as the developer's."""
    out += TURN, "<|SYSTEM_TOKEN|># System Preamble\n", SAFETY[mode.safety], "\n", CUTOFF, "\n"
    if mode.reasoning:
        out += REASONING, "\n"
    if chat.tools or chat.documents or mode.reasoning:
        write_tools(chat, out, mode)
    out.append(DEFAULT_PREAMBLE)
    if system or mode.json:
        out += "\n", DEVELOPER_PREAMBLE
    if system:
        out.turn(system)
        write_content(out, system)
        out.turn(None)
    if mode.json:
        out.append(JSON_ONLY)
        if mode.schema:
            where = ("options", "response_format", mode.schema_name)
            shown = (
                chat.given(mode.schema, *where) if isinstance(mode.schema, str) else chat.printed(mode.schema, *where)
            )
            out += "Your output should adhere to the following json schema:\n", shown
    out.append(END)


def thought_of(message: Message) -> str | None:
    """Return what the model thought: as given, or in the first part."""
    if message.reasoning:
        return message.reasoning
    thought = message.parts[0].raw.get("thinking") if message.parts else None
    return thought if isinstance(thought, str) else None


def write_answer(chat: Chat, out: Writer, mode: Mode, calls: Calls, message: Message) -> None:
    """Write a turn of the model's: its thought, and its calls or its response."""
    out += TURN, "<|CHATBOT_TOKEN|>"
    plan = (
        chat.given(message.raw.get("tool_plan"), "messages", message.index, "tool_plan") if message.tool_calls else None
    )
    thought = plan or thought_of(message)
    if thought and not mode.skip_thinking:
        out += "<|START_THINKING|>", thought, "<|END_THINKING|>"
    else:
        out.by_rule(message.reasoning)
    if message.tool_calls:
        calls.write(message)
    else:
        out.append("<|START_RESPONSE|>")
        write_content(out, message)
        out.append("<|END_RESPONSE|>")
    out.append(END)


def command_a(chat: Chat, out: Writer) -> None:
    """Write Command A Reasoning."""
    mode = Mode(chat)
    out.append(chat.bos)
    system = chat.system
    write_system(chat, out, mode, system)
    calls = Calls(chat, out, indent="")
    for message in out.turns(chat.messages):
        if message.role == "system" and message is not system:
            out += TURN, "<|SYSTEM_TOKEN|>"
            write_content(out, message)
            out.append(END)
        elif message.role == "user":
            out += TURN, "<|USER_TOKEN|>"
            write_content(out, message)
            out.append(END)
            if chat.documents and not calls.documents_sent:
                calls.documents_sent = True
                calls.number += 1
                write_documents(
                    chat, out, "" if mode.skip_thinking else LOOK_THROUGH, "            ", ",            ", "        "
                )
        elif message.role in ("assistant", "chatbot"):
            write_answer(chat, out, mode, calls, message)
        elif message.role == "tool":
            calls.write_results(message, whole=False)
    if chat.add_generation_prompt:
        out += TURN, "<|CHATBOT_TOKEN|>"


COMMAND_A = Template(
    "command-a-reasoning",
    command_a,
    roles=["system", "user", "assistant", "chatbot", "tool"],
    bos=BOS,
    capabilities=["system", "tools", "parallel_tools", "reasoning", "documents"],
    options=[
        "reasoning",
        "skip_thinking",
        "safety_mode",
        "enable_citations",
        "response_format",
        "regen_tool_call_ids",
        "documents",
    ],
    stop=[END],
    stop_token_ids=STOP_IDS,
    markers=[*MARKERS, *SECTIONS],
    looks_for=(),
    reply="cohere_action",
    source="CohereLabs/command-a-reasoning-08-2025, chat_template.jinja",
)
