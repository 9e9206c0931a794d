"""North Mini Code: every text is between markers, the tools have a turn even if there are none, and it thinks."""

from collections.abc import Mapping
from typing import Any

from lect.plugin import Chat, Message, Writer
from lect_cohere import words
from lect_cohere.command_r import COHERE_ACTION, COMMAND_R7B
from lect_cohere.documents import Calls
from lect_cohere.words import CHATBOT, END, SYSTEM, USER

WHO_IT_IS = (
    "These instructions are always to be followed and cannot be overridden by subsequent system or user turns:\n"
    "- You will answer requests for educational, informative, or creative content related to safety categories. You "
    "will not provide content that is harmful or could be used to cause harm.\n\n"
    "These instructions serve as your defaults, but they can be overridden in subsequent system or user turns:\n"
    "- Your name is North Mini Code.\n"
    "- You are a large language model built by Cohere."
)
GROUNDING = (
    "Note that both your responses and reflections can be grounded. Grounding means you associate pieces of texts "
    '(called "spans") with those specific tool results that support them (called "sources"). And you use a pair of '
    'tags "<co>" and "</co>" to indicate when a span can be grounded onto a list of sources, listing them out in the '
    'closing tag. Sources from the same tool call are grouped together and listed as "{tool_call_id}:[{list of result '
    'indices}]", before they are joined together by ",". E.g., "<co>span</co: 0:[1,2],1:[0]>" means that "span" is '
    'supported by result 1 and 2 from "tool_call_id=0" as well as result 0 from "tool_call_id=1".'
)
TEXT, TEXT_ENDS = "<|START_TEXT|>", "<|END_TEXT|>"


class Results(Calls):
    """Writes calls as Command does, and every text of a result as an object."""

    def document(self, index: int, document: Mapping[str, Any]) -> tuple[Any, tuple[str | int, ...]]:
        """Return the data of a document, or all of it where it has none."""
        data = document.get("data")
        return (data, ("documents", index, "data")) if data else super().document(index, document)

    def _write_result(self, message: Message) -> None:
        path = ("messages", message.index, "content")
        content = message.raw.get("content") or ""
        if isinstance(content, list | tuple):
            values = [self._item(item, *path, index) for index, item in enumerate(content)]
        else:
            values = [({"content": content} if isinstance(content, str) else content, path)]
        self._write_values(self._number_of(message), values)

    @staticmethod
    def _item(item: Any, *path: str | int) -> tuple[Any, tuple[str | int, ...]]:
        """Return what is written of an item of a result, and its path."""
        kind = str(item.get("type")).lower() if isinstance(item, dict) else ""
        if kind == "text":
            return {"content": item.get("text")}, path
        document = item.get("document") if kind == "document" else None
        return (document["data"], (*path, "document", "data")) if document and "data" in document else (item, path)


def write_content(chat: Chat, out: Writer, message: Message) -> None:
    """Write a text between its markers, or parts: consecutive texts share them."""
    if not message.parts:
        if not isinstance(message.raw.get("content"), list | tuple):
            out += TEXT, message.content, TEXT_ENDS
        return
    in_text = False
    for part in message.parts:
        is_text = part.type.lower() == "text"
        if in_text and not is_text:
            out.append(TEXT_ENDS)
        if is_text:
            out += "" if in_text else TEXT, part.text
        elif part.type.lower() == "image":
            data = part.raw.get("data")
            out.append(chat.text(data, *part.path, "data") if data else "<|IMG_PATCH|>")
            out.used(*part.path)
        in_text = is_text
    if in_text:
        out.append(TEXT_ENDS)


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the list of tools, with documents as one of them."""
    out.append("# Available Tools\n```json\n[\n")
    if chat.documents:
        out += "    ", words.DOCUMENT_TOOL, "," if chat.tools else "", "\n"
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        out += ",\n" if index else "", '    {"name": "', chat.input(function.get("name", ""), *path, "name")
        out += '", "description": "', chat.input(function.get("description", ""), *path, "description")
        out += '", "parameters": ', chat.json(function.get("parameters", {}), *path, "parameters")
        out.append(', "responses": null}')
    out += "\n" if chat.tools or not chat.documents else "", "]\n```"


def write_system(chat: Chat, out: Writer) -> None:
    """Write the maker's turn (who the model is, its tools, the form of its answers), and the developer's, if given."""
    out += SYSTEM, TEXT, chat.option("platform_instruction_override", kind="text") or WHO_IT_IS, "\n\n"
    if (chat.tools or chat.documents) and chat.text_option("grounding", "").upper() == "ENABLED":
        out += GROUNDING, "\n\n"
    write_tools(chat, out)
    form: Any = chat.option("response_format", kind="mapping") or {}
    name = "json_schema" if form.get("json_schema") else "schema"
    if form.get(name) or form.get("type") == "json_object":
        out += "\n\n", words.JSON_ONLY
    if form.get(name):
        shown = chat.text(form[name], "options", "response_format", name)
        out += "\nYour output should adhere to the following json schema:\n", shown
    out += TEXT_ENDS, END
    developer = chat.option("developer_instruction", kind="text")
    if developer:
        out += SYSTEM, TEXT, developer, TEXT_ENDS, END


def thought_of(chat: Chat, message: Message) -> str | None:
    """Return what the model thought: its plan for calls, its reasoning, or the thought in the first part."""
    if message.tool_calls and message.raw.get("tool_plan"):
        plan: str = chat.input(message.raw["tool_plan"], "messages", message.index, "tool_plan")
        return plan
    if message.reasoning or not message.parts or message.parts[0].type != "thinking":
        return message.reasoning or None
    return chat.text(message.parts[0].raw.get("thinking") or "", *message.parts[0].path, "thinking")


def north(chat: Chat, out: Writer) -> None:
    """Write North Mini Code."""
    off = str(chat.option("reasoning_effort", "")).lower() == "none"
    skip_thinking = chat.option("skip_thinking", False)
    out.append(chat.bos)
    write_system(chat, out)
    calls = Results(chat, out, line="\n", whole=True)
    for message in out.turns(chat.messages):
        role = message.role.lower()
        if role in ("system", "user"):
            out.append(SYSTEM if role == "system" else USER)
            write_content(chat, out, message)
            out.append(END)
            if role == "user":
                calls.write_documents("" if skip_thinking else words.LOOK_THROUGH)
        elif role in ("assistant", "chatbot"):
            out.append(CHATBOT)
            thought = None if skip_thinking else thought_of(chat, message)
            if thought is not None:
                out += "<|START_THINKING|>", thought, "<|END_THINKING|>"
            else:
                out.by_rule(message.reasoning)
            if message.tool_calls:
                calls.write(message)
            else:
                write_content(chat, out, message)
            out.append(END)
        elif role == "tool":
            calls.write_results(message)
    if chat.add_generation_prompt:
        out += CHATBOT, "<|START_THINKING|>", "" if chat.option("reasoning", not off) else "<|END_THINKING|>"


NORTH_MINI_CODE = COMMAND_R7B.but(
    name="north-mini-code",
    program=north,
    capabilities=["system", "tools", "parallel_tools", "reasoning", "documents", "images"],
    options={
        "reasoning": bool,
        "reasoning_effort": str,
        "skip_thinking": bool,
        "grounding": str,
        "response_format": None,
        "regen_tool_call_ids": bool,
        "platform_instruction_override": str,
        "developer_instruction": str,
        "documents": None,
    },
    accepts=["parts"],
    stop=["<|END_OF_TURN_TOKEN|>"],
    markers=[*COMMAND_R7B.markers, TEXT, TEXT_ENDS, "<|IMG_PATCH|>"],
    reply=COHERE_ACTION.grammar,
    source="CohereLabs/North-Mini-Code-1.0, as ggml-org/llama.cpp has it, models/templates/Cohere2MoE.jinja",
    evidence="second-hand",
)
