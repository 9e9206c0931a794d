"""SGLang: `/generate` takes ids, and sends in every chunk the new ones, or all since the beginning."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from lect_serve.engines.base import Ask, EngineError, Piece, Usage
from lect_serve.engines.remote import RemoteEngine


class Sglang(RemoteEngine):
    """A server of SGLang; with its `--incremental-streaming-output` a long reply costs less."""

    kind = "sglang"
    path = "/generate"
    spellings: ClassVar = {"seed": "sampling_seed"}
    unlimited = -1

    def body(self, ask: Ask) -> dict[str, Any]:
        """Return the request; see `GenerateReqInput` in SGLang's `srt/managers/io_struct.py`, and `SamplingParams`."""
        sampling: dict[str, Any] = {
            "max_new_tokens": ask.max_tokens,  # 128 by default
            "skip_special_tokens": False,
            "no_stop_trim": True,
            **self.sampling(ask),
        }
        if ask.stop:
            sampling["stop"] = list(ask.stop)
        if ask.stop_ids:
            sampling["stop_token_ids"] = list(ask.stop_ids)
        if ask.constraint is not None:
            sampling["structural_tag"] = json.dumps(ask.constraint.structural_tag())
        body: dict[str, Any] = {"input_ids": list(ask.ids), "sampling_params": sampling, "stream": True}
        if ask.logprobs:
            body["return_logprob"] = True
        if ask.session is not None:
            body["session_id"] = ask.session
        return body

    def reader(self, ask: Ask) -> "_Reader":
        """Return what reads the stream of one generation."""
        return _Reader(self.url)


class _Reader:
    over = False

    def __init__(self, url: str) -> None:
        self._url = url
        self._seen = 0

    def feed(self, data: Mapping[str, Any]) -> Iterator[Piece]:
        meta = data.get("meta_info")
        if not isinstance(meta, Mapping) or "output_ids" not in data:
            raise EngineError(f"the engine at {self._url} sends no token ids, as SGLang's /generate does")
        ids, seen, total = data["output_ids"] or [], self._seen, meta.get("completion_tokens") or 0
        # `completion_tokens` counts from the beginning in both kinds of stream. A chunk that has as many ids has all.
        new = ids[seen:] if len(ids) >= total else ids
        self._seen = max(total, seen + len(new))
        missing = self._seen - seen - len(new)
        finish = meta.get("finish_reason")
        if finish and finish.get("type") == "abort" and finish.get("status_code"):
            raise EngineError(f"the engine at {self._url} gave up: {finish.get('message')}", status=502)
        if not new and not missing and not finish:
            return
        logprobs = [each[0] for each in (meta.get("output_token_logprobs") or ())[-len(new) :]] if new else []
        yield Piece(
            new,
            logprobs=logprobs if len(logprobs) == len(new) and None not in logprobs and new else None,
            missing=missing,
            finish=finish and finish.get("type"),
            stop=finish and finish.get("matched"),
            usage=finish and Usage(meta.get("prompt_tokens") or 0, total, meta.get("cached_tokens") or 0),
        )

    def end(self) -> Piece | None:
        return None
