"""Calls that look like Python."""

from lect.plugin.grammar import JSON_OBJECT, PYTHON_CALL, THINK, Grammar, ReplyFormat, Section

LFM2_PYTHONIC = ReplyFormat(
    Grammar(
        "lfm2_pythonic",
        reasoning=THINK,
        sections=(
            Section(
                (PYTHON_CALL, JSON_OBJECT),
                (("<|tool_call_start|>", "["),),
                (("]", "<|tool_call_end|>"), "]", "<|tool_call_end|>"),
                between=",",
                after="\n",
                special=True,
            ),
            Section((JSON_OBJECT,), ("<|tool_call_start|>",), ("<|tool_call_end|>",), after="\n", special=True),
        ),
    ),
    stop=("<|im_end|>",),
    names="LFM2",
    example='<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>',
)
