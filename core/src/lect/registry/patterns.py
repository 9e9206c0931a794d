"""The patterns of rules: how they fit the words of a name, how nearly, and why some never can."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lect.errors import near_names
from lect.registry.refs import ModelRef, words_of
from lect.registry.words import meaning
from lect.values import Kind

ANYTHING = "*"
NUMBER = "#"
WHOLE_NAME = "."

_YEAR, _MONTH, _DAY = "20[23][0-9]", "(?:0[1-9]|1[0-2])", "(?:0[1-9]|[12][0-9]|3[01])"
_DATES = (_YEAR, f"(?:20)?[23][0-9] ?{_MONTH}(?: ?{_DAY})?", f"{_MONTH} ?{_DAY}", f"(?:{_DAY} ?)?{_MONTH} ?{_YEAR}")
"""Dates as names have them: 2024, 2507 or 2025-07-31, 0905, 08-2024."""
# Compiled where they are needed: that takes longer than to import this module, and most names need neither.
_ANOTHER = rf"(?<!\S)(?:{'|'.join(_DATES)}|chatml)(?!\S)"
_CONTEXT = r"(?<!\S)(?<!\bq )(?<!\biq )(?:[0-9]+ k|[0-9]{4,})(?!\S)"
"""The length of a context, as servers add it to the name of a chat model: 8192, 128k; not the `4_K` of `Q4_K_M`."""
_SPECIAL = frozenset("*?#\\^$+()[]{}")


class Fit(NamedTuple):
    """How a pattern fits a name: the words that it rests on, joined, and the words that follow them."""

    literal: str
    rest: tuple[str, ...]

    @property
    def another(self) -> str:
        """What says, after a name, that it is another model: a date, a format, the base of a distilled one; else empty.

        A rule that knows such a model has the word in its pattern.
        """
        if self.rest and (said := re.search(_ANOTHER, " ".join(self.rest))):
            return said[0]
        base = self.rest[self.rest.index("distill") + 1 :] if "distill" in self.rest else ()
        return "distill" if added_words(base) else ""


def matched_words(pattern: str, ref: "ModelRef", kind: Kind = "chat") -> Fit | None:
    """Return how a pattern for models of a kind fits a name, or None if it does not."""
    if ref.tag_decides:
        return None
    if "/" in pattern:
        return Fit(ref.path.lower(), ()) if ref.path.lower() == pattern.lower() else None
    fit = _fit(_words(pattern), ref.words)
    return None if fit is None or _forbidden_word(pattern, kind, fit) else fit


def _words(pattern: str) -> list[str]:
    return pattern.removesuffix(WHOLE_NAME).split()


def added_words(rest: tuple[str, ...]) -> list[str]:
    """Return the words after the name of a model that neither its size nor its packaging accounts for."""
    return list(_others(rest, meaning("size", "packaging", "adapter", "version", "chat")))


def _forbidden_word(pattern: str, kind: Kind, fit: Fit) -> str:
    """Return the first word that must not follow those that a pattern takes; empty if there is none."""
    if kind == "base":
        # A model that was tuned keeps the name of its base and adds a word of its own: then its format is unknown.
        allowed = meaning("size", "packaging")
        says_base = not meaning("base").isdisjoint((*fit.literal.split("-"), *fit.rest))
        if not says_base and (length := re.search(_CONTEXT, " ".join(fit.rest))):
            return length[0]
    elif pattern.endswith(WHOLE_NAME):
        allowed = meaning("size", "packaging", "adapter")
    else:
        return ""
    return next(_others(fit.rest, allowed), "")


def _others(words: tuple[str, ...], known: frozenset[str]) -> Iterator[str]:
    return (word for word in words if word not in known and not _is_number(word))


def _is_number(word: str) -> bool:
    # Not isdigit(), which accepts the digits of every script.
    return "0" <= word[0] <= "9"


def _fit(wanted: list[str], words: tuple[str, ...]) -> Fit | None:
    matched: list[str] = []
    position = 0
    for index, run in enumerate(" ".join(wanted).split(ANYTHING)):
        # The earliest position will do: what follows a `*` may be anywhere after it.
        last = len(words) if index else 0
        found = next((fit for start in range(position, last + 1) for fit in _fits(run.split(), words, start)), None)
        if found is None:
            return None
        position, taken = found
        matched += taken
    return Fit("-".join(matched), words[position:])


def _fits(run: list[str], words: tuple[str, ...], position: int) -> Iterator[tuple[int, list[str]]]:
    """Yield every way in which a run fits from `position` on: where it ends, and the words that it takes.

    The one that takes the most words comes first.
    """
    if not run:
        yield position, []
        return
    wanted = run[0].removeprefix("?")
    word = words[position] if position < len(words) else ""
    if word and (_is_number(word) if wanted == NUMBER else word in wanted.split("|")):
        for end, taken in _fits(run[1:], words, position + 1):
            yield end, [word, *taken]
    if run[0].startswith("?"):
        yield from _fits(run[1:], words, position)


def missed(pattern: str, ref: "ModelRef", kind: Kind = "chat") -> tuple[int, str] | None:
    """Return how many words of a name fit, and what keeps the pattern from fitting; None if no word fits."""
    if "/" in pattern or ref.tag_decides:
        return None
    wanted = _words(pattern)
    best, count = Fit("", ref.words), 0
    while count < len(wanted) and (fit := _fit(wanted[: count + 1], ref.words)) is not None:
        best, count = fit, count + 1
    if not best.literal:
        return None
    if count == len(wanted):
        word = _forbidden_word(pattern, kind, best) or best.another
        why = f"all of {pattern!r} fits, but {word!r} must not follow"
    else:
        place = f"the name {f'has {best.rest[0]!r}' if best.rest else 'ends'}, where {wanted[count]!r} is expected"
        if wanted[count - 1] == ANYTHING:
            place = f"{wanted[count]!r} is nowhere in the rest of the name"
        why = f"{' '.join(wanted[:count])!r} of {pattern!r} fits, but then {place}"
        why += _meant(wanted[count], best.rest[:1], ref)
    return best.literal.count("-") + 1, why


def _meant(wanted: str, found: tuple[str, ...], ref: "ModelRef") -> str:
    """Return the name that was perhaps meant, if an expected word is similar to the one found."""
    near = near_names(found[0], wanted.removeprefix("?").split("|"), likeness=0.7) if found else []
    if not near or (start := ref.path.lower().rfind(found[0])) < 0:
        return ""
    was = ref.path[start : start + len(found[0])]
    word = near[0].capitalize() if was[0].isupper() else near[0]
    return f"; did you mean {ref.path[:start] + word + ref.path[start + len(was) :]!r}?"


def problem_of(pattern: str) -> str:
    """Return why a pattern cannot fit any name, and what to try; empty if it can."""
    if "/" in pattern:
        if all(pattern.partition("/")) and pattern.count("/") == 1 and _SPECIAL.isdisjoint(pattern):
            return ""
        return "with a `/` it is a whole owner/name\n  try: 'acme/chat-7b', or words without an owner: 'acme * chat'"
    words = pattern.split()
    if words[-1:] == [WHOLE_NAME]:
        words.pop()
    if not words:
        return "it has no words\n  try: '*' for every name"
    return next((problem for word in words if (problem := _problem_of_word(word))), "")


def _problem_of_word(word: str) -> str:
    wanted = word.removeprefix("?")
    if word == ANYTHING or wanted == NUMBER:
        return ""
    if (wrong := next((each for each in wanted.split("|") if words_of(each) != (each,)), None)) is None:
        return ""
    if not _SPECIAL.isdisjoint(wrong):
        return (
            f"{wrong!r} is not a word, and a pattern is neither a glob nor a regular expression\n"
            "  try: `*` for any words and `#` for any number, each on its own: 'acme # b * chat'"
        )
    words = " ".join(words_of(wrong.lower()))
    advice = f"{words!r} for {wrong!r}" if words else "words such as 'acme 7|13 b chat'"
    return f"{wrong!r} is not a word of a name; names are split into lower-case words and numbers\n  try: {advice}"


def sample_name(pattern: str) -> str:
    """Return a name that a pattern fits."""
    wanted = (word.removeprefix("?").partition("|")[0] for word in _words(pattern) if word != ANYTHING)
    return "-".join(wanted).replace(NUMBER, "7") or "name"
