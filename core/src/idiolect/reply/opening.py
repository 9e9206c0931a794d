"""How a reply begins: whether the prompt has opened its reasoning, and whether its marks are still there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from idiolect.reply.events import CALL, REASONING
from idiolect.reply.headers import headers_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from idiolect.reply.grammar import Channels, Grammar

TAIL = 65_536
"""How much of the end of a prompt is looked at."""
CALL_LIKE = re.compile(r"""\s*(?:\[?\s*\{\s*"(?:name|tool_name)"\s*:\s*".*?"\s*,\s*"(?:arguments|parameters)"\s*:|call:[\w.]+\{)""", re.DOTALL)


def starts_in(grammar: Grammar, prompt: str | None, ends: Sequence[str]) -> str:
    """Return what a reply to `prompt` begins inside of, reasoning or content; empty where it begins anew."""
    if prompt is None:
        return REASONING if grammar.reasoning is not None and grammar.reasoning.starts else ""
    if grammar.channels is not None:
        return _open_message(grammar.channels, prompt[-TAIL:])
    return REASONING if _opens_reasoning(grammar, prompt[-TAIL:], ends) else ""


def _open_message(channels: Channels, tail: str) -> str:
    """Return what the message is that the prompt has begun and not ended."""
    start = max((tail.rfind(mark) + len(mark) for mark in channels.start if mark in tail), default=-1)
    header = headers_for(channels).look(tail, start, ended=True) if start >= 0 else -1
    if isinstance(header, int) or any(mark in tail[header.body :] for mark in (*channels.end, *channels.stop)):
        return ""
    return "" if header.kind == CALL else header.kind


def _opens_reasoning(grammar: Grammar, tail: str, ends: Sequence[str]) -> bool:
    """Say whether the prompt's last turn has opened reasoning and not closed it again."""
    reasoning = grammar.reasoning
    if reasoning is None:
        return False
    stripped = tail.rstrip()
    if any(mark.strip() and stripped.endswith(mark.strip()) for mark in reasoning.open):
        return True
    # A prompt may end in the midst of an answer, for the model to go on. What was said before the last end is not of that answer.
    last_end = max((tail.rfind(mark) + len(mark) for mark in ends if mark in tail), default=-1)
    if last_end < 0:
        return False
    turn = tail[last_end:]
    opened = max(turn.rfind(mark) for mark in reasoning.open) if reasoning.open else -1
    return opened > max(turn.rfind(mark) for mark in reasoning.close)


def looks_stripped(grammar: Grammar, content: str) -> bool:
    """Say whether content looks like a call that has lost its marks: most servers drop special tokens unless they are told not to."""
    return bool(grammar.sections or grammar.channels) and CALL_LIKE.match(content[:4096]) is not None
