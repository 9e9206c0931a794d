"""The functions that a template may call. There are no others."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from jinja2.exceptions import SecurityError, TemplateError
from jinja2.runtime import Undefined
from jinja2.utils import Namespace

from lect.plugin import plain_str
from lect_jinja.engine.access import Function
from lect_jinja.engine.charges import dating, made, ranging
from lect_jinja.engine.guard import MAPPINGS
from lect_jinja.engine.operations import ANY, TEXT, WHOLE, WRITTEN, Operation, WhileMade, called
from lect_jinja.engine.origins import ALL, NONE
from lect_jinja.engine.values import INPUT_NUMBERS, InputRange

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lect_jinja.engine.context import GuardedContext


class RaisedError(TemplateError):
    """An error that a template raises on purpose."""


def _raise_exception(context: GuardedContext, message: str = "") -> NoReturn:
    raise RaisedError(plain_str(message))


def _strftime_now(context: GuardedContext, form: str) -> str:
    return (context.moment or datetime.now()).strftime(plain_str(form))


def _namespace(context: GuardedContext, *args: Any, **named: Any) -> Namespace:
    given = [_mapping(context, each) for each in args]
    for name in (*named, *(name for each in given for name in dict(each))):
        if isinstance(name, str) and name[:1] == "_":
            msg = f"the name {name!r} on a namespace is not allowed"
            raise SecurityError(msg)
    # It is compared by its identity and cannot be written, so that it weighs nothing.
    made = Namespace(*given, **named)
    context.namespaces.append(made)
    return made


def _dict(context: GuardedContext, *args: Any, **named: Any) -> dict[Any, Any]:
    made: dict[Any, Any] = context.made(dict(*(_mapping(context, each) for each in args), **named))
    return made


def _mapping(context: GuardedContext, value: Any) -> Any:
    """Return what a mapping is to be made of, with its keys checked before they are hashed."""
    if isinstance(value, Undefined):
        return value
    if type(value) in MAPPINGS:
        context.taken(value)
        return value
    pairs = [context.listed(pair) for pair in context.listed(value)]
    context.spend(context.weight(pairs))
    context.check_keys(pair[0] for pair in pairs if pair)
    return pairs


def _range(context: GuardedContext, *bounds: int) -> range | InputRange:
    numbers = range(*bounds)
    return InputRange(numbers) if any(type(bound) in INPUT_NUMBERS for bound in bounds) else numbers


ROWS: dict[str, Operation] = {
    # What is raised ends the render.
    "raise_exception": Operation(_raise_exception, {"message": WRITTEN}, made, NONE),
    "strftime_now": Operation(_strftime_now, {"form": TEXT}, dating, NONE),
    "namespace": Operation(_namespace, {"mapping": ANY}, WhileMade(made), ALL),
    # It marks its numbers itself.
    "range": Operation(_range, {"start": ANY, "stop": WHOLE, "step": WHOLE}, ranging, ALL),
    "dict": Operation(_dict, {"mapping": ANY}, WhileMade(made), ALL),
}
FUNCTIONS: Mapping[str, Function] = {name: Function(called(name, row)) for name, row in ROWS.items()}
