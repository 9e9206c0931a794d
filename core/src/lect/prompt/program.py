"""Running a template's program: whatever it does wrong becomes one error, which tells its author what to do instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.contain import by_signal, format_error
from lect.errors import LectError, PluginError, saferepr
from lect.prompt.writer import MisuseError

if TYPE_CHECKING:
    from collections.abc import Callable

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
