"""Muse Glimmer: messages with a recipient; thoughts are messages to the model itself, and calls to a tool."""

from collections.abc import Mapping
from typing import Any

from lect.plugin import Call, Chat, Message, Template, Writer
from lect.plugin.grammar import (
    QUOTED_KEY,
    QUOTED_NAME,
    CallSyntax,
    Channels,
    Grammar,
    Head,
    Params,
    ReplyFormat,
    Section,
)

MUSE_GLIMMER = ReplyFormat(
    Grammar(
        "muse_glimmer",
        channels=Channels(
            start=("<|start|>",),
            bodies=(("<|message|>", ""),),
            end=("<|eom|>",),
            stop=("<|eot|>",),
            shape=r"(?:assistant)?(?: to=[^\s<]+)?\s*",
            to=r"\bto=([^\s<]+)",
            opening=(" to=", "<|message|>"),
            reasoning=("self",),
            content=("user",),
        ),
        sections=(
            Section(
                (
                    CallSyntax(
                        Params("<atem:parameter ", Head((">",), QUOTED_KEY), "</atem:parameter>"),
                        ("<atem:invoke ",),
                        Head((">",), QUOTED_NAME),
                        ("</atem:invoke>",),
                        rename=r"(.+)\.\1",
                    ),
                ),
                ("<atem:function_calls>",),
                ("</atem:function_calls>",),
            ),
        ),
    ),
    stop=("<|eot|>",),
    names="Muse Glimmer",
    example=(
        " to=self<|message|>Look.<|eom|><|start|>assistant to=get_weather<|message|><atem:function_calls>\n"
        '<atem:invoke name="get_weather">\n<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n'
        "</atem:function_calls><|eom|>"
    ),
)

BOS = "<|begin_of_text|>"
MEDIA = {"image": "<|patch|>", "video": "<|video|>"}
HOW_TO_CALL = (
    "In this environment you have access to a set of tools you can use to answer the user's question.\n\n"
    'You can invoke a function by writing a "<atem:function_calls>" block like the following:\n'
    '<atem:function_calls>\n<atem:invoke name="$FUNCTION_NAME">\n'
    '<atem:parameter name="$PARAMETER_NAME">$PARAMETER_VALUE</atem:parameter>\n...\n</atem:invoke>\n'
    "</atem:function_calls>\n\n"
    "String and scalar parameters should be specified as is, while lists and objects should use JSON format. Note that "
    "spaces for string values are not stripped. The output is not expected to be valid XML and is parsed with regular "
    "expressions.\nHere are the functions available in JSONSchema format:\n// Tool metadata\n"
)
EXAMPLE = (
    "\n\nHere's an example of how to call a function in the tool set:\n"
    "(If the tool namespace is not specified, invoke the function directly as `example_function_name` rather than "
    "`example_tool_name.example_function_name`)\n\nto=example_tool_name.example_function_name\n\n"
    '<atem:function_calls>\n<atem:invoke name="example_tool_name.example_function_name">\n'
    '<atem:parameter name="example_parameter_1">value_1</atem:parameter>\n'
    '<atem:parameter name="example_parameter_2">This is the value for the second parameter\nthat can span\n'
    '"multiple" lines\n</atem:parameter>\n</atem:invoke>\n</atem:function_calls>'
)


def namespaces(chat: Chat) -> dict[str, tuple[str | int, ...]]:
    """Return the namespaces of the tools, what precedes the first dot of a name, and the path of each."""
    found: dict[str, tuple[str | int, ...]] = {}
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        name = chat.expect("text", function.get("name"), *path, "name")
        found.setdefault(name.split(".")[0], (*path, "name"))
    return found


def write_tools(chat: Chat, out: Writer) -> None:
    """Write how to call, the namespaces of the tools and their schemas."""
    given = chat.option("tool_namespace_descriptions")
    descriptions: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    out.append(HOW_TO_CALL)
    for name, path in namespaces(chat).items():
        told = chat.json(descriptions.get(name, ""), "options", "tool_namespace_descriptions", name)
        out += '{"name": ', chat.json(name, *path), ', "description": ', told, "}\n"
    out.append("// Function schemas")
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        for number, key in enumerate(("name", "description", "parameters")):
            value = chat.json(function.get(key), *path, key)
            out += ", " if number else "\n{", f'"{key}": ', value
        out.append("}")
    out.append(EXAMPLE)


def write_rest_of_system(chat: Chat, out: Writer) -> None:
    """Write what follows every system text: how hard to think, the tools and the recipients."""
    out += "\n\nReasoning strength: ", chat.text_option("reasoning_strength", "") or "high", "."
    if chat.tools:
        out.append("\n\n")
        write_tools(chat, out)
    out.append('\n\n# Valid recipients: "self"')
    for name, path in namespaces(chat).items():
        out += ', "', chat.printed(name, *path), '.*"'
    out.append(', "user".<|eot|>')


def write_content(out: Writer, message: Message) -> None:
    """Write the content of a message: its text, or its texts, images and videos in order."""
    if not message.parts:
        out.append(message.content)
    for part in message.parts:
        if part.type in MEDIA:
            out.append(MEDIA[part.type])
            out.used(*part.path)
        elif part.type == "text":
            out.append(part.text)


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write a call: texts and numbers as they are, what is nested as JSON.

    Raises:
        RefusedError: If the arguments are not a mapping.
    """
    out += "<|start|>assistant to=", call.name, '<|message|><atem:function_calls>\n<atem:invoke name="', call.name, '">'
    out.append("\n")
    for name, value, where in chat.named_arguments(call):
        is_json = value is None or isinstance(value, bool | Mapping | list)
        text = chat.json(value, *where) if is_json else chat.text(value, *where)
        out += '<atem:parameter name="', name, '">', text, "</atem:parameter>\n"
    out.append("</atem:invoke>\n</atem:function_calls>")


def write_answer(chat: Chat, out: Writer, message: Message) -> None:
    """Write the thought, and the calls or else the text; several calls are several messages of one turn."""
    if message.reasoning:
        out += "<|start|>assistant to=self<|message|>", message.reasoning, "<|eom|>"
    following = chat.messages[message.index + 1 :]
    for index, call in enumerate(message.tool_calls):
        write_call(chat, out, call)
        is_end = index + 1 == len(message.tool_calls) and not (following and following[0].role == "assistant")
        out.append("<|eot|>" if is_end else "<|eom|>")
    if message.tool_calls:
        out.by_rule(message.content)
    else:
        out.append("<|start|>assistant to=user<|message|>")
        write_content(out, message)
        out.append("<|eot|>")


def glimmer(chat: Chat, out: Writer) -> None:
    """Write Muse Glimmer."""
    out.append(chat.bos)
    calls = (call for message in chat.messages for call in message.tool_calls)
    names: dict[Any, str] = {call.id: call.name for call in calls if call.id is not None}
    if not any(message.role == "system" for message in chat.messages):
        out.append("<|start|>system<|message|>You are a helpful AI assistant.\nKnowledge cutoff: ")
        out += chat.text_option("knowledge_cutoff", "") or "2026-01-04", ".\nCurrent date: "
        out += chat.text_option("current_date", "") or chat.date().isoformat(), "."
        write_rest_of_system(chat, out)
    for message in out.turns(chat.messages):
        role = message.role
        if role == "assistant":
            write_answer(chat, out, message)
        elif role == "tool":
            given = message.raw.get("tool_call_id")
            name = message.name or names.get(given) or chat.text(given or "", "messages", message.index, "tool_call_id")
            out += "<|start|>tool ", name, '<|message|><tool_output name="', name, '">\n'
            write_content(out, message)
            out.append("\n</tool_output><|eot|>")
        elif role in ("system", "user"):
            out += "<|start|>", role, "<|message|>"
            write_content(out, message)
            if role == "system":
                write_rest_of_system(chat, out)
            else:
                out.append("<|eot|>")
    if chat.add_generation_prompt:
        out.append("<|start|>assistant")


PATCHES: dict[str, object] = {"rule": "nearest", "patch_size": 14, "temporal_patch_size": 2, "merge_size": 2}
COUNTED: dict[str, dict[str, object]] = {
    "image": {
        **PATCHES,
        "placeholder": "<|patch|>",
        "start": "<|image_start|>",
        "end": "<|image_end|>",
        "max_image_tokens": 4096,
    },
    "video": {
        **PATCHES,
        "source": "huggingface/transformers at d56c55b: the processor muse_glimmer",
        "placeholder": "<|video|>",
        "open": "<|vid_start|>",
        "timestamp": "Time: {seconds:.1f}s",
        "separator": "<|vid_frame_separator|>",
        "close": "<|vid_end|>",
        "max_video_frame_tokens": 144,
        "fps": 2.0,
    },
}
GLIMMER = Template(
    "muse-glimmer",
    glimmer,
    roles=["system", "user", "assistant", "tool"],
    bos=BOS,
    capabilities=["system", "tools", "parallel_tools", "reasoning", "images", "video"],
    options={
        "reasoning_strength": str,
        "knowledge_cutoff": str,
        "current_date": str,
        "date": None,
        "tool_namespace_descriptions": None,
    },
    accepts=["parts", "null"],
    stop=["<|eot|>"],
    markers={
        "<|patch|>": 200092, "<|video|>": 200091,
        **dict.fromkeys((BOS, "<|start|>", "<|message|>", "<|eom|>", "<|eot|>", "<|image_start|>", "<|image_end|>")),
        "</tool_output>": None,
    },
    reply=MUSE_GLIMMER.grammar,
    media=COUNTED,
    source=(
        "meta-models/Muse-Glimmer-30B, chat_template.jinja, as ollama/ollama at 43f4eda has it in "
        "model/renderers/testdata; the BOS as its renderer and modelscope/ms-swift at 3602360 write it"
    ),
    evidence="second-hand",
)  # fmt: skip
