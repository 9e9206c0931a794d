"""The conversations with which a format is verified. Every text in them is distinct, so that a missing one is named."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lect.plugin import Template

REFUSED = "(refuses)"
THE_DAY, ANOTHER_DAY = date(2025, 2, 3), date(2031, 11, 27)
"""A template that does something else on some days is asked on two."""
HANDLED_APART = frozenset({"bos_token", "eos_token", "date", "documents"})
"""Options that are not switches of a format."""


def _says(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def _calls(content: str, *ids: str) -> dict[str, Any]:
    function = {"name": "find_ferries", "arguments": {"harbour": "Split", "hour": 17}}
    return _says(
        "assistant", content, tool_calls=[{"id": each, "type": "function", "function": function} for each in ids]
    )


def _result(call_id: str) -> dict[str, Any]:
    return _says("tool", "the Petar leaves at 17:30", name="find_ferries", tool_call_id=call_id)


_SYSTEM = _says("system", "You work at a harbour.")
_QUESTION, _AGAIN = _says("user", "When is the next ferry?"), _says("user", "And the last one?")
_ANSWER = _says("assistant", "In ten minutes.")
_THOUGHT = _says("assistant", "At midnight.", reasoning_content="The timetable ends at twelve.")
_SPACED, _SPACED_ANSWER = _says("user", "\n  Which pier?\n\n"), _says("assistant", "  Pier nine.  \n")
_IMAGE = _says("user", [{"type": "image"}, {"type": "text", "text": "Which ship is this?"}])
_PARTS = _says("user", [{"type": "text", "text": "Two things."}, {"type": "text", "text": "First, the fare."}])
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


class Case(NamedTuple):
    """A request that is put to both sides."""

    what: str
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None = None
    asking: bool = True
    """Whether the prompt ends with the generation prompt."""
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed
    day: date = THE_DAY

    @property
    def is_plain(self) -> bool:
        """Whether anybody can be asked: today, and without an image."""
        parts = (part for message in self.messages for part in message["content"] if isinstance(part, dict))
        return self.day == THE_DAY and all(part["type"] == "text" for part in parts)


CASES = (
    Case("a question", [_QUESTION]),
    Case("a question without the generation prompt", [_QUESTION], asking=False),
    Case("a system text", [_SYSTEM, _QUESTION]),
    Case("several turns", [_SYSTEM, _QUESTION, _ANSWER, _AGAIN]),
    Case("several turns without a system text", [_QUESTION, _ANSWER, _AGAIN, _ANSWER], asking=False),
    Case("white space around texts", [_QUESTION, _SPACED_ANSWER, _SPACED]),
    Case("reasoning in an old answer", [_QUESTION, _THOUGHT, _AGAIN]),
    Case("reasoning in the last answer", [_QUESTION, _THOUGHT], asking=False),
    Case("tools", [_SYSTEM, _QUESTION], [_TOOL]),
    Case("tools without a system text", [_QUESTION], [_TOOL]),
    Case("a call and its result", [_QUESTION, _calls("", _ONE), _result(_ONE)], [_TOOL]),
    Case("a call in the past", [_QUESTION, _calls("One moment.", _ONE), _result(_ONE), _ANSWER, _AGAIN], [_TOOL]),
    Case("two calls", [_QUESTION, _calls("", _ONE, _TWO), _result(_ONE), _result(_TWO)], [_TOOL]),
    Case("an image", [_IMAGE]),
    Case("a text in parts", [_PARTS]),
    Case("a question on another day", [_QUESTION], day=ANOTHER_DAY),
)


def cases_for(options: Iterable[str]) -> Iterator[Case]:
    """Yield the cases, then some of them with each switch of the format on and off."""
    yield from CASES
    for option in options:
        if option not in HANDLED_APART:
            for value in (True, False):
                for case in (CASES[0], CASES[6], CASES[8], CASES[11]):
                    yield case._replace(what=f"{case.what} with {option}={value}", options={option: value})


def prompt_of(template: Template, case: Case) -> str | None:
    """Return the prompt that a template writes, `REFUSED`, or None if it fails."""
    dated: dict[str, Any] = {"date": case.day} if "date" in template.options else {}
    try:
        return template.text(
            case.messages, tools=case.tools, add_generation_prompt=case.asking, **dated, **case.options
        )
    except RefusedError:
        return REFUSED
    except LectError:
        return None
