"""llama.cpp: `/completion` takes ids, and sends one with each chunk, but none while a character is incomplete."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from lect_serve.engines.base import Ask, Piece, Usage
from lect_serve.engines.remote import RemoteEngine

FINISHES = {"eos": "stop", "word": "stop", "limit": "length", "none": "abort"}


class LlamaCpp(RemoteEngine):
    """A llama-server.

    Stops are found here, not there. Where a stop has begun to appear llama.cpp holds back text, but not ids, so that
    text and ids no longer belong together; and of stop ids it knows only those that its vocabulary calls ends.
    """

    kind = "llama.cpp"
    path = "/completion"
    spellings: ClassVar = {"repetition_penalty": "repeat_penalty"}

    def body(self, ask: Ask) -> dict[str, Any]:
        """Return the request; its names are in llama.cpp's `tools/server/server-schema.cpp`."""
        body: dict[str, Any] = {
            "prompt": list(ask.ids),
            "n_predict": ask.max_tokens,  # without an end by default
            "stream": True,
            "return_tokens": True,
            "return_progress": True,  # else nothing says that the engine is alive while it reads a long prompt
            **self.sampling(ask),
        }
        if ask.logprobs:
            body["n_probs"] = 1
        if ask.constraint is not None:
            body["grammar"] = ask.constraint.gbnf()
        return body

    def reader(self, ask: Ask) -> "_Reader":
        """Return what reads the stream of one generation."""
        return _Reader(ask)


class _Reader:
    def __init__(self, ask: Ask) -> None:
        self.over = False
        self._seen = 0
        self._stop_ids = frozenset(ask.stop_ids)
        self._stops = ask.stop
        self._longest = max(map(len, ask.stop), default=1) - 1
        self._tail = ""
        self._stopped: str | int | None = None

    def feed(self, data: Mapping[str, Any]) -> Iterator[Piece]:
        sampled, ended = data.get("tokens_predicted") or 0, bool(data.get("stop"))
        if ended or (self._stopped is not None and sampled > self._seen):
            yield self._last(data, sampled)
            self.over = True
        # Progress in the prompt has an id too, which nobody sampled.
        elif sampled > self._seen:
            yield self._next(data, sampled)

    def _next(self, data: Mapping[str, Any], sampled: int) -> Piece:
        ids, text = data.get("tokens") or [], data.get("content") or ""
        missing, self._seen = sampled - self._seen - len(ids), sampled
        self._look_for_stops(ids, text)
        if missing > 0:
            # The ids of a character's first bytes were not sent; the text of this chunk has the whole character.
            return Piece(ids, text=text, missing=missing)
        logprobs = [each.get("logprob") for each in data.get("completion_probabilities") or ()]
        known = len(logprobs) == len(ids) and None not in logprobs
        return Piece(ids, logprobs=logprobs if known and ids else None)

    def _look_for_stops(self, ids: list[int], text: str) -> None:
        self._stopped = next((each for each in ids if each in self._stop_ids), None)
        if self._stops:
            text = self._tail + text
            found = [(at, stop) for stop in self._stops if (at := text.find(stop)) >= 0]
            if found:
                self._stopped = min(found)[1]
            self._tail = text[-self._longest :] if self._longest else ""

    def _last(self, data: Mapping[str, Any], sampled: int) -> Piece:
        """Return how it ended: as the engine says, or at a stop that only we know, after which it went on."""
        if self._stopped is not None:
            finish, missing, sampled = "stop", 0, self._seen
        else:
            finish, missing = FINISHES.get(data.get("stop_type") or "", "stop"), max(0, sampled - self._seen)
        cached = (data.get("timings") or {}).get("cache_n") or 0
        return Piece(
            missing=missing,
            finish=finish,
            stop=self._stopped,
            usage=Usage(data.get("tokens_evaluated") or 0, sampled, cached),
        )

    def end(self) -> Piece | None:
        return None
