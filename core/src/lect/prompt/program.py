"""Running a template's program: whatever it does wrong becomes one error, which tells its author what to do instead."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

from lect.contain import by_signal, format_error
from lect.errors import LectError, PluginError, saferepr
from lect.prompt.chat import Chat
from lect.prompt.writer import MisuseError, Writer

Program = Callable[[Chat, Writer], Any]


def run_program(program: Program, chat: Chat, out: Writer) -> None:
    """Let a program write a conversation; a `PluginError` says what it does wrong."""
    try:
        if (returned := program(chat, out)) is not None:
            raise MisuseError(f"returns {saferepr(returned)}; a program returns nothing, it writes to `out`")
    except LectError:
        raise
    except MisuseError as error:
        advice = "out.append(text), or for several pieces: out += a, b"
        raise PluginError(f"the program of template {chat.facts.label!r} {error}\n  try: {advice}") from None
    # A plugin may raise anything, `SystemExit` too; what a signal handler of the caller raises is the caller's.
    except BaseException as error:
        if by_signal(error):
            raise
        turn = out.current_turn()
        raise PluginError(
            f"template {chat.facts.label!r} failed{'' if turn is None else f' at messages[{turn}]'}: "
            f"{format_error(error)}\n"
            "  try: check the types of messages, tools and options; if they are right, tell the template's author"
        ) from error


def parts_in(program: Program) -> list[str | FunctionType]:
    """Return the functions that a program consists of, and the strings in their code, which it may look for in texts.

    Functions and constants that it names are among them, if they are of its own package or of core.
    """
    found: dict[str | FunctionType, None] = {}
    seen: set[int] = set()
    packages = {"lect", _package(program)}
    left: list[Any] = [program]
    while left:
        value = left.pop()
        if isinstance(value, str) or (isinstance(value, FunctionType) and _package(value) in packages):
            found[value] = None
        if id(value) not in seen:
            seen.add(id(value))
            left += _parts(value, packages)
    return [*found]


def digest_of(program: Program) -> str:
    """Return the digest of a program's code, without that of core."""
    import hashlib

    code = [part if isinstance(part, str) else _source(part) for part in parts_in(program) if _package(part) != "lect"]
    return hashlib.sha256("\0".join(sorted(code)).encode("utf-8", "surrogatepass")).hexdigest()


def _source(function: FunctionType) -> str:
    try:
        return inspect.getsource(function)
    except OSError:  # installed without its source
        return function.__code__.co_code.hex()


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
        constants = (each for code in codes for each in code.co_consts if each != value.__doc__)
        return [value.__defaults__, value.__kwdefaults__, *cells, *named, *constants]
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
