"""How Kimi-VL-Thinking writes its replies."""

from lect.plugin.grammar import Grammar, Reasoning, ReplyFormat

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
