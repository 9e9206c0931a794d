"""Two templates over a set of conversations, and where their prompts differ: for a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from lect.addon import Painted, Screen, commands, compared
from lect_view.compare import word_diff

if TYPE_CHECKING:
    from lect.plugin import Difference, Template

BEFORE, AFTER, BYTES = 24, 24, 8
"""How many characters are shown before and after the place where two prompts differ, and how many bytes."""
MARKS = {None: ("", "", ""), 0: ("[-", "-]", "red"), 1: ("{+", "+}", "green")}
"""How the words of both, of the first and of the second are shown, as by other tools that compare words."""


def print_differences(
    one: Template, other: Template, words: tuple[str, str], *, as_words: bool = False, as_json: bool = False
) -> int:
    """Print the first difference in each kind of conversation; return 1 if there are any.

    Args:
        one: A template.
        other: Another.
        words: What the user calls them.
        as_words: Whether the two prompts are shown as one text instead, with the words that differ.
        as_json: Whether JSON is written instead, with the whole prompts.
    """
    all_kinds = compared(one, other)
    found = [each for each in all_kinds if each.one != each.other]
    if as_json:
        commands.write_json([{**difference._asdict(), "at": difference.at} for difference in found])
        return int(bool(found))
    screen = Screen(sys.stdout)
    show = _show_words if as_words else _show
    for difference in found:
        show(screen, difference, words)
    equal = len(all_kinds) - len(found)
    screen.line(f"{equal} of {len(all_kinds)} kinds of conversation are equal")
    if list(one.stop) != list(other.stop):
        notes = Screen(sys.stderr)
        notes.line(f"note: the strings that end a reply differ: {list(one.stop)} / {list(other.stop)}")
    return int(bool(found))


def _show(screen: Screen, difference: Difference, words: tuple[str, str]) -> None:
    at = difference.at
    screen.line(f"{difference.kind}: they differ at character {at}", style="bold")
    sides = zip(words, (difference.one, difference.other), strict=True)
    screen.table((Painted(word, "cyan"), *_around(text, at)) for word, text in sides)


def _show_words(screen: Screen, difference: Difference, words: tuple[str, str]) -> None:
    if difference.one is None or difference.other is None:
        _show(screen, difference, words)
        return
    screen.line(difference.kind, style="bold")
    for text, side in word_diff(difference.one, difference.other):
        before, after, style = MARKS[side]
        screen.write(Painted(before + text + after, style))
    screen.line()


def _around(text: str | None, at: int) -> tuple[str, str | Painted]:
    """Return the text of a prompt around a position, and its bytes from there on."""
    if text is None:
        return "refuses this conversation", ""
    start, end = max(at - BEFORE, 0), at + AFTER
    excerpt = f"{'...' * (start > 0)}{text[start:end]!r}{'...' * (end < len(text))}"
    return excerpt, Painted(text[at:].encode()[:BYTES].hex(" ") or "(end of the prompt)", "dim")
