"""Any server with OpenAI's `/v1/completions`: text up and text down, since only text is sure to be understood."""

from collections.abc import Iterator, Mapping
from typing import Any

from lect_serve.engines.base import Ask, Piece
from lect_serve.engines.remote import RemoteEngine
from lect_serve.engines.vllm import usage_of

FINISHES = {"content_filter": "abort"}


class Completions(RemoteEngine):
    """A server of which no more is known than that it completes text."""

    kind = "completions"
    path = "/v1/completions"
    health = "/v1/models"
    takes_ids = False
    constrains = False

    def body(self, ask: Ask) -> dict[str, Any]:
        """Return the request, with nothing that OpenAI's API does not have, unless it was asked for."""
        body: dict[str, Any] = {
            "model": self.about.model,
            "prompt": ask.text,
            "max_tokens": ask.max_tokens,  # 16 by default
            "stream": True,
            "stream_options": {"include_usage": True},
            **self.sampling(ask),
        }
        if stops := [*ask.stop, *ask.stop_texts]:
            body["stop"] = stops
        return body

    def reader(self, ask: Ask) -> "_Reader":
        """Return what reads the stream of one generation."""
        return _Reader()


class _Reader:
    over = False

    def __init__(self) -> None:
        self._finish: str | None = None

    def feed(self, data: Mapping[str, Any]) -> Iterator[Piece]:
        for choice in data.get("choices") or ():
            if text := choice.get("text"):
                yield Piece(text=text)
            if finish := choice.get("finish_reason"):
                self._finish = FINISHES.get(finish, finish)
        usage = data.get("usage")
        if usage and self._finish is not None:
            yield Piece(finish=self._finish, usage=usage_of(usage))

    def end(self) -> Piece | None:
        return None if self._finish is None else Piece(finish=self._finish)
