"""What every way of reading a reply has in common: looking ahead, and what lies behind the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect.reply.engine.lookahead import MORE
from lect.reply.events import AFTER, TextKind

if TYPE_CHECKING:
    from collections.abc import Generator

    from lect.reply.engine.compiled import CompiledGrammar, CompiledSection, Found
    from lect.reply.engine.lookahead import Live
    from lect.reply.engine.reader import Reader, Steps


class Reading:
    """The reading of one reply."""

    def __init__(self, reader: Reader, compiled: CompiledGrammar):
        self.reader = reader
        self.compiled = compiled
        self.over = False
        """Whether the reply has ended, by a mark or by its end."""

    def read_on_for_nothing(self) -> Steps:
        """Read over what follows the end of the reply."""
        reader = self.reader
        while not reader.ended or not reader.exhausted():
            reader.skip(len(reader.buffer), AFTER)
            yield

    def look(self, live: Live) -> Generator[None, None, str]:
        """Return the mark that stands here, empty where there is none."""
        while (mark := live.look(self.reader.buffer, self.reader.at, self.reader.ended)) is None:
            yield
        return mark

    def next_mark(self, live: Live, kind: TextKind) -> Generator[None, None, str]:
        """Say text up to the next mark, and return that, empty at the end of the reply."""
        reader = self.reader
        while True:
            found = live.search(reader.buffer, reader.at)
            if found is None:
                reader.pass_on(len(reader.buffer), kind)
                if reader.ended:
                    return ""
                reader.fall_quiet(live.search, kind)
                yield
                continue
            reader.pass_on(found.start(), kind)
            mark = yield from self.look(live)
            if mark:
                return mark
            reader.pass_on(reader.at + 1, kind)

    def find(self, section: CompiledSection) -> Generator[None, None, Found | None]:
        """Return the section that begins here, if one does."""
        while (found := section.look(self.reader.buffer, self.reader.at, self.reader.ended)) == MORE:
            yield
        return None if isinstance(found, int) else found

    def find_any(self, sections: list[CompiledSection]) -> Generator[None, None, Found | None]:
        """Return the first section of several that begins here."""
        for section in sections:
            if not section.syntax.start or self.reader.fresh:
                found = yield from self.find(section)
                if found is not None:
                    return found
        return None
