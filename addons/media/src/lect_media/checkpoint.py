"""The numbers that a checkpoint states in its own files, which decide over those of its family."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from lect.errors import SourceError, saferepr
from lect.plugin import locate, parse_json, read_file

LONGEST_FILE = 1 << 20
FILES = ("preprocessor_config.json", "processor_config.json", "video_preprocessor_config.json")
"""The files that a model's processor is made from, the one that decides last."""
INSIDE = {"image": "image_processor", "video": "video_processor", "audio": "feature_extractor"}
"""Where a processor's own file states the numbers of each kind."""
PIXELS = {"shortest_edge": "min_pixels", "longest_edge": "max_pixels"}
"""What the edges of a size were called before, where they bound the number of pixels."""
WORDS = frozenset({"downsample_mode", "vision_aspect_ratio", "vision_feature_select_strategy"})
"""The only texts that a file may decide."""

Media = Mapping[str, Mapping[str, Any]]


def with_checkpoint(media: Media, directory: str) -> tuple[Media, list[str]]:
    """Return what a template states of media with the numbers of a model's own files, and the files that have some.

    A file decides every number that the family states, except for those that it lists as `kept`: the maker's processor
    sets these itself, whatever the file says.

    Raises:
        SourceError: If a file cannot be read, or is not JSON.
    """
    found = {name: _read(os.path.join(directory, name)) for name in FILES}
    made = {kind: _merged(stated, [_part(found[name], name, kind) for name in FILES]) for kind, stated in media.items()}
    return made, [os.path.join(directory, name) for name, value in found.items() if value]


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
        raise SourceError(f"cannot read {saferepr(path)}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        msg = f"cannot read {saferepr(path)}: {error}\n  try: numbers=False, to count with the family's own numbers"
        raise SourceError(msg) from error
    if not isinstance(value, dict):
        raise SourceError(f"{saferepr(path)} holds {saferepr(value)}; expected an object")
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
