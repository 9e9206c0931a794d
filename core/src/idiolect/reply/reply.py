"""What a model said, taken apart."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class ToolCall(NamedTuple):
    """A call that the model asks for."""

    name: str
    arguments: Mapping[str, Any]
    id: str | None = None
    complete: bool = True
    span: tuple[int, int] | None = None


class Reply(NamedTuple):
    """A reply.

    Attributes:
        content: What is meant for the user.
        reasoning: What the model thought aloud; None where it did not.
        tool_calls: The calls that it asks for.
        stop: The stop string at which the reply ended; None where none was met.
        finish: Why it ended: `stop`, or `length` where the text just breaks off.
        problems: What could not be understood.
        raw: All that the model wrote.
    """

    content: str
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    stop: str | None = None
    finish: str = "length"
    problems: tuple[str, ...] = ()
    raw: str = ""


def cut_at_stop(text: str, stops: Sequence[str]) -> Reply:
    """Return the reply up to the first stop string in `text`; of two that begin together, the longer one counts."""
    found = [(text.find(stop), -len(stop), stop) for stop in stops if stop and stop in text]
    if not found:
        return Reply(text, raw=text)
    position, _, stop = min(found)
    return Reply(text[:position], stop=stop, finish="stop", raw=text)
