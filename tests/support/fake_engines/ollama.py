"""A fake Ollama: `api/types.go`, `GenerateHandler` in `server/routes.go`, `llm/llama_server.go`."""

import json

from starlette.responses import JSONResponse

from fake_engines.base import FakeEngine, answering


class FakeOllama(FakeEngine):
    """Sends text in lines of JSON, without control tokens.

    Args:
        thinks: Whether it holds the model for one that thinks, and takes thoughts out unless it is told not to.
        models: What it has.
        loaded: Whether the model is loaded: only then its context is known.
    """

    path = "/api/generate"
    media_type = "application/x-ndjson"

    def __init__(self, *args, thinks=True, models=None, loaded=True, **others):
        super().__init__(*args, **others)
        self.thinks, self.models, self.loaded = thinks, models or [self.model], loaded

    def routes(self):
        return [
            answering("/api/version", lambda: {"version": "0.40.0"}),
            answering("/api/tags", lambda: {"models": [{"name": name, "model": name} for name in self.models]}),
            answering("/api/ps", lambda: {"models": self.running_models()}),
            answering("/v1/models", lambda: {"object": "list", "data": [{"id": name} for name in self.models]}),
        ]

    def running_models(self):
        """Return what `/api/ps` lists."""
        return [{"name": self.model, "context_length": self.context}] if self.loaded else []

    def prompt(self, asked):
        # parse_special: text of control tokens becomes control tokens
        return asked["prompt"], self.tokenizer.encode(asked["prompt"], add_special_tokens=False).ids

    def refusal(self, asked, count):
        if asked["model"] not in self.models:
            return JSONResponse({"error": f"model '{asked['model']}' not found"}, 404)
        if not asked.get("raw"):
            return JSONResponse({"error": "this fake knows raw prompts only"}, 400)
        if asked.get("template") or asked.get("system") or asked.get("context"):
            return JSONResponse({"error": "raw mode does not support template, system, or context"}, 400)
        if count >= self.context and asked.get("truncate") is False:
            inner = f"request ({count} tokens) exceeds the available context size ({self.context} tokens), try increasing it"
            return JSONResponse({"error": json.dumps({"error": {"code": 400, "message": inner}})}, 400)
        return None

    def events(self, asked, reply, ids):
        options = asked.get("options") or {}
        sampled, finish, _ = self.sampled(reply, options.get("num_predict", -1), stops=options.get("stop") or ())
        named = {"model": asked["model"], "created_at": "2026-08-21T00:00:00Z"}
        thinks, text = self.thinks and asked.get("think", True), ""
        for count in range(1, len(sampled) + 1):
            whole = self.tokenizer.decode(sampled[:count], skip_special_tokens=True)
            if whole.endswith("\ufffd"):
                continue
            new, text = whole[len(text) :], whole
            for stop in options.get("stop") or ():
                new = new.partition(stop)[0]
            if new:
                thinking = thinks and "<think>" in whole and "</think>" not in whole
                yield (
                    count,
                    row(
                        named
                        | {"response": "" if thinking else new, "done": False}
                        | ({"thinking": new} if thinking else {})
                    ),
                )
        last = {
            "response": "",
            "done": True,
            "done_reason": finish,
            "prompt_eval_count": len(ids),
            "eval_count": len(sampled),
        }
        yield len(sampled), row(named | last)

    def busy(self, status):
        return JSONResponse({"error": "server busy, please try again.  maximum pending requests exceeded"}, status)

    def failure(self):
        return row({"error": "model runner has unexpectedly stopped"})


def row(data):
    """Return a line."""
    return json.dumps(data).encode() + b"\n"
