"""A fake vLLM: `vllm/entrypoints/openai/completion/{protocol,serving}.py`."""

import json

from starlette.responses import JSONResponse

from fake_engines.base import FakeEngine, answering, health


class FakeVllm(FakeEngine):
    """Sends the new ids of each chunk, and usage in a chunk without choices.

    Args:
        interval: How many tokens a chunk has: `--stream-interval`.
        details: Whether it says what was cached: `--enable-prompt-tokens-details`.
        with_ids: Whether it knows `return_token_ids`, as since 0.10.2.
    """

    path = "/v1/completions"

    def __init__(self, *args, interval=1, details=True, with_ids=True, **others):
        self.interval, self.details, self.with_ids = interval, details, with_ids
        super().__init__(*args, **others)

    def routes(self):
        # serve/instrumentator/basic.py; ModelCard in openai/engine/protocol.py
        card = {
            "id": self.model,
            "object": "model",
            "owned_by": "vllm",
            "root": self.model,
            "max_model_len": self.context,
        }
        return [
            answering("/version", lambda: {"version": "0.32.0"}),
            answering("/v1/models", lambda: {"object": "list", "data": [card]}),
            health(self),
        ]

    def refusal(self, asked, count):
        # renderers/params.py, _token_len_check
        most = asked.get("max_tokens") or 16
        if count + most <= self.context:
            return None
        text = (
            f"This model's maximum context length is {self.context} tokens. However, you requested {most} output tokens"
            f" and your prompt contains {count} input tokens, for a total of {count + most} tokens. Please reduce the"
            " length of the input prompt or the number of requested output tokens."
        )
        error = {"message": text, "type": "BadRequestError", "param": "input_tokens", "code": 400}
        return JSONResponse({"error": error}, 400)

    def events(self, asked, reply, ids):
        # completion_stream_generator in serving.py
        named = {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": asked.get("model") or self.model}
        # StopParam; max_tokens is 16 where it is not given, or null
        stops = asked.get("stop") or []
        sampled, finish, reason = self.sampled(
            reply, asked.get("max_tokens") or 16, asked.get("stop_token_ids") or (), stops
        )
        for start in range(0, len(sampled), self.interval):
            new = sampled[start : start + self.interval]
            last = start + self.interval >= len(sampled)
            choice = {
                "index": 0,
                "text": self.tokenizer.decode(new, skip_special_tokens=asked.get("skip_special_tokens", True)),
                "finish_reason": finish if last else None,
                "stop_reason": reason if last else None,
            }
            if asked.get("return_token_ids") and self.with_ids:
                choice["token_ids"] = list(new)
                if not start:
                    choice["prompt_token_ids"] = ids
            if asked.get("logprobs") is not None:
                choice["logprobs"] = {
                    "text_offset": [], "token_logprobs": [-each / 2**20 for each in new], "tokens": [], "top_logprobs": [],
                }  # fmt: skip
            yield start + len(new), line(named | {"choices": [choice]})
        if (asked.get("stream_options") or {}).get("include_usage"):
            usage = {
                "prompt_tokens": len(ids),
                "total_tokens": len(ids) + len(sampled),
                "completion_tokens": len(sampled),
            }
            if self.details:
                usage["prompt_tokens_details"] = {"cached_tokens": reply.cached}
            yield len(sampled), line(named | {"choices": [], "usage": usage})
        yield len(sampled), b"data: [DONE]\n\n"

    def failure(self):
        error = {"message": "Internal server error", "type": "InternalServerError", "param": None, "code": 500}
        return line({"error": error}) + b"data: [DONE]\n\n"


def line(data):
    """Return an event."""
    return b"data: " + json.dumps(data).encode() + b"\n\n"
