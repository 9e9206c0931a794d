"""Calls with a mark for each parameter."""

from lect.plugin.grammar import (
    FUNCTION_TAGS,
    KEY,
    QUOTED_KEY,
    QUOTED_NAME,
    THINK,
    CallSyntax,
    Grammar,
    Head,
    Json,
    Params,
    Reasoning,
    ReplyFormat,
    Section,
)

SEED_OSS_XML = ReplyFormat(
    Grammar(
        "seed_oss_xml",
        reasoning=Reasoning(("<seed:think>",), ("</seed:think>",), after="\n"),
        sections=(
            Section(
                (FUNCTION_TAGS.but(arguments=Params("<parameter=", Head((">",), KEY), "</parameter>")),),
                ("<seed:tool_call>",),
                ("</seed:tool_call>",),
            ),
        ),
    ),
    stop=("<seed:eos>",),
    names="Seed-OSS",
    example="<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>",
)

INVOKE = Head((">",), QUOTED_NAME)

PARAMETER = Params("<parameter ", Head((">",), QUOTED_KEY), "</parameter>")

DOTS = ReplyFormat(
    Grammar(
        "dots",
        reasoning=THINK,
        sections=(
            Section(
                (CallSyntax(PARAMETER, ("<invoke ",), INVOKE, ("</invoke>",)), CallSyntax(Json())),
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
