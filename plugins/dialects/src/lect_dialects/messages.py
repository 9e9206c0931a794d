"""Replies that are messages with headers."""

from lect.plugin.grammar import (
    JSON_OBJECT,
    QUOTED_KEY,
    QUOTED_NAME,
    CallSyntax,
    Channels,
    Grammar,
    Head,
    Params,
    ReplyFormat,
    Section,
)

INVOKE = Head((">",), QUOTED_NAME)

MUSE_GLIMMER = ReplyFormat(
    Grammar(
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
        ),
        sections=(
            Section(
                (
                    CallSyntax(
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
    ),
    stop=("<|eot|>",),
    names="Muse Glimmer",
    example=(
        " to=self<|message|>Look.<|eom|><|start|>assistant to=get_weather<|message|><atem:function_calls>\n"
        '<atem:invoke name="get_weather">\n<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n'
        "</atem:function_calls><|eom|>"
    ),
)

INKLING = ReplyFormat(
    Grammar(
        "inkling",
        channels=Channels(
            start=("<|message_model|>",),
            bodies=(
                ("<|content_text|>", "content"),
                ("<|content_thinking|>", "reasoning"),
                ("<|content_invoke_tool_json|>", "call"),
            ),
            end=("<|end_message|>",),
            shape=r"[^<\n]*",
            characters=r"[^<\n]",
            opening=("<|content_text|>", "<|content_thinking|>", "<|content_invoke_tool_json|>"),
            call=JSON_OBJECT,
        ),
        tokens=("<|message_user|>", "<|message_system|>", "<|message_tool|>"),
    ),
    stop=("<|content_model_end_sampling|>",),
    names="Inkling",
    example='<|message_model|>get_weather<|content_invoke_tool_json|>{"name": "get_weather", "args": {"city": '
    '"Paris"}}<|end_message|>',
)
