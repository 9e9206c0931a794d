"""Formats that are messages with headers."""

from lect.reply.grammar import QUOTED_KEY, Call, Channels, Grammar, Head, Json, NamedJson, Params, Section
from lect.reply.known.parameters import INVOKE

HARMONY = Grammar(
    "harmony",
    channels=Channels(
        start=("<|start|>",),
        bodies=(("<|message|>", ""),),
        end=("<|end|>",),
        stop=("<|call|>",),
        to=r"\bto=([^\s<]+)",
        channel=r"<\|channel\|>\s*([^\s<]+)",
        opening=("<|channel|>", "<|constrain|>", "<|message|>", " to=", "to="),
        reasoning=("analysis",),
        content=("final", "commentary"),
        everyone=("assistant", "user", "all"),
        call=Call(NamedJson("code"), rename=r"functions\.(.+)"),
        restart=True,
        keep=True,
        join="\n",
    ),
    end=("<|return|>",),
    models="gpt-oss",
    example='<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris"}<|call|>',  # noqa: E501
)
MUSE_GLIMMER = Grammar(
    "muse_glimmer",
    channels=Channels(
        start=("<|start|>",),
        bodies=(("<|message|>", ""),),
        end=("<|eom|>",),
        stop=("<|eot|>",),
        shape=r"(?:assistant)?(?: to=[^\s<]+)?\s*",
        to=r"\bto=([^\s<]+)",
        opening=(" to=", "<|message|>"),
        reasoning=("self",),
        content=("user",),
        join="\n",
    ),
    sections=(
        Section(
            (
                Call(
                    Params("<atem:parameter ", Head((">",), QUOTED_KEY), "</atem:parameter>"),
                    ("<atem:invoke ",),
                    INVOKE,
                    ("</atem:invoke>",),
                    rename=r"(.+)\.\1",
                ),
            ),
            ("<atem:function_calls>",),
            ("</atem:function_calls>",),
        ),
    ),
    models="Muse Glimmer",
    example=' to=self<|message|>Look.<|eom|><|start|>assistant to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>',  # noqa: E501
)
INKLING = Grammar(
    "inkling",
    channels=Channels(
        start=("<|message_model|>",),
        bodies=(("<|content_text|>", "content"), ("<|content_invoke_tool_json|>", "call")),
        end=("<|end_message|>",),
        shape=r"[^<\n]*",
        letters=r"[^<\n]",
        opening=("<|content_text|>", "<|content_invoke_tool_json|>"),
        call=Call(Json(arguments=("args", "arguments", "parameters"))),
        spill=True,
    ),
    models="Inkling",
    example=(
        '<|message_model|>get_weather<|content_invoke_tool_json|>{"name": "get_weather", "args": {"city": '
        '"Paris"}}<|end_message|>'
    ),
)
