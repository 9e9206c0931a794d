"""What a difference between two prompts means, in words."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from lect.errors import saferepr
from lect_jinja.engine.reading import REASONING
from lect_jinja.identity.cases import REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect_jinja.identity.cases import Case

SHOWN = 72
FEWEST = 3
"""Characters of a text that is looked for in a prompt: a shorter one may stand anywhere."""
NEAR = 3
"""By how many characters the length of a misspelt marker differs at most."""
_PIECE = re.compile(r"<[^<>\s]{1,40}>|\[/?[A-Z_]{2,20}\]|<<?/?[A-Z]+>>?|\w+|\s+|.", re.DOTALL)
"""What is compared as a whole: a marker, a word, white space."""
_MARKER = re.compile(r"<[^<>\s]{1,40}>|\[/?[A-Z_]{2,20}\]|<<?/?[A-Z]+>>?")
_MONTHS = r"jan\w*|feb\w*|mar\w*|apr\w*|may|june?|july?|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*"
_DATE = re.compile(rf"(?:\d{{1,4}}|{_MONTHS}|[\s,./:-])+", re.IGNORECASE)
_THINKING = re.compile(r"think|thought|reason|channel", re.IGNORECASE)


class Meaning(NamedTuple):
    """A difference between two prompts.

    Attributes:
        says: What it means.
        theirs: What was sent.
        makers: What the maker's format has in its place.
    """

    says: str
    theirs: str = ""
    makers: str = ""


def meanings(case: Case, theirs: str | None, makers: str, bos: str) -> Iterator[Meaning]:
    """Yield what the differences between two prompts for one request mean, the gravest first.

    Args:
        case: The request.
        theirs: What was sent; None if rendering failed.
        makers: What the maker's format writes.
        bos: The BOS of the model; empty if it is not known.
    """
    if theirs is None or REFUSED in (theirs, makers):
        if theirs != makers:
            yield Meaning(_refusal(theirs, makers))
        return
    for meaning in _bos(theirs, makers, bos):
        yield meaning
        theirs, makers = _without(theirs, bos), _without(makers, bos)
    left_out = list(_left_out(case, theirs, makers))
    yield from left_out
    if left_out or theirs == makers:
        return
    yield from _hunks(case, theirs, makers)


def _refusal(theirs: str | None, makers: str) -> str:
    if makers == REFUSED:
        return "it accepts what the maker's template refuses"
    return "it fails" if theirs is None else "it refuses what the maker's template accepts"


def _bos(theirs: str, makers: str, bos: str) -> Iterator[Meaning]:
    if not bos:
        return
    count, expected = (_leading(text, bos) for text in (theirs, makers))
    if count == expected:
        return
    if count > 1:
        says = "the BOS is written twice"
    elif count:
        says = "it writes a BOS, and the maker's template leaves that to the tokenizer"
    else:
        says = "the BOS is missing at the start"
    yield Meaning(says, theirs[: len(bos) * 2], makers[: len(bos) * 2])


def _leading(text: str, bos: str) -> int:
    count = 0
    while text.startswith(bos, count * len(bos)):
        count += 1
    return count


def _without(text: str, bos: str) -> str:
    return text[_leading(text, bos) * len(bos) :]


def _left_out(case: Case, theirs: str, makers: str) -> Iterator[Meaning]:
    """Yield the texts of the request that one of the two leaves out."""
    for what, text in _texts(case):
        if len(text) < FEWEST or not _words(text):
            continue
        if text in makers and text not in theirs:
            yield Meaning(f"{what} is left out", "", text)
        elif text in theirs and text not in makers:
            yield Meaning(f"{what} is shown, and the maker's template leaves it out", text, "")


def _texts(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the texts of a request, with what they are."""
    for tool in case.tools or ():
        yield "the list of tools", tool.get("function", tool).get("description", "").strip()
    for message in case.messages:
        role, content = message["role"], message["content"] or ""
        texts = [content] if isinstance(content, str) else [part["text"] for part in content if "text" in part]
        yield from (
            (f"the text of the {role}" if role != "tool" else "the result of a tool", text.strip()) for text in texts
        )
        reasoning = next((message[name] for name in REASONING if name in message), "")
        yield "the reasoning of an answer", reasoning.strip()
        for call in message.get("tool_calls", ()):
            # The name is in the list of tools too.
            given = call["function"]["arguments"]
            values = given.values() if isinstance(given, dict) else ()
            yield "a call of a tool", next((each for each in values if isinstance(each, str) and each.isalnum()), "")


def _hunks(case: Case, theirs: str, makers: str) -> Iterator[Meaning]:
    """Yield what each differing piece of two prompts means."""
    mine, other = _PIECE.findall(theirs), _PIECE.findall(makers)
    end = (
        len(mine) - len(_PIECE.findall(_after_last_text(case, theirs))) if case.add_generation_prompt else len(mine) + 1
    )
    # What is equal at both ends is nearly all; the matcher takes the square of what it is given.
    same = _shared(mine, other)
    mine, other = mine[same:], other[same:]
    rest = _shared(mine[::-1], other[::-1])
    mine, other = mine[: len(mine) - rest], other[: len(other) - rest]
    for kind, begin, stop, start, behind in SequenceMatcher(None, mine, other, autojunk=False).get_opcodes():
        if kind != "equal":
            one, two = "".join(mine[begin:stop]), "".join(other[start:behind])
            yield Meaning(_said(one, two, at_the_end=same + begin >= end), one, two)


def _shared(one: list[str], other: list[str]) -> int:
    """Return with how many equal pieces two lists begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _after_last_text(case: Case, prompt: str) -> str:
    texts = [text for _, text in _texts(case._replace(tools=None)) if text and text in prompt]
    return prompt[prompt.rindex(texts[-1]) + len(texts[-1]) :] if texts else ""


def _said(theirs: str, makers: str, *, at_the_end: bool) -> str:
    if at_the_end and _THINKING.search(theirs + makers):
        return "thinking is switched: the reply begins differently"
    if not theirs.strip() and not makers.strip():
        return "white space differs"
    marked, expected = (bool(_MARKER.search(text)) and not _words(text) for text in (theirs, makers))
    if expected and not theirs.strip():
        return "the generation prompt is missing, or a part of it" if at_the_end else "a marker is missing"
    if marked and not makers.strip():
        return "a marker is added"
    if (marked and expected) or ((marked or expected) and abs(len(theirs) - len(makers)) <= NEAR):
        return "a marker is another"
    if theirs.strip() and makers.strip() and _DATE.fullmatch(theirs) and _DATE.fullmatch(makers):
        return "a date differs"
    if not makers.strip():
        return "text is added that the maker's template does not have"
    return "text of the maker's template is missing" if not theirs.strip() else "text differs"


def _words(text: str) -> list[str]:
    """Return the words of a text besides its markers."""
    return re.findall(r"\w+", _MARKER.sub(" ", text))


def shown(text: str) -> str:
    """Return a text as it is shown to people."""
    return saferepr(text, SHOWN)
