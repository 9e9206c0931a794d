"""Command A Reasoning: it thinks, uses tools and documents, and can be constrained to JSON."""

from typing import Any

from lect.plugin import Chat, Message, Writer
from lect_cohere import words
from lect_cohere.command_r import COHERE_ACTION, COMMAND_R7B
from lect_cohere.documents import Calls
from lect_cohere.words import CHATBOT, END, SYSTEM, USER


def write_tools(chat: Chat, out: Writer, *, reasoning: Any, skip_thinking: Any) -> None:
    """Write what the model can do with tools and which it has.

    Where lines run together, they do so in the maker's template too.
    """
    out += words.TRAINED, "\n"
    if skip_thinking:
        out += words.UNPLANNED, "\n"
    elif reasoning:
        out += words.PLAN, "\n", words.STEPS, "\n", words.RESPOND, "\n"
    else:
        # A model that need not reason may skip its plan.
        out += words.PLAN, words.SKIP_PLAN, "\n", words.STEPS, words.SKIP_REFLECTION, "\n", words.RESPOND, "\n"
    if chat.option("enable_citations", False):
        out += words.GROUNDING.replace('"Reflection" and ', "") if skip_thinking else words.GROUNDING, "\n"
    out += words.AVAILABLE, "["
    if chat.documents:
        out += "    ", words.DOCUMENT_TOOL, "," if chat.tools else ""
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        out += "," if index else "", '    {"name": "', chat.input(function.get("name", ""), *path, "name")
        out += '", "description": "', chat.input(function.get("description", ""), *path, "description")
        out += '", "parameters": ', chat.json(function.get("parameters", {}), *path, "parameters")
        out.append(', "responses": null}')
    out.append("]\n```\n")


def write_content(out: Writer, message: Message) -> None:
    """Write the text, or the text parts, with a line break between two consecutive ones."""
    if not message.parts:
        out.append(message.content)
    after_text = False
    for part in message.parts:
        if part.type == "text":
            out += "\n" if after_text else "", part.text
        after_text = part.type == "text"


def developer_preamble(chat: Chat) -> Message | None:
    """Return the developer's message: the system message, or the option `developer_preamble`, which is a message too.

    Raises:
        MessageError: If the option is not a message; the maker's template would silently drop a text.
    """
    option = chat.option("developer_preamble", kind="mapping")
    if chat.system or not option:
        return chat.system
    where = ("options", "developer_preamble", "content")
    message = Message()
    message.content = chat.text(chat.expect("text", option.get("content"), *where), *where)
    return message


def write_system(chat: Chat, out: Writer, *, reasoning: Any, skip_thinking: Any) -> None:
    """Write the system turn: the maker's preamble, and the caller's system text as the developer's."""
    safety = "STRICT" if chat.text_option("safety_mode", "CONTEXTUAL").upper() == "STRICT" else "CONTEXTUAL"
    out += SYSTEM, "# System Preamble\n", words.SAFETY[safety], "\n", words.CUTOFF, "\n"
    if reasoning:
        out += words.REASONING, "\n"
    if chat.tools or chat.documents or reasoning:
        write_tools(chat, out, reasoning=reasoning, skip_thinking=skip_thinking)
    out.append(words.DEFAULT_PREAMBLE)
    form: Any = chat.option("response_format", kind="mapping") or {}
    name = "json_schema" if form.get("json_schema") else "schema"
    schema = form.get(name)
    json_only = schema or form.get("type") == "json_object"
    preamble = developer_preamble(chat)
    if preamble or json_only:
        out += "\n", words.DEVELOPER_PREAMBLE
    if preamble:
        out.turn(chat.system)
        write_content(out, preamble)
        out.turn(None)
    if json_only:
        out.append(words.JSON_ONLY)
    if schema:
        shown = chat.text(schema, "options", "response_format", name)
        out += "Your output should adhere to the following json schema:\n", shown
    out.append(END)


def thought_of(chat: Chat, message: Message) -> str | None:
    """Return what the model thought: its plan for calls, its reasoning, or the thought in the first part."""
    plan: str | None = None
    if message.tool_calls:
        plan = chat.input(message.raw.get("tool_plan"), "messages", message.index, "tool_plan")
    if plan or message.reasoning:
        return plan or message.reasoning
    thought = message.parts[0].raw.get("thinking") if message.parts else None
    return chat.text(thought, *message.parts[0].path, "thinking") if isinstance(thought, str) else None


def write_answer(chat: Chat, out: Writer, calls: Calls, message: Message, *, skip_thinking: Any) -> None:
    """Write a turn of the model: its thought, and its calls or its response."""
    out.append(CHATBOT)
    thought = thought_of(chat, message)
    if thought and not skip_thinking:
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
    reasoning = chat.option("reasoning", True)
    skip_thinking = chat.option("skip_thinking", not reasoning)
    out.append(chat.bos)
    write_system(chat, out, reasoning=reasoning, skip_thinking=skip_thinking)
    calls = Calls(chat, out, line="", whole=False)
    for message in out.turns(chat.messages):
        if message.role == "system" and message is not chat.system:
            out.append(SYSTEM)
            write_content(out, message)
            out.append(END)
        elif message.role == "user":
            out.append(USER)
            write_content(out, message)
            out.append(END)
            calls.write_documents("" if skip_thinking else words.LOOK_THROUGH)
        elif message.role in ("assistant", "chatbot"):
            write_answer(chat, out, calls, message, skip_thinking=skip_thinking)
        elif message.role == "tool":
            calls.write_results(message)
    if chat.add_generation_prompt:
        out.append(CHATBOT)


COMMAND_A_REASONING = COMMAND_R7B.but(
    name="command-a-reasoning",
    program=command_a,
    capabilities=["system", "tools", "parallel_tools", "reasoning", "documents"],
    options={
        "reasoning": bool,
        "skip_thinking": bool,
        "safety_mode": str,
        "enable_citations": bool,
        "response_format": None,
        "regen_tool_call_ids": bool,
        "developer_preamble": None,
        "documents": None,
    },
    accepts=["parts"],
    reply=COHERE_ACTION.grammar,
    source="CohereLabs/command-a-reasoning-08-2025, chat_template.jinja",
)
