"""A fake server of OpenAI's completions API that takes and sends text: platform.openai.com/docs/api-reference."""

from starlette.responses import JSONResponse

from fake_engines.base import FakeEngine, answering
from fake_engines.vllm import line


class FakeCompletions(FakeEngine):
    """Sends text without control tokens."""

    path = "/v1/completions"

    def routes(self):
        return [answering("/v1/models", lambda: {"object": "list", "data": [{"id": self.model, "object": "model"}]})]

    def prompt(self, asked):
        return asked["prompt"], self.tokenizer.encode(asked["prompt"], add_special_tokens=False).ids

    def refusal(self, asked, count):
        most = asked.get("max_tokens", 16)
        if count + most <= self.context:
            return None
        text = (
            f"This model's maximum context length is {self.context} tokens, however you requested {count + most} tokens"
            f" ({count} in your prompt; {most} for the completion). Please reduce your prompt; or completion length."
        )
        error = {"message": text, "type": "invalid_request_error", "param": None, "code": "context_length_exceeded"}
        return JSONResponse({"error": error}, 400)

    def events(self, asked, reply, ids):
        named = {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": asked.get("model")}
        sampled, finish, _ = self.sampled(reply, asked.get("max_tokens", 16), stops=asked.get("stop") or ())
        text = ""
        for count in range(1, len(sampled) + 1):
            whole = self.tokenizer.decode(sampled[:count], skip_special_tokens=True)
            last = count == len(sampled)
            if whole.endswith("\ufffd") and not last:
                continue
            new, text = whole[len(text) :], whole
            for stop in asked.get("stop") or ():
                new = new.partition(stop)[0]
            choice = {"index": 0, "text": new, "logprobs": None, "finish_reason": finish if last else None}
            yield count, line(named | {"choices": [choice]})
        if (asked.get("stream_options") or {}).get("include_usage"):
            usage = {
                "prompt_tokens": len(ids),
                "completion_tokens": len(sampled),
                "total_tokens": len(ids) + len(sampled),
            }
            yield len(sampled), line(named | {"choices": [], "usage": usage})
        yield len(sampled), b"data: [DONE]\n\n"

    def failure(self):
        return line({"error": {"message": "The server had an error", "type": "server_error", "code": None}})
