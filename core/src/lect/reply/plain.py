"""The formats that belong to no family: plain text, and reasoning in tags before it."""

from __future__ import annotations

from lect.reply.blocks import THINK
from lect.reply.grammar import SPACE, Grammar, ReplyFormat

PLAIN = Grammar("plain")
THINKING = Grammar(
    "think", reasoning=THINK.but(until=("<tool_call>", "<|tool_calls_section_begin|>"), trail=SPACE, after=SPACE)
)
"""The grammar of the reply format `think`: reasoning in `<think>` tags, and no calls."""

FORMATS = (
    ReplyFormat(PLAIN, names="Models that mark nothing", example="Hello, world!"),
    ReplyFormat(
        THINKING,
        stop=("<|im_end|>", "<|endoftext|>", "<｜end▁of▁sentence｜>"),
        names="Models that think in tags and call no tools",
        example="<think>\nTwo and two.\n</think>\n\nFour.",
    ),
)
