"""Calls with a marker for each parameter."""

from lect.plugin.grammar import (
    QUOTED_KEY,
    QUOTED_NAME,
    THINK,
    CallSyntax,
    Grammar,
    Head,
    Params,
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
)
