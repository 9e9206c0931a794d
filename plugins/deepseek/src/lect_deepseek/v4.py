"""DeepSeek-V4: questions and results share a user turn; the tools follow the text that opens the conversation."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from lect.errors import saferepr
from lect.plugin import Call, Chat, Message, Writer
from lect_deepseek.dsml import DEEPSEEK_V4_DSML, V3_2
from lect_deepseek.plain import BOS, EOS
from lect_deepseek.v3 import SPECIAL

AFTER_SPECIAL = (
    "<｜begin▁of▁repo▁name｜>", "<｜end▁of▁repo▁name｜>", "<｜begin▁of▁file▁name｜>", "<｜end▁of▁file▁name｜>",
    "<｜begin▁of▁file｜>", "<｜end▁of▁file｜>", "<think>", "</think>", "<｜place▁holder▁for▁copy｜>",
    "<｜place▁holder▁for▁pointer▁replace｜>", "｜DSML｜", "<｜begin▁sys｜>", "<｜end▁sys｜>", "<｜latest_reminder｜>",
    "<｜action｜>", "<｜query｜>", "<｜authority｜>", "<｜domain｜>", "<｜task｜>", "<｜political｜>", "<｜entity｜>",
    "<｜title｜>", "<｜safety｜>", "<｜answer｜>", "<｜search｜>", "<dsml:", "</dsml:", "<｜search▁begin｜>",
    "<｜search▁end｜>", "<｜extracted_url｜>", "<｜read_url｜>", "<｜end_of_query｜>",
)  # fmt: skip
VOCABULARY = {
    BOS: 0,
    EOS: 1,
    "<｜▁pad▁｜>": 2,
    "<｜place▁holder▁no▁{}｜>": range(128000, 128800),
    **SPECIAL,
    **{token: 128815 + number for number, token in enumerate(AFTER_SPECIAL)},
    "<|place_holder_mm_span_{}|>": None,
    "<｜rl_image_pad｜>": 129262, "<｜rl_image_start｜>": 129263, "<｜/polygon｜>": 129271, "<｜polygon｜>": 129272,
    "<｜/point｜>": 129273, "<｜point｜>": 129274, "<｜/box｜>": 129275, "<｜box｜>": 129276, "<｜/ref｜>": 129277,
    "<｜ref｜>": 129278,
}  # fmt: skip
"""The special tokens of V4 that V4.1 has too, as Thinking Machines' tml-renderers 0.2.1 has them."""
IMAGES_AND_TABLES = {
    "<｜image2｜>": 129264, "<｜/table>｜": 129265, "<｜table｜>": 129266, "<｜/td｜>": 129267, "<｜td｜>": 129268,
    "<｜/tr｜>": 129269, "<｜tr｜>": 129270, "<｜image｜>": 129279,
}  # fmt: skip
BEFORE_TOOLS = """\n
## Tools

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
RESPONSE_FORMAT = """\n
## Response Format:

You MUST strictly adhere to the following schema to reply:
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
"""The roles of a user turn."""
SHARES = ("user", "tool")
"""The roles that share a turn where they are consecutive."""
LOW, HIGH, MAX = ("low", "minimal"), ("high", "none", "medium", "xhigh"), ("max", "ultra")
"""The efforts that the maker's package deepseek-recipe accepts; it takes those of a group for the first of it."""


def results_in_order(
    messages: Sequence[Message], arrange: Callable[[Sequence[Call]], Sequence[Call]] = tuple
) -> list[Message]:
    """Return the messages, the results of each user turn in the order of the calls that they answer.

    The calls of an answer are in the order that `arrange` gives them. A question between two results stays where it is;
    a result that answers none of the last calls comes first.
    """
    ordered = list(messages)
    place: dict[object, int] = {}
    begin = 0
    for end, message in enumerate([*messages, None]):
        if message is not None and message.role in SHARES:
            continue
        here = [index for index in range(begin, end) if messages[index].role == "tool"]
        by_call = sorted(here, key=lambda index: place.get(messages[index].raw.get("tool_call_id"), 0))
        for index, result in zip(here, by_call, strict=True):
            ordered[index] = messages[result]
        begin = end + 1
        if message is not None and message.tool_calls:
            place = {call.id: index for index, call in enumerate(arrange(message.tool_calls)) if call.id}
    return ordered


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the tools, one JSON object per line, how to call them, and the format of the answer, where given."""
    if chat.tools:
        out.append(BEFORE_TOOLS)
        for index in range(len(chat.tools)):
            function, path = chat.function(index)
            out += chat.json(function, *path), "\n"
        out.append(AFTER_TOOLS)
    if chat.option("response_format"):
        out.append(RESPONSE_FORMAT)
        out.append(chat.json(chat.options["response_format"], "options", "response_format"))


def write_call(chat: Chat, out: Writer, call: Call, gap: str = "", nothing: str = "\n") -> None:
    """Write one call: each argument in a tag that says whether it is text; the rest is JSON.

    `gap` precedes the name of a tag, and `nothing` stands for no arguments.
    """
    out += f'<｜DSML｜{gap}invoke name="', call.name, '">\n'
    # A text that is not JSON is an argument of that name.
    unread = [("arguments", call.arguments, (*call.path, "arguments"))]
    arguments = unread if isinstance(call.arguments, str) else chat.named_arguments(call)
    for name, value, where in arguments:
        is_text = isinstance(value, str)
        out += f'<｜DSML｜{gap}parameter name="', name, '" string="true">' if is_text else '" string="false">'
        out += chat.text(value, *where) if is_text else chat.json(value, *where), f"</｜DSML｜{gap}parameter>\n"
    out += "" if arguments else nothing, f"</｜DSML｜{gap}invoke>\n"


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
    """Write DeepSeek-V4; the first of the `efforts` is the default.

    Thoughts are kept after the last question, and everywhere if there are tools or `drop_thinking` is False. Where
    earlier thoughts are dropped, so are earlier developer messages.
    """
    thinking = bool(chat.option("thinking", chat.option("enable_thinking", False)))
    effort = chat.option("reasoning_effort", kind="text") or next(iter(efforts))
    if effort not in efforts:
        chat.refuse(f"reasoning_effort is {saferepr(effort)}", instead=f"one of {', '.join(efforts)}")
    question = max((message.index for message in chat.messages if message.role in ASKS), default=-1)
    keeps_all = bool(chat.tools) or not chat.option("drop_thinking", True)
    dropped = {
        message.index
        for message in chat.messages[: max(question, 0)]
        if message.role == "developer" and thinking and not keeps_all
    }
    opens = bool(chat.messages) and chat.messages[0].role in ("system", "developer") and 0 not in dropped
    out += chat.bos, efforts[effort] if thinking else ""
    if not opens:
        write_tools(chat, out)
    for place, message in enumerate(out.turns(results_in_order(chat.messages))):
        if message.index in dropped:
            out.by_rule(message.content)
        elif message.role == "assistant":
            write_answer(chat, out, message, keeps_thought=thinking and (keeps_all or message.index > question))
        elif message.role == "system":
            out.append(message.content)
        elif message.role == "developer":
            if not message.content:
                chat.refuse("a developer message is empty", instead="give it a text, or leave it out")
            out += "<｜User｜>", message.content
        elif message.role in SHARES:
            shares = place > 0 and chat.messages[place - 1].role in SHARES
            is_result = message.role == "tool"
            out += "\n\n" if shares else "<｜User｜>", "<tool_result>" if is_result else ""
            out += message.content, "</tool_result>" if is_result else ""
        else:
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="system, user, assistant or tool")
        if opens and place == 0:
            write_tools(chat, out)
    if chat.add_generation_prompt:
        out += "<｜Assistant｜>", "<think>" if thinking else "</think>"


V4 = V3_2.but(
    name="deepseek-v4",
    program=partial(v4, efforts={**dict.fromkeys(HIGH + LOW, ""), **dict.fromkeys(MAX, THOROUGH)}),
    options={
        "thinking": bool,
        "enable_thinking": bool,
        "reasoning_effort": str,
        "drop_thinking": bool,
        "response_format": None,
    },
    markers={**VOCABULARY, **IMAGES_AND_TABLES, "<tool_result>": None, "</tool_result>": None},
    reply=DEEPSEEK_V4_DSML.grammar,
    source="deepseek-ai/DeepSeek-V4-Pro, encoding/encoding_dsv4.py, as sgl-project/sglang at cce0a12 has it",
    evidence="second-hand",
)
V4_FLASH_0731 = V4.but(
    name="deepseek-v4-flash-0731",
    program=partial(
        v4, efforts={**dict.fromkeys(LOW, ""), **dict.fromkeys(HIGH, THOROUGH), **dict.fromkeys(MAX, EXHAUSTIVE)}
    ),
    source="deepseek-ai/DeepSeek-V4-Flash-0731, encoding/encoding_dsv4.py, as sgl-project/sglang at cce0a12 has it",
    evidence="second-hand",
)
