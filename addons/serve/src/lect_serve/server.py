"""The server: a request comes in, and an answer is made of it."""

from __future__ import annotations

import asyncio
import logging
import time
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from lect import LectError
from lect.addon import encoder_of
from lect_serve import prepare
from lect_serve.answers import KINDS, ResponseAnswer
from lect_serve.asked import is_strict, read, schema_of, session_of
from lect_serve.door import key_of
from lect_serve.engines.echo import Echo, text_of
from lect_serve.job import Job
from lect_serve.metrics import Metrics
from lect_serve.model import ECHO, load
from lect_serve.pool import Pool
from lect_serve.record import Recorder
from lect_serve.refusals import RefusedRequestError
from lect_serve.scores import Scores
from lect_serve.sessions import Sample, Sessions
from lect_serve.stored import PREVIOUS, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lect_serve.asked import Asked
    from lect_serve.engines.base import Ask, Engine, Piece
    from lect_serve.model import Model
    from lect_serve.prepare import Can
    from lect_serve.refusals import Api
    from lect_serve.sessions import Turn
    from lect_serve.settings import Settings

LOG = logging.getLogger("lect_serve")
SECOND, CONNECT = 1.0, 60.0
PATIENCE = 5.0
"""Seconds in which answers that are cut off say so to their clients."""
MOST_WARNED = 1000
"""How many warnings are remembered, so that each is written once."""
LONGEST_HEADER = 400


def _check_addresses(engines: Sequence[str]) -> None:
    """Refuse what is no address before the model is loaded: that takes a while, and may fail for lesser reasons."""
    others = [url for url in engines if url != ECHO]
    if others:
        from lect_serve.engines.recognise import checked

        for url in others:
            checked(url)


class Server:
    """All that the requests of a server share."""

    def __init__(self, settings: Settings, model: Model | None = None, engines: Sequence[Engine] | None = None) -> None:
        self.settings = settings
        if engines is None:
            _check_addresses(settings.engines)
        self.model = load(settings) if model is None else model
        self.jobs: set[Job] = set()
        self.metrics = Metrics()
        self.recorder = Recorder(settings.record, self.model) if settings.record is not None else None
        self.sessions = Sessions(self.model, settings, self.recorder)
        self.store = Store()
        self.started = int(time.time())
        self.failure: LectError | None = None
        """Why it could not start."""
        self._given = engines
        self._warned: set[str] = set()
        self._clock: asyncio.Task[None] | None = None
        self._client: Any = None
        self._writing: set[asyncio.Future[None]] = set()
        self._pool: Pool | None = None
        for warning in self.model.warnings:
            LOG.warning("%s", warning)

    @property
    def pool(self) -> Pool:
        """The engines, once the server has started."""
        assert self._pool is not None, "the server has not started"
        return self._pool

    @property
    def keeps_logprobs(self) -> bool:
        """Whether engines are asked for log probabilities: it costs them time."""
        return self.settings.record is not None

    @property
    def can(self) -> Can:
        """What the engines can do."""
        can = self.pool.can
        return can if self.settings.context is None else can._replace(context=self.settings.context)

    # From start to stop

    async def start(self) -> None:
        """Find the engines, and start the clock.

        Raises:
            EngineError: If one does not answer.
        """
        try:
            engines = self._given if self._given is not None else await self._engines()
        except LectError as error:
            self.failure = error
            raise
        self._pool = Pool(engines, self.settings.slots, self.settings.waiting)
        self._clock = asyncio.get_running_loop().create_task(self._tick_on())
        for engine in engines:
            LOG.info("engine %s: %s", engine.url, engine.about)

    async def _engines(self) -> list[Engine]:
        import httpx

        # The default of 100 connections would let the 101st answer wait without a word. The clock measures silence; the
        # time to connect runs on while a thousand requests that came at once are made ready.
        timeout = httpx.Timeout(None, connect=CONNECT)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
        key = self.settings.engine_key
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.AsyncClient(timeout=timeout, limits=limits, headers=headers, trust_env=False)
        return [await self._engine(url) for url in self.settings.engines]

    async def _engine(self, url: str) -> Engine:
        if url == ECHO:
            return Echo(self.model)
        from lect_serve.engines.recognise import recognise
        from lect_serve.engines.text_only import check

        engine = await recognise(self._client, url, kind=self.settings.kind, model=self.settings.engine_model)
        check(self.model.template, self.model.tokenizer, engine)
        return engine

    async def stop(self) -> None:
        """Stop the clock, and wait for what answers still have to say."""
        tasks = [job.task for job in self.jobs if job.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=PATIENCE)
        if self._clock is not None:
            self._clock.cancel()
        if self._pool is not None:
            await self._pool.close()
        await asyncio.gather(*self._writing, return_exceptions=True)
        if self.recorder is not None:
            self.recorder.write(self.sessions.take_ended(all_of_them=True))
            self.recorder.close()
        if self._client is not None:
            await self._client.aclose()

    async def _tick_on(self) -> None:
        while True:
            await asyncio.sleep(SECOND)
            try:
                self.tick()
            except Exception:
                LOG.exception("the clock failed")

    def tick(self) -> None:
        """Let a second pass for all that waits."""
        for job in list(self.jobs):
            job.tick()
        self.pool.tick()
        self.sessions.tick()
        ended = self.sessions.take_ended()
        if self.recorder is not None and ended:
            self._write(self.recorder.write, ended)

    def recover(self) -> None:
        """Write what servers before this one have left in the directory."""
        if self.recorder is not None:
            self._write(self.recorder.recover)

    def _write(self, work: Callable[..., None], *arguments: Any) -> None:
        # A line of a long session is a second of JSON on a slow machine.
        writing = asyncio.get_running_loop().run_in_executor(None, work, *arguments)
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)

    # A request

    async def prepared(self, api: Api, body: Mapping[str, Any], headers: Mapping[str, str]) -> Job:
        """Return the answer to a request, which is not begun.

        Raises:
            LectError: If it is refused.
        """
        owner = key_of(headers)
        asked = self._read(api, body, owner)
        for name in asked.unknown:
            self._warn_once(f"nothing reads the field {name[:80]!r} of requests to {api}")
        key = self.key_of(asked, headers)
        turn, ask = await self._work(asked, self._prepare, asked, key)
        scores = Scores(self.model.tokenizer, next(reversed(ask.ids), None)) if asked.logprobs else None
        stream = prepare.stream_of(self.model, turn.rendered)
        answer = KINDS[api](stream, asked, self._called(asked), len(ask.ids), scores)
        if turn.rendered.lost:
            what = ", ".join(turn.rendered.lost)
            self._warn_once(f"{self.model.template.name} has no place for what requests have: {what}")
        if turn.step is not None and turn.step.kind == "fork":
            LOG.info("session %s: %s", key, turn.step)
        return Job(self, answer, ask, turn, owner, self._told(turn))

    def _read(self, api: Api, body: Mapping[str, Any], owner: str) -> Asked:
        """Return a request, with the conversation before it that is stored here."""
        if api != "responses" or body.get(PREVIOUS) is None:
            return read(api, body)
        if self.settings.workers > 1:
            msg = f"{PREVIOUS} needs all requests in one process, and this server has several"
            raise RefusedRequestError(f"{msg}\n  try: the whole conversation as input")
        whole = self.store.whole(body, owner)
        asked = read(api, whole)
        return asked._replace(body={**whole, PREVIOUS: body[PREVIOUS]})

    def _prepare(self, asked: Asked, key: str) -> tuple[Turn, Ask]:
        rendered = prepare.render(self.model, self.settings, asked, self.can, self.sessions.pinned(key))
        turn = self.sessions.begin(key, rendered)
        ids, keeps = turn.ids.tolist(), self.keeps_logprobs
        return turn, prepare.ask_of(self.model, rendered, ids, self.can, logprobs=keeps, session=key)

    async def counted(self, body: Mapping[str, Any]) -> int:
        """Return how many tokens a request of the Messages API has.

        Raises:
            LectError: If it is refused.
        """
        asked = read("messages", body)
        size: int = await self._work(asked, self._count, asked)
        return size

    def _count(self, asked: Asked) -> int:
        rendered = prepare.render(self.model, self.settings, asked, self.can, {})
        return len(prepare.encoded(self.model, rendered.prompt))

    async def _work(self, asked: Asked, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do what needs the processor; where that takes long, beside the loop: tokenizers let other threads run."""
        is_long = prepare.is_long([*asked.messages, asked.tools])
        # A constraint is built from schemas, however short the conversation is.
        is_forced = asked.choice not in ("auto", "none") or schema_of(asked.rest) is not None
        if is_long or is_forced or is_strict(asked.rest):
            return await asyncio.to_thread(work, *arguments)
        return work(*arguments)

    def key_of(self, asked: Asked, headers: Mapping[str, str]) -> str:
        """Return the key of a session: what the client says, or else how the conversation begins.

        It is not a client's to choose alone: another client, with another API key, has other sessions.
        """
        said = session_of(asked.body, headers)
        if said is None:
            first = next((at for at, each in enumerate(asked.messages) if each.get("role") == "user"), 0)
            begins = [text_of(each.get("content")) for each in asked.messages[: first + 1]]
            said = repr((begins, [tool.get("function", {}).get("name") for tool in asked.tools or ()]))
        whole = f"{key_of(headers)}\0{said}".encode(errors="surrogatepass")
        return blake2b(whole, digest_size=8).hexdigest()

    def _warn_once(self, text: str) -> None:
        if text not in self._warned and len(self._warned) < MOST_WARNED:
            self._warned.add(text)
            LOG.warning("%s", text)

    def _called(self, asked: Asked) -> str:
        return str(asked.rest.get("model") or self.model.name)

    def _told(self, turn: Turn) -> dict[str, str]:
        """Return headers for whoever looks for what became of a request."""
        told = {"x-lect-session": turn.key, "x-lect-history": turn.how, "x-lect-prompt-tokens": str(len(turn.ids))}
        if turn.rendered.changes:
            changes = " ".join("; ".join(turn.rendered.changes).split())
            told["x-lect-changes"] = changes.encode("ascii", "replace").decode()[:LONGEST_HEADER]
        return told

    # What jobs report

    def spelled(self, piece: Piece) -> Sequence[int] | None:
        """Return the ids of a piece that an engine sent as text; None if they cannot be told.

        A tokenizer writes a text in one way, a model may have in another: the number of tokens, and those that are
        known, must agree.
        """
        ids = encoder_of(self.model.tokenizer).between(piece.text or "", []).ids
        known = list(piece.ids)
        fits = len(ids) == piece.missing + len(known) and ids[len(ids) - len(known) :] == known
        return ids if fits else None

    def answered(self, job: Job) -> None:
        """Take an answer that is complete."""
        self.metrics.took(job.tokens)
        self.metrics.sessions[job.turn.how] += 1
        sample = Sample(job.ids, job.logprobs, job.is_whole, job.answer.reply, job.finish)
        try:
            self.sessions.end(job.turn, sample)
        except Exception:
            # The answer is right, whatever becomes of its session.
            LOG.exception("session %s is not kept", job.key)
        asked = job.answer.asked
        if isinstance(job.answer, ResponseAnswer) and asked.rest.get("store", True) and self.settings.workers == 1:
            self.store.put(job.owner, asked.body, job.answer.made)

    def failed(self, job: Job, status: int) -> None:
        """Take note of an answer that is not."""
        self.metrics.failed(status)

    def ended(self, job: Job, status: int) -> None:
        """Write the line of a request into the log: what it took, and nothing that was said."""
        api, tokens, turn = job.answer.asked.api, job.tokens, job.turn
        self.metrics.ended(api, status)
        changes = f" changed={'; '.join(turn.rendered.changes)!r}" if turn.rendered.changes else ""
        noted = f" noted={turn.noted!r}" if turn.noted else ""
        counts = f"prompt={tokens.prompt} cached={tokens.cached} sampled={tokens.sampled}"
        took = f"{time.monotonic() - job.began:.2f} s"
        LOG.info("%s %d %s %s %s %s%s%s", api, status, took, job.key, turn.how, counts, changes, noted)
