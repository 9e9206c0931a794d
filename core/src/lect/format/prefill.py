"""Prompts that end within an assistant's message, so that the model continues it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect.errors import MessageError, saferepr
from lect.prompt.message import REASONING_NAMES
from lect.prompt.segments import Ended
from lect.prompt.unused import all_unused
from lect.values import Origin, Segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lect.format.prompt import PromptSource
    from lect.values import Path


def without_end(name: str, source: PromptSource, messages: Sequence[Mapping[str, Any]]) -> Ended:
    """Return what was written up to the end of the last message's text, if the format writes that as it is."""
    path = said_last(messages)
    segments = source.segments()
    at = [index for index, segment in enumerate(segments) if segment.path[:3] == path]
    if not at:
        msg = (
            f"{name}: the last message cannot be continued, because the format does not write its text as it is\n"
            "  try: add_generation_prompt=True with continue_final_message=True, which puts it after the prompt"
        )
        raise MessageError(msg)
    return Ended(source.unused, segments[: at[-1] + 1], marked=source.marked)


def with_beginning(source: PromptSource, messages: Sequence[Mapping[str, Any]]) -> Ended:
    """Return a generation prompt for all messages but the last, followed by the text of the last."""
    path = said_last(messages)
    text = messages[-1][str(path[2])]
    dropped = list(all_unused(messages[-1], path[:2], path))
    segments = [*source.segments(), Segment(text, Origin.INPUT, path, 0, len(messages) - 1)]
    return Ended(source.unused, segments, dropped, marked=source.marked)


def said_last(messages: Sequence[Mapping[str, Any]]) -> Path:
    """Return the field with the text of the last message, an assistant's: its content, or else its reasoning."""
    last = messages[-1] if messages else None
    if isinstance(last, Mapping) and last.get("role") == "assistant":
        for name in ("content", *REASONING_NAMES):
            if isinstance(last.get(name), str) and last[name]:
                return ("messages", len(messages) - 1, name)
    what = f"the last message is {saferepr(last)}" if messages else "there are no messages"
    msg = (
        f"continue_final_message=True, but {what}; expected an assistant's message with a text at the end\n"
        "  try: end the messages with {'role': 'assistant', 'content': 'Sure, '}"
    )
    raise MessageError(msg)
