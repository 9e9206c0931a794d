"""Formatting: `'%s' % x`, the filter `format` and `'{}'.format(x)`, bounded, with texts that keep their origin."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, Any

from jinja2.exceptions import SecurityError

from lect.plugin import plain_str, unknown
from lect_jinja.engine.charges import check_size
from lect_jinja.engine.guard import WRITE
from lect_jinja.engine.strings import Safe, followed, joined, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lect_jinja.engine.guard import Guard

_CONVERSION = re.compile(
    r"%(?:\((?P<name>[^()]*)\))?(?P<flags>[-+ #0]*)(?P<width>\d+)?(?:\.(?P<precision>\d+))?(?P<kind>.?)", re.DOTALL
)
_PARSER = string.Formatter()


def percent(context: Guard, form: str, values: Any) -> str:
    """Return `form % values`."""
    if isinstance(form, Safe):
        # Jinja2 escapes each of the values; no chat template does this.
        msg = "a safe text cannot be formatted with %"
        raise SecurityError(msg)
    text = joined(_percent(context, form, values))
    context.check_string(len(text))
    return text


def _percent(context: Guard, form: str, values: Any) -> Iterator[str]:
    plain = plain_str(form)
    listed = values if isinstance(values, tuple) else (values,)
    used = end = 0
    named = False
    for found in _CONVERSION.finditer(plain):
        yield plain[end : found.start()]
        end = found.end()
        if found["kind"] == "%":
            yield "%"
            continue
        check_size(context, found["width"], found["precision"])
        if found["name"] is not None:
            named = True
            value = values[found["name"]]
        elif used < len(listed):
            value = listed[used]
            used += 1
        else:
            msg = "not enough arguments for format string"
            raise TypeError(msg)
        if found["kind"] == "s" and not (found["width"] or found["precision"]):
            yield from pieces_of(_shown(context, value))
        elif found["kind"] in "srdiufFeEgGxXoc":
            shown = _shown(context, value)
            spec = (
                "%" + found["flags"] + (found["width"] or "") + (f".{found['precision']}" if found["precision"] else "")
            )
            plain_value = plain_str(shown) if found["kind"] == "s" else value
            text = f"{spec}{found['kind']}" % (plain_value,)
            yield _character(context, text) if found["kind"] == "c" else followed(text, shown)
        else:
            msg = f"unsupported format character {found['kind']!r}"
            raise ValueError(msg)
    yield plain[end:]
    if not named and used < len(listed) and not isinstance(values, dict):
        msg = "not all arguments converted during string formatting"
        raise TypeError(msg)


def _shown(context: Guard, value: Any) -> str:
    """Return a value as it is written; a form may repeat it."""
    text = context.shown(value)
    context.spend(WRITE * context.weight(text))
    return text


def braces(context: Guard, form: str, *values: Any, **named: Any) -> str:
    """Return `form.format(...)`."""
    if isinstance(form, Safe):
        msg = "a safe text cannot be formatted"
        raise SecurityError(msg)
    return joined(_braces(context, plain_str(form), values, named))


def _braces(context: Guard, form: str, values: tuple[Any, ...], named: Mapping[str, Any]) -> Iterator[str]:
    position = 0
    for literal, field, spec, conversion in _PARSER.parse(form):
        yield literal
        if field is None:
            continue
        if not field or field.isdigit():
            index = int(field or position)
            position += 1
            value = values[index]
        elif field.isidentifier():
            value = named[field]
        else:
            # `{0.__class__}` is how templates have escaped from sandboxes.
            msg = f"the field {field!r} of a format is not allowed"
            raise SecurityError(msg)
        if spec:
            if "{" in spec:
                msg = f"the format {spec!r} is not allowed"
                raise SecurityError(msg)
            check_size(context, *re.findall(r"\d+", spec))
        if conversion not in (None, "s", "r"):
            msg = f"the conversion {conversion!r} of a format is not allowed"
            raise SecurityError(msg)
        text = _shown(context, value)
        if conversion == "r":
            text = followed(repr(plain_str(text)) if isinstance(value, str) else plain_str(text), text)
        if not spec:
            yield from pieces_of(text)
        elif isinstance(value, str) or conversion:
            yield followed(format(plain_str(text), spec), text)
        else:
            written = format(value, spec)
            yield _character(context, written) if spec[-1] == "c" else followed(written, text)


def _character(context: Guard, text: str) -> str:
    """Return a character that was made from a number, which may be a length or a place in somebody's text."""
    return unknown(text) if context.tracked else text
