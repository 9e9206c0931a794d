"""An engine's stream: bytes in any chunks become lines, and lines become lists of JSON objects.

What has come stays together. Under load that is many tokens, and whoever reads them pays once for all of them, above
all for the one write to the client, and not once for each.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing
from typing import Any

from lect_serve.engines.base import EngineError

Bytes = AsyncIterator[bytes]
Parsed = tuple[list[dict[str, Any]], bool]
"""The objects in lines, and whether the stream has said that it ends."""

MOST_SHOWN = 120
MOST_AHEAD = 1 << 13
"""How many bytes are read that nobody has taken: then the engine waits, since a client does not read. On a machine that
is behind, every stream holds as many; eight times as many took three times the memory, and no less time."""


class Lines:
    """Bytes split at line ends, whatever the chunks are."""

    def __init__(self) -> None:
        # Parts of a line that has not ended: they are joined once, however many chunks a long line comes in.
        self._begun: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that end in a chunk, without their ends."""
        if b"\n" not in chunk:
            self._begun.append(chunk)
            return []
        first, *lines = chunk.split(b"\n")
        if self._begun:
            first = b"".join([*self._begun, first])
        ended = [first, *lines]
        self._begun = [ended.pop()]
        return ended

    def rest(self) -> list[bytes]:
        """Return the last line, if no line end came after it."""
        rest, self._begun = b"".join(self._begun), []
        return [rest] if rest else []


def events(lines: Iterable[bytes]) -> Parsed:
    """Return the data of server-sent events, and whether `[DONE]` came; comments and other fields are passed over.

    Engines write every event's data in one line.
    """
    found: list[dict[str, Any]] = []
    for line in lines:
        if line.startswith(b"data:"):
            data = line[5:].strip()
            if data == b"[DONE]":
                return found, True
            found.append(_object(data))
    return found, False


def rows(lines: Iterable[bytes]) -> Parsed:
    """Return the objects of lines that are JSON; such a stream ends with its connection."""
    return [_object(line) for line in lines if line.strip()], False


async def batches(
    chunks: Bytes, parse: Callable[[Iterable[bytes]], Parsed]
) -> AsyncGenerator[list[dict[str, Any]], None]:
    """Yield the objects that have come since the last ones were taken; an empty list where bytes came without one."""
    lines, ended = Lines(), False
    async with aclosing(_ahead(chunks)) as pieces:
        async for piece in pieces:
            # What comes after the end is read too, and not looked at: only then the connection can serve again.
            if not ended:
                found, ended = parse(lines.feed(piece))
                yield found
    if not ended:
        found, _ = parse(lines.rest())
        if found:
            yield found


async def _ahead(chunks: Bytes) -> AsyncGenerator[bytes, None]:
    """Yield all bytes that have come since the last time.

    HTTP clients hand out an answer in the chunks in which it was sent, although one read of the network brought many.
    """
    ready: list[bytes] = []
    came, taken = asyncio.Event(), asyncio.Event()

    async def read() -> None:
        size = 0
        async for chunk in chunks:
            size = size + len(chunk) if ready else len(chunk)
            ready.append(chunk)
            came.set()
            if size > MOST_AHEAD:
                taken.clear()
                await taken.wait()

    reading = asyncio.create_task(read())
    reading.add_done_callback(lambda _: came.set())
    try:
        while ready or not reading.done():
            if not ready:
                came.clear()
                await came.wait()
            if ready:
                piece = b"".join(ready)
                ready.clear()
                taken.set()
                yield piece
        reading.result()
    finally:
        reading.cancel()
        await asyncio.wait([reading])
        # Whoever leaves does not want to know why the engine did.
        if not reading.cancelled():
            reading.exception()


def _object(text: bytes) -> dict[str, Any]:
    try:
        # Some engines write NaN and -Infinity, which are no JSON, and are no numbers for a client either.
        found = json.loads(text, parse_constant=lambda _: None)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        shown = text[:MOST_SHOWN].decode("utf-8", "replace")
        raise EngineError(f"the engine sent {shown!r}, which is no JSON object")
    return found
