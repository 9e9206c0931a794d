"""Qwen3-Coder: tools and calls in XML."""

from collections.abc import Mapping

from lect.plugin import Call, Chat, Schema, Template, Turn, TurnTemplate, Writer
from lect.plugin.grammar import ATTRIBUTE_TAGS, FUNCTION_TAGS, SPACE, THINK, Grammar, ReplyFormat, Section
from lect_qwen.chatml import QWEN3_MARKERS, STOP

QWEN3_CODER_XML = ReplyFormat(
    Grammar(
        "qwen3_coder_xml",
        reasoning=THINK.but(trail=SPACE, after=SPACE),
        # It falls back on attributes.
        sections=(
            Section(
                (FUNCTION_TAGS, ATTRIBUTE_TAGS.but(foreign=True)),
                ("<tool_call>",),
                ("</tool_call>",),
                before=("\n\n", "\n"),
            ),
        ),
    ),
    stop=("<|im_end|>", "<|endoftext|>"),
    names="Qwen3-Coder, Qwen3.5 and later, Nemotron-3, Step-3.5",
    example="<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>",
)

HOW_TO_CALL = (
    "\n\nIf you choose to call a function ONLY reply in the following format with NO suffix:\n\n<tool_call>\n"
    "<function=example_function_name>\n"
    "<parameter=example_parameter_1>\nvalue_1\n</parameter>\n<parameter=example_parameter_2>\n"
    "This is the value for the second parameter\n"
    "that can span\nmultiple lines\n</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\nReminder:\n"
    "- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within "
    "<tool_call></tool_call> XML tags\n"
    "- Required parameters MUST be specified\n"
    "- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT "
    "after\n"
    "- If there is no function call available, answer the question like normal with your current knowledge and do not "
    "tell the user about function calls\n</IMPORTANT>"
)


def write_call(chat: Chat, out: Writer, call: Call, *, as_json: type | tuple[type, ...]) -> None:
    """Write one call, with each argument in its own tag.

    A text is written as it is, values of the types `as_json` as JSON, anything else as Python prints it.
    """
    out += "<tool_call>\n<function=", call.name, ">\n"
    if isinstance(call.arguments, Mapping):
        for name, value in call.arguments.items():
            where = (*call.path, "arguments", name)
            as_it_is = isinstance(value, str) or not isinstance(value, as_json)
            text = chat.text(value, *where) if as_it_is else chat.json(value, *where)
            out += "<parameter=", chat.printed(name, *where), ">\n", text, "\n</parameter>\n"
    out.append("</function>\n</tool_call>")


def write_other_keys(chat: Chat, out: Writer, schema: Schema, known: tuple[str, ...]) -> None:
    """Write every key of a schema that has no tag of its own yet."""
    for key, value in schema.fields.items():
        if key not in known:
            tag = chat.printed(key, *schema.path, key)
            out += "\n<", tag, ">", schema.json(key) if isinstance(value, Mapping) else schema.text(key), "</", tag, ">"


def write_tool(chat: Chat, out: Writer, index: int) -> None:
    """Write one tool in XML."""
    tool = Schema(chat, *chat.function(index))
    out += "\n<function>\n<name>", tool.text("name"), "</name>"
    if "description" in tool:
        out += "\n<description>", tool.text("description").strip(), "</description>"
    out.append("\n<parameters>")
    parameters = tool.at("parameters")
    for each in parameters.properties:
        out += "\n<parameter>\n<name>", each.name, "</name>"
        if "type" in each:
            out += "\n<type>", each.text("type"), "</type>"
        if "description" in each:
            out += "\n<description>", each.text("description").strip(), "</description>"
        write_other_keys(chat, out, each, ("name", "type", "description"))
        out.append("\n</parameter>")
    write_other_keys(chat, out, parameters, ("type", "properties"))
    out.append("\n</parameters>")
    write_other_keys(chat, out, tool, ("type", "name", "description", "parameters"))
    out.append("\n</function>")


def qwen3_coder(chat: Chat, out: Writer) -> None:
    """Write Qwen3-Coder."""
    system = chat.system
    # Not the template's default: the maker adds it only where there are tools.
    default = "You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks."
    out.turn(system)
    if system or chat.tools:
        out += "<|im_start|>system\n", system.content if system else default
        if chat.tools:
            out.append("\n\nYou have access to the following functions:\n\n<tools>")
            for index in range(len(chat.tools)):
                write_tool(chat, out, index)
            out += "\n</tools>", HOW_TO_CALL
        out.append("<|im_end|>\n")
    out.turn(None)
    for position, message in enumerate(out.turns(chat.without_system)):
        role = message.role
        if role == "assistant" and message.tool_calls:
            out += "<|im_start|>", role
            if message.content.strip():
                out += "\n", message.content.strip(), "\n"
            for call in message.tool_calls:
                out.append("\n")
                write_call(chat, out, call, as_json=Mapping)
            out.append("<|im_end|>\n")
        elif role == "tool":
            if position and chat.begins_run(message):
                out.append("<|im_start|>user\n")
            out += "<tool_response>\n", message.content, "\n</tool_response>\n"
            if chat.ends_run(message):
                out.append("<|im_end|>\n")
        else:
            out += "<|im_start|>", role, "\n", message.content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


QWEN3_CODER = Template(
    "qwen3-coder",
    qwen3_coder,
    roles=["system", "user", "assistant", "tool"],
    capabilities=["system", "tools", "parallel_tools"],
    stop=STOP,
    markers=QWEN3_MARKERS,
    reply=QWEN3_CODER_XML.grammar,
    source="Qwen/Qwen3-Coder-30B-A3B-Instruct, chat_template.jinja",
)
# How it is shown tools is left out: of their schemas and results the two projects write different texts.
QWEN3_CODER_NEXT = TurnTemplate(
    "qwen3-coder-next",
    system=Turn("<|im_start|>system\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=Turn("<|im_start|>assistant\n", "<|im_end|>\n"),
    stop=list(STOP),
    markers=list(QWEN3_MARKERS),
    control_tokens=QWEN3_MARKERS,
    reply=QWEN3_CODER_XML.grammar,
    evidence="attested",
    source=(
        "openvinotoolkit/model_server at a696e216, extras/chat_template_examples/chat_template_qwen3coder_next.jinja, "
        "and modelscope/ms-swift at 3602360, swift/template/templates/qwen.py"
    ),
)
