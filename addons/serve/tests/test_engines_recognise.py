"""An address is asked which engine it is, and says in one sentence what it is not."""

import socket
from contextlib import contextmanager

import pytest
from fake_engines import FAKES, FakeCompletions, FakeOllama, FakeVllm, serving
from fake_engines.asking import ask, at_engine, generated, heard
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from lect_serve.engines import recognise
from lect_serve.engines.base import EngineError


async def itself(engine):
    return engine


@contextmanager
def silent_address():
    """An address that takes connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield "http://{}:{}".format(*listening.getsockname())


@pytest.mark.parametrize("kind", FAKES)
@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
def test_an_engine_is_recognised(kind, path):
    with serving(FAKES[kind](context=1234, model="some/model").app) as url:
        engine = at_engine(url + path, itself)
        assert engine.url == url
    assert engine.about.kind == kind
    assert engine.about.model == "some/model"
    assert engine.about.context == (None if kind == "completions" else 1234)
    assert engine.about.slots == (4 if kind == "llama.cpp" else None)


def test_every_kind_can_be_named():
    assert {*recognise.KINDS} == {*FAKES}
    with pytest.raises(EngineError, match=r"vllm, sglang, llama\.cpp, ollama, completions"):
        at_engine("http://127.0.0.1:1", itself, "tgi")


def test_an_engine_behind_a_proxy_can_be_named():
    fake = FakeVllm()
    # Only /v1 is passed on.
    fake.app.routes[:] = [route for route in fake.app.routes if route.path != "/version"]
    with serving(fake.app) as url:
        assert at_engine(url, itself).about.kind == "completions"
        assert at_engine(url, itself, "vllm").about == recognise.About("vllm", "model", fake.context)
        assert heard(generated(url, ask(fake), "vllm"), fake.tokenizer) == "Hello there.<|im_end|>"


def test_a_model_is_chosen_by_name():
    fake = FakeOllama(models=["one", "two"], model="two")
    with serving(fake.app) as url:
        assert at_engine(url, itself, model="two").about.context == fake.context
        with pytest.raises(EngineError, match="one, two\n  try: engine_model='one'"):
            at_engine(url, itself)


def test_the_context_of_a_model_that_is_not_loaded_is_not_known():
    with serving(FakeOllama(loaded=False).app) as url:
        assert at_engine(url, itself).about.context is None


def test_nothing_at_an_address_is_one_error():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(EngineError, match=f"http://127.0.0.1:{port} cannot be reached") as raised:
        at_engine(f"http://127.0.0.1:{port}", itself)
    assert raised.value.retry


@pytest.mark.parametrize("url", ["http://", "localhost:8000", "ftp://example.org", "http://127.0.0.1:99999", ""])
def test_an_odd_address_is_an_error_of_ours(url):
    with pytest.raises(EngineError, match=f"{url!r} is not an engine's address"):
        at_engine(url, itself)


def test_an_address_that_says_nothing_has_a_time_limit(monkeypatch):
    monkeypatch.setattr(recognise, "SECONDS", 0.05)
    with silent_address() as url, pytest.raises(EngineError, match=f"{url} cannot be reached: ReadTimeout"):
        at_engine(url, itself)


def test_an_unknown_server_is_told_with_all_that_was_asked():
    async def hello(request):
        return PlainTextResponse("hello")

    with serving(Starlette(routes=[Route("/version", hello)])) as url, pytest.raises(EngineError) as raised:
        at_engine(url, itself)
    message = str(raised.value)
    assert message.startswith(f"no engine is recognised at {url}\n")
    assert "GET /version: no JSON object; GET /model_info: 404; GET /props: 404; GET /api/version: 404" in message
    assert "try: kind='" in message


def test_a_key_that_is_refused_is_this_servers():
    fake = FakeCompletions()
    with serving(fake.app) as url, pytest.raises(EngineError, match="refuses the key of this server") as raised:
        generated(url, ask(fake, 'FAKE {"refuse": 401}'))
    assert raised.value.status == 502
