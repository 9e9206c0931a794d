"""What the fake engines share: generations that are counted, cut as real ones are, and fail as they are told."""

import asyncio
import threading
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from fake_engines.script import ordered, tiny

PATIENCE = 60


class DeadError(Exception):
    """The engine dies in the middle of a stream."""


class FakeEngine:
    """An engine behind one ASGI application.

    Attributes:
        asked: The bodies of all requests for a generation.
        running: How many generations run.
        ended: How many came to their end.
        broken: How many did not: the client left, or the engine died.
        app: The application.
        up: Whether it says that it is well.
    """

    path = ""
    media_type = "text/event-stream"
    eos = "<|im_end|>"

    def __init__(self, tokenizer=None, script=None, *, context=40960, model="model"):
        self.tokenizer = tokenizer or tiny()
        self.script = script or ordered(self.tokenizer)
        self.context, self.model, self.up = context, model, True
        self.asked, self.running, self.ended, self.broken = [], 0, 0, 0
        self._changed = threading.Condition()
        self.eos_id = self.tokenizer.token_to_id(self.eos)
        routes = [Route(self.path, self._generate, methods=["POST"]), *self.routes()]
        self.app = Starlette(routes=routes)

    def routes(self):
        """Return what else it answers."""
        return []

    def wait_for(self, holds):
        """Wait until something holds for the counts: the event comes, however slow the machine is."""
        with self._changed:
            assert self._changed.wait_for(lambda: holds(self), PATIENCE), (self.running, self.ended, self.broken)

    def prompt(self, asked):
        """Return the prompt of a request as text and ids."""
        ids = asked["prompt"]
        return self.tokenizer.decode(ids, skip_special_tokens=False), ids

    def refusal(self, asked, count):
        """Return the answer that refuses a request, if it must be."""

    def busy(self, status):
        """Return the answer of an engine that has no room."""
        return JSONResponse({"error": {"message": "Loading model", "code": status}}, status)

    def events(self, asked, reply, ids):
        """Yield `(tokens so far, bytes)`."""
        raise NotImplementedError

    def failure(self):
        """Return the bytes that say in a stream that something went wrong."""
        raise NotImplementedError

    async def _generate(self, request):
        asked = await request.json()
        self.asked.append(asked)
        text, ids = self.prompt(asked)
        reply = self.script(text, ids)
        if reply.refuse is not None:
            return self.busy(reply.refuse)
        return self.refusal(asked, len(ids)) or StreamingResponse(
            self._stream(asked, reply, ids), media_type=self.media_type
        )

    async def _stream(self, asked, reply, ids):
        async with self._counted():
            for count, data in self.events(asked, reply, ids):
                if reply.dies is not None and count > reply.dies:
                    raise DeadError
                if reply.silent is not None and count > reply.silent:
                    await asyncio.Event().wait()
                if reply.fails is not None and count > reply.fails:
                    yield self.failure()
                    return
                yield data
                if reply.delay:
                    await asyncio.sleep(reply.delay)

    @asynccontextmanager
    async def _counted(self):
        self._count(running=1)
        over = False
        try:
            yield
            over = True
        finally:
            self._count(running=-1, ended=over, broken=not over)

    def _count(self, running=0, ended=0, broken=0):
        with self._changed:
            self.running, self.ended, self.broken = self.running + running, self.ended + ended, self.broken + broken
            self._changed.notify_all()

    def sampled(self, reply, most, stop_ids=(), stops=()):
        """Return the ids that are sampled until the reply is cut off, why it ends, and what stopped it."""
        for count, each in enumerate(reply.ids, 1):
            ids = reply.ids[:count]
            if each == self.eos_id:
                return ids, "stop", None
            if each in stop_ids:
                return ids, "stop", each
            if stops:
                text = self.tokenizer.decode(ids, skip_special_tokens=False)
                if found := [stop for stop in stops if stop in text]:
                    return ids, "stop", found[0]
            if count == most:
                return ids, "length", None
        return reply.ids, "length", None


def answering(path, make):
    """Return a route that answers GET with what a function makes."""

    async def answer(request):
        return JSONResponse(make())

    return Route(path, answer)


def health(engine, path="/health"):
    """Return a route that says whether an engine is well."""

    async def answer(request):
        return Response(status_code=200 if engine.up else 503)

    return Route(path, answer)
