"""Calls with a marker for each parameter."""

from lect.plugin.grammar import (
    JSON_OBJECT,
    KEY_VALUE_CALL,
    QUOTED_KEY,
    QUOTED_NAME,
    THINK,
    CallSyntax,
    Grammar,
    Head,
    Params,
    Reasoning,
    ReplyFormat,
    Section,
)

INVOKE = Head((">",), QUOTED_NAME)

PARAMETER = Params("<parameter ", Head((">",), QUOTED_KEY), "</parameter>")

DOTS = ReplyFormat(
    Grammar(
        "dots",
        reasoning=THINK,
        sections=(
            Section(
                (CallSyntax(PARAMETER, ("<invoke ",), INVOKE, ("</invoke>",)),),
                ("<dots_function_call>",),
                ("</dots_function_call>",),
            ),
        ),
    ),
    stop=("<|endofassistant|>", "<|endoftext|>"),
    names="dots",
    example='<dots_function_call><invoke name="get_weather"><parameter '
    'name="city">Paris</parameter></invoke></dots_function_call>',
    model_types=("dots1",),
)

IQUEST_Q1 = ReplyFormat(
    Grammar(
        "iquest_q1",
        reasoning=THINK.but(starts=True),
        sections=(
            Section(
                (
                    KEY_VALUE_CALL.but(
                        open=("<iquest_tool_call>",),
                        head=KEY_VALUE_CALL.head and KEY_VALUE_CALL.head.but(end=("<arg_key>", "</iquest_tool_call>")),
                        close=("</iquest_tool_call>",),
                    ),
                ),
                before=("\n",),
            ),
        ),
    ),
    names="IQuest-Q1",
    example="<iquest_tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></iquest_tool_call>",
)

# A type may stand between a key and its value.
IFM_ARGUMENT = Params(
    "<ifm|arg_key>",
    Head(
        ("<ifm|arg_value>",),
        r"\s*(?P<key>[^\n<]+?)\s*</ifm\|arg_key>\s*(?:<ifm\|arg_type>(?P<type>[^<]*)</ifm\|arg_type>\s*)?",
        within=("</ifm|arg_key>", "<ifm|arg_type>", "</ifm|arg_type>"),
    ),
    "</ifm|arg_value>",
)
IFM_CALLS = (
    CallSyntax(
        IFM_ARGUMENT,
        ("<ifm|tool_call>",),
        Head(("<ifm|arg_key>", "</ifm|tool_call>", "{"), r"\s*(?P<name>[\w.:/-]+)\s*", keep=True),
        ("</ifm|tool_call>",),
    ),
    JSON_OBJECT.but(open=("<ifm|tool_call>",), close=("</ifm|tool_call>",)),
)
BARE = JSON_OBJECT.but(foreign=True)
K2_HORIZON = ReplyFormat(
    Grammar(
        "k2_horizon",
        # One pair for each reasoning effort.
        reasoning=Reasoning(
            ("<ifm|think>", "<ifm|think_fast>", "<ifm|think_faster>"),
            ("</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>"),
            until=("<ifm|tool_calls>", "<ifm|tool_call>"),
            lead="\n",
            trail="\n",
            after="\n",
            starts=True,
        ),
        sections=(Section((*IFM_CALLS, BARE), ("<ifm|tool_calls>",), ("</ifm|tool_calls>",), before=("\n",)),),
    ),
    stop=("<|ifm|im_end|>",),
    names="K2-Horizon",
    example="Look.\n</ifm|think>\n<ifm|tool_calls>\n<ifm|tool_call>get_weather\n<ifm|arg_key>city</ifm|arg_key>\n"
    "<ifm|arg_value>Paris</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>",
)
