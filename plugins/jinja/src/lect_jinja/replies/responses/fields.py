"""The fields of a response template, with the marks around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect.errors import saferepr
from lect_jinja.engine.reading import MARKER
from lect_jinja.replies.responses.patterns import LONGEST, MOST_PATHS, Path, Piece, UnreadableError, paths_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Mark = str | tuple[str, ...]
CONTENT, REASONING, CALL = "content", "reasoning", "call"
KINDS = {
    "content": CONTENT, "thinking": REASONING, "reasoning_content": REASONING, "reasoning": REASONING,
    "tool_calls": CALL,
}  # fmt: skip
"""The fields of a message, and what they are in a reply."""
KEYS = {"version", "defaults", "fields", "start_anchor", "start_anchor_pattern"}
FIELD_KEYS = {
    "open", "open_pattern", "close", "close_pattern", "content", "content_args", "repeats", "join", "optional",
    "transform", "transform_each",
}  # fmt: skip


class Field:
    """A field of a message.

    Args:
        name: Its name.
        spec: What the response template says about it.

    Attributes:
        kind: What it is in a reply.
        opens: What opens it; nothing for text that is between no marks.
        closes: What closes it, other than the end of the reply.
        until: What ends it and is not part of it.
        can_start: Whether a reply can begin inside it.
        notation: How its text is written.
        options: More about the notation.
        joint: What is put between two of its texts; None where only one is expected.
        strips: Whether white space at its ends does not count.
    """

    def __init__(self, name: str, spec: Any):
        expect(name in KINDS, f"the field {saferepr(name)}")
        expect(isinstance(spec, Mapping), f"the field {name!r}, which is {saferepr(spec)}")
        unknown = sorted(map(str, spec.keys() - FIELD_KEYS))
        expect(not unknown, f"{name}.{unknown[:1]}")
        self.name, self.kind, self.spec = name, KINDS[name], spec
        opens, closes = (paths_in(spec, each, f"{name}.") for each in ("open", "close"))
        self.opens = [path for path in opens if not _is_only(path, "start")]
        self.closes = [path for path in closes if not _is_only(path, "end", "ahead")]
        self.until = tuple(path[0].text for path in closes if _is_only(path, "ahead"))
        self.can_start = len(self.opens) < len(opens)
        self.notation = spec.get("content", "text")
        self.options = spec.get("content_args") or {}
        expect(isinstance(self.options, Mapping), f"{name}.content_args {saferepr(self.options)}")
        self.joint = spec.get("join")
        expect(self.joint is None or isinstance(self.joint, str), f"{name}.join {saferepr(self.joint)}")
        self.strips = bool(self.options.get("strip", True))
        read = ("json", "xml-inline") if self.kind == CALL else ("text",)
        expect(self.notation in read, f"{name}.content {saferepr(self.notation)}")

    @property
    def has_headers(self) -> bool:
        """Whether something without a name stands before its text, and differs each time."""
        return any(piece.kind == "free" for path in self.opens if not has_field(path) for piece in path)

    def texts(self, paths: Iterable[Path]) -> tuple[str, ...]:
        """Return paths as marks that are one text each."""
        found = marks(paths)
        expect(found and all(isinstance(mark, str) for mark in found), f"the marks of {self.name}")
        return tuple(mark for mark in found if isinstance(mark, str))


def fields_of(spec: Any) -> dict[str, Field]:
    """Return the fields of a response template by their kind."""
    expect(isinstance(spec, Mapping), f"{saferepr(spec)} in place of an object")
    unknown = sorted(map(str, spec.keys() - KEYS))
    expect(not unknown, f"the key {unknown[:1]}")
    expect(spec.get("version", 1) == 1, f"version {saferepr(spec.get('version'))}")
    given = spec.get("fields")
    expect(isinstance(given, Mapping) and given, f"fields {saferepr(given)}")
    fields = [Field(name, each) for name, each in given.items()]
    by_kind = {field.kind: field for field in fields}
    expect(len(by_kind) == len(fields), "two fields for the same text")
    return by_kind


def paths_in(spec: Mapping[str, Any], name: str, at: str = "") -> list[Path]:
    """Return what opens or closes something: texts, or a pattern."""
    given, pattern = spec.get(name), spec.get(f"{name}_pattern")
    texts = [given] if isinstance(given, str) else given or []
    known = isinstance(texts, list) and len(texts) <= MOST_PATHS
    known = known and all(isinstance(each, str) and each.strip() and len(each) <= LONGEST for each in texts)
    expect(known and (pattern is None or isinstance(pattern, str)), f"{at}{name} {saferepr(given or pattern)}")
    return paths_of(pattern) if pattern else [(Piece("text", each),) for each in texts]


def marks(paths: Iterable[Path]) -> tuple[Mark, ...]:
    """Return paths as marks, longer ones first; those of several texts may have white space between them."""
    rows = sorted(filter(None, dict.fromkeys(map(row, paths))), key=lambda each: len("".join(each)), reverse=True)
    return tuple(each[0] if len(each) == 1 else each for each in rows)


def row(path: Path) -> tuple[str, ...]:
    """Return the texts of a path, between which there may be white space."""
    expect(all(piece.kind in ("text", "space", "end") for piece in path), "a mark with something else in it")
    return tuple(piece.text for piece in path if piece.kind == "text" and piece.text.strip())


def as_row(mark: Mark) -> tuple[str, ...]:
    """Return a mark as several in a row."""
    return (mark,) if isinstance(mark, str) else mark


def are_tokens(found: Iterable[Mark]) -> bool:
    """Return whether marks begin with what looks like a control token."""
    return all(MARKER.match(as_row(mark)[0]) for mark in found)


def has_field(path: Path) -> bool:
    """Return whether a path has a named group."""
    return any(piece.kind == "field" for piece in path)


def expect(fact: object, otherwise: str) -> None:
    """Refuse what a grammar has no words for."""
    if not fact:
        raise UnreadableError(otherwise)


def _is_only(path: Path, *kinds: str) -> bool:
    return bool(path) and all(piece.kind in kinds for piece in path)
