"""The numbers that a checkpoint states in its own files, which decide over those of its family."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lect.errors import SourceError, saferepr
from lect.plugin import Template, locate, parse_json, read_file

LONGEST_FILE = 1 << 20
FILES = ("preprocessor_config.json", "processor_config.json", "video_preprocessor_config.json")
"""The files that a model's processor is made from, the one that decides last."""
INSIDE = {"image": "image_processor", "video": "video_processor", "audio": "feature_extractor"}
"""Where a processor's own file states the numbers of each kind."""
PIXELS = {"shortest_edge": "min_pixels", "longest_edge": "max_pixels"}
"""What the edges of a size were called before, where they bound the number of pixels."""
WORDS = frozenset({"downsample_mode", "vision_aspect_ratio", "vision_feature_select_strategy"})
"""The only texts that a file may decide."""
READ, STATED, UNREADABLE = "files", "stated", "unreadable"
"""What is stated of a kind beside the numbers of a model's own files: which, the family's own, and what is wrong."""

Media = Mapping[str, Mapping[str, Any]]


def own_numbers(template: Template, directory: str) -> Template:
    """Return a template with the numbers of a model's own files; the same if these say nothing else.

    Files that cannot be read are an error only for those who ask what an image is.
    """
    place = directory_of(directory)
    if not any(os.path.lexists(os.path.join(place, name)) for name in FILES if place):
        return template
    try:
        made = with_checkpoint(template.media, place)
    except SourceError as error:
        wrong = str(error)
        made = {kind: {**each, UNREADABLE: wrong, STATED: each} for kind, each in of_family(template.media).items()}
    return template if made == template.media else _changed(template, json.dumps(made, sort_keys=True))


@lru_cache(64)
def _changed(template: Template, media: str) -> Template:
    """Return a template that states other media: for the same media the same one, of which much may be known."""
    return template.but(media=json.loads(media))


def with_checkpoint(media: Media, directory: str) -> Media:
    """Return what a template states of media with the numbers of a model's own files, and which files have some.

    A file decides every number that the family states, except for those that it lists as `kept`: the maker's processor
    sets these itself, whatever the file says.

    Raises:
        SourceError: If a file cannot be read, or is not JSON.
    """
    found = {name: _read(os.path.join(directory, name)) for name in FILES}
    files = [os.path.join(directory, name) for name, value in found.items() if value]
    made = {}
    for kind, stated in of_family(media).items():
        merged = _merged(stated, [_part(found[name], name, kind) for name in FILES])
        made[kind] = merged if merged == stated else {**merged, READ: files, STATED: stated}
    return made


def of_family(media: Media) -> Media:
    """Return what a template states of media without the numbers of a model's own files."""
    return {kind: dict(stated.get(STATED, stated)) for kind, stated in media.items()}


def directory_of(model: object) -> str:
    """Return the directory that a model is in; empty if it is none, or only a name."""
    if not isinstance(model, str | os.PathLike):
        return ""
    place = os.path.expanduser(locate(os.fspath(model)))
    return place if os.path.isdir(place) else ""


def _read(path: str) -> dict[str, Any]:
    if not os.path.lexists(path):
        return {}
    try:
        value = parse_json(read_file(path, LONGEST_FILE).decode())
    except OSError as error:
        raise SourceError(f"cannot read {saferepr(path, 200)}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        msg = f"cannot read {saferepr(path, 200)}: {error}\n  try: the file as its maker publishes it"
        raise SourceError(msg) from error
    if not isinstance(value, dict):
        raise SourceError(f"{saferepr(path, 200)} holds {saferepr(value)}; expected an object")
    return value


def _part(value: dict[str, Any], name: str, kind: str) -> dict[str, Any]:
    """Return what a file states of one kind."""
    if name.startswith("video") != (kind == "video") and name != "processor_config.json":
        return {}
    inside = value.get(INSIDE[kind])
    return {**value, **inside} if isinstance(inside, dict) else value


def _merged(stated: Mapping[str, Any], files: list[dict[str, Any]]) -> dict[str, Any]:
    made, kept = dict(stated), {"kept", *stated.get("kept", ())}
    decided = [name for name in stated if name not in kept and (name in WORDS or not isinstance(stated[name], str))]
    for name in decided:
        for file in files:
            value = _size(made[name], file) if name == "size" else file.get(name)
            made[name] = made[name] if value is None else value
    return made


def _size(stated: Any, file: dict[str, Any]) -> Any:
    """Return the size that a file states, by either name of its edges."""
    size = file.get("size")
    if not isinstance(stated, Mapping) or not set(stated) <= PIXELS.keys():
        return size
    inside = size if isinstance(size, Mapping) else {}
    edges = {edge: file.get(old, inside.get(edge, inside.get(old))) for edge, old in PIXELS.items() if edge in stated}
    return {**stated, **{edge: value for edge, value in edges.items() if value is not None}}
