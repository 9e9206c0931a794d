"""Requests that templates are asked to render, to be compared with others, and what they answer."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError, RefusedError

if TYPE_CHECKING:
    from lect.plugin import Template

REFUSED = "(refuses)"
THE_DAY = date(2025, 2, 3)
NO_SWITCHES = frozenset({"bos_token", "eos_token", "date", "documents"})
"""Options that are not switches of a format."""


class Case(NamedTuple):
    """A request."""

    what: str
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None = None
    asking: bool = True
    """Whether the prompt ends with the generation prompt."""
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed
    day: date = THE_DAY

    def having(self, option: str, value: Any) -> Case:
        """Return the same request with an option."""
        return self._replace(what=f"{self.what} with {option}={value}", options={option: value})


def answer(template: Template, case: Case) -> str | None:
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


def says(role: str, content: Any, **more: Any) -> dict[str, Any]:
    """Return a message."""
    return {"role": role, "content": content, **more}


def calls(function: dict[str, Any], content: str, *ids: str) -> dict[str, Any]:
    """Return an answer with calls of one function."""
    return says(
        "assistant", content, tool_calls=[{"id": each, "type": "function", "function": function} for each in ids]
    )


def result(function: dict[str, Any], content: str, call_id: str) -> dict[str, Any]:
    """Return the result of a call."""
    return says("tool", content, name=function["name"], tool_call_id=call_id)
