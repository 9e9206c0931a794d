"""How Step 3 writes its replies; the format of its prompts is not here yet."""

from lect.plugin.grammar import QUOTED_KEY, QUOTED_NAME, THINK, CallSyntax, Grammar, Head, Params, ReplyFormat, Section

INVOKE = "<steptml:invoke "
CALL = CallSyntax(
    Params("<steptml:parameter ", Head((">",), QUOTED_KEY), "</steptml:parameter>"),
    (("<｜tool_call_begin｜>", "function", "<｜tool_sep｜>", INVOKE),),
    Head((">",), QUOTED_NAME),
    (("</steptml:invoke>", "<｜tool_call_end｜>"),),
)
# It forgets some of the marks before a call.
SHORTENED = CALL.but(
    open=(
        ("<｜tool_call_begin｜>", "function", INVOKE),
        ("<｜tool_call_begin｜>", "<｜tool_sep｜>", INVOKE),
        ("<｜tool_call_begin｜>", INVOKE),
    ),
    foreign=True,
)
STEP3 = ReplyFormat(
    Grammar(
        "step3",
        reasoning=THINK,
        sections=(
            Section(
                (CALL, SHORTENED),
                ("<｜tool_calls_begin｜>",),
                ("<｜tool_calls_end｜>",),
                special=True,
            ),
        ),
    ),
    stop=("<|eot|>",),
    names="Step-3",
    example=(
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke "
        'name="get_weather"><steptml:parameter '
        'name="city">Paris</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>'
    ),
)
