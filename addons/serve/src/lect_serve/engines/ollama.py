"""Ollama: `/api/generate` takes a prompt as text and sends text; no ids, in either direction."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from lect_serve.engines import wire
from lect_serve.engines.base import Ask, EngineError, Piece, Usage
from lect_serve.engines.remote import RemoteEngine


class Ollama(RemoteEngine):
    """A server of Ollama."""

    kind = "ollama"
    path = "/api/generate"
    health = "/api/version"
    spellings: ClassVar = {"repetition_penalty": "repeat_penalty"}
    takes_ids = False
    constrains = False

    def body(self, ask: Ask) -> dict[str, Any]:
        """Return the request; see `GenerateRequest` in Ollama's `api/types.go`, and its `GenerateHandler`."""
        options: dict[str, Any] = {"num_predict": ask.max_tokens, **self.sampling(ask)}
        if stops := [*ask.stop, *ask.stop_texts]:
            options["stop"] = stops
        return {
            "model": self.about.model,
            "prompt": ask.text,
            "stream": True,
            "raw": True,
            "options": options,
            # By default a prompt that is too long is cut in silence, and so is its beginning while the reply grows.
            "truncate": False,
            "shift": False,
            # By default a model that can think has its thoughts taken out of the text, in raw mode too.
            "think": False,
        }

    def parse(self, lines: Iterable[bytes]) -> wire.Parsed:
        """Return the objects in lines of the stream, which ends with its connection."""
        return wire.rows(lines)

    def reader(self, ask: Ask) -> "_Reader":
        """Return what reads the stream of one generation."""
        return _Reader(self.url)


class _Reader:
    over = False

    def __init__(self, url: str) -> None:
        self._url = url

    def feed(self, data: Mapping[str, Any]) -> Iterator[Piece]:
        if data.get("thinking"):
            raise EngineError(f"Ollama at {self._url} takes thoughts out of the text\n  try: a newer Ollama")
        if text := data.get("response"):
            yield Piece(text=text)
        if data.get("done"):
            usage = Usage(data.get("prompt_eval_count") or 0, data.get("eval_count") or 0)
            yield Piece(finish=data.get("done_reason") or "abort", usage=usage)

    def end(self) -> Piece | None:
        return None
