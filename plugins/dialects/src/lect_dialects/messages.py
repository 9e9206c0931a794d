"""Replies that are messages with headers."""

from lect.plugin.grammar import QUOTED_KEY, CallSyntax, Channels, Grammar, Head, Params, ReplyFormat

BEAM = ReplyFormat(
    Grammar(
        "beam",
        channels=Channels(
            start=("<|start|>",),
            bodies=(("<|message|>", ""),),
            end=("<|end|>",),
            stop=("<|call|>",),
            to=r"\bto=([^\s<]+)",
            channel=r"<\|channel\|>\s*([^\s<]+)",
            opening=("<|channel|>", "<|constrain|>", " to=", "to="),
            reasoning=("analysis",),
            content=("final",),
            call=CallSyntax(
                Params("<rfl:parameter ", Head((">",), QUOTED_KEY), "</rfl:parameter>", trim="\n"),
                close=("<|call|>", "<|end|>"),
            ),
            restart=True,
        ),
    ),
    stop=("<|return|>", "<|call|>"),
    names="Beam",
    example="<|channel|>analysis<|message|>Look.<|end|><|start|>assistant to=get_weather<|channel|>analysis "
    '<|constrain|>xml<|message|><rfl:parameter name="city">\nParis\n</rfl:parameter><|call|>',
)
