"""The parts of a parsed reply."""

from operator import attrgetter
from typing import Any, Literal, NamedTuple

from lect.apart import picture
from lect.values import MadeId

OUR_KEY = "reasoning_content"
PieceKind = Literal["content", "reasoning", "call", "mark", "after"]


class Problem(NamedTuple):
    """Something in a reply that could not be parsed as expected.

    The documentation lists all codes, with what to do about each.
    """

    code: str
    """The kind of problem, such as `incomplete_call`."""
    span: tuple[int, int]
    """Its start and end in the raw text."""
    text: str
    """What happened, for people to read."""


class Piece(NamedTuple):
    """A stretch of the raw text, and how it was read."""

    kind: PieceKind
    """`content`, `reasoning`, `call`, `mark` (a marker, or white space of one) or `after` (after the stop)."""
    start: int
    end: int


class ToolCall(NamedTuple):
    """A tool call by the model. Two that differ only in ids that were made up are equal.

    Attributes:
        name: The name of the function.
        arguments: Its arguments: a mapping, or whatever the model wrote instead; for an incomplete call, the raw text.
        arguments_text: The arguments as JSON text; for an incomplete call, as much as arrived.
        id: The model's own id, or if it gives none, one that no other reply has.
        index: Its number among the calls of this reply.
        complete: Whether the model finished it.
        span: Its start and end in the raw text.
    """

    name: str
    arguments: Any
    arguments_text: str = ""
    id: str | None = None
    index: int = 0  # type: ignore[assignment]  # hides `tuple.index`, which is not needed here
    complete: bool = True
    span: tuple[int, int] | None = None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ToolCall) and isinstance(self.id, MadeId) and isinstance(other.id, MadeId):
            other = other._replace(id=self.id)
        return tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._replace(id=None)[:])

    def to_openai(self) -> dict[str, Any]:
        """Return the call as in an OpenAI message."""
        text = self.arguments_text
        if not text and self.complete:
            import json

            text = json.dumps(self.arguments, ensure_ascii=False)
        function = {"name": self.name, "arguments": text}
        return {"id": self.id or f"call_{self.index}", "type": "function", "function": function}


class Reply(NamedTuple):
    """A parsed reply.

    Attributes:
        content: The text for the user.
        reasoning: The reasoning; None if there is none.
        tool_calls: The tool calls, all of them complete.
        stop: The stop string at which the reply ended; None if there was none.
        finish: Why it ended: `stop`, `tool_calls` or `length`; None if unknown.
        problems: What could not be parsed, in the order in which it was found.
        raw: The whole output of the model.
        incomplete: The calls that break off, or cannot be parsed to their end.
        pieces: The raw text in pieces: every character belongs to exactly one of them.
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

    def _repr_html_(self) -> str | None:
        return picture(self)

    def to_openai(self, *, incomplete: bool = True) -> dict[str, Any]:
        """Return the reply as an OpenAI message, in which the arguments of calls are JSON text.

        Like the deltas of events, it has incomplete calls, with what has arrived of them, unless `incomplete` is False.
        """
        calls = sorted((*self.tool_calls, *self.incomplete), key=attrgetter("index")) if incomplete else self.tool_calls
        message: dict[str, Any] = {"role": "assistant", "content": self.content or (None if calls else "")}
        if self.reasoning is not None:
            message[OUR_KEY] = self.reasoning
        if calls:
            message["tool_calls"] = [call.to_openai() for call in calls]
        return message

    @property
    def characters(self) -> dict[PieceKind, int]:
        """How many characters of the raw text are of each kind, as in `pieces`."""
        counts: dict[PieceKind, int] = dict.fromkeys(("content", "reasoning", "call", "mark", "after"), 0)
        for piece in self.pieces:
            counts[piece.kind] += piece.end - piece.start
        return counts

    def to_message(self) -> dict[str, Any]:
        """Return the reply as a message that a template can render again, without incomplete calls.

        The arguments of calls are values, as makers' templates expect them.
        """
        message = self.to_openai(incomplete=False)
        for written, call in zip(message.get("tool_calls", ()), self.tool_calls, strict=True):
            written["function"]["arguments"] = call.arguments
        return message
