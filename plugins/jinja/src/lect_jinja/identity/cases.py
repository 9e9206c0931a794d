"""Requests that templates are asked to render, to be compared with others, and what they answer."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError, RefusedError, saferepr

if TYPE_CHECKING:
    from lect.plugin import Template

REFUSED = "(refuses)"
THE_DAY = date(2025, 2, 3)
NO_SWITCHES = frozenset({"bos_token", "eos_token", "date", "documents"})
"""Options that are not switches of a format."""


class Case(NamedTuple):
    """A request; one without a name is described by what it has."""

    what: str
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None = None
    add_generation_prompt: bool = True
    """Whether the prompt ends with the generation prompt."""
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed
    day: date = THE_DAY
    is_usual: bool = True
    """Whether it has only what every client sends: at anything else, makers' own templates may fail by accident."""

    def having(self, option: str, value: Any) -> Case:
        """Return the same request with an option."""
        return self._replace(what=f"{self.what} with {option}={saferepr(value, 40)}", options={option: value})

    def __str__(self) -> str:
        if self.what:
            return self.what
        given = [", ".join(map(_described, self.messages)) or "no messages"]
        given += ["tools"] * bool(self.tools) + [
            f"{name}={saferepr(value, 40)}" for name, value in self.options.items()
        ]
        return "; ".join(given + ["without the generation prompt"] * (not self.add_generation_prompt))

    def as_request(self) -> dict[str, Any]:
        """Return what is rendered, as JSON takes it."""
        given = {"messages": self.messages, "tools": self.tools, "add_generation_prompt": self.add_generation_prompt}
        return {**given, "options": self.options}


def _described(message: dict[str, Any]) -> str:
    others = [name for name in message if name not in ("role", "content", "tool_call_id")]
    content = message["content"]
    said = saferepr(content, 40) if isinstance(content, str) else "no content" if content is None else "parts"
    return " ".join([f"{message['role']} {said}", *(f"with {name}" for name in others)])


def answer(template: Template, case: Case) -> str | None:
    """Return the prompt that a template writes, `REFUSED`, or None if it fails."""
    try:
        return _prompt(template, case)
    except RefusedError:
        return REFUSED
    except LectError:
        return None


def failure(template: Template, case: Case) -> str:
    """Return with which words a template fails, without the line; nothing if it does not."""
    try:
        _prompt(template, case)
    except LectError as error:
        return str(error).partition("\n")[0].partition(": ")[2]
    return ""


def _prompt(template: Template, case: Case) -> str:
    dated: dict[str, Any] = {"date": case.day} if "date" in template.options else {}
    return template.text(
        case.messages, tools=case.tools, add_generation_prompt=case.add_generation_prompt, **dated, **case.options
    )


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
