"""DeepSeek-V3.2, which has its own tags for calls, and the replies of V4, which uses them too."""

from lect.plugin import Call, Chat, Template, Writer
from lect.plugin.grammar import QUOTED_NAME, THINK, CallSyntax, Grammar, Head, Params, ReplyFormat, Section
from lect_deepseek.plain import BOS, EOS
from lect_deepseek.v3_1 import VOCABULARY

CALLS = Section(
    (
        CallSyntax(
            Params(
                "<｜DSML｜parameter ",
                Head((">",), r'\s*name="(?P<key>[^"]*)"(?:\s+string="(?P<string>true|false)")?\s*'),
                "</｜DSML｜parameter>",
            ),
            ("<｜DSML｜invoke ",),
            Head((">",), QUOTED_NAME),
            ("</｜DSML｜invoke>",),
        ),
    ),
    # The older spelling, and the newer one.
    ("<｜DSML｜function_calls>", "<｜DSML｜tool_calls>"),
    ("</｜DSML｜function_calls>", "</｜DSML｜tool_calls>"),
    before=("\n\n",),
    special=True,
)
DEEPSEEK_V32_DSML = ReplyFormat(
    Grammar("deepseek_v32_dsml", reasoning=THINK, sections=(CALLS,)),
    stop=(EOS,),
    names="DeepSeek-V3.2",
    example=(
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">'
        "Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"
    ),
)
DEEPSEEK_V4_DSML = ReplyFormat(
    DEEPSEEK_V32_DSML.grammar.but(name="deepseek_v4_dsml"),
    stop=(EOS,),
    names="DeepSeek-V4",
    example=(
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Paris'
        "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>"
    ),
)

BEFORE_TOOLS = """\n
## Tools
You have access to a set of tools you can use to answer the user's question.
You can invoke functions by writing a "<｜DSML｜function_calls>" block like the following as part of your reply to the \
user:
<｜DSML｜function_calls>
<｜DSML｜invoke name="$FUNCTION_NAME">
<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>
...
</｜DSML｜invoke>
<｜DSML｜invoke name="$FUNCTION_NAME2">
...
</｜DSML｜invoke>
</｜DSML｜function_calls>
String and scalar parameters should be specified as is without any escaping or quotes, while lists and objects should \
use JSON format. The "string" attribute should be set to "true" for string type parameters and "false" for other types \
(numbers, booleans, arrays, objects).
If the thinking_mode is enabled, then after function results you should strongly consider outputting a thinking block. \
Here is an example:
<｜DSML｜function_calls>
...
</｜DSML｜function_calls>
<function_results>
...
</function_results>
<think>...thinking about results</think>
Here are the functions available in JSONSchema format:
<functions>
"""


def write_tools(chat: Chat, out: Writer) -> None:
    """Write the tools, one JSON object per line, and how to call them."""
    if chat.tools:
        out.append(BEFORE_TOOLS)
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        out += chat.json(function, *path), "\n"
    if chat.tools:
        out.append("</functions>\n")


def write_call(chat: Chat, out: Writer, call: Call) -> None:
    """Write one call: each argument in a tag that says whether it is text; the rest is JSON."""
    out += '\n<｜DSML｜invoke name="', call.name, '">\n'
    for index, (name, value, where) in enumerate(chat.named_arguments(call)):
        is_text = isinstance(value, str)
        out += "\n" if index else "", '<｜DSML｜parameter name="', name
        out.append('" string="true">' if is_text else '" string="false">')
        out += chat.text(value, *where) if is_text else chat.json(value, *where), "</｜DSML｜parameter>"
    out.append("\n</｜DSML｜invoke>")


def v3_2(chat: Chat, out: Writer) -> None:
    """Write DeepSeek-V3.2: a question, or the last of several results, opens an answer at once.

    Thoughts are kept after the last question.
    """
    thinking = chat.option("thinking", chat.option("enable_thinking", False))
    question = max((each.index for each in chat.messages if each.role in ("user", "developer")), default=-1)
    called = answered = 0
    out.append(chat.bos)
    if chat.system is None:
        write_tools(chat, out)
    for message in out.turns(chat.messages):
        opens = "<think>" if thinking and message.index >= question else "</think>"
        if message.role == "system":
            out.append(message.content)
            if message is chat.system:
                write_tools(chat, out)
        elif message.role == "user":
            out += "<｜User｜>", message.content, "<｜Assistant｜>", opens
        elif message.role == "developer":
            out += "<｜User｜>\n\n# The user's message is: ", message.content, "<｜Assistant｜>", opens
        elif message.role == "tool":
            answered += 1
            if answered > called:
                chat.refuse("a tool's result answers no call", instead="one result per call of the message before")
            out += "\n\n<function_results>" if answered == 1 else "", "\n<result>", message.content, "</result>"
            if answered == called:
                out += "\n</function_results>\n\n", opens
        elif message.role == "assistant":
            if thinking and message.index > question:
                if not message.reasoning and not message.tool_calls:
                    chat.refuse("an answer has no reasoning", instead="add reasoning_content, or leave thinking out")
                out += message.reasoning or "", "</think>"
            else:
                out.by_rule(message.reasoning)
            out.append(message.content)
            if message.tool_calls:
                out.append("\n\n<｜DSML｜function_calls>")
                for call in message.tool_calls:
                    write_call(chat, out, call)
                out.append("\n</｜DSML｜function_calls>")
            out.append(EOS)
        else:
            chat.refuse(f"there is no turn for the role {message.role!r}", instead="system, user, assistant or tool")
        if message.role != "tool":
            called, answered = len(message.tool_calls), 0


V3_2 = Template(
    "deepseek-v3.2",
    v3_2,
    roles=["system", "developer", "user", "assistant", "tool"],
    bos=BOS,
    capabilities=["system", "tools", "parallel_tools", "reasoning"],
    options={"thinking": bool, "enable_thinking": bool},
    stop={EOS: 1},
    markers={
        **VOCABULARY,
        "｜DSML｜": None,
        **dict.fromkeys(("<functions>", "</functions>", "<function_results>", "</function_results>")),
        **dict.fromkeys(("<result>", "</result>")),
    },
    reply=DEEPSEEK_V32_DSML.grammar,
    source="deepseek-ai/DeepSeek-V3.2, encoding/encoding_dsv32.py, as vllm-project/vllm at 026ddf8 copies it",
    evidence="second-hand",
)
