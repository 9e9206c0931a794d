"""Proving a template: finding where the caller's text loses its origin, before it is trusted.

A program that joins, formats or transforms the caller's text by ordinary means writes plain strings, which count as the
template's own. So the program runs on pairs of conversations that differ only in the letters and digits of their texts
(see `prompt/standins.py`): what it writes as its own must be the same in both. If it is not, the template is *leaky*:
its author is warned, and in each of its renders whatever depends on the texts is of unknown origin.

A program may choose among its own words by a marker in a text, or write its length: in that the two are alike.
"""

import datetime
import json
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from types import FrameType
from typing import Any

from lect.errors import LectError, TemplateWarning, warn_caller
from lect.facts import STANDARD_ROLES, Facts
from lect.prompt.chat import Chat
from lect.prompt.inputs import Input, unknown
from lect.prompt.message import Request
from lect.prompt.program import Program, run_program
from lect.prompt.standins import ALPHABETS, LONG, MARKS, RICH, SHAPES, Letters, StandIns
from lect.prompt.writer import TrackingWriter

_cpu = getattr(time, "thread_time", time.process_time)
OURS = frozenset({__name__, TrackingWriter.__module__})
"""The modules that the pieces of a program pass through."""
UNCERTAIN = "line unknown"
SEED = "LECT_PROOF_SEED"
MOST_CPU, MOST_WAITED = 0.25, 5.0
"""Seconds after which a proof, which takes milliseconds, ends: a hostile template uses up its limits in each run."""
SHORT_WORD = 3
"""Characters: a longer word hardly ever occurs in random texts."""
LETTERS = frozenset("".join(ALPHABETS))
_CALL = {"id": "call00001", "type": "function", "function": {"name": "name", "arguments": {"key": "value", "count": 1}}}
_LIST_CALL = {**_CALL, "function": {"name": "name", "arguments": {"list": ["item", {"inner": 2}], "key": "value"}}}
_PROPERTIES = {
    "key": {"type": "string", "description": "about key", "enum": ["one", "other"]},
    "count": {"type": "integer", "description": "about count", "default": 3},
    "list": {"type": "array", "items": {"type": "object", "properties": {"inner": {"type": "odd"}}}},
}
_PARAMETERS = {"type": "object", "properties": _PROPERTIES, "required": ["key"]}
_TOOL = {"type": "function", "function": {"name": "name", "description": "about name", "parameters": _PARAMETERS}}
_SYSTEM = {"role": "system", "content": "system"}
_FIRST, _QUESTION = {"role": "user", "content": "first question"}, {"role": "user", "content": "question"}
_ANSWER = {"role": "assistant", "content": "answer"}
_CALLING = {"role": "assistant", "content": "plan", "reasoning_content": "reason", "tool_calls": [_CALL]}
_RESULT = {"role": "tool", "tool_call_id": "call00001", "name": "name", "content": "result"}
_PARTS = [{"type": "text", "text": "part"}, {"type": "image"}, {"type": "text", "text": "next part"}]
Conversation = tuple[list[Mapping[str, Any]], list[Mapping[str, Any]] | None]
CONVERSATIONS: tuple[Conversation, ...] = (
    ([_QUESTION], None),
    ([_SYSTEM, _FIRST, _ANSWER, _QUESTION], None),
    ([_FIRST, {**_ANSWER, "reasoning_content": "reason"}], None),
    ([_SYSTEM, _FIRST, _CALLING, _RESULT, _ANSWER, _QUESTION], [_TOOL]),
    ([_FIRST, {**_CALLING, "content": "", "tool_calls": [_LIST_CALL]}, _RESULT], [_TOOL]),
    ([{"role": "user", "content": _PARTS}, {**_ANSWER, "name": "name"}], None),
)
"""What a template is proven on: all that conversations usually hold. Some templates refuse a part of it."""


class NotingWriter(TrackingWriter):
    """A writer that remembers the line at which each piece was written."""

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


@cache
def process_seed() -> str:
    """Return the seed of this process: the variable `LECT_PROOF_SEED`, or a random number."""
    return os.environ.get(SEED) or str(int.from_bytes(os.urandom(4), "big"))


def leak_of(facts: Facts, program: Program, words: Iterable[str] = (), seed: str | None = None) -> str | None:
    """Return the file and line at which the caller's text loses its origin, and warn; None where it never does.

    `words` are what the program may look for in texts, besides the template's markers; `seed` decides the stand-ins.
    """
    seed = seed or process_seed()
    options: dict[str, Any] = {}
    if "date" in facts.options:
        # Both runs of a pair must have the same clock.
        options["date"] = datetime.date(2024, 7, 26)
    cpu, now = _cpu(), time.monotonic()
    # Whether a letter that the program looks for is in a text may decide what it writes.
    words = {*words}
    avoided = LETTERS.intersection("".join(word.lower() for word in words if len(word) <= SHORT_WORD))
    marked = _letters(seed, avoided).marked(sorted({*words, *facts.markers} - {""}, key=_rank))
    marks = [json.dumps(text, ensure_ascii=False)[1:-1] for text in marked]
    for texts in _conversations(seed, avoided):
        # Each run has values of its own, because a program may change them.
        pair = [json.loads(text.replace(MARKS, mark)) for text, mark in zip(texts, marks, strict=True)]
        place = _leak(facts, program, [Request(messages, tools, options, True) for messages, tools in pair])
        if place is not None:
            advice = "write the caller's text as a piece of its own: out += a, b"
            if _is_notation(facts, program):
                advice = f"tell the authors of {type(facts).__module__.partition('.')[0]}, which runs it"
            msg = f"template {facts.label!r} writes text from the caller that has lost its origin ({place}): it is "
            msg += f"marked as unknown and never trusted\n  found with: {SEED}={seed}\n  try: {advice}"
            warn_caller(msg, TemplateWarning)
            return place
        if _cpu() - cpu > MOST_CPU or time.monotonic() - now > MOST_WAITED:
            break
    return None


def mark_unknown(facts: Facts, program: Program, request: Request, out: TrackingWriter) -> None:
    """Mark those pieces of a leaky program that depend on what the caller gave as of unknown origin."""
    stand_ins = StandIns(_letters(process_seed()), facts.accepted_roles)
    pair = []
    for which in (0, 1):
        own = {name: stand_ins.stand_in(value, which) for name, value in request.options.items()}
        messages, tools = (stand_ins.stand_in(each, which) for each in (request.messages, request.tools))
        pair.append(Request(messages, tools, own, request.add_generation_prompt))
    runs = [TrackingWriter(), TrackingWriter()]
    is_alike = _is_written(facts, program, pair, runs) and all(len(run) == len(out) for run in runs)
    for index, piece in enumerate(out):
        is_own = is_alike and all(_is_same(piece, run[index]) for run in runs)
        if isinstance(piece, str) and not isinstance(piece, Input) and not is_own:
            out[index] = unknown(piece)


def _rank(word: str) -> tuple[bool, bool, bool, bool, str]:
    """Return a key that puts first what looks like a marker or a command, such as `/no_think`."""
    return len(word.split()) > 1, word.isidentifier(), word != word.strip(), len(word) <= SHORT_WORD, word


@lru_cache(maxsize=16)
def _letters(seed: str, avoided: frozenset[str] = frozenset()) -> Letters:
    return Letters(seed, avoided)


@lru_cache(maxsize=16)
def _conversations(seed: str, avoided: frozenset[str]) -> list[tuple[str, str]]:
    """Return what templates are proven on: pairs of messages and tools, as JSON."""
    pairs = []
    seen: dict[str, int] = {}
    for conversation in CONVERSATIONS:
        for shapes in [SHAPES, SHAPES, RICH, *[LONG] * (conversation in CONVERSATIONS[:2])]:
            stand_ins = StandIns(_letters(seed, avoided), STANDARD_ROLES, shapes, seen if shapes is SHAPES else None)
            both = (stand_ins.stand_in(conversation, which) for which in (0, 1))
            first, second = (json.dumps(each, ensure_ascii=False) for each in both)
            pairs.append((first, second))
    return pairs


def _leak(facts: Facts, program: Program, pair: Sequence[Request]) -> str | None:
    """Return the line at which a program writes as its own what differs between two conversations, if there is one."""
    runs = [TrackingWriter(), TrackingWriter()]
    if not _is_written(facts, program, pair, runs) or _first_difference(*runs) is None:
        return None
    if _is_notation(facts, program):
        return facts.source or UNCERTAIN
    noted = [NotingWriter(), NotingWriter()]
    _is_written(facts, program, pair, noted)
    index, lines = _first_difference(*noted), max(noted, key=len).lines
    # A program may also insert pieces, or remove some; then the lines are not those of the pieces.
    return UNCERTAIN if index is None or len(lines) != max(map(len, noted)) else lines[index]


def _is_notation(facts: Facts, program: Program) -> bool:
    """Return whether a template runs a notation of its own: its lines are not those of the template."""
    return getattr(program, "__self__", None) is facts


def _is_written(facts: Facts, program: Program, requests: Sequence[Request], runs: Sequence[TrackingWriter]) -> bool:
    """Write conversations; return False if the program refuses one."""
    try:
        for (messages, tools, options, add_generation_prompt), out in zip(requests, runs, strict=True):
            chat = Chat(facts, messages, tools, options, add_generation_prompt=add_generation_prompt, tracked=True)
            run_program(program, chat, out)
    except LectError:
        return False
    return True


def _first_difference(one: Sequence[str], two: Sequence[str]) -> int | None:
    """Return the index of the first piece that a program writes as its own in one of two runs, and not in the other."""
    for index, (first, second) in enumerate(zip(one, two, strict=False)):
        if first is second or (isinstance(first, Input) and isinstance(second, Input)) or _is_same(first, second):
            continue
        return index
    return None if len(one) == len(two) else min(len(one), len(two))


def _is_same(piece: str, other: str) -> bool:
    """Return whether two pieces are the template's own, and the same."""
    return piece == other and not isinstance(piece, Input) and not isinstance(other, Input)
