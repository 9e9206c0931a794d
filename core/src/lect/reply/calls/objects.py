"""The JSON object for the arguments of a call that are not written in JSON."""

from __future__ import annotations

from lect.reply.calls.texts import quoted
from lect.reply.reader.reader import Reader


class ObjectWriter:
    """Writes one argument after another."""

    def __init__(self, reader: Reader):
        self.reader = reader
        self.keys: set[str] = set()

    def key(self, key: str) -> bool:
        """Write a key, unless the object has it already; return whether it was written."""
        if key in self.keys:
            self.reader.report(
                "duplicate_key", self.reader.origin, f"the call has the parameter {key!r} twice; the first one counts"
            )
            return False
        self.reader.pending.append(f"{', ' if self.keys else '{'}{quoted(key)}: ")
        self.keys.add(key)
        return True

    def end(self) -> None:
        """Write the end of the object."""
        self.reader.pending.append("}" if self.keys else "{}")
