"""Running a template's program: whatever it does wrong becomes one error, which tells its author what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from lect.contain import by_signal, format_error
from lect.errors import LectError, PluginError, saferepr
from lect.prompt.writer import MisuseError

if TYPE_CHECKING:
    from lect.prompt.chat import Chat
    from lect.prompt.writer import Writer

    Program = Callable[[Chat, Writer], Any]


def run_program(program: Program, chat: Chat, out: Writer) -> None:
    """Let a program write a conversation; a `PluginError` says what it does wrong."""
    try:
        returned = program(chat, out)
        if returned is not None:
            what = f"returns {saferepr(returned)}; a program returns nothing, it writes to `out`"
            raise MisuseError(what)
    except LectError:
        raise
    except MisuseError as error:
        advice = "out.append(text), or for several pieces: out += a, b"
        msg = f"the program of template {chat.facts.label!r} {error}\n  try: {advice}"
        raise PluginError(msg) from None
    # A plugin may raise anything; what a signal handler of the caller raises is the caller's.
    except Exception as error:
        if by_signal(error):
            raise
        turn = out.current_turn()
        msg = (
            f"template {chat.facts.label!r} failed{'' if turn is None else f' at messages[{turn}]'}: "
            f"{format_error(error)}\n"
            "  try: check the types of messages, tools and options; if they are right, tell the template's author"
        )
        raise PluginError(msg) from error


def words_in(program: Program) -> list[str]:
    """Return the strings in a program's code, which it may look for in texts.

    Those in the functions and constants that it names are among them, if they are of its own package or of core.
    """
    words: dict[str, None] = {}
    met: set[int] = set()
    packages = {"lect", _package(program)}
    left: list[Any] = [program]
    while left:
        value = left.pop()
        if isinstance(value, str):
            words[value] = None
        elif id(value) not in met:
            met.add(id(value))
            left += _parts(value, packages)
    return [*words]


def _parts(value: Any, packages: set[str]) -> Iterable[Any]:
    """Return what a function or a constant consists of."""
    if isinstance(value, partial):
        return value.func, value.args, value.keywords
    if isinstance(value, MethodType):
        return (value.__func__,)
    if isinstance(value, FunctionType) and _package(value) in packages:
        codes = [*_codes(value.__code__)]
        named = (value.__globals__.get(name) for code in codes for name in code.co_names)
        cells = (cell.cell_contents for cell in value.__closure__ or ())
        return [value.__defaults__, value.__kwdefaults__, *cells, *named, *(code.co_consts for code in codes)]
    if isinstance(value, Mapping):
        return [*value, *value.values()]
    return value if isinstance(value, tuple | list | set | frozenset) else ()


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function, and of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _package(function: Any) -> str:
    """Return the first part of the name of the module in which a function is defined."""
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__module__", "")).partition(".")[0]
