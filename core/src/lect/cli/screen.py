"""The output of commands.

Aligned and in colour for people, as JSON for programs, and without control characters from outside.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from errno import EBADF
from io import TextIOBase
from time import monotonic
from types import SimpleNamespace
from typing import Any, NamedTuple, NoReturn, TextIO

NOTE = "note:"
"""The prefix of a note about a result."""
_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}

# The characters that a terminal obeys, and those that change the direction of writing, which would mislead readers.
_C0, _DELETE_AND_C1 = range(0x20), range(0x7F, 0xA0)
_DIRECTIONS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_VISIBLE = {code: ascii(chr(code))[1:-1] for code in _C0 if chr(code) not in "\n\t"}
# As JSON takes them, which itself escapes the first 32.
_VISIBLE |= {code: f"\\u{code:04x}" for code in (*_DELETE_AND_C1, *_DIRECTIONS)}


class ClosedStream(TextIOBase):
    """Stands in for a stream that the process was started without, where Python has None."""

    def read(self, *_: Any) -> NoReturn:
        raise OSError(EBADF, os.strerror(EBADF))

    write = read


class Visible:
    """A stream of which a terminal obeys nothing: whoever writes to it, all is shown as `Screen.visible` has it.

    While a command runs, standard output and standard error are such streams, also for what plugins print. `exact` is
    the stream itself, for what lect writes byte for byte, and its colours.
    """

    def __init__(self, exact: Any):
        self.exact = exact
        self.buffer = SimpleNamespace(write=self._write_bytes, flush=self.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.exact, name)

    def write(self, text: str) -> int:
        """Write text from anywhere."""
        Screen(self).write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def _write_bytes(self, data: Any) -> int:
        self.write(bytes(data).decode("utf-8", "backslashreplace"))
        return len(data)


def exact(stream: Any) -> Any:
    """Return a stream to which everything is written as it is."""
    return stream.exact if isinstance(stream, Visible) else stream


class Painted(NamedTuple):
    """Text with a style."""

    text: str
    """The text."""
    style: str
    """One of `bold`, `dim`, `red`, `green`, `yellow` and `cyan`; none if it is empty."""


Cell = str | Painted


class Screen:
    """A stream that people read."""

    def __init__(self, stream: Any):
        self.stream: TextIO = exact(stream)
        self._width = 0
        self.encoding: str = getattr(stream, "encoding", None) or "utf-8"
        self.is_terminal = stream.isatty()
        # The conventions of no-color.org and force-color.org, with the precedence that Python itself gives them.
        wanted = os.environ.get("FORCE_COLOR") or (self.is_terminal and os.environ.get("TERM") != "dumb")
        self.colours = bool(wanted) and not os.environ.get("NO_COLOR")

    @staticmethod
    def visible(text: str) -> str:
        r"""Return text with what a terminal would obey, except line ends and tabs, spelled out, such as `\x1b`."""
        return text.translate(_VISIBLE)

    @staticmethod
    def one_line(text: str) -> str:
        r"""Return text as one line, with everything unprintable spelled out, such as `\n`."""
        if text.isprintable():
            return text
        return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)

    def paint(self, text: str, style: str) -> str:
        """Return text in a style, where colours are wanted."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colours and style and text else text

    def write(self, *pieces: Cell) -> None:
        """Write texts, each visibly, and in its style."""
        styled = (piece if isinstance(piece, Painted) else Painted(piece, "") for piece in pieces)
        self._write("".join(self.paint(self.visible(text), style) for text, style in styled))

    def replace_line(self, text: str) -> None:
        """Write a line in place of the last that was written so; an empty one erases it."""
        line = self.one_line(text)
        self._write(f"\r{line:{self._width}}" + "\r" * (not line))
        self._width = len(line)

    def _write(self, text: str) -> None:
        """Write text exactly, but escape what the encoding of the stream cannot express.

        Errors in writing to standard error are ignored: there is nowhere left to report them.
        """
        text = text.encode(self.encoding, "backslashreplace").decode(self.encoding)
        if self.stream is not exact(sys.stderr):
            self.stream.write(text)
            return
        # What was printed so far comes first, even if both streams are the same terminal.
        sys.stdout.flush()
        try:
            self.stream.write(text)
        except OSError:
            discard_output(self.stream)

    def line(self, text: str = "", *, style: str = "") -> None:
        """Write one line."""
        self.write(Painted(self.one_line(text), style), "\n")

    def section(self, title: str) -> None:
        """Write an empty line and a title."""
        self.line()
        self.line(title, style="bold")

    def block(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """Write text of several lines."""
        for line in self.visible(text).splitlines():
            self.write(" " * indent, Painted(line, style), "\n")

    def table(
        self, rows: Iterable[Sequence[Cell]], *, header: Sequence[str] = (), indent: int = 2, wrap: bool = False
    ) -> None:
        """Write rows in aligned columns, the last of which may be of any width.

        With `wrap`, a terminal gets the last column in lines that fit.
        """
        styled = ([cell if isinstance(cell, Painted) else Painted(cell, "") for cell in row] for row in rows)
        cells = [[Painted(self.one_line(text), style) for text, style in row] for row in styled]
        if header:
            cells.insert(0, [Painted(title, "dim") for title in header])
        columns = range(len(cells[0]) - 1) if cells else ()
        widths = [max(_width(row[column].text) for row in cells) for column in columns]
        before_last = indent + sum(widths) + 2 * len(widths)
        for row in cells:
            padded = [
                self.paint(*cell) + " " * (width - _width(cell.text)) for cell, width in zip(row, widths, strict=False)
            ]
            first, *others = self._wrapped(row[-1].text, before_last) if wrap and self.is_terminal else [row[-1].text]
            style = row[-1].style
            self._write(" " * indent + "  ".join([*padded, self.paint(first, style)]).rstrip() + "\n")
            for line in others:
                self.write(" " * before_last, Painted(line, style), "\n")

    def _wrapped(self, text: str, column: int) -> list[str]:
        """Split a text that begins at a column into lines that fit the terminal."""
        from shutil import get_terminal_size
        from textwrap import wrap

        room = max(get_terminal_size().columns - column, 24)
        return wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]


class Progress(AbstractContextManager["Progress"]):
    """A temporary line that tells people on a terminal how far long work is: a bar, if its end is known."""

    DELAY, STEP = 1.0, 0.1
    """Seconds before anything is shown, and from one line to the next."""

    def __init__(self, screen: Screen):
        self._screen, self._is_shown = screen, False
        self._next = monotonic() + self.DELAY

    def show(self, text: str, done: int = 0, total: int = 0) -> None:
        """Show a text in place of the last one, after a bar where there is a total."""
        if self._screen.is_terminal and monotonic() >= self._next:
            from shutil import get_terminal_size

            bar = f"[{'=' * (20 * done // total):20}] {100 * done // total:3}%  " if total else ""
            self._screen.replace_line(f"{bar}{text}"[: get_terminal_size().columns - 1])
            self._next, self._is_shown = monotonic() + self.STEP, True

    def __exit__(self, *_error: object) -> None:
        """Erase the line, before results and errors."""
        if self._is_shown:
            self._screen.replace_line("")


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1 for character in text)


def discard_output(stream: TextIO) -> None:
    """Discard all that is written to a stream, so that Python does not fail when it flushes it at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return


def write_exactly(text: str) -> None:
    """Write text to standard output in UTF-8, byte for byte, whatever the locale and its line ends are."""
    stream = exact(sys.stdout)
    if (buffer := getattr(stream, "buffer", None)) is None:
        stream.write(text)
        return
    stream.flush()
    buffer.write(text.encode("utf-8", "backslashreplace"))
    buffer.flush()


def write_json(value: Any, *, indent: int | None = 2) -> None:
    """Write a value for programs to standard output; without `indent`, in one line."""
    import json

    screen = Screen(sys.stdout)
    ascii_only = screen.is_terminal and not screen.encoding.lower().startswith("utf")
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent) + "\n"
    if screen.is_terminal:
        screen.write(text)
    else:
        write_exactly(screen.visible(text))
