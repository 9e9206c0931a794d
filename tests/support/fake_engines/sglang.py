"""A fake SGLang: `python/sglang/srt/entrypoints/http_server.py`, `srt/managers/{io_struct,tokenizer_manager}.py`."""

from fake_engines.base import FakeEngine, answering, health
from fake_engines.vllm import line


class FakeSglang(FakeEngine):
    """Sends everything so far in each chunk, unless `incremental` (`--incremental-streaming-output`)."""

    path = "/generate"

    def __init__(self, *args, incremental=False, interval=1, **others):
        self.incremental, self.interval = incremental, interval
        super().__init__(*args, **others)

    def routes(self):
        card = {"id": self.model, "object": "model", "owned_by": "sglang", "max_model_len": self.context}
        return [
            answering("/model_info", lambda: {"model_path": self.model, "is_generation": True}),
            answering("/v1/models", lambda: {"object": "list", "data": [card]}),
            health(self),
        ]

    def prompt(self, asked):
        ids = asked["input_ids"]
        return self.tokenizer.decode(ids, skip_special_tokens=False), ids

    def events(self, asked, reply, ids):
        sampling = asked.get("sampling_params") or {}
        most = sampling.get("max_new_tokens", 128)
        if text := self.too_long(len(ids), most):
            # The stream has begun, with status 200, before the request is looked at.
            yield (
                0,
                line({"error": {"message": text, "type": "invalid_request_error", "code": 400, "retryable": False}}),
            )
            yield 0, b"data: [DONE]\n\n"
            return
        sampled, finish, reason = self.sampled(
            reply, most, sampling.get("stop_token_ids") or (), sampling.get("stop") or ()
        )
        for start in range(0, len(sampled), self.interval):
            end = min(start + self.interval, len(sampled))
            shown = sampled[start:end] if self.incremental else sampled[:end]
            ended = {"type": finish, **({"matched": reason or self.eos_id} if finish == "stop" else {"length": most})}
            meta = {
                "id": "1",
                "finish_reason": ended if end == len(sampled) else None,
                "prompt_tokens": len(ids),
                "completion_tokens": end,
                "cached_tokens": reply.cached,
                "reasoning_tokens": 0,
            }
            if asked.get("return_logprob"):
                meta["output_token_logprobs"] = [[-each / 2**20, each, None] for each in shown]
            text = self.tokenizer.decode(shown, skip_special_tokens=sampling.get("skip_special_tokens", True))
            yield end, line({"text": text, "output_ids": list(shown), "meta_info": meta})
        yield len(sampled), b"data: [DONE]\n\n"

    def too_long(self, count, most):
        """Return what `_validate_one_request` says of a prompt that is too long."""
        if count >= self.context:
            return f"The input ({count} tokens) is longer than the model's context length ({self.context} tokens)."
        if count + most > self.context:
            return (
                f"Requested token count exceeds the model's maximum context length of {self.context} tokens. You"
                f" requested a total of {count + most} tokens: {count} tokens from the input messages and {most} tokens"
                " for the completion. Please reduce the number of tokens in the input messages or the completion to fit"
                " within the limit."
            )
        return None

    def failure(self):
        error = {"message": "the scheduler died", "type": "invalid_request_error", "code": 500, "retryable": False}
        return line({"error": error}) + b"data: [DONE]\n\n"
