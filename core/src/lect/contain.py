"""Containing what a plugin raises: one bad plugin must not take the others down."""

from collections.abc import Callable
from opcode import opmap
from typing import Any

from lect.errors import PluginError

LONGEST_TOLD = 1000
"""How many characters of a plugin's exception are shown."""


class StageError(Exception):
    """Carries what a plugin raised, and at which stage, to the one place that records it."""

    def __init__(self, stage: str, error: BaseException):
        super().__init__(stage)
        self.stage, self.error = stage, error


class Contained:
    """Turns whatever a plugin raises in a `with` statement into a `StageError`.

    `SystemExit` and `KeyboardInterrupt` too, unless a signal caused them: a user's own Ctrl-C ends the program.
    `stage` is what the plugin is asked to do: `load`, `api`, `register`, or the hook.
    """

    def __init__(self, stage: str):
        self._stage = stage

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is not None and not by_signal(error):
            raise StageError(self._stage, error) from error


def returned(call: Callable[..., Any], *given: Any, otherwise: Any = None) -> Any:
    """Return what a call returns; if it raises anything, `otherwise`."""
    try:
        with Contained("call"):
            return call(*given)
    except StageError:
        return otherwise


def blaming(what: str, own: tuple[type[Exception], ...], call: Callable[..., Any], *given: Any) -> Any:
    """Return what a plugin's function returns. Its `own` errors are for the user; any other says that `what` failed."""
    try:
        with Contained("call"):
            return call(*given)
    except StageError as failed:
        if isinstance(failed.error, own):
            raise failed.error from failed.error.__cause__
        raise PluginError(f"{what}: {format_error(failed.error)}") from failed.error


def format_error(error: BaseException) -> str:
    """Return an exception as text for a message: its type and what it says, if its `__str__` works."""
    text = returned(str, error, otherwise="(its __str__ raises)")
    return f"{type(error).__name__}: {text if len(text) <= LONGEST_TOLD else f'{text[:LONGEST_TOLD]}...'}"


def by_signal(error: BaseException) -> bool:
    """Return whether an exception was caused by a signal, and not by the code that was running.

    A handler that is written in Python has a frame in the traceback. Python's own handler for Ctrl-C has none: its
    traceback ends at the interrupted instruction, which is never a `raise`.
    """
    from signal import getsignal, valid_signals  # It takes long to import, and few exceptions are caused by one.

    handlers = {_code_of(getsignal(each)) for each in valid_signals()}
    raised = False
    place = error.__traceback__ if isinstance(error, BaseException) else None
    while place is not None:
        code = place.tb_frame.f_code
        if code in handlers:
            return True
        raised = code.co_code[place.tb_lasti] == opmap["RAISE_VARARGS"]
        place = place.tb_next
    return isinstance(error, KeyboardInterrupt) and not raised


def _code_of(handler: Any) -> object:
    while hasattr(handler, "func"):  # functools.partial, as asyncio uses it
        handler = handler.func
    if callable(handler) and not hasattr(handler, "__code__"):
        handler = type(handler).__call__  # a callable object
    return getattr(handler, "__code__", None)
