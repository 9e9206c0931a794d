"""DeepSeek-V4: questions, results and instructions share a user turn; the tools follow the system texts."""

from collections.abc import Mapping
from functools import partial

from lect.plugin import Call, Chat, Message, Writer
from lect_deepseek.dsml import DEEPSEEK_V4_DSML, V3_2
from lect_deepseek.plain import EOS
from lect_deepseek.v3 import write_systems
from lect_deepseek.v3_1 import VOCABULARY

BEFORE_TOOLS = """## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a \
"<｜DSML｜tool_calls>" block like the following:

<｜DSML｜tool_calls>
<｜DSML｜invoke name="$TOOL_NAME">
<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>
...
</｜DSML｜invoke>
<｜DSML｜invoke name="$TOOL_NAME2">
...
</｜DSML｜invoke>
</｜DSML｜tool_calls>

String parameters should be specified as is and set `string="true"`. For all other types (numbers, booleans, arrays, \
objects), pass the value in JSON format and set `string="false"`.

If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> \
BEFORE any tool calls or final response.

Otherwise, output directly after </think> with tool calls or final response.

### Available Tool Schemas

"""
AFTER_TOOLS = """
You MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.
"""
THOROUGH = """Reasoning Effort: Absolute maximum with no shortcuts permitted.
You MUST be very thorough in your thinking and comprehensively decompose the problem to resolve the root cause, \
rigorously stress-testing your logic against all potential paths, edge cases, and adversarial scenarios.
Explicitly write out your entire deliberation process, documenting every intermediate step, considered alternative, \
and rejected hypothesis to ensure absolutely no assumption is left unchecked.

"""
EXHAUSTIVE = """Reasoning Effort: Beyond maximum — exhaustive, relentless, and uncompromising.
You MUST reason with the utmost depth and rigor, leaving absolutely nothing to chance: exhaustively decompose the \
problem into its most fundamental components, trace every causal chain to its root, and resolve the underlying cause \
rather than any surface symptom.
Do not stop reasoning until you have independently verified the solution from multiple angles and are certain that no \
assumption remains unchecked and no error remains undiscovered.

"""
ASKS = ("user", "developer", "tool")
"""The roles that are written in a user turn."""


def write_preamble(chat: Chat, out: Writer) -> None:
    """Write the system texts, the tools and the format of the answer, where given."""
    systems = [message.content for message in chat.messages if message.role == "system"]
    write_systems(chat, out)
    begun = len(systems) > 1 or any(systems)
    if chat.tools:
        out += "\n\n" if begun else "", BEFORE_TOOLS
        for index, tool in enumerate(chat.tools):
            if tool.get("type") == "function":
                function, path = chat.function(index)
                out += chat.json(function, *path), "\n"
        out.append(AFTER_TOOLS)
    if "response_format" in chat.options:
        out += "\n\n" if begun or chat.tools else "", "## Response Format:\n\n"
        out.append("You MUST strictly adhere to the following schema to reply:\n")
        out.append(chat.json(chat.options["response_format"], "options", "response_format"))


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write one call: each argument in a tag that says whether it is text; the rest is JSON."""
    out += '<｜DSML｜invoke name="', call.name, '">\n'
    for name, value, where in chat.named_arguments(call):
        is_text = isinstance(value, str)
        out += (
            '<｜DSML｜parameter name="',
            name,
            '" string="true">' if is_text else '" string="false">',
        )
        out += chat.text(value, *where) if is_text else chat.json(value, *where), "</｜DSML｜parameter>\n"
    out.append("</｜DSML｜invoke>\n" if call.arguments else "\n</｜DSML｜invoke>\n")


def write_answer(chat: Chat, out: Writer, message: Message, *, keeps_thought: bool) -> None:
    """Write an answer, with a thought, even if empty, or without."""
    out.append("<｜Assistant｜>")
    if keeps_thought:
        out += "<think>", message.reasoning or ""
    else:
        out.by_rule(message.reasoning)
    out += "</think>", message.content
    if message.tool_calls:
        out.append("\n\n<｜DSML｜tool_calls>\n")
        for call in message.tool_calls:
            write_call(chat, out, call)
        out.append("</｜DSML｜tool_calls>")
    out.append(EOS)


def v4(chat: Chat, out: Writer, *, efforts: Mapping[str, str]) -> None:
    """Write DeepSeek-V4.

    Thoughts are kept after the last question, and everywhere if there are tools or results, or `drop_thinking` is
    False.
    """
    thinking = chat.option("thinking", chat.option("enable_thinking", False))
    effort = chat.option("reasoning_effort")
    out.append(chat.bos)
    if thinking and chat.messages and isinstance(effort, str):
        out.append(efforts.get(effort, ""))
    write_preamble(chat, out)
    asked = max((message.index for message in chat.messages if message.role in ASKS), default=-1)
    keeps_all = (
        bool(chat.tools)
        or not chat.option("drop_thinking", True)
        or any(message.role == "tool" for message in chat.messages)
    )
    asking = False
    for message in out.turns(chat.messages):
        if message.role in ASKS:
            out.append("\n\n" if asking else "<｜User｜>")
            asking = True
            is_result = message.role == "tool"
            out += "<tool_result>" if is_result else "", message.content, "</tool_result>" if is_result else ""
        elif message.role == "assistant":
            asking = False
            write_answer(chat, out, message, keeps_thought=bool(thinking and (keeps_all or message.index > asked)))
    if chat.add_generation_prompt:
        out += "<｜Assistant｜>", "<think>" if thinking else "</think>"


V4 = V3_2.but(
    name="deepseek-v4",
    program=partial(v4, efforts={"max": THOROUGH}),
    options={
        "thinking": bool,
        "enable_thinking": bool,
        "reasoning_effort": str,
        "drop_thinking": bool,
        "response_format": None,
    },
    markers={**VOCABULARY, "｜DSML｜": None, "<tool_result>": None, "</tool_result>": None},
    reply=DEEPSEEK_V4_DSML.grammar,
    source="deepseek-ai/DeepSeek-V4, as llama.cpp b21e4de has it",
)
V4_FLASH_0731 = V4.but(
    name="deepseek-v4-flash-0731",
    program=partial(v4, efforts={"high": THOROUGH, "max": EXHAUSTIVE}),
    source="deepseek-ai/DeepSeek-V4-Flash-0731, as llama.cpp b21e4de has it",
)
