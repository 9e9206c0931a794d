"""A reply that has every field of a response template: what its grammar must read back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from lect_jinja.replies.responses.calls import json_keys
from lect_jinja.replies.responses.fields import CALL, CONTENT, REASONING, has_field
from lect_jinja.replies.responses.patterns import Path, parts_of, paths_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lect_jinja.replies.responses.fields import Field

KNOWN = {"name": "get_time", "key": "zone", "value": "UTC"}
TEXTS = {REASONING: "A tool can tell.", CONTENT: "Let me see."}


class Said(NamedTuple):
    """What a reply says."""

    reasoning: str | None
    content: str
    calls: list[tuple[str, Any]]


def example(fields: Mapping[str, Field]) -> tuple[str, Said]:
    """Return a reply with reasoning, content and a call, as far as there are fields for them, and what it says."""
    text = "".join(_written(fields[kind]) for kind in (REASONING, CONTENT, CALL) if kind in fields)
    calls: list[tuple[str, Any]] = [(KNOWN["name"], {KNOWN["key"]: KNOWN["value"]})] if CALL in fields else []
    return text, Said(
        TEXTS[REASONING] if REASONING in fields else None, TEXTS[CONTENT] if CONTENT in fields else "", calls
    )


def _written(field: Field) -> str:
    if not field.opens:
        return TEXTS[field.kind]
    path = field.opens[0]
    body = _call(field, path) if field.kind == CALL else TEXTS[field.kind]
    return _sample(path) + body + _sample(next(iter(field.closes), ()))


def _call(field: Field, path: Path) -> str:
    if field.notation == "xml-inline":
        return _sample(paths_of(field.options["tag_pattern"])[0])
    name, key, value = KNOWN.values()
    if has_field(path):
        left, right = next(iter(field.options.get("string_delims") or ()), ('"', '"'))
        return f"{{{key if field.options.get('unquoted_keys') else json.dumps(key)}:{left}{value}{right}}}"
    names = json_keys(field)
    assert names is not None, "the grammar has been read"
    call = {names[0]: name, names[1]: {key: value}}
    return json.dumps([call] if field.spec.get("transform_each") else call)


def _sample(path: Path) -> str:
    """Return a text that a path finds."""
    texts = []
    for piece in path:
        if piece.kind == "text":
            texts.append(piece.text.replace("{name}", KNOWN["name"]).replace("{key}", KNOWN["key"]))
        elif piece.kind == "field":
            texts.append(KNOWN.get(piece.name) or _sample(parts_of(piece)[0]))
        elif piece.kind == "free" and not piece.text.endswith(("*", "*?")):
            texts.append("0" if piece.text.startswith((r"\d", "[0")) else "a")
    return "".join(texts)
