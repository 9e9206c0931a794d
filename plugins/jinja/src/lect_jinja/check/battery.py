"""The requests with which a format is verified. Every text in the cases is distinct, so that a missing one is named."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from lect_jinja.check import SEED
from lect_jinja.check.composer import Composer
from lect_jinja.check.telling import COMPOSED
from lect_jinja.identity.cases import THE_DAY, Case, calls, result, says

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect_jinja.check.telling import Telling

WITH_OPTIONS = (0, 6, 8, 11)
"""The cases that are tried with each value of each option."""

ANOTHER_DAY = date(2031, 11, 27)
"""A template that does something else on some days is asked on two."""

_FIND = {"name": "find_ferries", "arguments": {"harbour": "Split", "hour": 17}}
_calls, _result = partial(calls, _FIND), partial(result, _FIND, "the Petar leaves at 17:30")
_SYSTEM = says("system", "You work at a harbour.")
_QUESTION, _AGAIN = says("user", "When is the next ferry?"), says("user", "And the last one?")
_ANSWER = says("assistant", "In ten minutes.")
_THOUGHT = says("assistant", "At midnight.", reasoning_content="The timetable ends at twelve.")
_SPACED, _SPACED_ANSWER = says("user", "\n  Which pier?\n\n"), says("assistant", "  Pier nine.  \n")
_IMAGE = says("user", [{"type": "image"}, {"type": "text", "text": "Which ship is this?"}])
_PARTS = says("user", [{"type": "text", "text": "Two things."}, {"type": "text", "text": "First, the fare."}])
_ONE, _TWO = "call00001", "call00002"
_TOOL = {
    "type": "function",
    "function": {
        "name": "find_ferries",
        "description": "Look ferries up in the timetable.",
        "parameters": {
            "type": "object",
            "properties": {"harbour": {"type": "string", "description": "Where it leaves"}},
            "required": ["harbour"],
        },
    },
}


CASES = (
    Case("a question", [_QUESTION]),
    Case("a question without the generation prompt", [_QUESTION], add_generation_prompt=False),
    Case("a system text", [_SYSTEM, _QUESTION]),
    Case("several turns", [_SYSTEM, _QUESTION, _ANSWER, _AGAIN]),
    Case("several turns without a system text", [_QUESTION, _ANSWER, _AGAIN, _ANSWER], add_generation_prompt=False),
    Case("white space around texts", [_QUESTION, _SPACED_ANSWER, _SPACED]),
    Case("reasoning in an old answer", [_QUESTION, _THOUGHT, _AGAIN]),
    Case("reasoning in the last answer", [_QUESTION, _THOUGHT], add_generation_prompt=False),
    Case("tools", [_SYSTEM, _QUESTION], [_TOOL]),
    Case("tools without a system text", [_QUESTION], [_TOOL]),
    Case("a call and its result", [_QUESTION, _calls("", _ONE), _result(_ONE)], [_TOOL]),
    Case("a call in the past", [_QUESTION, _calls("One moment.", _ONE), _result(_ONE), _ANSWER, _AGAIN], [_TOOL]),
    Case("two calls", [_QUESTION, _calls("", _ONE, _TWO), _result(_ONE), _result(_TWO)], [_TOOL]),
    Case("an image", [_IMAGE]),
    Case("a text in parts", [_PARTS]),
    Case("a question on another day", [_QUESTION], day=ANOTHER_DAY),
)


def requests(of: Telling, seed: str = SEED) -> Iterator[Case]:
    """Yield requests without end: the cases, some of them with each value of each option, then composed ones.

    Before these, texts between marks: two that belong together seldom meet by chance.
    """
    yield from CASES
    for name, option in of.options.items():
        for value in (*option.values, *(COMPOSED[each] for each in option.composed)):
            yield from (CASES[number].having(name, value) for number in WITH_OPTIONS)
    for begins, ends in of.enclosing:
        enclosed = f"{begins}Pier nine.{ends}"
        yield Case("a text between marks", [_QUESTION, says("assistant", enclosed), says("user", enclosed)])
    yield from Composer(of, seed).requests()


def is_plain(case: Case) -> bool:
    """Return whether any server can be asked: today, without an image, and nothing odd."""
    parts = (part for message in case.messages for part in message["content"] or () if isinstance(part, dict))
    return case.day == THE_DAY and case.is_usual and all(part["type"] == "text" for part in parts)
