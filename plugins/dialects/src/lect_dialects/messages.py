"""Replies that are messages with headers."""

from lect.plugin.grammar import JSON_OBJECT, Channels, Grammar, ReplyFormat

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
            joint="",
        ),
        tokens=("<|message_user|>", "<|message_system|>", "<|message_tool|>"),
    ),
    stop=("<|content_model_end_sampling|>",),
    names="Inkling",
    example='<|message_model|>get_weather<|content_invoke_tool_json|>{"name": "get_weather", "args": {"city": '
    '"Paris"}}<|end_message|>',
)
