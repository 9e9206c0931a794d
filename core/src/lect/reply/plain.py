"""The formats that belong to no family: plain text, reasoning in tags before it, and calls as JSON in tags."""

from lect.reply.blocks import JSON_IN_A_FENCE, JSON_IN_TAGS, THINK
from lect.reply.grammar import SPACE, Grammar, ReplyFormat

PLAIN = Grammar("plain")
THINKING = Grammar("think", THINK.but(until=("<tool_call>", "<|tool_calls_section_begin|>"), trail=SPACE, after=SPACE))
"""The grammar of the reply format `think`: reasoning in `<think>` tags, and no calls."""
HERMES_JSON = Grammar("hermes_json", reasoning=THINK, sections=(JSON_IN_TAGS, JSON_IN_A_FENCE))
"""The grammar of the reply format `hermes_json`: reasoning in `<think>` tags, and calls as JSON in `<tool_call>`."""

FORMATS = (
    ReplyFormat(PLAIN, names="Models that mark nothing", example="Hello, world!"),
    ReplyFormat(
        THINKING,
        stop=("<|im_end|>", "<|endoftext|>", "<｜end▁of▁sentence｜>"),
        names="Models that think in tags and call no tools",
        example="<think>\nTwo and two.\n</think>\n\nFour.",
    ),
    ReplyFormat(
        HERMES_JSON,
        stop=("<|im_end|>", "<|endoftext|>"),
        names="Hermes 2 and 3, Qwen2.5 and 3, QwQ, MiMo, Granite 4",
        example='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
    ),
)
