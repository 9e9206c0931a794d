"""A server with engines that do as they are told, in this process or behind a socket."""

import json
from contextlib import contextmanager

import pytest

import lect
from lect.registry.registry import Registry
from lect_serve import Settings, app
from lect_serve.engines.base import About, EngineError, Piece, Usage
from lect_serve.model import load

MODEL = "Qwen/Qwen3-8B"


@pytest.fixture
def registry(monkeypatch):
    fresh = Registry(environ={})
    monkeypatch.setattr(lect, "_registry", fresh)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return fresh


class Scripted:
    """An engine that says what a script says: texts and ids, errors, and functions that it waits for.

    Attributes:
        asked: What it was asked, in order.
        ended: How many generations have come to an end, of whatever kind.
    """

    takes_ids = constrains = True

    def __init__(self, model, *answers, url="scripted", context=None, slots=None):
        self.url, self.model, self.answers = url, model, list(answers)
        self.about = About("scripted", model.name, context, slots)
        self.asked, self.ended, self.is_well = [], 0, True

    def ids(self, text):
        from lect.addon import encoder_of

        return list(encoder_of(self.model.tokenizer).whole(text).ids)

    async def generate(self, ask):
        self.asked.append(ask)
        steps = self.answers[min(len(self.asked), len(self.answers)) - 1]
        sampled = 0
        try:
            for step in [steps] if isinstance(steps, str) else steps:
                if isinstance(step, Exception):
                    raise step
                if callable(step):
                    await step()
                    continue
                ids = self.ids(step) if isinstance(step, str) else step
                sampled += len(ids)
                yield [Piece(ids=ids, logprobs=[-0.5] * len(ids))]
            yield [Piece(finish="stop", usage=Usage(len(ask.ids), sampled, 3))]
        finally:
            self.ended += 1

    async def healthy(self):
        return self.is_well


@pytest.fixture(scope="session")
def model():
    return load(Settings(MODEL))


@pytest.fixture
def scripted(model):
    """Return a function that makes an engine with a script."""
    return lambda *answers, **more: Scripted(model, *answers, **more)


@pytest.fixture
def asking(model):
    """Return a function that gives a client of a server in this process, and the server itself."""
    from starlette.testclient import TestClient

    @contextmanager
    def made(*engines, **settings):
        named = model._replace(name=settings.get("name") or model.name)
        built = app(Settings(MODEL, **settings), model=named, engines=engines or None)
        with TestClient(built, base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
            yield client, built.state.server

    return made


def events_of(text):
    """Return the events of a stream: the JSON objects of its data lines."""
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


BODIES = {
    "chat": {"messages": [{"role": "user", "content": "Hi"}]},
    "responses": {"input": "Hi"},
    "messages": {"max_tokens": 500, "messages": [{"role": "user", "content": "Hi"}]},
}
PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}


@pytest.fixture(params=PATHS)
def api(request):
    return request.param


class Asker:
    """Asks one of the APIs."""

    def __init__(self, api):
        self.api, self.path, self.body = api, PATHS[api], {"model": "m", **BODIES[api]}

    def __call__(self, client, **more):
        return client.post(self.path, json=self.body | more)

    def events(self, client, **more):
        return events_of(self(client, stream=True, **more).text)

    def text(self, events):
        """Return the content that events add up to."""
        if self.api == "chat":
            return "".join(each["choices"][0]["delta"].get("content") or "" for each in events if each.get("choices"))
        kinds = {"responses": "response.output_text.delta", "messages": "content_block_delta"}
        found = [each["delta"] for each in events if each["type"] == kinds[self.api]]
        return "".join(each if isinstance(each, str) else each.get("text", "") for each in found)

    def whole_text(self, data):
        if self.api == "chat":
            return data["choices"][0]["message"]["content"]
        items = data["output"] if self.api == "responses" else data["content"]
        parts = [part for item in items for part in item.get("content") or [] if item["type"] == "message"]
        return "".join(each["text"] for each in parts or items if each["type"] in ("output_text", "text"))

    def error(self, data):
        """Return the message of an error, which must have the API's shape."""
        if self.api == "messages":
            assert data["type"] == "error"
            assert data["request_id"].startswith("req_")
        else:
            assert data["error"].keys() == {"message", "type", "param", "code"}
        assert isinstance(data["error"]["type"], str)
        return data["error"]["message"]

    def failure(self, events):
        """Return the message of the error with which a stream ends, as the API writes it."""
        last = events[-1]
        if self.api == "responses":
            assert last["type"] == "response.failed"
            return last["response"]["error"]["message"]
        if self.api == "messages":
            assert last["type"] == "error"
        return last["error"]["message"]


@pytest.fixture
def ask(api):
    return Asker(api)


@pytest.fixture
def gone():
    """Return the error of an engine that does not answer."""
    return lambda: EngineError("no engine answers", retry=True)
