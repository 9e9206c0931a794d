"""JSON as chat templates write it: `tojson` of transformers, byte for byte, and faster.

Only functions import this module: json takes a tenth of the time that importing lect may take.
"""

import json
from collections.abc import Callable
from functools import lru_cache, partial
from json import encoder
from typing import Any

from lect.errors import MessageError


def to_json(value: Any, **style: Any) -> str:
    """Return `value` as JSON text, the way the `tojson` filter of chat templates does; see `json_writer`."""
    return (json_writer(**style) if style else _default)(value)


@lru_cache(maxsize=32)
def json_writer(
    *,
    indent: int | None = None,
    ensure_ascii: bool = False,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> Callable[[Any], str]:
    """Return the function that writes values as JSON in one style."""
    make = getattr(encoder, "c_make_encoder", None)
    if indent is None and make is not None:
        # As in JSONEncoder.encode, but without a new encoder for every value: half of the time of a call.
        item, colon = separators or (", ", ": ")
        escape = encoder.encode_basestring_ascii if ensure_ascii else encoder.encode_basestring
        pieces = make(None, _plain, escape, None, colon, item, sort_keys, False, True)
        return partial(_written, lambda value: "".join(pieces(value, 0)))
    style = json.JSONEncoder(
        ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys, default=_plain
    )
    return partial(_written, style.encode)


def _written(encode: Callable[[Any], str], value: Any) -> str:
    try:
        return encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise MessageError(
            f"cannot write as JSON: {error}\n"
            "  try: only dicts, lists, text, numbers, booleans and None in tools and arguments"
        ) from error


def _plain(value: object) -> object:
    """Return a mapping as a dict, and any other iterable as a list."""
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"an object of type {type(value).__name__}")


_default = json_writer()
