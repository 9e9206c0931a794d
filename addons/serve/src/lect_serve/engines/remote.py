"""What all engines behind an address have in common: a request is opened, its stream is read, and it is closed."""

import asyncio
import json
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, ClassVar, Protocol

import httpx

from lect_serve.engines import wire
from lect_serve.engines.base import About, Ask, ContextTooLongError, EngineError, Piece

HEALTH_SECONDS = 5.0
MOST_SHOWN = 500
BUSY = (429, 503)
"""The statuses with which engines say that they have no room now, or that their model is still being loaded."""


class Reader(Protocol):
    """What is known of one generation while its stream is read: an engine itself keeps nothing of any generation."""

    over: bool
    """Whether nothing more is wanted: then the connection is closed, and the engine stops."""

    def feed(self, data: Mapping[str, Any]) -> Iterable[Piece]:
        """Return what an object of the stream means."""
        ...

    def end(self) -> Piece | None:
        """Return the last piece if the stream has said how it finished, and not in its last object; else None."""
        ...


class RemoteEngine(ABC):
    """An engine that is asked by HTTP.

    Attributes:
        url: Its address, without `/v1`.
        about: What it said of itself.
        takes_ids: Whether ids go up and come back.
        constrains: Whether it takes a constraint.
    """

    kind: ClassVar[str]
    path: ClassVar[str]
    health: ClassVar[str] = "/health"
    spellings: ClassVar[Mapping[str, str]] = {}
    """What the engine calls a sampling parameter of Chat Completions, where it has another name for it."""
    unlimited: ClassVar[int] = 0
    """The `top_k` with which the engine samples from the whole vocabulary."""
    takes_ids: bool = True
    constrains: bool = True

    def __init__(self, client: httpx.AsyncClient, url: str, about: About | None = None) -> None:
        self._client = client
        self.url = base_of(url)
        self.about = about or About(self.kind)

    @abstractmethod
    def body(self, ask: Ask) -> dict[str, Any]:
        """Return the request for a generation."""

    def parse(self, lines: Iterable[bytes]) -> wire.Parsed:
        """Return the objects in lines of the stream, and whether it has said that it ends."""
        return wire.events(lines)

    @abstractmethod
    def reader(self, ask: Ask) -> Reader:
        """Return what reads the stream of one generation."""

    async def generate(self, ask: Ask) -> AsyncGenerator[list[Piece], None]:
        """Run one generation; to close the iterator closes the connection, which makes the engine stop.

        Raises:
            EngineError: If the engine cannot be reached, refuses, or breaks off.
        """
        # To write a constraint takes long.
        body = self.body(ask) if ask.constraint is None else await asyncio.to_thread(self.body, ask)
        reader, finished = self.reader(ask), False
        async with self._opened(body) as response, aclosing(self._read(response)) as batches:
            async for found in batches:
                pieces: list[Piece] = []
                for data in found:
                    if error := data.get("error"):
                        raise self._refusal(_status_of(error), data)
                    pieces += reader.feed(data)
                if not finished:
                    yield pieces
                    finished = any(piece.finish for piece in pieces)
                if reader.over:
                    return
        if not finished:
            if (last := reader.end()) is None:
                raise EngineError(f"the engine at {self.url} ended its stream without a finish reason")
            yield [last]

    async def healthy(self) -> bool:
        """Return whether the engine answers."""
        with suppress(httpx.HTTPError):
            response = await self._client.get(self.url + self.health, timeout=HEALTH_SECONDS)
            return response.is_success
        return False

    def sampling(self, ask: Ask) -> dict[str, Any]:
        """Return how to sample in the words of the engine: only what was asked, so that its own defaults stay."""
        named = dict(ask.sampling)
        if named.get("top_k", 1) <= 0:
            named["top_k"] = self.unlimited
        return {self.spellings.get(name, name): value for name, value in named.items()}

    @asynccontextmanager
    async def _opened(self, body: dict[str, Any]) -> AsyncIterator[httpx.Response]:
        request = self._client.build_request(
            "POST", self.url + self.path, json=body, headers={"accept-encoding": "identity"}
        )
        try:
            response = await self._client.send(request, stream=True)
        except httpx.TransportError as error:
            raise unreachable(self.url, error) from error
        try:
            if not response.is_success:
                raise self._refusal(response.status_code, await _json_of(response))
            yield response
        finally:
            await response.aclose()

    async def _read(self, response: httpx.Response) -> AsyncGenerator[list[dict[str, Any]], None]:
        try:
            async with aclosing(wire.batches(response.aiter_raw(), self.parse)) as batches:
                async for found in batches:
                    yield found
        except httpx.TransportError as error:
            raise EngineError(f"the engine at {self.url} broke off: {_said(error)}") from error

    def _refusal(self, status: int, data: Any) -> EngineError:
        """Return the error for what an engine says instead of an answer."""
        text, numbers = _message_of(data), _numbers_of(data)
        if numbers is not None:
            return ContextTooLongError(
                f"the engine at {self.url} refuses: {text}", prompt=numbers[0], context=numbers[1]
            )
        if status in BUSY:
            return EngineError(f"the engine at {self.url} is not ready: {text}", status=503, retry=True)
        if status in (401, 403):
            return EngineError(f"the engine at {self.url} refuses the key of this server: {text}")
        # What is wrong with a request, such as a grammar, its sender can mend; a missing path or model he cannot.
        fault = status if status in (400, 422) else 502
        return EngineError(f"the engine at {self.url} answers {status}: {text}", status=fault)


def base_of(url: str) -> str:
    """Return an engine's address as people write it, with or without the `/v1` of OpenAI's API, without it."""
    return url.rstrip("/").removesuffix("/v1")


def unreachable(url: str, error: Exception) -> EngineError:
    """Return the error for an engine that does not answer; nothing was generated, so another one may be asked."""
    return EngineError(f"the engine at {url} cannot be reached: {_said(error)}", retry=True)


def _said(error: Exception) -> str:
    # Some errors of httpx have no text.
    return str(error) or type(error).__name__


async def _json_of(response: httpx.Response) -> Any:
    text = (await response.aread()).decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


def _status_of(error: Any) -> int:
    """Return the status of an error that came in a stream, which has had its own status long before."""
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 502


def _message_of(data: Any) -> str:
    """Return what an error says, in whichever shape: text, `message`, `detail`, or `error` around one of them."""
    while isinstance(data, Mapping):
        known = [data[key] for key in ("error", "message", "detail") if data.get(key)]
        if not known:
            break
        data = known[0]
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return text[:MOST_SHOWN]


_Found = Callable[[re.Match[str]], tuple[int | None, int | None]]
# How engines say that a context is too short, and what their numbers are: the prompt, the context.
_TOO_LONG: tuple[tuple[str, _Found], ...] = (
    # vLLM, renderers/params.py
    (
        r"maximum context length is (\d+) tokens.*?prompt contains (?:at least )?(\d+) input tokens",
        lambda found: (int(found[2]), int(found[1])),
    ),
    # vLLM, entrypoints/serve/utils/api_utils.py
    (
        r"Input length \((\d+)\) exceeds model's maximum context length \((\d+)\)",
        lambda found: (int(found[1]), int(found[2])),
    ),
    # SGLang, srt/managers/tokenizer_manager.py, both
    (
        r"The input \((\d+) tokens\) is longer than the model's context length \((\d+) tokens\)",
        lambda found: (int(found[1]), int(found[2])),
    ),
    (
        r"maximum context length of (\d+) tokens.*?: (\d+) tokens from the input messages",
        lambda found: (int(found[2]), int(found[1])),
    ),
    # llama.cpp, tools/server/server-context.cpp; Ollama passes it on
    (
        r"request \((\d+) tokens\) exceeds the available context size \((\d+)",
        lambda found: (int(found[1]), int(found[2])),
    ),
    # OpenAI's API
    (
        r"maximum context length is (\d+) tokens.*?\((\d+) in (?:your prompt|the messages)",
        lambda found: (int(found[2]), int(found[1])),
    ),
    # Ollama, llm/llama_server.go
    (r"the prompt is longer than the context length", lambda _: (None, None)),
)


def _numbers_of(data: Any) -> tuple[int | None, int | None] | None:
    """Return how long prompt and context are, if an error says that the one does not fit into the other."""
    error = data.get("error", data) if isinstance(data, Mapping) else data
    if isinstance(error, Mapping) and error.get("type") == "exceed_context_size_error":
        return error.get("n_prompt_tokens"), error.get("n_ctx")
    text = _message_of(data)
    for pattern, numbers in _TOO_LONG:
        if found := re.search(pattern, text, re.DOTALL):
            return numbers(found)
    if isinstance(error, Mapping) and error.get("code") == "context_length_exceeded":
        return None, None
    return None
