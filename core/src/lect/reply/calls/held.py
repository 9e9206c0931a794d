"""The value of a parameter while it is read."""

from __future__ import annotations

from collections.abc import Callable

from lect.reply.calls.texts import quoted
from lect.reply.grammar import Params
from lect.reply.reader.reader import Reader
from lect.reply.reader.schema import STRING

BEGINS_JSON = '{["-0123456789tfn'


class Value:
    """A value that is being read: passed on as it arrives if it must be text, kept if it may be something else."""

    def __init__(self, reader: Reader, spec: Params, types: frozenset[str], *, hold: bool, start: Callable[[], bool]):
        self.reader = reader
        self.trim = spec.trim
        self.last = self.trim or "\n"
        """What may not belong to the value if it comes last."""
        self.start = start
        self.streamed = False
        self.kept: list[str] = []
        self.trimmed = not self.trim
        self.tail = ""
        # None: the first character tells whether it can be anything but text.
        self.hold: bool | None = hold or (types != STRING and bool(types)) or None
        if not self.hold and (types == STRING or spec.untyped == "string"):
            self.hold = False

    def add(self, text: str) -> None:
        """Add what was read."""
        if not self.trimmed and text:
            self.trimmed = True
            text = text.removeprefix(self.trim)
        if self.hold is None and text.strip():
            self.hold = text.lstrip()[0] in BEGINS_JSON
        if self.hold is not False:
            self.kept.append(text)
            return
        if not text:
            return
        if not self.streamed:
            self.streamed = True
            self.start()
            self.reader.pending.append('"')
            text = "".join(self.kept) + text
        text = self.tail + text
        self.tail = self.last if text.endswith(self.last) else ""
        text = text.removesuffix(self.tail)
        if text:
            self.reader.pending.append(quoted(text)[1:-1])

    def end(self, unclosed: bool) -> None:
        """End a value that was passed on."""
        kept = "" if self.trim or unclosed else self.tail
        self.reader.pending.append(f'{quoted(kept)[1:-1]}"')

    def text(self, unclosed: bool) -> str:
        """Return a value that was kept; before a close that is missing, the line ends."""
        return "".join(self.kept).removesuffix(self.last if unclosed else self.trim)
