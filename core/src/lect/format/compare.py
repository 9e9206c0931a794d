"""Where two templates differ."""

from collections.abc import Callable
from typing import NamedTuple

from lect.errors import LectError, saferepr
from lect.format.template import Template

Messages = list[dict[str, str]]
Render = Callable[[Messages, bool], str]
"""Writes messages as a prompt; the second argument tells whether the assistant speaks next."""
SHOWN = 40
"""How many characters are shown from a difference on."""


def _talk(*texts: str, system: str | None = None) -> Messages:
    roles = ("user", "assistant")
    turns = [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
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
}
"""Conversations in which user and assistant take turns, by kind, each with whether the assistant speaks next."""


class Difference(NamedTuple):
    """Where two templates differ in one kind of conversation.

    Attributes:
        kind: The kind of conversation.
        one: What the first writes; None where it refuses the conversation.
        other: What the second writes.
    """

    kind: str
    one: str | None
    other: str | None

    @property
    def at(self) -> int:
        """The first character in which the two differ."""
        one, other = self.one or "", self.other or ""
        pairs = enumerate(zip(one, other, strict=False))
        return next((index for index, pair in pairs if pair[0] != pair[1]), min(len(one), len(other)))

    def __str__(self) -> str:
        at = self.at
        texts = ("refused" if text is None else saferepr(text[at : at + SHOWN]) for text in (self.one, self.other))
        return f"{self.kind}: at character {at}, {' / '.join(texts)}"


def differences(one: Render, other: Render) -> list[Difference]:
    """Return how two ways to write prompts differ, at most once for each kind of conversation."""
    return [
        found
        for kind, (messages, ask) in CONVERSATIONS.items()
        if (found := Difference(kind, _text(one, messages, ask), _text(other, messages, ask))).one != found.other
    ]


def _text(render: Render, messages: Messages, ask: bool) -> str | None:
    try:
        return render(messages, ask)
    except LectError:
        return None


def render_of(template: Template) -> Render:
    """Return the function with which a template writes prompts."""
    return lambda messages, ask: template.text(messages, add_generation_prompt=ask)


def first_difference(one: Template, other: Template) -> str | None:
    """Return where two templates first differ, and what each has there; None where they are equal."""
    for difference in differences(render_of(one), render_of(other)):
        return str(difference)
    for fact in ("stop", "markers"):
        mine, its = tuple(getattr(one, fact)), tuple(getattr(other, fact))
        if mine != its:
            return f"{fact}: {saferepr(mine)} / {saferepr(its)}"
    return None
