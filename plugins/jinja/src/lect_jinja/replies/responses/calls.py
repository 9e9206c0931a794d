"""The calls of a response template."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect.errors import saferepr
from lect.plugin.grammar import CallSyntax, Head, Json, Literals, NamedJson, Params, Section
from lect_jinja.replies.responses.fields import are_tokens, as_row, expect, has_field, marks, row
from lect_jinja.replies.responses.patterns import Path, Piece, is_quick, parts_of, paths_of

if TYPE_CHECKING:
    from lect_jinja.replies.responses.fields import Field

SPACE = r"\s*+"
"""White space before a field: what it has taken it does not give back, which would take long."""


def section(field: Field, before: tuple[str, ...]) -> Section:
    """Return where calls are written, and how; `before` is the white space before them."""
    expect(field.opens, f"{field.name} without a mark that opens them")
    closes = marks(field.closes)
    if not has_field(field.opens[0]):
        opens, between = marks(field.opens), ""
        expect(json_keys(field), f"{field.name}.transform {saferepr(field.spec.get('transform'))}")
        if field.spec.get("transform_each"):
            opens = tuple((*as_row(mark), "[") for mark in opens)
            closes, between = (*(("]", *as_row(mark)) for mark in closes), "]", *closes), ","
        return Section((CallSyntax(Json()),), opens, closes, between, before=before, special=are_tokens(opens))
    expect(all(map(has_field, field.opens)), f"{field.name} of which only some begin with a name")
    expect(all(row(path[: _begin(path)]) for path in field.opens), f"{field.name} without a mark that opens them")
    how = _arguments(field)
    heads: dict[tuple[str, bool], list[Path]] = {}
    for path in map(_trimmed, field.opens):
        heads.setdefault(_fields(path), []).append(path)
    calls = []
    for (fields, keep), paths in heads.items():
        ends = tuple(sorted({path[-1].text for path in paths if _has_end(path)}, key=len, reverse=True))
        if not ends:
            keep = not isinstance(how, Literals)
            ends = (how.open, *(as_row(mark)[0] for mark in closes)) if isinstance(how, Params) else ("{",)
        calls.append(CallSyntax(how, marks(path[: _begin(path)] for path in paths), Head(ends, fields, keep), closes))
    return Section(tuple(calls), before=before, special=all(are_tokens(call.open) for call in calls))


def json_keys(field: Field) -> tuple[str, str] | None:
    """Return the keys under which a JSON object has the name and the arguments of a call; None if it has not both."""
    function, is_list = _function(field), bool(field.spec.get("transform_each"))
    if field.notation != "json" or field.options.get("string_delims") or field.options.get("unquoted_keys"):
        return None
    if function == "{content}":
        return None if is_list else ("name", "arguments")
    placed = r"\{(\w+)\}" if is_list else r"\{content\.(\w+)\}"
    found = [re.fullmatch(placed, str(function.get(each))) for each in ("name", "arguments")]
    return (found[0][1], found[1][1]) if found[0] and found[1] else None


def _function(field: Field) -> Any:
    transform = field.spec.get("transform")
    function = transform.get("function") if isinstance(transform, Mapping) else None
    known = function == "{content}" or isinstance(function, Mapping)
    expect(known, f"{field.name}.transform {saferepr(transform)}")
    return function


def _arguments(field: Field) -> NamedJson | Params | Literals:
    """Return how the arguments of a call are written whose name comes before them."""
    is_known = _function(field) == {"name": "{name}", "arguments": "{content}"} and not field.spec.get("transform_each")
    expect(is_known, f"{field.name}.transform {saferepr(field.spec.get('transform'))}")
    if field.notation == "xml-inline":
        return _parameters(field.options)
    quotes = field.options.get("string_delims") or []
    if not quotes and not field.options.get("unquoted_keys"):
        return NamedJson()
    pairs = [pair for pair in quotes if isinstance(pair, list) and len(pair) == 2 and pair[0] == pair[1]]
    expect(pairs == quotes, f"{field.name}.content_args.string_delims {saferepr(quotes)}")
    return Literals(":", "}", tuple(left for left, _ in pairs), bare=True)


def _parameters(options: Mapping[str, Any]) -> Params:
    """Return the parameters that a pattern with the groups `key` and `value` finds."""
    parser = options.get("value_parser")
    is_json = isinstance(parser, Mapping) and parser.get("name") == "json"
    expect(parser is None or is_json, f"the value_parser {saferepr(parser)}")
    expect(not options.get("merge_duplicates"), "merge_duplicates")
    pattern = str(options.get("tag_pattern"))
    paths = paths_of(pattern)
    names = [piece.name for piece in paths[0] if piece.kind == "field"]
    expect(len(paths) == 1 and names == ["key", "value"], f"the tag_pattern {pattern!r}")
    (path,) = paths
    key, value = (at for at, piece in enumerate(path) if piece.kind == "field")
    opens, between, closes = row(path[:key]), row(path[key + 1 : value]), row(path[value + 1 :])
    expect((len(opens), len(closes)) == (1, 1) and len(between) in (1, 2), f"the tag_pattern {pattern!r}")
    is_trimmed = "space" in (path[value - 1].kind, path[value + 1].kind)
    expect(is_quick((path[key], Piece("space"))), f"the tag_pattern {pattern!r}")
    head = Head(between[:1], rf"{SPACE}{_group(path[key])}\s*")
    untyped = "json" if is_json else "string"
    return Params(opens[0], head, closes[0], "".join(between[1:]), "\n" if is_trimmed else "", untyped)


def _begin(path: Path) -> int:
    """Return where the head begins after the marks that open a call."""
    at = next(at for at, piece in enumerate(path) if piece.kind in ("field", "free"))
    while at and path[at - 1].kind == "space":
        at -= 1
    return at


def _has_end(path: Path) -> bool:
    return path[-1].kind in ("text", "ahead")


def _fields(path: Path) -> tuple[str, bool]:
    """Return the pattern of a head, and whether its end belongs to what follows."""
    pieces = path[_begin(path) : -1 if _has_end(path) else None]
    names = [piece.name for piece in pieces if piece.kind == "field"]
    expect("name" in names and set(names) <= {"name", "id"}, f"the groups {names} of a call")
    leading = next(at for at, piece in enumerate(pieces) if piece.kind != "space")
    expect(is_quick(pieces[leading:]), f"the groups {names} of a call, which may take long")
    patterns = [SPACE] * leading + [_pattern(piece) for piece in pieces[leading:]]
    return "".join(patterns), path[-1].kind == "ahead"


def _trimmed(path: Path) -> Path:
    """Return a path without white space at its end."""
    return path[: 1 + max(at for at, piece in enumerate(path) if piece.kind != "space")]


def _pattern(piece: Piece) -> str:
    if piece.kind == "field":
        return _group(piece)
    return re.escape(piece.text) if piece.kind == "text" else piece.text if piece.kind == "free" else r"\s*"


def _group(field: Piece) -> str:
    """Return the pattern of a named group, as Python spells it."""
    expect(not any(has_field(path) for path in parts_of(field)), f"the group {field.text!r}")
    return field.text.replace("(?<", "(?P<", 1)
