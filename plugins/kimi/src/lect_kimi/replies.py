"""How other models of Kimi's maker write their replies; the formats of their prompts are not here yet."""

from lect.plugin.grammar import CallSyntax, Grammar, Head, Params, Reasoning, ReplyFormat, Section, Wrapper

KIMI_VL_THINK = ReplyFormat(
    Grammar(
        "kimi_vl_think",
        reasoning=Reasoning(
            ("◁think▷",),
            ("◁/think▷",),
            lead="\n",
            trail="\n",
            after="\n",
            # Complete replies in the reports of jrp2014/check_models.
            written=("", "◁/think▷"),
        ),
    ),
    stop=("<|im_end|>",),
    names="Kimi-VL-Thinking",
    example="◁think▷Two and two.◁/think▷Four.",
)
KIMI_K3 = ReplyFormat(
    Grammar(
        "kimi_k3",
        reasoning=Reasoning(
            ("<|open|>think<|sep|>",),
            ("<|close|>think<|sep|>",),
            until=("<|open|>response<|sep|>", "<|open|>tools<|sep|>", "<|close|>message<|sep|>"),
            special=True,
            starts=True,
        ),
        wrappers=(
            Wrapper(("<|open|>response<|sep|>",), ("<|close|>response<|sep|>",), special=True),
            Wrapper(("<|open|>message<|sep|>",), ("<|close|>message<|sep|>",), special=True),
        ),
        sections=(
            Section(
                (
                    CallSyntax(
                        Params(
                            "<|open|>argument ",
                            Head(("<|sep|>",), r'\s*key="(?P<key>[^"]*)"(?:\s+type="(?P<type>\w+)")?\s*'),
                            "<|close|>argument<|sep|>",
                        ),
                        ("<|open|>call ",),
                        Head(("<|sep|>",), r'\s*tool="(?P<name>[^"]*)"(?:\s+index="\d+")?\s*'),
                        ("<|close|>call<|sep|>",),
                    ),
                ),
                ("<|open|>tools<|sep|>",),
                ("<|close|>tools<|sep|>",),
                special=True,
            ),
        ),
    ),
    stop=("<|im_end|>",),
    names="Kimi-K3",
    example=(
        'Look.<|close|>think<|sep|><|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
        '<|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|close|>call<|sep|>'
        "<|close|>tools<|sep|><|close|>message<|sep|>"
    ),
)
