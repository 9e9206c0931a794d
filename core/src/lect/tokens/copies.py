"""Copies of a tokenizer of `tokenizers` that encode control tokens as ordinary text.

A copy takes as long to create as the tokenizer took to load, so pieces that the tokenizer itself may encode need none.
"""

import os
from typing import Any


def changed(tokenizer: Any, change: Any) -> Any:
    """Return a copy of a tokenizer, changed in its serialised form."""
    import json

    stated = json.loads(tokenizer.to_str())
    change(stated)
    return type(tokenizer).from_str(json.dumps(stated))


def bare(stated: dict[str, Any]) -> None:
    """Neither truncate nor pad."""
    stated["truncation"] = stated["padding"] = None


def _without_controls(stated: dict[str, Any]) -> None:
    """Give the control tokens names that no text has, so that their texts become ordinary tokens."""
    unguessable = os.urandom(16).hex()
    controls = [token for token in stated["added_tokens"] if token["content"].strip()]
    ids = {token["id"] for token in controls}
    for token in controls:
        token["content"] = unguessable + token["content"]
    stated["post_processor"] = None
    model = stated["model"]
    vocabulary = model["vocab"]
    if isinstance(vocabulary, list):
        model["vocab"] = [[unguessable * (each in ids) + text, score] for each, (text, score) in enumerate(vocabulary)]
        return
    renamed = {text: unguessable + text for text, each in vocabulary.items() if each in ids}
    model["vocab"] = {renamed.get(text, text): each for text, each in vocabulary.items()}
    if model.get("unk_token") in renamed:
        model["unk_token"] = renamed[model["unk_token"]]
    # Some vocabularies can assemble a control token from ordinary ones.
    if "merges" in model:
        model["merges"] = [merge for merge in model["merges"] if renamed.keys().isdisjoint(_parts_and_whole(merge))]


def _parts_and_whole(merge: str | list[str]) -> list[str]:
    """Return the two pieces that a merge joins, and what they become. Older files have a merge as one text."""
    parts = merge.split(" ", 1) if isinstance(merge, str) else merge
    return [*parts, "".join(parts)]


def _later(stated: dict[str, Any]) -> None:
    """Put no space before text after a control token, if the tokenizer puts one only before the whole text."""
    _without_controls(stated)
    for part in _parts(stated["pre_tokenizer"]):
        if part.get("prepend_scheme") == "first":
            part["prepend_scheme"] = "never"


def _goes_on(stated: dict[str, Any]) -> None:
    """Put no space before text that follows ordinary text."""
    _without_controls(stated)
    for part in _parts(stated["pre_tokenizer"]):
        if "prepend_scheme" in part:
            part["prepend_scheme"] = "never"
        if "add_prefix_space" in part:
            part["add_prefix_space"] = False
    normalizer = stated["normalizer"]
    if normalizer is not None:
        kept = [part for part in _parts(normalizer) if part["type"] not in ("Prepend", "Sequence")]
        stated["normalizer"] = {"type": "Sequence", "normalizers": kept}


def _parts(part: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return a part of a tokenizer with all its nested parts."""
    if part is None:
        return []
    inner = part.get("normalizers", part.get("pretokenizers", []))
    return [part, *(each for one in inner for each in _parts(one))]


PLAIN = {"first": _without_controls, "later": _later, "goes on": _goes_on}
"""What to change for a piece at the start of a text, after a control token, and after ordinary text."""
