"""Proving a template: finding where the caller's text loses its origin, before it is trusted.

A program that joins, formats or transforms the caller's text by ordinary means writes plain strings, which count as the
template's own. So the program runs twice on conversations that differ only in their texts: what it writes as its own
must be the same both times. If it is not, the template is *leaky*: its author is warned, and in each of its renders
whatever depends on the texts is of unknown origin.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect.errors import LectError, TemplateWarning, warn_caller
from lect.prompt.chat import Chat
from lect.prompt.fields import is_list
from lect.prompt.inputs import Input, unknown
from lect.prompt.program import run_program
from lect.prompt.request import Request
from lect.prompt.writer import TrackingWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType

    from lect.facts import Facts
    from lect.prompt.program import Program

OURS = frozenset({__name__, TrackingWriter.__module__})
"""The modules that the pieces of a program pass through."""
UNCERTAIN = "line unknown"
KEPT = frozenset({"role", "type", "id", "tool_call_id"})
"""Fields that programs branch on; their texts are kept."""
_CALL = {"id": "call00001", "type": "function", "function": {"name": "n", "arguments": {"a": "v"}}}
_TOOL = {
    "type": "function",
    "function": {
        "name": "n",
        "description": "d",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "string", "description": "d", "enum": ["e"]}},
            "required": ["a"],
        },
    },
}
_QUESTION, _ANSWER = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
_CALLING: list[dict[str, Any]] = [
    {"role": "assistant", "content": "c", "reasoning_content": "r", "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "call00001", "name": "n", "content": "t"},
]
_PARTS = {"role": "user", "content": [{"type": "text", "text": "p"}, {"type": "image"}, {"type": "text", "text": "p"}]}
_SYSTEM = {"role": "system", "content": "s"}
CONVERSATIONS: tuple[tuple[list[Mapping[str, Any]], list[Mapping[str, Any]] | None], ...] = (
    ([_QUESTION], None),
    ([_SYSTEM, _QUESTION, _ANSWER, _QUESTION], None),
    ([_QUESTION, {**_ANSWER, "reasoning_content": "r"}], None),
    ([_SYSTEM, _QUESTION, *_CALLING, _ANSWER, _QUESTION], [_TOOL]),
    ([_QUESTION, {**_CALLING[0], "content": ""}, _CALLING[1]], [_TOOL]),
    ([_PARTS, {**_ANSWER, "name": "n"}], None),
)
"""What a template is proven on: all that conversations usually hold. Some templates refuse a part of it."""


class NotingWriter(TrackingWriter):
    """A writer that remembers the line at which each piece was written."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def append(self, piece: str, /) -> None:
        super().append(piece)
        self._note()

    def extend(self, pieces: Iterable[str], /) -> None:
        super().extend(pieces)
        self._note()

    def _note(self) -> None:
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_globals.get("__name__") in OURS:
            frame = frame.f_back
        line = UNCERTAIN if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
        self.lines += [line] * (len(self) - len(self.lines))


def leak_of(facts: Facts, program: Program) -> str | None:
    """Return the file and line at which the caller's text loses its origin, and warn; None where it never does."""
    for messages, tools in CONVERSATIONS:
        request = Request(messages, tools, {}, True)
        for place, is_own in _own_pieces(facts, program, request):
            if not is_own:
                msg = (
                    f"template {facts.label!r} writes text from the caller that has lost its origin ({place}): it is "
                    "marked as unknown and never trusted\n"
                    "  try: write the caller's text as a piece of its own: out += a, b"
                )
                warn_caller(msg, TemplateWarning)
                return place
    return None


def mark_unknown(facts: Facts, program: Program, request: Request, out: TrackingWriter) -> None:
    """Mark those pieces of a leaky program that depend on the texts of the conversation as of unknown origin."""
    is_own = [own for _, own in _own_pieces(facts, program, request)]
    for index, piece in enumerate(out):
        if not isinstance(piece, Input) and not (len(is_own) == len(out) and is_own[index]):
            out[index] = unknown(piece)


def _own_pieces(facts: Facts, program: Program, request: Request) -> Iterator[tuple[str, bool]]:
    """Yield, for each piece that a program writes, its line and whether it is the same whatever the texts are.

    Yield nothing if the program refuses the conversation.
    """
    runs = []
    for letter in "xy":
        out = NotingWriter()
        try:
            chat = Chat(
                facts,
                _stood_in(request.messages, letter, [0]),
                _stood_in(request.tools, letter, [0]),
                request.options,
                add_generation_prompt=request.add_generation_prompt,
                tracked=True,
            )
            run_program(program, chat, out)
        except LectError:
            return
        runs.append(out)
    one, two = runs
    if len(one) != len(two):
        yield UNCERTAIN, False
        return
    # A program may also insert pieces, or remove some; then the lines are not those of the pieces.
    lines = one.lines if len(one.lines) == len(one) else [UNCERTAIN] * len(one)
    for first, second, line in zip(one, two, lines, strict=True):
        yield line, isinstance(first, Input) or isinstance(second, Input) or first == second


def _stood_in(value: Any, letter: str, count: list[int]) -> Any:
    """Return a value with its texts replaced by others, all of one length."""
    if isinstance(value, str):
        count[0] += 1
        return f"{letter}{count[0]:05}{letter}"
    if isinstance(value, Mapping):
        return {key: item if key in KEPT else _stood_in(item, letter, count) for key, item in value.items()}
    if is_list(value):
        return [_stood_in(item, letter, count) for item in value]
    return value
