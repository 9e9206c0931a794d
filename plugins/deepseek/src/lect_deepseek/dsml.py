"""How DeepSeek-V3.2 and V4 write their calls. Their prompts are not here yet."""

from lect.plugin.grammar import QUOTED_NAME, THINK, CallSyntax, Grammar, Head, Params, ReplyFormat, Section
from lect_deepseek.plain import EOS


def calls(mark: str) -> Section:
    """Return how calls are written with this mark in every tag."""
    return Section(
        (
            CallSyntax(
                Params(
                    f"<{mark}parameter ",
                    Head((">",), r'\s*name="(?P<key>[^"]*)"(?:\s+string="(?P<string>true|false)")?\s*'),
                    f"</{mark}parameter>",
                    body=True,
                ),
                (f"<{mark}invoke ",),
                Head((">",), QUOTED_NAME),
                (f"</{mark}invoke>",),
            ),
        ),
        # The older spelling, and the newer one.
        (f"<{mark}function_calls>", f"<{mark}tool_calls>"),
        (f"</{mark}function_calls>", f"</{mark}tool_calls>"),
        before=("\n\n",),
        special=True,
    )


DEEPSEEK_V32_DSML = ReplyFormat(
    # Bars are doubled at times.
    Grammar("deepseek_v32_dsml", reasoning=THINK, sections=(calls("｜DSML｜"), calls("｜｜DSML｜｜"))),
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
