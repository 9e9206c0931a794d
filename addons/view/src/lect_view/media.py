"""Where the images, videos and sounds of a prompt stand, how many tokens each is, and the images themselves."""

from __future__ import annotations

import base64
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.addon import spell
from lect.errors import LectError
from lect_view.blocks import counted
from lect_view.characters import attribute
from lect_view.runs import Note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import lect
    from lect_media import Item, Place

KINDS = {"image": "image", "video": "video", "audio": "sound"}
LARGEST_FILE, LARGEST_SIDE = 4 << 20, 20_000
"""In bytes, and in pixels: a larger image is not in the page, because a browser would have to make room for it."""
MOST_BYTES, MOST_IN_A_NOTEBOOK = 32 << 20, 1 << 20
"""Of all images of a page, and of one that a notebook stores."""


class Seen(NamedTuple):
    """What a prompt shows to a model."""

    notes: list[Note]
    summary: tuple[str, ...] = ()
    has_images: bool = False


def media_notes(prompt: lect.Prompt, encoded: lect.Encoded | None = None, most: int | None = None) -> Seen:
    """Return where each image, video and sound stands, with what is known about it; `most` is given in a notebook."""
    places = prompt.media
    if not places:
        return Seen([])
    # In another process, only the places are known.
    request = getattr(prompt, "_request", None)
    messages = request.messages if request else ()
    items = [_item(place, messages) for place in places]
    tokens = {**_counted(prompt, items), **_in_text(prompt, encoded)}
    left, notes = MOST_BYTES if most is None else MOST_IN_A_NOTEBOOK, []
    for place, item in zip(places, items, strict=True):
        number = tokens.get(place.path)
        shown = "" if number is None else counted(number, "token")
        size = [] if isinstance(item, str) else [_measured(item)]
        problem = [item] if isinstance(item, str) and number is None else []
        about = " · ".join([f"{KINDS[place.kind]} {spell(place.path)}", *([shown] if shown else []), *size, *problem])
        image, used = _image(place, messages, item, left)
        left -= used
        more = f'data-media="{attribute(shown or KINDS[place.kind])}"'
        notes.append(Note(place.start, place.end, "media", about, "media-begins", more=more, after=image))
    kinds = Counter(KINDS[place.kind] for place in places)
    return Seen(notes, tuple(counted(times, kind) for kind, times in kinds.items()), any(note.after for note in notes))


def _item(place: Place, messages: Sequence[Mapping[str, Any]]) -> Item | str:
    """Return what stands in a place, with its size; or in one line why that is not known."""
    from lect_media import item_of

    try:
        return item_of(place, messages)
    except LectError as error:
        return str(error).partition("\n")[0]
    except (IndexError, KeyError, TypeError):
        return ""


def _in_text(prompt: lect.Prompt, encoded: lect.Encoded | None) -> dict[Any, int]:
    """Return how many tokens each is that is written as the model gets it, and not as one placeholder."""
    media, pattern, text = prompt.template.media, prompt.template.markers.pattern, prompt.text
    written = [each for each in prompt.media if text[each.start : each.end] != media[each.kind]["placeholder"]]
    if encoded:
        paths = {each.path for each in written}
        return {each.path: each.end - each.start for each in encoded.media if each.path in paths}
    marks = ((each.path, pattern.finditer(text, each.start, each.end) if pattern else ()) for each in written)
    return {path: sum(1 for _ in found) for path, found in marks}


def _counted(prompt: lect.Prompt, items: Sequence[Item | str]) -> dict[Any, int]:
    """Return how many tokens each item is of which the size is known."""
    from lect_media import expand

    sized = [each for each in items if not isinstance(each, str)]
    try:
        return {each.item.path: each.tokens for each in expand(prompt.template.media, sized)}
    except LectError:
        return {}


def _measured(item: Item) -> str:
    if item.kind == "audio":
        return f"{item.size[0]:,} samples"
    frames = [f"{item.frames:,} frames"] if item.kind == "video" else []
    return " of ".join([*frames, f"{item.width:,} × {item.height:,}"])


def _image(place: Place, messages: Sequence[Mapping[str, Any]], item: Item | str, left: int) -> tuple[str, int]:
    """Return an image as HTML, and how many bytes it takes; nothing for what is not in a page.

    Nothing of a text that was given gets into the page: the bytes are those of a file that begins as an image does.
    """
    if place.kind != "image" or isinstance(item, str):
        return "", 0
    from lect_media import image_bytes, image_of, image_size

    image = image_of(place, messages)
    try:
        kind, data = ("", b"") if image is None else image_bytes(image, min(LARGEST_FILE, left))
        if not data or max(image_size(data)) > LARGEST_SIDE:
            return "", 0
    except LectError:
        return "", 0
    source = f"data:{kind};base64,{base64.b64encode(data).decode()}"
    return f'<img class="seen" alt="{attribute(spell(place.path))}" src="{source}">', len(data)
