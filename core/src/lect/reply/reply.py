"""What a model said, taken apart."""

from typing import Any, Literal, NamedTuple

PieceKind = Literal["content", "reasoning", "call", "mark", "after"]


class Problem(NamedTuple):
    """Something in a reply that could not be understood as it was meant.

    What the codes mean: docs/reference/reply-problems.md.
    """

    code: str
    span: tuple[int, int]
    """From where to where it stands in the raw text."""
    text: str
    """What happened, for people."""


class Piece(NamedTuple):
    """A stretch of the raw text, and what it was taken for."""

    kind: PieceKind
    """`content`, `reasoning`, `call`, `mark` (a marker, or white space that belongs to one) or `after` (behind the
    stop)."""
    start: int
    end: int


class ToolCall(NamedTuple):
    """A call that the model asks for.

    Attributes:
        name: The function.
        arguments: Its arguments: a mapping; where the model gave something else, that; of a call that is not
            complete, the raw text.
        arguments_text: The same as JSON text; of a call that is not complete, as far as that came.
        id: The model's own id, or `call_<index>` where it gives none.
        index: Its number among the calls of this reply.
        complete: Whether the model finished it.
        span: From where to where it stands in the raw text.
    """

    name: str
    arguments: Any
    arguments_text: str = ""
    id: str | None = None
    index: int = 0  # type: ignore[assignment]  # a tuple has a method of this name, which nobody misses here
    complete: bool = True
    span: tuple[int, int] | None = None

    def to_openai(self) -> dict[str, Any]:
        """Return the call as it stands in an OpenAI message."""
        text = self.arguments_text
        if not text and self.complete:
            import json

            text = json.dumps(self.arguments, ensure_ascii=False)
        return {
            "id": self.id or f"call_{self.index}",
            "type": "function",
            "function": {"name": self.name, "arguments": text},
        }


class Reply(NamedTuple):
    """A reply.

    Attributes:
        content: What is meant for the user.
        reasoning: What the model thought aloud; None where it did not.
        tool_calls: The calls that it asks for, all of them complete.
        stop: The stop string at which the reply ended; None where none was met.
        finish: Why it ended: `stop`, `tool_calls`, or `length` where it breaks off; None where nothing tells.
        problems: What could not be understood, in the order in which it was found.
        raw: All that the model wrote.
        incomplete: The calls that break off, or that cannot be read to their end.
        pieces: The raw text cut up: every character of it belongs to exactly one piece.
    """

    content: str
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    stop: str | None = None
    finish: str | None = None
    problems: tuple[Problem, ...] = ()
    raw: str = ""
    incomplete: tuple[ToolCall, ...] = ()
    pieces: tuple[Piece, ...] = ()

    def to_openai(self, *, incomplete: bool = True) -> dict[str, Any]:
        """Return the reply as an OpenAI message, in which the arguments of calls are JSON text.

        It is what the deltas of the events add up to. So it lists calls that are not complete too, with their arguments
        as far as they came, unless `incomplete` is False.
        """
        calls = sorted((*self.tool_calls, *self.incomplete), key=_number) if incomplete else self.tool_calls
        return self._message([call.to_openai() for call in calls])

    def to_message(self) -> dict[str, Any]:
        """Return the reply as a message that a template can render again: calls that are not complete are left out.

        The arguments of calls are values, as makers' templates want them.
        """
        calls = [call.to_openai() for call in self.tool_calls]
        for message, call in zip(calls, self.tool_calls, strict=True):
            message["function"]["arguments"] = call.arguments
        return self._message(calls)

    def _message(self, calls: list[dict[str, Any]]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": self.content or (None if calls else "")}
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        if calls:
            message["tool_calls"] = calls
        return message


def _number(call: ToolCall) -> int:
    return call.index
