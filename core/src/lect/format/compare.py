"""Where two templates differ."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from lect.errors import LectError, saferepr
from lect.format.template import Template
from lect.tokens.turns import alike

Messages = list[dict[str, str]]
Render = Callable[..., str]
"""Writes messages as a prompt; the second argument tells whether the assistant speaks next, keywords are options."""
SHOWN = 40
"""How many characters are shown from a difference on."""
OPTION = "<|other|>"  # the value with which an option is tried


def _talk(*texts: str, system: str | None = None) -> Messages:
    turns = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]
    return turns if system is None else [{"role": "system", "content": system}, *turns]


_TEXTS = ("What is 6 times 7?", "42.", "And 7 times 8?", "56.", "Merci ! 谢谢 🎉")
_CODE = ("print('{x} {{ y }} {% z %} {input}')", 'a "quoted" \\n \\\\ text', "{0} %s $x {{")
_SPACES = (" 1\n", "\n\t2 \n\n", "\r\n3  ")
CONVERSATIONS: dict[str, tuple[Messages, bool]] = {
    "a question": (_talk(*_TEXTS[:1]), True),
    "a question after a system text": (_talk(*_TEXTS[:1], system="Be brief."), True),
    "a question after an empty system text": (_talk(*_TEXTS[:1], system=""), True),
    "three questions": (_talk(*_TEXTS), True),
    "three questions after a system text": (_talk(*_TEXTS, system="Be brief."), True),
    "a question and its answer": (_talk(*_TEXTS[:2]), False),
    "a whole conversation": (_talk(*_TEXTS[:4], system="Be brief."), False),
    "texts with braces, quotes and backslashes": (_talk(*_CODE, system=_CODE[0]), True),
    "texts with white space at their ends": (_talk(*_SPACES, system=_SPACES[0]), True),
    "an empty question": (_talk(""), True),
    "an empty answer, and an empty question after it": (_talk(_TEXTS[0], "", "", *_TEXTS[3:]), True),
    "many long texts": (_talk(*(_TEXTS[turn % 4] * 101 for turn in range(25)), system=_TEXTS[4] * 101), True),
}
"""Conversations in which user and assistant take turns, by kind, each with whether the assistant speaks next."""


class Difference(NamedTuple):
    """Where two templates differ in one kind of conversation."""

    kind: str
    """The kind of conversation, or what else differs."""
    one: str | None = None
    """What the first writes; None where it refuses the conversation."""
    other: str | None = None
    """What the second writes."""

    @property
    def at(self) -> int:
        """The first character in which the two differ."""
        return alike(self.one or "", self.other or "")

    def __str__(self) -> str:
        if self.one is self.other is None:
            return self.kind
        at = self.at
        texts = ("refused" if text is None else saferepr(text[at : at + SHOWN]) for text in (self.one, self.other))
        return f"{self.kind}: at character {at}, {' / '.join(texts)}"


def compared(one: Template | Render, other: Template | Render, options: Iterable[str] = ()) -> list[Difference]:
    """Return what two templates, or functions, write for each kind of conversation, without and with each option."""
    trials = {"": {}, **{f", with {option}={OPTION!r}": {option: OPTION} for option in options}}
    return [
        Difference(kind + more, _text(one, *case, given), _text(other, *case, given))
        for more, given in trials.items()
        for kind, case in CONVERSATIONS.items()
    ]


def _text(
    writer: Template | Render, messages: Messages, add_generation_prompt: bool, options: Mapping[str, Any]
) -> str | None:
    try:
        if isinstance(writer, Template):
            return writer.text(messages, add_generation_prompt=add_generation_prompt, **options)
        return writer(messages, add_generation_prompt, **options)
    except LectError:
        return None


def first_difference(one: Template, other: Template) -> str | None:
    """Return where two templates first differ, and what each has there; None where they are equal."""
    for each in compared(one, other):
        if each.one != each.other:
            return str(each)
    for fact in ("stop", "markers"):
        mine, its = tuple(getattr(one, fact)), tuple(getattr(other, fact))
        if mine != its:
            return f"{fact}: {saferepr(mine)} / {saferepr(its)}"
    return None
