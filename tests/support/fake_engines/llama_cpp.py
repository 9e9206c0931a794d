"""A fake llama-server: `tools/server/{server-schema,server-task,server-context,server-common}.cpp`."""

from starlette.responses import JSONResponse

from fake_engines.base import FakeEngine, answering, health
from fake_engines.vllm import line

INCOMPLETE = "\ufffd"


class FakeLlamaCpp(FakeEngine):
    """Sends a chunk with one id and its text, but none while a character is incomplete."""

    path = "/completion"

    def __init__(self, *args, slots=4, **others):
        self.slots = slots
        super().__init__(*args, **others)

    def routes(self):
        props = {
            "default_generation_settings": {"params": {}, "n_ctx": self.context},
            "total_slots": self.slots,
            "model_alias": self.model,
            "model_path": f"/models/{self.model}.gguf",
        }
        card = {"id": self.model, "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx_train": self.context}}
        return [
            answering("/props", lambda: props),
            answering("/v1/models", lambda: {"object": "list", "data": [card]}),
            health(self),
        ]

    def refusal(self, asked, count):
        if count < self.context:
            return None
        text = f"request ({count} tokens) exceeds the available context size ({self.context} tokens), try increasing it"
        error = {"code": 400, "message": text, "type": "exceed_context_size_error"}
        return JSONResponse({"error": error | {"n_prompt_tokens": count, "n_ctx": self.context}}, 400)

    def events(self, asked, reply, ids):
        # send_partial_response: a chunk of progress has the id of a token that nobody sampled
        if asked.get("return_progress"):
            progress = {"total": len(ids), "cache": reply.cached, "processed": len(ids), "time_ms": 1}
            yield 0, line(self.partial("", 0, 0, ids) | {"prompt_progress": progress})
        # of stop ids it knows only those of its vocabulary
        sampled, finish, _ = self.sampled(reply, asked.get("n_predict", -1))
        sent, text = 0, ""
        for count, each in enumerate(sampled, 1):
            # special = false: the text of control tokens is left out
            whole = self.tokenizer.decode(sampled[:count], skip_special_tokens=True)
            if whole.endswith(INCOMPLETE):
                continue
            chunk = self.partial(whole[len(text) :], each, count, ids)
            if asked.get("n_probs"):
                chunk["completion_probabilities"] = [{"id": each, "logprob": -each / 2**20, "top_logprobs": []}]
            sent, text = count, whole
            yield sent, line(chunk)
        last = {
            "index": 0, "content": "", "tokens": [], "id_slot": 0, "stop": True, "model": self.model,
            "tokens_predicted": len(sampled), "tokens_evaluated": len(ids), "truncated": False,
            "stop_type": "eos" if finish == "stop" else "limit", "stopping_word": "", "tokens_cached": len(ids),
            "timings": {"cache_n": reply.cached, "prompt_n": len(ids) - reply.cached, "predicted_n": len(sampled)},
        }  # fmt: skip
        yield len(sampled), line(last)

    def partial(self, content, token, count, ids):
        """Return a chunk as `to_json_non_oaicompat` makes it."""
        return {
            "index": 0, "content": content, "tokens": [token], "stop": False, "id_slot": 0, "tokens_predicted": count,
            "tokens_evaluated": len(ids),
        }  # fmt: skip

    def busy(self, status):
        error = {"code": status, "message": "Loading model", "type": "unavailable_error"}
        return JSONResponse({"error": error}, status)

    def failure(self):
        return line({"error": {"code": 500, "message": "Context size has been exceeded.", "type": "server_error"}})
