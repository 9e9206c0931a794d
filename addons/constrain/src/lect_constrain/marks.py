"""The marks that free text must not contain: those that the engine that reads replies looks for there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lect.addon import live_marks
from lect.plugin.grammar import Grammar, Json, Literals

if TYPE_CHECKING:
    from collections.abc import Iterable

BRACKETS = "[{(`"
ODD = "<[|◁]"
"""What marks begin with that are reported in content even where they mean nothing."""


class Marks(NamedTuple):
    """Marks that are live in a state of the reader.

    Attributes:
        text: In content.
        reasoning: In reasoning.
        first: The characters with which content must not begin, since the reader would take it for a call.
        strays: Those that no reply of the format has, control tokens of the template.
    """

    text: tuple[str, ...]
    reasoning: tuple[str, ...]
    first: str
    strays: frozenset[str]


def marks_of(grammar: Grammar, stop: Iterable[str], tokens: tuple[str, ...], names: Iterable[str]) -> Marks:
    """Return the marks of a format; `tokens` are those of the template that are never text, `names` those of the tools.

    A bracket that opens calls is one only before the name of a tool, or at the very start. A mark that opens calls only
    at the start is left out: a reply may contain a fence.
    """
    text, reasoning, own = live_marks(grammar, tuple(stop), tokens)
    # A thought that is opened twice is read, and reported.
    opens = grammar.reasoning.open if grammar.reasoning else ()
    reasoning |= {*map(str.strip, opens)}.intersection(tokens)
    # Marks of parameters mean nothing in content, and are reported there.
    # A token that is a part of a mark is not one of its own.
    parts = {mark for mark in tokens if any(mark in each and mark != each for each in own)}
    known = {mark for mark in own if mark[:1] in ODD} | {*tokens} - parts
    text |= {mark for mark in known if "{" not in mark and sum(map(str.isalpha, mark)) > 3}
    strays = frozenset(text | reasoning) - own - parts
    first, bare = "", set()
    for section in grammar.sections:
        opened = [mark if isinstance(mark, str) else mark[0] for mark in section.open]
        if section.start:
            text -= {
                mark for mark in opened if not any(mark in other.open for other in grammar.sections if not other.start)
            }
        brackets = {mark for mark in opened if not mark.strip(BRACKETS)}
        begins = {call.arguments for call in section.calls if not call.open}
        if brackets or (not section.open and begins):
            first += "".join(brackets) + ("{" if any(isinstance(each, Json) for each in begins) else "")
        if brackets:
            bare |= {f"{name}(" for name in names if any(isinstance(each, Literals) for each in begins)}
            bare |= {f'"{name}"' for name in names if any(isinstance(each, Json) for each in begins)}
            text -= brackets
    return Marks(minimal(text | bare), minimal(reasoning), "".join(sorted({*first})), strays)


def minimal(marks: Iterable[str]) -> tuple[str, ...]:
    """Return marks without those that contain another."""
    found: list[str] = []
    for mark in sorted({each for each in marks if each.strip()}, key=lambda each: (len(each), each)):
        if not any(shorter in mark for shorter in found):
            found.append(mark)
    return tuple(found)


def first_mark(text: str, marks: Iterable[str]) -> tuple[int, str]:
    """Return where the first mark in a text is, and the mark; the end of the text and nothing if there is none."""
    found = [(at, mark) for mark in marks if (at := text.find(mark)) >= 0]
    return min(found, default=(len(text), ""))
