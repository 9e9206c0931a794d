"""Images, videos and sounds that a row has beside its messages, put into the places that these name."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from lect_rows.turns import Raw, is_list, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

COLUMNS = {"image": ("images", "image"), "video": ("videos", "video"), "audio": ("audios", "audio")}
"""What data sets call the images of a row, and so on: LLaMA-Factory, ms-swift and TRL the first, LLaVA the second."""
MEDIA_COLUMNS = tuple(name for names in COLUMNS.values() for name in names)
"""All of these."""


def with_media(row: Mapping[str, Any], found: list[Raw], pair: Sequence[list[Raw]]) -> list[str]:
    """Put what a row has beside its messages into them, for each `<image>` in a text, or part without an image.

    Both answers of a preference follow the same messages. What no message names stays beside them.

    Returns:
        The fields of the row that were read.

    Raises:
        MessageError: If the messages name more, or less, of a kind than the row has.
    """
    fields = {kind: next((name for name in names if row.get(name)), "") for kind, names in COLUMNS.items()}
    given = {kind: [*row[name]] if is_list(row[name]) else [row[name]] for kind, name in fields.items() if name}
    if not given:
        return []
    shared = _place(found, given)
    left = {kind: things[shared[kind] :] for kind, things in given.items()}
    sides = [shared + _place(side, left) for side in pair if side] or [shared]
    named = [kind for kind in given if any(side[kind] for side in sides)]
    for kind in named:
        for side in sides:
            if side[kind] != len(given[kind]):
                times = "once" if side[kind] == 1 else f"{side[kind]} times"
                what = f"{fields[kind]} has {len(given[kind])}, and the messages name <{kind}> {times}"
                refuse(what, f"one <{kind}> for each")
    return [fields[kind] for kind in named]


def _place(messages: list[Raw], given: Mapping[str, Sequence[Any]]) -> Counter[str]:
    """Put what is given into the places of messages, in order; return how many places of each kind there are."""
    tags = re.compile(f"<({'|'.join(given)})>")
    waiting = {kind: iter(things) for kind, things in given.items()}
    places: Counter[str] = Counter()
    for message in messages:
        content = message.get("content")
        parts = [*_split(content, tags)] if isinstance(content, str) else content if is_list(content) else []
        empty = [at for at, part in enumerate(parts) if _is_empty(part, given)]
        if not empty:
            continue
        message["content"] = [*parts]
        for at in empty:
            kind = parts[at]["type"]
            message["content"][at] = {"type": kind, kind: next(waiting[kind], None)}
            places[kind] += 1
    return places


def _split(text: str, tags: re.Pattern[str]) -> Iterator[Raw]:
    """Yield a text as parts: a part without an image for each tag, and what stands between them."""
    for at, piece in enumerate(tags.split(text)):
        if at % 2:
            yield {"type": piece}
        elif piece:
            yield {"type": "text", "text": piece}


def _is_empty(part: Any, kinds: Mapping[str, Any]) -> bool:
    """Return whether a part says that there is an image, and not which; Arrow fills structs with nulls."""
    if not isinstance(part, dict) or part.get("type") not in kinds:
        return False
    return all(value is None for name, value in part.items() if name != "type")
