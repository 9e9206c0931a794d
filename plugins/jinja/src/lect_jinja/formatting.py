"""Formatting: `'%s' % x`, the filter `format` and `'{}'.format(x)`, bounded, with texts that keep their origin."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, Any

from jinja2.exceptions import SecurityError

from lect.plugin import plain_str
from lect_jinja.strings import Safe, followed, joined, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lect_jinja.guard import Guard

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
    return joined(_percent(context, form, values))


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
        context.check_string(int(found["width"] or 0) + int(found["precision"] or 0))
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
            yield from pieces_of(context.shown(value))
        elif found["kind"] in "srdiufFeEgGxXoc":
            if isinstance(value, list | dict | tuple):
                context.weigh(value)
            spec = (
                "%" + found["flags"] + (found["width"] or "") + (f".{found['precision']}" if found["precision"] else "")
            )
            plain_value = plain_str(context.shown(value)) if found["kind"] == "s" else value
            yield followed(f"{spec}{found['kind']}" % (plain_value,), context.shown(value))
        else:
            msg = f"unsupported format character {found['kind']!r}"
            raise ValueError(msg)
    yield plain[end:]
    if not named and used < len(listed) and not isinstance(values, dict):
        msg = "not all arguments converted during string formatting"
        raise TypeError(msg)


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
            context.check_string(sum(map(int, re.findall(r"\d+", spec))))
        if conversion not in (None, "s", "r"):
            msg = f"the conversion {conversion!r} of a format is not allowed"
            raise SecurityError(msg)
        text = context.shown(value)
        if conversion == "r":
            text = followed(repr(plain_str(text)) if isinstance(value, str) else plain_str(text), text)
        if not spec:
            yield from pieces_of(text)
        elif isinstance(value, str) or conversion:
            yield followed(format(plain_str(text), spec), text)
        else:
            yield followed(format(value, spec), text)
