"""`lect diff`: where two templates differ."""

import sys
from argparse import ArgumentParser, Namespace

import lect
from lect.cli.inputs import utf8
from lect.cli.screen import NOTE, Painted, Screen, write_json
from lect.cli.sources import SOURCE, add_notation, find_template
from lect.format.compare import CONVERSATIONS, Difference, differences, render_of

PATHS = ("one", "other")
EPILOG = """\
The exit code is 0 if all prompts are equal, and 1 if they differ.

examples:
  lect diff default xtuner:default
  lect diff template.json acme/chatty-7b
  lect diff default xtuner:default --words
"""
BEFORE, AFTER, BYTES = 24, 24, 8
"""How many characters are shown before and after the place where two prompts differ, and how many bytes."""
MARKS = {None: ("", "", ""), 0: ("[-", "-]", "red"), 1: ("{+", "+}", "green")}
"""How the words of both, of the first and of the second are shown, as by other tools that compare words."""


def configure(parser: ArgumentParser) -> None:
    """Describe the command and its arguments."""
    parser.description = (
        "Render two templates over a set of conversations, and show the first difference in each kind of "
        "conversation:\nthe text around it, then the bytes from there on."
    )
    parser.add_argument("one", metavar="A", type=utf8, help=SOURCE)
    parser.add_argument("other", metavar="B", type=utf8, help="the template to compare it with")
    add_notation(parser)
    words = "show the two prompts as one text instead, with the words that differ as [-A-]{+B+} (needs lect-view)"
    parser.add_argument("--words", action="store_true", help=words)
    parser.add_argument("--json", action="store_true", help="print the differences as JSON, with the whole prompts")


def run(arguments: Namespace) -> int:
    """Print the differences; return 1 if there are any."""
    words = (arguments.one, arguments.other)
    one, other = (find_template(word, arguments.notation) for word in words)
    found = differences(render_of(one), render_of(other))
    if arguments.json:
        write_json([{**difference._asdict(), "at": difference.at} for difference in found])
        return int(bool(found))
    screen = Screen(sys.stdout)
    show = _show_words if arguments.words else _show
    for difference in found:
        show(screen, difference, words)
    equal = len(CONVERSATIONS) - len(found)
    screen.line(f"{equal} of {len(CONVERSATIONS)} kinds of conversation are equal")
    if list(one.stop) != list(other.stop):
        notes = Screen(sys.stderr)
        notes.line(f"{NOTE} the strings that end a reply differ: {list(one.stop)} / {list(other.stop)}")
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
    for text, side in lect._registry.function("word_diff", "what --words shows")(difference.one, difference.other):
        before, after, style = MARKS[side]
        screen.write(screen.paint(before + screen.visible(text) + after, style))
    screen.line()


def _around(text: str | None, at: int) -> tuple[str, str | Painted]:
    """Return the text of a prompt around a position, and its bytes from there on."""
    if text is None:
        return "refuses this conversation", ""
    start, end = max(at - BEFORE, 0), at + AFTER
    excerpt = f"{'...' * (start > 0)}{text[start:end]!r}{'...' * (end < len(text))}"
    return excerpt, Painted(text[at:].encode()[:BYTES].hex(" ") or "(end of the prompt)", "dim")
