"""Make a request smaller, as long as it still shows what it showed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lect_jinja.identity.cases import Case

MOST_TRIED = 300


def smallest(case: Case, shows: Callable[[Case], bool]) -> Case:
    """Return a request that still shows it, and from which nothing more can be left out."""
    tried = 0
    for _ in range(MOST_TRIED):
        for smaller in _smaller(case):
            tried += 1
            if shows(smaller):
                case = smaller
                break
        else:
            return case
        if tried > MOST_TRIED:
            return case
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """Yield requests with one thing left out, or one text simpler."""
    if case.tools:
        yield case._replace(tools=None)
        yield from (case._replace(tools=each) for each in _without_one(case.tools) if each)
    for name in case.options:
        yield case._replace(options={each: value for each, value in case.options.items() if each != name})
    yield from (case._replace(messages=each) for each in _without_one(case.messages) if each)
    for at, message in enumerate(case.messages):
        for smaller in _smaller_messages(message):
            yield case._replace(messages=[*case.messages[:at], smaller, *case.messages[at + 1 :]])


def _smaller_messages(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for field in [each for each in message if each not in ("role", "content")]:
        yield {name: value for name, value in message.items() if name != field}
    calls, content = message.get("tool_calls"), message["content"]
    if calls:
        yield from ({**message, "tool_calls": each} for each in _without_one(calls) if each)
    if isinstance(content, list):
        yield from ({**message, "content": each} for each in _without_one(content) if each)
    elif content and len(content) > 1:
        for text in ("a", content.strip()):
            if text != content:
                yield {**message, "content": text}


def _without_one(items: list[Any]) -> Iterator[list[Any]]:
    for at in range(len(items)):
        yield items[:at] + items[at + 1 :]
