"""Which engine answers at an address, and what it says of itself."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

import httpx

from lect_serve.engines.base import About, Engine, EngineError
from lect_serve.engines.completions import Completions
from lect_serve.engines.llama_cpp import LlamaCpp
from lect_serve.engines.ollama import Ollama
from lect_serve.engines.remote import RemoteEngine, base_of, unreachable
from lect_serve.engines.sglang import Sglang
from lect_serve.engines.vllm import Vllm

SECONDS = 10.0
"""How long an engine may take to say what it is; one that is reading a long prompt may be slow."""
MODELS = "/v1/models"
MOST_PORTS = 65535


class Answer:
    """What came back for a path: a status and JSON, or an error.

    Attributes:
        data: The JSON object; empty if there was none.
        error: The error, if nothing answered.
    """

    def __init__(self, response: httpx.Response | None = None, error: Exception | None = None) -> None:
        self.error = error
        self.data: Mapping[str, Any] = {}
        self._status = response.status_code if response is not None else None
        if response is not None and response.is_success:
            try:
                found = response.json()
            except ValueError:
                found = None
            self.data = found if isinstance(found, Mapping) else {}

    def __str__(self) -> str:
        if self.error is not None:
            return str(self.error) or type(self.error).__name__
        return f"{self._status}" if self._status != 200 or self.data else "no JSON object"


class Asked:
    """What an address said, by path."""

    def __init__(self, client: httpx.AsyncClient, base: str, model: str | None) -> None:
        self._client, self.base, self.model = client, base, model
        self.answers: dict[str, Answer] = {}

    async def ask(self, *paths: str) -> None:
        """Ask for several paths at once."""
        answers = await asyncio.gather(*(self._answer(path) for path in paths))
        self.answers.update(zip(paths, answers, strict=True))

    async def _answer(self, path: str) -> Answer:
        try:
            return Answer(await self._client.get(self.base + path, timeout=SECONDS))
        except httpx.HTTPError as error:
            return Answer(error=error)

    def get(self, path: str) -> Mapping[str, Any]:
        """Return the JSON object at a path; an empty one if there is none."""
        return self.answers[path].data if path in self.answers else {}

    def rows(self, path: str, name: str) -> list[Mapping[str, Any]]:
        """Return a list of objects in the object at a path."""
        found = self.get(path).get(name)
        return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []

    def served(self) -> Mapping[str, Any]:
        """Return the model of the name that was given, or the first: adapters stand after their model."""
        models = self.rows(MODELS, "data")
        named = [each for each in models if self.model in (None, each.get("id"))]
        return named[0] if named else {}


def checked(url: str) -> str:
    """Return an engine's address without `/v1`.

    Raises:
        EngineError: If it is no address.
    """
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL()
    if parsed.scheme not in ("http", "https") or not parsed.host or (parsed.port or 0) > MOST_PORTS:
        raise EngineError(
            f"{url!r} is not an engine's address\n  try: http://127.0.0.1:8000, or echo, the model inside", status=400
        )
    return base_of(url)


async def _of_models(kind: str, asked: Asked) -> About:
    found = asked.served()
    return About(kind, asked.model or found.get("id"), found.get("max_model_len"))


async def _of_props(kind: str, asked: Asked) -> About:
    props = asked.get("/props")
    # The context is that of each slot, not of all together.
    settings = props.get("default_generation_settings") or {}
    name = asked.model or asked.served().get("id") or props.get("model_alias")
    return About(kind, name, settings.get("n_ctx"), props.get("total_slots"))


async def _of_ollama(kind: str, asked: Asked) -> About:
    await asked.ask("/api/tags", "/api/ps")
    names = [each.get("name") for each in asked.rows("/api/tags", "models")]
    if asked.model is None and len(names) != 1:
        if not names:
            raise EngineError(f"Ollama at {asked.base} has no model\n  try: ollama pull MODEL")
        known = ", ".join(map(str, names))
        raise EngineError(f"Ollama at {asked.base} has several models: {known}\n  try: engine_model='{names[0]}'")
    name = asked.model or names[0]
    # Only a model that is loaded has a context: before, it depends on the memory that will be free.
    loaded = [each for each in asked.rows("/api/ps", "models") if each.get("name") == name]
    return About(kind, name, loaded[0].get("context_length") if loaded else None)


class Kind(NamedTuple):
    """How an engine is recognised: by what it says at a path of its own."""

    engine: type[RemoteEngine]
    path: str
    sign: str
    """What the object at that path has."""
    facts: Callable[[str, Asked], Awaitable[About]]


_KINDS = {
    each.engine.kind: each
    for each in (
        Kind(Vllm, "/version", "version", _of_models),
        Kind(Sglang, "/model_info", "model_path", _of_models),
        Kind(LlamaCpp, "/props", "default_generation_settings", _of_props),
        Kind(Ollama, "/api/version", "version", _of_ollama),
        Kind(Completions, MODELS, "data", _of_models),
    )
}
KINDS = tuple(_KINDS)
"""The engines that are known; each sign is looked for in this order."""


async def recognise(client: httpx.AsyncClient, url: str, kind: str | None = None, model: str | None = None) -> Engine:
    """Return the engine at an address.

    Args:
        client: What asks; its headers carry the engine's key.
        url: The address, with or without `/v1`.
        kind: One of `KINDS`, where it is known: a proxy may not pass on what it would be recognised by.
        model: The model's name at the engine, where it has several.

    Raises:
        EngineError: If nothing answers, or nothing that is known.
    """
    if kind is not None and kind not in _KINDS:
        raise EngineError(f"there is no kind of engine {kind!r}\n  try: one of {', '.join(KINDS)}", status=400)
    asked = Asked(client, checked(url), model)
    await asked.ask(*dict.fromkeys([each.path for name, each in _KINDS.items() if kind in (None, name)] + [MODELS]))
    errors = [answer.error for answer in asked.answers.values() if answer.error is not None]
    if len(errors) == len(asked.answers):
        raise unreachable(asked.base, errors[0])
    found = kind or next((name for name, each in _KINDS.items() if each.sign in asked.get(each.path)), None)
    if found is None:
        answers = "; ".join(f"GET {path}: {answer}" for path, answer in asked.answers.items())
        raise EngineError(
            f"no engine is recognised at {asked.base}\n"
            f"  asked: {answers}\n"
            f"  try: kind='{KINDS[0]}', or one of {', '.join(KINDS[1:])}, if it is one of them behind a proxy"
        )
    chosen = _KINDS[found]
    return chosen.engine(client, asked.base, await chosen.facts(found, asked))
