"""The ASGI application: routes, and what is asked of whoever comes in."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from lect import LectError, MessageError
from lect.errors import saferepr
from lect.plugin import boundary
from lect_serve import pictures
from lect_serve.answers import dumps, error
from lect_serve.door import admit, key_of, read_body, read_json
from lect_serve.lines import told
from lect_serve.refusals import (
    FAILED,
    INVALID,
    MISSING,
    NO_DETAILS,
    OVERLOADED,
    RefusedRequestError,
    headers_of,
    status_of,
)
from lect_serve.server import Server
from lect_serve.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send

    from lect_serve.engines.base import Engine
    from lect_serve.model import Model
    from lect_serve.refusals import Api

    Endpoint = Callable[[Request], Awaitable[ASGIApp]]

LOG = logging.getLogger("lect_serve")
APIS: dict[str, Api] = {"/v1/chat/completions": "chat", "/v1/responses": "responses", "/v1/messages": "messages"}
COUNT = "/v1/messages/count_tokens"
PLACES = f"POST {', '.join(APIS)}. The base URL of clients of OpenAI's APIs ends with /v1, that of Anthropic's does not"


@boundary
def app(settings: Settings, *, model: Model | None = None, engines: Sequence[Engine] | None = None) -> Starlette:
    """Return the server as an ASGI application, for any server of such.

    Args:
        settings: What it is told.
        model: The model, if it is loaded already.
        engines: The engines, if they are not to be found by their addresses.

    Raises:
        UnknownModelError: If no adapter knows the model.
        TokenizerError: If its tokenizer is not here.
    """
    given: object = settings
    if not isinstance(given, Settings):
        raise MessageError(f"settings is {saferepr(given)}; expected Settings\n  try: lect_serve.Settings(MODEL)")
    server = Server(settings, model, engines)
    routes = [Route(path, _answers(server, api), methods=["POST"]) for path, api in APIS.items()]
    routes += [
        Route(COUNT, _endpoint(_count(server), "messages"), methods=["POST"]),
        Route("/v1/responses/{id}", _stored(server), methods=["GET", "DELETE"]),
        Route("/sessions/{key}", _session(server)),
        Route("/v1/models", _models(server)),
        Route("/v1/models/{name:path}", _models(server)),
        Route("/healthz", _health(server)),
        Route("/metrics", _metrics(server)),
        Route("/", _root(server)),
    ]

    if settings.inspect:
        routes += [Route("/inspect", _overview(server)), Route("/inspect/{key}/{number:int}", _picture(server))]
        routes += [Route("/inspect/{key}/{number:int}/{part}", _picture(server))]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await server.start()
        server.recover()
        try:
            yield
        finally:
            await server.stop()

    made = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: _nowhere})
    if settings.origins:
        made.add_middleware(CORSMiddleware, allow_origins=settings.origins, allow_methods=["*"], allow_headers=["*"])
    made.add_middleware(Door, settings=settings)
    made.state.server = server
    return made


class Door:
    """Asks everybody who comes in, whatever the path."""

    def __init__(self, inside: ASGIApp, settings: Settings) -> None:
        self.inside, self.settings = inside, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        if scope["type"] != "http":
            await self.inside(scope, receive, send)
            return
        try:
            admit(self.settings, scope["method"], scope["path"], Headers(scope=scope))
        except LectError as reason:
            await _refusal(api_of(scope["path"]), reason)(scope, receive, send)
            return
        await self.inside(scope, receive, send)


def api_of(path: str) -> Api:
    """Return in which API's words a path is refused."""
    if path.startswith("/v1/messages"):
        return "messages"
    return APIS.get(path, "chat")


def _refusal(api: Api, reason: Exception) -> Response:
    status = status_of(api, getattr(reason, "status", INVALID))
    body = error(api, status, str(reason), getattr(reason, "code", None))
    return Response(body, status, headers=dict(headers_of(reason)), media_type="application/json")


def _endpoint(make: Endpoint, api: Api) -> Endpoint:
    """Return an endpoint that says what is wrong as its API does."""

    async def endpoint(request: Request) -> ASGIApp:
        try:
            return await make(request)
        except LectError as reason:
            refusal = _refusal(api, reason)
            # What the client reads shows what it sent; the log does not.
            LOG.info("%s %d %s", api, refusal.status_code, type(reason).__name__)
            return refusal
        except ClientDisconnect:
            return Response(status_code=INVALID)
        except Exception:
            LOG.exception("%s failed", request.url.path)
            return Response(error(api, FAILED, NO_DETAILS), FAILED, media_type="application/json")

    return endpoint


async def _body(server: Server, request: Request) -> dict[str, Any]:
    return read_json(await read_body(request.stream(), request.headers, server.settings.most_bytes))


def _answers(server: Server, api: Api) -> Endpoint:
    async def answer(request: Request) -> ASGIApp:
        return await server.prepared(api, await _body(server, request), request.headers)

    return _endpoint(answer, api)


def _count(server: Server) -> Endpoint:
    async def count(request: Request) -> ASGIApp:
        return _json({"input_tokens": await server.counted(await _body(server, request))})

    return count


def _models(server: Server) -> Endpoint:
    async def models(request: Request) -> ASGIApp:
        # What both OpenAI's and Anthropic's clients look for.
        name = server.model.name
        about = {
            "id": name, "object": "model", "type": "model", "created": server.started, "owned_by": "lect",
            "display_name": name, "created_at": "1970-01-01T00:00:00Z", "max_model_len": server.can.context,
        }  # fmt: skip
        wanted = request.path_params.get("name")
        if wanted is None:
            return _json({"object": "list", "data": [about], "has_more": False, "first_id": name, "last_id": name})
        if wanted != name:
            message = f"there is no model {wanted!r}; this server has {name!r}"
            return Response(error("chat", MISSING, message), MISSING, media_type="application/json")
        return _json(about)

    return models


def _stored(server: Server) -> Endpoint:
    async def stored(request: Request) -> ASGIApp:
        name, owner = request.path_params["id"], key_of(request.headers)
        found = server.store.get(name, owner)
        if request.method == "GET":
            return _json(found.response)
        server.store.delete(name, owner)
        return _json({"id": name, "object": "response", "deleted": True})

    return _endpoint(stored, "responses")


def _session(server: Server) -> Endpoint:
    async def session(request: Request) -> ASGIApp:
        key = request.path_params["key"]
        lines = [told(line) for line in server.sessions.of(key)]
        if not lines:
            raise RefusedRequestError(f"there is no session {key!r}, or nobody went on with it", status=MISSING)
        return _json({"session": key, "lines": lines})

    return _endpoint(session, "chat")


def _overview(server: Server) -> Endpoint:
    async def overview(_: Request) -> ASGIApp:
        return HTMLResponse(pictures.overview(server.sessions))

    return _endpoint(overview, "chat")


def _picture(server: Server) -> Endpoint:
    async def show(request: Request) -> ASGIApp:
        where = request.path_params
        lines = [line for line in server.sessions.of(where["key"]) if line.number == where["number"]]
        part = where.get("part", "prompt")
        if not lines or part not in ("prompt", "reply"):
            raise RefusedRequestError("there is no such line, or nobody went on with it", status=MISSING)
        return HTMLResponse(pictures.picture(lines[0], part))

    return _endpoint(show, "chat")


def _health(server: Server) -> Endpoint:
    async def health(_: Request) -> ASGIApp:
        seats = server.pool.seats
        up = {"up": sum(seat.is_up for seat in seats), "engines": len(seats)}
        return _json({"status": "ok" if up["up"] else "down", **up}, 200 if up["up"] else OVERLOADED)

    return health


def _metrics(server: Server) -> Endpoint:
    async def metrics(_: Request) -> ASGIApp:
        return PlainTextResponse(server.metrics.text(server.pool))

    return metrics


def _root(server: Server) -> Endpoint:
    async def root(_: Request) -> ASGIApp:
        inspect = "; sessions as pictures: /inspect" if server.settings.inspect else ""
        return PlainTextResponse(f"lect serve: {server.model.name}\n{PLACES}{inspect}\n")

    return root


async def _nowhere(request: Request, error: Any) -> Response:
    """Say what is served to whoever asks for something else: a client with a wrong address, mostly."""
    path = request.url.path
    message = f"{request.method} {saferepr(path)} is not served here. {PLACES}"
    if path.startswith("/inspect"):
        message = "sessions are shown as pictures only with --inspect, in Python Settings(inspect=True)"
    LOG.info("%s %d %s", api_of(path), error.status_code, message)
    refusal = _refusal(api_of(path), RefusedRequestError(message, status=error.status_code))
    refusal.headers.update(error.headers or {})
    return refusal


def _json(value: Any, status: int = 200) -> Response:
    return Response(dumps(value), status, media_type="application/json")
