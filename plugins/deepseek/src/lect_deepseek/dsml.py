"""How DeepSeek-V3.2 and V4 write their calls. Their prompts are not here yet."""

from lect.plugin.grammar import QUOTED_NAME, THINK, CallSyntax, Grammar, Head, Params, ReplyFormat, Section
from lect_deepseek.plain import EOS

DEEPSEEK_V32_DSML = ReplyFormat(
    Grammar(
        "deepseek_v32_dsml",
        reasoning=THINK,
        sections=(
            Section(
                (
                    CallSyntax(
                        Params(
                            "<｜DSML｜parameter ",
                            Head((">",), r'\s*name="(?P<key>[^"]*)"(?:\s+string="(?P<string>true|false)")?\s*'),
                            "</｜DSML｜parameter>",
                            unwrap=("arguments", "input"),
                            body=True,
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
                alone=True,
                special=True,
            ),
        ),
    ),
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
    example='<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_time"/>\n</｜DSML｜tool_calls>',
)
