"""The engines: which of them is asked, how many requests each is given, and which is asked instead."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import aclosing
from hashlib import blake2b
from math import ceil
from typing import TYPE_CHECKING, Protocol

from lect_serve.engines.base import EngineError
from lect_serve.prepare import Can
from lect_serve.refusals import OVERLOADED, RefusedRequestError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from lect_serve.engines.base import Ask, Engine, Piece

LOG = logging.getLogger("lect_serve")
DOWN = 3
"""After how many failures in a row an engine is passed over."""
CHECKED_EVERY = 10
"""Ticks between two looks at whether an engine answers."""
UNEVEN = 1.25
"""How many times the mean of open answers an engine may have before the next one in the order is asked."""
RETRY_AFTER = 2


class Caller(Protocol):
    """Who wants an answer."""

    is_waiting: bool
    """Whether it waits for a slot: then no engine is silent."""

    @property
    def may_retry(self) -> bool:
        """Whether another engine may be asked."""
        ...


class Seat:
    """An engine, and who is there.

    The number of those who wait is looked at when somebody begins to wait, not before: in between, others may have.
    """

    def __init__(self, engine: Engine, slots: int | None, most_waiting: int) -> None:
        self.engine, self.slots, self.most_waiting = engine, slots, most_waiting
        self.open, self.failures = 0, 0
        self._waiters: deque[asyncio.Future[None]] = deque()

    @property
    def is_up(self) -> bool:
        """Whether it is asked."""
        return self.failures < DOWN

    @property
    def waiting(self) -> int:
        """How many wait for a slot."""
        return len(self._waiters)

    async def enter(self) -> None:
        """Take a slot, or wait for one.

        Raises:
            RefusedRequestError: If too many wait already.
        """
        if self.slots is None or self.open < self.slots:
            self.open += 1
            return
        if len(self._waiters) >= self.most_waiting:
            msg = f"{self.waiting} requests wait already; try again later"
            raise RefusedRequestError(msg, status=OVERLOADED, retry_after=RETRY_AFTER)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn in self._waiters:
                self._waiters.remove(turn)
            elif not turn.cancelled():
                self.leave()  # The slot was handed over at the same moment.
            raise

    def leave(self) -> None:
        """Give the slot to the one who waits longest, or back."""
        while self._waiters:
            turn = self._waiters.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.open -= 1


class Pool:
    """All engines of a server."""

    def __init__(self, engines: Sequence[Engine], slots: int | None, most_waiting: int) -> None:
        self.seats = [Seat(engine, slots or engine.about.slots, most_waiting) for engine in engines]
        contexts = [each.about.context for each in engines if each.about.context is not None]
        self.can = Can(
            takes_ids=all(each.takes_ids for each in engines),
            constrains=all(each.constrains for each in engines),
            context=min(contexts, default=None),
        )
        self._ticks = 0
        self._checks: set[asyncio.Task[None]] = set()

    def order(self, key: str) -> list[Seat]:
        """Return the engines in the order in which they are asked.

        It is the same for a key in every process and after every restart, so that a session finds its cache; an engine
        that is down moves only its own sessions.
        """
        if len(self.seats) == 1:
            return self.seats
        ranked = sorted(self.seats, key=lambda seat: _rank(key, seat.engine.url), reverse=True)
        up = [seat for seat in ranked if seat.is_up] or ranked
        most = ceil(UNEVEN * (sum(seat.open for seat in up) + 1) / len(up))
        # Which are full is looked at once; among the others the order stays.
        return sorted(up, key=lambda seat: seat.open + seat.waiting >= most)

    async def generate(self, ask: Ask, key: str, caller: Caller) -> AsyncGenerator[list[Piece], None]:
        """Yield what an engine sends; another one is asked only while nothing has been seen of the first.

        Raises:
            EngineError: If no engine answers, or one fails later.
            RefusedRequestError: If too many wait, at every engine.
        """
        failed: EngineError | RefusedRequestError | None = None
        for seat in self.order(key):
            caller.is_waiting = True
            try:
                await seat.enter()
            except RefusedRequestError as error:
                failed = failed or error
                continue
            finally:
                caller.is_waiting = False
            has_begun = False
            try:
                async with aclosing(seat.engine.generate(ask)) as source:
                    async for pieces in source:
                        has_begun = True
                        yield pieces
                seat.failures = 0
                return
            except EngineError as error:
                if error.retry:
                    seat.failures += 1
                    LOG.warning("engine %s: %s", seat.engine.url, error)
                if has_begun or not error.retry or not caller.may_retry:
                    raise
                failed = error
            finally:
                seat.leave()
        assert failed is not None
        raise failed

    def tick(self) -> None:
        """Look now and then whether the engines answer."""
        self._ticks += 1
        if self._ticks % CHECKED_EVERY:
            return
        for seat in self.seats:
            task = asyncio.get_running_loop().create_task(self._check(seat))
            self._checks.add(task)
            task.add_done_callback(self._checks.discard)

    async def _check(self, seat: Seat) -> None:
        try:
            is_up = await seat.engine.healthy()
        except Exception:
            # Whatever an engine's own code raises, it is not healthy.
            LOG.warning("engine %s", seat.engine.url, exc_info=True)
            is_up = False
        seat.failures = 0 if is_up else seat.failures + 1
        if seat.failures == DOWN:
            LOG.warning("engine %s is down", seat.engine.url)

    async def close(self) -> None:
        """Stop looking."""
        for task in self._checks:
            task.cancel()
        await asyncio.gather(*self._checks, return_exceptions=True)


def _rank(key: str, url: str) -> bytes:
    return blake2b(f"{key}|{url}".encode(errors="surrogatepass"), digest_size=8).digest()
