"""Where two templates first differ over a set of conversations. That none is found proves nothing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lect.plugin import Difference
from lect_jinja.identity.cases import NO_SWITCHES, REFUSED, Case, answer, calls, result, says
from lect_jinja.identity.knowledge import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lect.plugin import Template

FAILED = "(an error)"
FEWEST_COMPARED = 8
"""How many conversations must be compared: a template that fails on nearly all of them matches no other."""

_ADD = {"name": "add", "arguments": {"a": 2, "b": "zwei ½"}}
_calls, _result = partial(calls, _ADD), partial(result, _ADD, "4")
_SYSTEM, _QUESTION, _ANSWER = says("system", "Be brief."), says("user", "What is 2 + 2?"), says("assistant", "Four.")
_AGAIN, _THANKS = says("user", "And 3 + 3?"), says("user", "Thanks")
_SPACED, _SPACED_ANSWER = says("user", "\n  And 3 + 3?\n\n"), says("assistant", "  Six.  \n")
_THOUGHT = says("assistant", "Six.", reasoning_content="3 + 3 = 6")
_TAGGED = says("assistant", "<think>\n3 + 3 = 6\n</think>\n\nSix.")
_IMAGE = says("user", [{"type": "image"}, {"type": "text", "text": "What is this?"}])
_PARTS = says("user", [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}])
_ONE, _TWO = "call00001", "call00002"
_NUMBERS = {"type": "object", "properties": {"a": {"type": "integer", "description": "A number"}}, "required": ["a"]}
_TOOL = {"type": "function", "function": {"name": "add", "description": "Add numbers.", "parameters": _NUMBERS}}


CONVERSATIONS = (
    Case("a question", [_QUESTION]),
    Case("a question without the generation prompt", [_QUESTION], add_generation_prompt=False),
    Case("a system text", [_SYSTEM, _QUESTION]),
    Case("several turns", [_QUESTION, _ANSWER, _AGAIN]),
    Case(
        "several turns after a system text", [_SYSTEM, _QUESTION, _ANSWER, _AGAIN, _ANSWER], add_generation_prompt=False
    ),
    Case("an answer at the end", [_QUESTION, _ANSWER]),
    Case("white space around texts", [says("system", "  Be brief. \n"), _SPACED, _SPACED_ANSWER, _SPACED]),
    Case("an empty system text", [says("system", ""), _QUESTION]),
    Case("empty texts", [says("user", ""), says("assistant", ""), _QUESTION]),
    Case("two questions in a row", [_QUESTION, _AGAIN]),
    Case("a late system text", [_QUESTION, _ANSWER, _SYSTEM, _AGAIN]),
    Case("a text of the developer", [says("developer", "Be brief."), _QUESTION]),
    Case("reasoning in the last answer", [_QUESTION, _ANSWER, _AGAIN, _THOUGHT], add_generation_prompt=False),
    Case("reasoning in an old answer", [_QUESTION, _THOUGHT, _THANKS]),
    Case("reasoning as text", [_QUESTION, _TAGGED, _THANKS]),
    Case("tools", [_SYSTEM, _QUESTION], [_TOOL]),
    Case("tools without a system text", [_QUESTION], [_TOOL]),
    Case("a call and its result", [_QUESTION, _calls("", _ONE), _result(_ONE)], [_TOOL]),
    Case("a call in the past", [_QUESTION, _calls("So:", _ONE), _result(_ONE), _ANSWER, _THANKS], [_TOOL]),
    Case("two calls", [_QUESTION, _calls("", _ONE, _TWO), _result(_ONE), _result(_TWO)], [_TOOL]),
    Case("an image", [_IMAGE]),
    Case("a text in parts", [_PARTS, _ANSWER, _IMAGE]),
)
_PLACES = {conversation.what: number for number, conversation in enumerate(CONVERSATIONS)}
TELLING = (0, 15)
"""The conversations that tell most templates apart: a question, and tools."""
SHORTEST = 4
"""Characters: templates that begin with fewer alike are not near."""


class Behaviour:
    """What a template does, to be compared with others.

    Args:
        template: The template.
        options: The options whose effect is compared too.
    """

    def __init__(self, template: Template, options: Iterable[str]):
        self._template = template
        self._options = [option for option in options if option not in NO_SWITCHES]
        self._answers: dict[int, str | None] = {}

    def may_equal(self, prints: Iterable[str]) -> bool:
        """Return whether a template of which only these prints are known may be the same."""
        mine = map(self._answer, TELLING)
        return all(prompt is None or print_of(prompt) == each for prompt, each in zip(mine, prints, strict=False))

    def nearest_of(self, known: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the names of those templates of which only these prints are known that may be the nearest.

        They write the same for a question; if none does, what they write begins the same for the longest.
        """
        prompt = self._answer(TELLING[0])
        if prompt is None:
            return []
        mine = beginnings(prompt)
        agreed = {name: _agreed(mine, each[len(TELLING) :]) for name, each in known.items()}
        agreed |= {name: len(mine) + 1 for name, each in known.items() if each[0] == print_of(prompt)}
        most = max(agreed.values(), default=0)
        return [name for name, each in agreed.items() if each == most > 0]

    def difference(self, other: Template) -> Difference | None:
        """Return where another template first differs; None if no conversation tells them apart."""
        compared = 0
        for number, conversation in enumerate(CONVERSATIONS):
            mine = self._answer(number)
            # Where a template crashes by accident there is nothing to compare.
            if mine is not None:
                theirs = answer(other, conversation) or FAILED
                if mine != theirs:
                    return Difference(conversation.what, mine, theirs)
                compared += mine != REFUSED
        if compared < FEWEST_COMPARED:
            return Difference("it fails on too many conversations to be compared")
        return self._difference_of_options(other)

    def _answer(self, number: int) -> str | None:
        if number not in self._answers:
            self._answers[number] = answer(self._template, CONVERSATIONS[number])
        return self._answers[number]

    def _difference_of_options(self, other: Template) -> Difference | None:
        for option in self._options:
            if option not in other.options:
                return Difference(f"the option {option!r}, which only one reads")
            for value in (True, False):
                for conversation in CONVERSATIONS[::4]:
                    asked = conversation.having(option, value)
                    mine, theirs = (answer(each, asked) for each in (self._template, other))
                    # A family may accept less than its maker's template: a list of names where that accepts anything.
                    if mine and theirs and mine != theirs:
                        return Difference(asked.what, mine, theirs)
        return None


def prints(template: Template) -> list[str]:
    """Return the fingerprints of what a template writes for the conversations that tell most, then of how it begins."""
    prompts = [answer(template, CONVERSATIONS[number]) for number in TELLING]
    return [*map(print_of, prompts), *beginnings(prompts[0] or "")]


def beginnings(prompt: str) -> list[str]:
    """Return the fingerprints of the beginnings of a prompt, each twice as long as the one before."""
    lengths = (SHORTEST << each for each in range(len(prompt).bit_length()))
    return [print_of(prompt[:length])[:8] for length in lengths if length <= len(prompt)]


def _agreed(mine: Sequence[str], theirs: Sequence[str]) -> int:
    return sum(1 for one, other in zip(mine, theirs, strict=False) if one == other)


def print_of(prompt: str | None) -> str:
    """Return the fingerprint of a prompt."""
    return fingerprint(prompt or FAILED)[:16]


def depth(difference: Difference | None) -> tuple[int, int]:
    """Return how far two templates are alike: the conversations that they agree on, and the characters after that."""
    number = _PLACES.get(difference.kind, len(CONVERSATIONS)) if difference else len(CONVERSATIONS) + 1
    return number, difference.at if difference else 0
