"""The fields of a conversation that must reach the prompt, and where they are in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.values import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect.format.prompt import Prompt
    from lect.values import Path


def counted_fields(arguments: dict[str, Any]) -> list[tuple[Path, str]]:
    """Return the fields that `Prompt.unused` covers, each with its text, except for texts that occur in several."""
    fields = list(_fields(arguments))
    texts = [text for _, text in fields]
    return [(path, text) for path, text in fields if texts.count(text) == 1]


def _fields(arguments: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    for index, message in enumerate(arguments["messages"]):
        yield from _fields_of(("messages", index), message)
    for index, tool in enumerate(arguments.get("tools") or ()):
        yield ("tools", index), tool["function"]["name"]


def _fields_of(path: Path, message: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    content = message["content"]
    if isinstance(content, str):
        yield (*path, "content"), content
    else:
        yield from (((*path, "content", index), part["text"]) for index, part in enumerate(content))
    yield from (((*path, field), message[field]) for field in ("name", "reasoning_content") if field in message)
    for index, call in enumerate(message.get("tool_calls", ())):
        where = (*path, "tool_calls", index, "function")
        yield (*where, "name"), call["function"]["name"]
        yield from (((*where, "arguments"), value) for value in call["function"]["arguments"].values())


def is_written(prompt: Prompt, path: Path, text: str) -> bool:
    """Return whether a field is in the prompt: its text, or what was made of it."""
    return text in prompt.text or any(segment.path[: len(path)] == path for segment in prompt.segments)


def origin_problem(prompt: Prompt, path: Path, text: str) -> str:
    """Say so if a text of the caller's is attributed to the template, or to nobody; empty if it is not."""
    at = prompt.text.find(text)
    if at < 0 or prompt.text.find(text, at + 1) >= 0:
        return ""  # It is absent, or occurs twice: then it is unclear which is which.
    position = 0
    for segment in prompt.segments:
        end = position + len(segment.text)
        if position < at + len(text) and at < end and segment.origin is not Origin.INPUT:
            field = ".".join(map(str, path))
            if segment.origin is Origin.TEMPLATE:
                return f"{text!r} of {field} is said to be the template's own text"
            return f"{segment.text!r} is of unknown origin, and never trusted: {field} was joined with other text"
        position = end
    return ""
