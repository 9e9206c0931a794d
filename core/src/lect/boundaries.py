"""The boundary of the public functions: a wrong value gets one error of lect's own, which names the argument."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import wraps
from itertools import islice
from types import FunctionType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from lect.contain import format_error
from lect.errors import LectError, MessageError, saferepr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_F = TypeVar("_F", bound="Callable[..., Any]")
WRONG = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What Python raises for a wrong value. An exception of any other class is the caller's own, or the machine's."""
OFTEN_CALLED = frozenset({"feed", "parse", "render", "text"})
"""The functions that are called for every prompt, reply or chunk: they check their values themselves."""
MOST_COMPARED = 1000
"""How many items of a list are compared with the type that is expected."""


def public_functions(names: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the public functions among some names, except for those that check their values themselves."""
    return [
        (name, value)
        for name, value in names.items()
        if isinstance(value, FunctionType) and name[0] != "_" and name not in OFTEN_CALLED
    ]


def boundary(function: _F) -> _F:
    """Make a public function, or the public methods of a class, refuse wrong values by a `MessageError`.

    What Python raised is its cause. Nothing is compared before something fails: a call takes 0.1 µs longer.
    """
    if isinstance(function, type):
        for name, method in public_functions(vars(function)):
            setattr(function, name, boundary(method))
        return function

    @wraps(function)
    def checked(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except WRONG as error:
            place = error.__traceback__
            # A wrong signature is refused in Python's own words, before the function runs.
            if isinstance(error, LectError) or place is None or place.tb_next is None:
                raise
            raise MessageError(_refused(function, given, named, error)) from error

    public = cast("Any", checked)
    public.__kwdefaults__ = getattr(function, "__kwdefaults__", None)
    return cast("_F", public)


def _refused(function: Any, given: tuple[Any, ...], named: dict[str, Any], error: Exception) -> str:
    """Return what is wrong: the value whose type is, or else all arguments and what Python says of them."""
    arguments = dict(zip(function.__code__.co_varnames, given, strict=False)) | named
    arguments = {name: value for name, value in arguments.items() if name not in ("cls", "self")}
    known = _Names(function.__globals__)
    for name, value in arguments.items():
        stated = function.__annotations__.get(name, "object")
        # Annotations are texts here, or types.
        expected = eval(stated, {}, known) if isinstance(stated, str) else stated  # noqa: S307
        misfit = _misfit(value, expected, name)
        if misfit is not None:
            where, wrong, wanted = misfit
            said = stated if wrong is value and isinstance(stated, str) else getattr(wanted, "__name__", wanted)
            return f"{where} is {saferepr(wrong)} ({type(wrong).__name__}); expected {said}"
    shown = ", ".join(f"{name}={saferepr(value)}" for name, value in arguments.items())
    name = f"{function.__module__.partition('.')[0]}.{function.__qualname__}"
    return f"{name} cannot use {shown}: {format_error(error)}\n  try: help({name}), which says what it takes"


def _misfit(value: Any, wanted: Any, where: str) -> tuple[str, object, object] | None:
    """Return the place and the value of something that is not of its type, and the type; None if all is, or may be."""
    kind, inner = get_origin(wanted) or wanted, get_args(wanted)
    if kind in (Union, UnionType):
        tried = [_misfit(value, each, where) for each in inner]
        return None if None in tried else max(filter(None, tried), key=lambda each: len(each[0]))
    if kind is Literal:
        fits = isinstance(value, str) and value in inner
    elif isinstance(kind, type) and kind is not Any:
        # Text is a sequence too, but a list is meant.
        is_text = isinstance(value, str | bytes) and issubclass(kind, Sequence) and not issubclass(kind, str | bytes)
        fits = isinstance(value, (float, int) if kind is float else kind) and not is_text
    else:
        fits = kind is not None or value is None
    if not fits:
        return where, value, wanted
    items = value.items() if type(value) is dict else enumerate(value) if type(value) in (list, tuple) else ()
    for key, item in islice(items if inner else (), MOST_COMPARED):
        found = _misfit(item, inner[-1] if inner[-1] is not ... else inner[0], f"{where}[{saferepr(key)}]")
        if found is not None:
            return found
    return None


class _Names(dict[str, Any]):
    """The names in annotations, also those that are imported only for type checkers; an unknown one is anything."""

    def __missing__(self, name: str) -> Any:
        places = map(sys.modules.get, ("builtins", "collections.abc", "typing", "lect", "lect.plugin"))
        return next((getattr(place, name) for place in places if hasattr(place, name)), Any)
