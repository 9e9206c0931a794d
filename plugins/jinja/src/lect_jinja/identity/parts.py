"""Texts, pictures, sounds and films in the spellings that a template reads: clients spell one thing in several ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect.plugin import SPELLINGS, given

if TYPE_CHECKING:
    from collections.abc import Collection


def respelled(message: Mapping[str, Any], named: Collection[str]) -> Mapping[str, Any]:
    """Return a message whose parts are spelled as the template names them, where it names another spelling."""
    content = message.get("content")
    if not named or not isinstance(content, list | tuple):
        return message
    return {**message, "content": [_respelled(part, named) for part in content]}


def in_parts(message: Mapping[str, Any], path: tuple[str | int, ...] = ()) -> Mapping[str, Any]:
    """Return a message whose text is its only part, and still that of the message at `path`, if it has one."""
    text = message.get("content")
    if not isinstance(text, str):
        return message
    return {**message, "content": [{"type": "text", "text": given(text, (*path, "content")) if path else text}]}


def thing(part: Any) -> Any:
    """Return what a part is, whatever its spelling."""
    kind = part.get("type") if isinstance(part, Mapping) else None
    return SPELLINGS.get(kind, kind) if isinstance(kind, str) else kind


def _respelled(part: Any, named: Collection[str]) -> Any:
    what = thing(part)
    wanted = next((each for each, meant in SPELLINGS.items() if meant == what and each in named), None)
    if wanted is None or part["type"] in named:
        return part
    old, new = ("image_url" if each == "input_image" else each for each in (part["type"], wanted))
    value = part.get(old)
    if isinstance(value, Mapping) and "url" in value:
        value = value["url"]
    return {
        **{name: each for name, each in part.items() if name != old},
        "type": wanted,
        new: {"url": value} if wanted.endswith("_url") else value,
    }
