"""vLLM: `/v1/completions` takes ids and sends the new ones in every chunk."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lect_serve.engines.base import Ask, EngineError, Piece, Usage
from lect_serve.engines.remote import RemoteEngine

CUT_OFF = {"repetition": "length"}
"""A reply that vLLM ends because it goes round in circles is cut off, as one that has become too long is."""


class Vllm(RemoteEngine):
    """A server of vLLM."""

    kind = "vllm"
    path = "/v1/completions"

    def body(self, ask: Ask) -> dict[str, Any]:
        """Return the request; what it is called is in vLLM's `entrypoints/openai/completion/protocol.py`."""
        body: dict[str, Any] = {
            "prompt": list(ask.ids),
            "max_tokens": ask.max_tokens,  # null too would be 16
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_token_ids": True,
            "skip_special_tokens": False,
            **self.sampling(ask),
        }
        if self.about.model is not None:
            body["model"] = self.about.model
        if ask.stop:
            body["stop"] = list(ask.stop)
        if ask.stop_ids:
            body["stop_token_ids"] = list(ask.stop_ids)
        if ask.logprobs:
            body["logprobs"] = 1
        if ask.session is not None:
            body["session_id"] = ask.session
        if ask.constraint is not None:
            body["structured_outputs"] = {"structural_tag": json.dumps(ask.constraint.structural_tag())}
        return body

    def reader(self, ask: Ask) -> "_Reader":
        """Return what reads the stream of one generation."""
        return _Reader(self.url)


class _Reader:
    over = False

    def __init__(self, url: str) -> None:
        self._url = url
        self._finish: str | None = None
        self._stop: str | int | None = None

    def feed(self, data: Mapping[str, Any]) -> Iterator[Piece]:
        for choice in data.get("choices") or ():
            ids = choice.get("token_ids")
            if ids is None:
                raise EngineError(
                    f"the engine at {self._url} sends no token ids\n"
                    "  try: vLLM 0.10.2 or newer, or kind='completions', which reads text"
                )
            if ids:
                yield Piece(ids, logprobs=_logprobs(choice.get("logprobs"), len(ids)))
            if finish := choice.get("finish_reason"):
                self._finish, self._stop = CUT_OFF.get(finish, finish), choice.get("stop_reason")
        usage = data.get("usage")
        # It has a chunk of its own, after the one with the finish reason.
        if usage and self._finish is not None:
            yield Piece(finish=self._finish, stop=self._stop, usage=usage_of(usage))

    def end(self) -> Piece | None:
        return None if self._finish is None else Piece(finish=self._finish, stop=self._stop)


def _logprobs(data: Mapping[str, Any] | None, count: int) -> list[float] | None:
    """Return one number for each id, or None if not all are known."""
    found = (data or {}).get("token_logprobs") or ()
    return list(found) if len(found) == count and None not in found else None


def usage_of(data: Mapping[str, Any]) -> Usage:
    """Return what OpenAI's `usage` says; vLLM says what was cached only with --enable-prompt-tokens-details."""
    details = data.get("prompt_tokens_details") or {}
    return Usage(data.get("prompt_tokens") or 0, data.get("completion_tokens") or 0, details.get("cached_tokens") or 0)
