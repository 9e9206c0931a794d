"""One answer, from the engine to the client: whoever goes, fails or is silent, both ends hear of it."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from lect import LectError
from lect_serve.answers import Tokens, dumps, error
from lect_serve.engines.base import ContextTooLongError, EngineError
from lect_serve.refusals import (
    ENGINE,
    FAILED,
    INVALID,
    NO_DETAILS,
    OVERLOADED,
    SILENT,
    RefusedRequestError,
    headers_of,
    status_of,
    too_long,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.types import Receive, Scope, Send

    from lect_serve.answers import Answer
    from lect_serve.engines.base import Ask, Piece
    from lect_serve.pool import Pool
    from lect_serve.sessions import Turn
    from lect_serve.settings import Settings

LOG = logging.getLogger("lect_serve")
STREAM = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", "x-accel-buffering": "no"}
WHOLE = {"content-type": "application/json"}
CLIENT_GONE = 499
"""The status in the log of a request whose client did not wait."""
SHUTDOWN = "the server shuts down"


class House(Protocol):
    """What a job needs of the server that it belongs to."""

    settings: Settings
    jobs: set[Job]

    @property
    def pool(self) -> Pool:
        """The engines."""
        ...

    @property
    def keeps_logprobs(self) -> bool:
        """Whether log probabilities are kept."""
        ...

    def spelled(self, piece: Piece) -> Sequence[int] | None:
        """Return the ids of a piece that an engine sent as text; None if they cannot be told."""
        ...

    def answered(self, job: Job) -> None:
        """Take an answer that is complete."""
        ...

    def failed(self, job: Job, status: int) -> None:
        """Take note of an answer that failed."""
        ...

    def ended(self, job: Job, status: int) -> None:
        """Take note of the end of a request."""
        ...


class Job:
    """An answer that is being made. As an ASGI application it sends it.

    One task reads the engine and writes to the client, so that what is not written is not read either; one listens
    for the client to go; and one clock for all jobs calls `tick`. Nothing is started for a token.
    """

    def __init__(
        self, server: House, answer: Answer, ask: Ask, turn: Turn, owner: str, headers: Mapping[str, str]
    ) -> None:
        self.server, self.answer, self.ask, self.turn, self.owner = server, answer, ask, turn, owner
        self.key = turn.key
        self.ids: list[int] = []
        self.logprobs: list[float | None] = []
        self.missing, self.is_whole = 0, True
        """How many sampled ids are not known, and whether all are."""
        self.finish: str | None = None
        self.tokens = Tokens(len(ask.ids), 0)
        self.began = time.monotonic()
        self._headers = headers
        self._status = 0
        self._ended_by: Literal["client", "silence"] | None = None
        self.task: asyncio.Task[Any] | None = None
        self.is_waiting = False
        """Whether it waits for a slot."""
        self._has_begun = self._is_opened = self._is_reading = self._is_ending = self._is_done = False
        self._quiet = self._silent = 0
        self._pinging: asyncio.Task[None] | None = None
        self._send: Send | None = None

    @property
    def is_streamed(self) -> bool:
        """Whether the client gets it piece by piece."""
        return self.answer.asked.is_streamed

    @property
    def may_retry(self) -> bool:
        """Whether another engine may be asked: the client has got nothing yet."""
        return self._status == 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Make the answer and send it."""
        self._send, self.task = send, asyncio.current_task()
        listener = asyncio.create_task(self._listen(receive))
        self.server.jobs.add(self)
        try:
            await self._run()
        finally:
            self.server.jobs.discard(self)
            for task in (listener, self._pinging):
                if task is not None:
                    task.cancel()
            self.server.ended(self, self._status)

    async def _run(self) -> None:
        try:
            await self._generate()
        except asyncio.CancelledError:
            if self._ended_by is None:
                # The server was told to stop, and its patience is over: the client hears that before the end.
                await self._fail(OVERLOADED, SHUTDOWN)
                raise
            assert self.task is not None
            self.task.uncancel()
            if self._ended_by == "client":
                self._status = CLIENT_GONE
                return
            await self._fail(SILENT, f"the engine was silent for {self._silent} seconds")
        except ContextTooLongError as reason:
            # Clients make room by what the message says, in the words of their API.
            api, size = self.answer.asked.api, reason.prompt or self.tokens.prompt
            refusal = too_long(api, size, reason.context) if reason.context else reason
            await self._fail(reason.status, str(refusal), refusal)
        except (EngineError, RefusedRequestError) as reason:
            await self._fail(reason.status, str(reason), reason)
        except LectError as reason:
            # What an engine's notation cannot say is known only when it is written.
            await self._fail(ENGINE if self._status else INVALID, str(reason))
        except Exception:
            LOG.exception("%s failed", self.key)
            await self._fail(FAILED, NO_DETAILS)

    async def _generate(self) -> None:
        """Read the engine to its end, and write what comes of it."""
        source = self.server.pool.generate(self.ask, self.key, self)
        async with aclosing(source):
            while True:
                self._is_reading = True
                pieces = await anext(source, None)
                self._is_reading, self._silent = False, 0
                if pieces is None:
                    break
                if not pieces:
                    continue  # The engine lives, and reads.
                pieces = [self._taken(piece) for piece in pieces]
                self._has_begun = True
                if self.is_streamed:
                    if data := self._opening() + self.answer.feed(pieces):
                        await self._write(data)
                else:
                    self.answer.take(pieces)
                if self.answer.is_over:
                    # To leave the engine's stream makes it stop.
                    self.finish = "stop"
                    break
        if self.finish is None:
            raise EngineError("the engine's answer ended without a reason")
        if self.finish == "abort":
            raise EngineError("the engine gave the answer up")
        await self._settle()
        await self._close()

    async def _settle(self) -> None:
        """Forget what the client is not told: then what is recorded is what the next prompt continues."""
        kept = await self.answer.settle(self.finish)
        if kept is not None:
            del self.ids[kept:], self.logprobs[kept:]
            self.finish, self.tokens = "stop", self.tokens._replace(sampled=kept)

    def _taken(self, piece: Piece) -> Piece:
        """Take note of a piece, and return it; by its ids, if those of its text can be told."""
        if piece.text is not None:
            spelled = self.server.spelled(piece)
            if spelled is not None:
                piece = replace(piece, ids=spelled, text=None, missing=0, logprobs=None)
        self.is_whole = self.is_whole and piece.text is None and not piece.missing
        self.missing += piece.missing
        self.ids += piece.ids
        if self.server.keeps_logprobs:
            self.logprobs += piece.logprobs or [None] * len(piece.ids)
        if piece.finish is not None:
            self.finish = piece.finish
            sampled, cached = len(self.ids) + self.missing, 0
            if piece.usage is not None:
                # A text-only engine sends no ids to count.
                sampled, cached = piece.usage.completion or sampled, piece.usage.cached
            self.tokens = Tokens(self.tokens.prompt, sampled, cached)
        return piece

    async def _close(self) -> None:
        if self.is_streamed:
            data = self._opening() + self.answer.close(self.finish, self.tokens)
        else:
            data = dumps(self.answer.whole(self.finish, self.tokens))
        # The client may go on as soon as it has the end.
        self.server.answered(self)
        await self._write(data, more=False)

    async def _fail(self, status: int, message: str, reason: Exception | None = None) -> None:
        """Tell the client that there is no answer, or no more of it."""
        self._is_ending = True
        await self._pinged()
        self.server.failed(self, status)
        asked = self.answer.asked
        tokens = self.tokens._replace(sampled=len(self.ids) + self.missing)
        with suppress(OSError):
            if self._status:
                self._status = status
                await self._write(self.answer.fail(status, message, tokens), more=False)
            else:
                self._status = status_of(asked.api, status)
                headers = {**WHOLE, **self._headers, **(headers_of(reason) if reason else {})}
                await self._start(self._status, headers)
                code = getattr(reason, "code", None)
                await self._body(error(asked.api, status, message, code), more=False)

    # To the client

    async def _write(self, data: bytes, *, more: bool = True) -> None:
        """Send bytes; a ping that is on its way goes first."""
        if not more:
            self._is_ending = True
        if self._pinging is not None:
            await self._pinged()
        self._quiet = 0
        if not self._status:
            self._status = 200
            await self._start(200, {**(STREAM if self.is_streamed else WHOLE), **self._headers})
        await self._body(data, more=more)

    async def _pinged(self) -> None:
        """Wait for a ping that is on its way."""
        if self._pinging is not None:
            pinging, self._pinging = self._pinging, None
            await pinging

    def _opening(self) -> bytes:
        """Return what the stream begins with, once."""
        if self._is_opened:
            return b""
        self._is_opened = True
        return self.answer.opening()

    async def _start(self, status: int, headers: Mapping[str, str]) -> None:
        assert self._send is not None
        pairs = [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": pairs})

    async def _body(self, data: bytes, *, more: bool) -> None:
        assert self._send is not None
        # A client that has all of it may go.
        self._is_done = not more
        await self._send({"type": "http.response.body", "body": data, "more_body": more})

    async def _listen(self, receive: Receive) -> None:
        """Wait for the client to go: what is sent to one who has gone is lost in silence."""
        while (await receive())["type"] != "http.disconnect":
            pass
        self._end("client")

    def _end(self, by: Literal["client", "silence"]) -> None:
        if self._ended_by is None and not self._is_done and self.task is not None:
            self._ended_by = by
            self.task.cancel()

    def tick(self) -> None:
        """Count a second, in which the loop has run: on a machine that does not come to it, none has passed.

        So an engine whose words wait unread is not called silent, however late it is.
        """
        settings = self.server.settings
        if self._is_ending:
            return
        self._quiet += 1
        if self.is_streamed and self._quiet >= settings.ping and self._pinging is None:
            self._pinging = asyncio.get_running_loop().create_task(self._ping())
        if not self._is_reading or self.is_waiting:
            self._silent = 0
            return
        self._silent += 1
        if self._silent > (settings.between if self._has_begun else settings.first):
            self._end("silence")

    async def _ping(self) -> None:
        data = self._opening() + self.answer.ping
        self._quiet = 0
        if not self._status:
            self._status = 200
            await self._start(200, {**STREAM, **self._headers})
        await self._body(data, more=True)
        self._pinging = None
