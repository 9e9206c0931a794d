"""Rows of Arrow tables and of JSON lines as `lect.row` takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeGuard

from lect.addon import json_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    Columns = str | Mapping[str, str]
    """The column that holds whole rows, or the columns by the fields that they stand for."""

TURNS = ("messages", "conversations", "conversation")
"""What rows call their turns: text there is JSON."""


def rows_of(batch: pa.RecordBatch, columns: Columns) -> list[Any]:
    """Return the rows of a batch. What is null in a struct is absent: see `_present`."""
    if isinstance(columns, str):
        return [_whole_row(value) for value in _column(batch, columns)]
    named = {**{name: name for name in batch.schema.names}, **columns}
    # A column that stands for another field does not stand for itself.
    renamed = set(columns.values()) - columns.keys()
    fields = {field: _column(batch, name) for field, name in named.items() if field not in renamed}
    return rows_of_columns(fields, batch.num_rows)


def rows_of_columns(fields: Mapping[str, Sequence[Any]], count: int) -> list[Any]:
    """Return the rows of columns, which hold Python values."""
    names = list(fields)
    values = zip(*fields.values(), strict=True) if names else [()] * count
    return [read_row(dict(zip(names, row, strict=True))) for row in values]


def read_row(row: Mapping[str, Any]) -> Any:
    """Return a row of a table without the fields that are absent, and with turns that are JSON text read."""
    tools = _loaded_tools(_present(row.get("tools")))
    read = {name: _turns(value, tools) for name, value in row.items() if value is not None and name != "tools"}
    return with_turns(read if tools is None else {**read, "tools": tools})


def with_turns(row: Any) -> Any:
    """Return a row with turns and tools that are JSON text read."""
    if not isinstance(row, Mapping):
        return row
    read = {name: _loaded(value) if name in TURNS else value for name, value in row.items()}
    return {**read, "tools": _loaded_tools(read["tools"])} if "tools" in read else read


def _whole_row(value: Any) -> Any:
    """Return the row that one value holds: JSON text, a struct, or a list of turns."""
    if isinstance(value, Mapping):
        return read_row(value)
    return _turns(value, None) if _is_list(value) else with_turns(_loaded(value))


def _loaded(value: Any) -> Any:
    """Return what is in JSON text; text that is not JSON, and everything else, as it is, for `lect.row` to refuse."""
    if not isinstance(value, str | bytes):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _loaded_tools(tools: Any) -> Any:
    """Return tools that are JSON text read; nearly all rows of a set have those of another row."""
    return _known_tools(tools) if isinstance(tools, str) else tools


@lru_cache(32)
def _known_tools(text: str) -> Any:
    return _loaded(text)


def json_value(line: bytes) -> Any:
    """Return what is in a line of JSON; a line that is not JSON as it is, for `lect.row` to refuse."""
    value = _loaded(line)
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def json_row(row: Any, columns: Columns) -> Any:
    """Return the row that a value from a line of JSON holds."""
    if not isinstance(row, Mapping):
        return row
    if isinstance(columns, str):
        row = _loaded(row.get(columns))
    elif columns:
        others = {name: value for name, value in row.items() if name not in columns.values()}
        row = others | {field: row[name] for field, name in columns.items() if name in row}
    return with_turns(row)


def _column(batch: pa.RecordBatch, name: str) -> list[Any]:
    if name not in batch.schema.names:
        from lect.errors import MessageError

        raise MessageError(f"there is no column {name!r}\n  try: one of {', '.join(batch.schema.names)}")
    values: list[Any] = batch.column(name).to_pylist(maps_as_pydicts="lossy")
    return values


def _turns(value: Any, tools: Any) -> Any:
    """Return turns without absent keys; in the arguments of calls, the schema of the tool decides what is absent."""
    if isinstance(value, Mapping):
        return {
            name: _arguments(value, each, tools) if name == "arguments" else _turns(each, tools)
            for name, each in value.items()
            if each is not None or (name == "content" and "role" in value)
        }
    return [_turns(each, tools) for each in value] if _is_list(value) else value


def _arguments(call: Mapping[str, Any], arguments: Any, tools: Any) -> Any:
    if isinstance(arguments, str):
        return arguments
    schema = _schemas(tools).get(call.get("name", ""))
    return _allowed(arguments, json_schema.SchemaView(schema, [schema] if isinstance(schema, Mapping) else []))


def _allowed(value: Any, schema: json_schema.SchemaView) -> Any:
    """Return a value without the nulls in mappings that a schema does not allow."""
    if isinstance(value, Mapping):
        known = schema.names()
        return {
            name: _allowed(each, schema.child(name))
            for name, each in value.items()
            if each is not None or (name in known and _takes_null(schema.child(name)))
        }
    if _is_list(value):
        return [_allowed(each, schema.child(index)) for index, each in enumerate(value)]
    return value


def _takes_null(schema: json_schema.SchemaView) -> bool:
    branches = schema.types()
    return not branches or any("null" in types for types in branches)


def _schemas(tools: Any) -> dict[str, Any]:
    """Return the parameters of tools by their names; none that cannot be read, which `lect.row` refuses."""
    listed: Iterable[Any] = tools if _is_list(tools) else [tools]
    functions = (each.get("function", each) if isinstance(each, Mapping) else None for each in map(_loaded, listed))
    return {
        each["name"]: each.get("parameters")
        for each in functions
        if isinstance(each, Mapping) and isinstance(each.get("name"), str)
    }


def _present(value: Any) -> Any:
    """Return a value without keys that are null: Arrow gives every struct the keys of all structs of its column."""
    if isinstance(value, Mapping):
        return {name: _present(each) for name, each in value.items() if each is not None}
    return [_present(each) for each in value] if _is_list(value) else value


def _is_list(value: Any) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    return isinstance(value, list | tuple)
