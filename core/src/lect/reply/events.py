"""The events of a reply that is still arriving."""

from typing import Any, Final, Literal, NamedTuple, get_args

from lect.reply.reply import OUR_KEY, Problem, ToolCall

TextKind = Literal["content", "reasoning"]
EventKind = Literal["content", "reasoning", "call_start", "call_args", "call_end", "problem", "stop"]

CONTENT: Final = "content"
REASONING: Final = "reasoning"
CALL_ARGS: Final = "call_args"
CALL: Final = "call"
MARK: Final = "mark"
AFTER: Final = "after"
UnknownTools = Literal["keep", "text", "drop"]
UNKNOWN_TOOLS = get_args(UnknownTools)
KEEP: Final = "keep"
CODES = frozenset({
    "bad_arguments", "bad_literal", "bad_value", "duplicate_key", "incomplete_call", "incomplete_reasoning",
    "markers_missing", "repaired", "stray_close", "stray_header", "stray_mark", "stray_member", "stray_open",
    "stray_text", "too_deep", "unbalanced_json", "unknown_channel", "unknown_tool",
})  # fmt: skip
"""The codes of all problems."""


class Event(NamedTuple):
    """One step of a reply that is still arriving. An event is never taken back.

    Attributes:
        kind: `content`, `reasoning`, `call_start`, `call_args`, `call_end`, `problem` or `stop`.
        text: A piece of content, of reasoning or of the arguments' JSON; a call's name; a problem's code; the stop.
        index: The number of the call.
        id: The id of the call: the model's own if it is known by then, else a generated one.
        call: The whole call, when it ends.
        problem: The problem.
        start: Where the raw text begins that the event comes from; None for a problem, which has a span of its own.
        end: Where it ends.

    No two events share a character of the raw text, and offsets ascend. Content and reasoning are `raw[start:end]`,
    except for text that the model did not write, such as the line break between two messages: that comes from nothing,
    so it starts where it ends. The events of a call cover its span together, without gaps: `call_start` up to where the
    name is known, each piece of the arguments what was read since the event before it, and `call_end` the rest. Marks
    around all these belong to no event.
    """

    kind: EventKind
    text: str = ""
    index: int | None = None  # type: ignore[assignment]  # hides `tuple.index`, which is not needed here
    id: str | None = None
    call: ToolCall | None = None
    problem: Problem | None = None
    start: int | None = None
    end: int | None = None

    def to_openai(self) -> dict[str, Any] | None:
        """Return the delta of an OpenAI chat-completion chunk; None for an event that has none."""
        if self.kind in (CONTENT, REASONING):
            return {OUR_KEY if self.kind == REASONING else CONTENT: self.text}
        if self.kind == "call_start":
            call = ToolCall(self.text, "", id=self.id, index=self.index or 0, complete=False)
            return {"tool_calls": [{"index": self.index, **call.to_openai()}]}
        if self.kind == CALL_ARGS:
            return {"tool_calls": [{"index": self.index, "function": {"arguments": self.text}}]}
        return None
