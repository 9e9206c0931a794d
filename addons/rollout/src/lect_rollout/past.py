"""What a program could tell the messages of a conversation by, so that it need not write all of them at every turn.

A program may look at every message, however long ago it was. So what it writes at the end of a conversation is taken
from the last few messages only while nothing is new in all the others: a field, an order of roles, or a word of the
program's own code in a text. That is for the programs of installed packages: a model's own template writes all of it at
every turn. Of the conversations in which nothing is new, the first, second, fourth, eighth, ... are written as a whole
nevertheless, and if one of them ends otherwise, all are from then on.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.plugin import SPELLINGS, Template, TurnTemplate

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

LONGEST_WORD = 100
"""Characters: a longer string in a program's code is something that it writes."""
REPEATED = "the id of an earlier call"


class Past(NamedTuple):
    """What is known of the messages so far; one that goes on is another."""

    question: int = 0
    """The index of the last message of a user."""
    size: int = 0
    last: Hashable = None
    """The form of the last message."""
    forms: frozenset[Hashable] = frozenset()
    """All that a program could tell them by, apart from how many there are and what is in their texts."""
    ids: frozenset[str] = frozenset()

    def followed_by(self, messages: Iterable[Mapping[str, Any]], words: Iterable[str]) -> Past:
        """Return the same with more messages, in whose texts a program may look for words."""
        question, size, last = self[:3]
        forms, ids = set(self.forms), set(self.ids)
        for message in messages:
            before, last = last, form_of(message)
            forms |= {(before, last), *((message.get("role"), word) for word in words if _has(message, word))}
            called = [call.get("id") for call in message.get("tool_calls") or ()]
            forms |= {REPEATED for each in called if each in ids}
            ids |= {each for each in called if each}
            question = size if message.get("role") == "user" else question
            size += 1
        return Past(question, size, last, frozenset(forms), frozenset(ids))


def form_of(message: Mapping[str, Any]) -> Hashable:
    """Return which fields a message has, and of which kind; of its texts, only whether they are empty."""
    calls = message.get("tool_calls") or ()
    fields = ((name, type(value).__name__, bool(value)) for name, value in message.items() if value is not None)
    return message.get("role"), tuple(sorted(fields)), min(len(calls), 2)


def _has(value: Any, word: str) -> bool:
    """Return whether a word is in a text of a message; its role is told by its form."""
    if isinstance(value, str):
        return word in value
    if isinstance(value, dict):
        # Nobody looks for words in an image, which may be megabytes of text.
        is_seen = str(value.get("type")) in SPELLINGS
        return not is_seen and any(name != "role" and _has(each, word) for name, each in value.items())
    return isinstance(value, list | tuple) and any(_has(each, word) for each in value)


@lru_cache(64)
def _words_of(template: Template) -> Sequence[str]:
    words = dict.fromkeys((*template.edges().words, *template.markers))
    return [word for word in words if word and len(word) <= LONGEST_WORD]


class Confidence:
    """For which conversations of a template it is known how they end."""

    def __init__(self, template: Template):
        self.words = _words_of(template)
        self._uses: dict[Hashable, int] = {}
        # A stranger's template may do anything; and where a text loses its origin, a program does more than write it.
        self.is_lost = type(template) not in (Template, TurnTemplate) or template.edges().loses_origins

    def suffices(self, past: Past, few: Sequence[Mapping[str, Any]]) -> bool:
        """Count a conversation; return whether it ends as the last few messages of it do, without a look at it."""
        known = past.forms, tuple(map(form_of, few))
        uses = self._uses[known] = self._uses.get(known, 0) + 1
        return not self.is_lost and uses & (uses - 1) > 0
