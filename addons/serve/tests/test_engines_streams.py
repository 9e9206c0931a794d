"""What an engine samples arrives whole, and what befalls it is said: the same tests for all engines."""

import asyncio
import json
from contextlib import ExitStack, aclosing

import pytest
from fake_engines import FAKES, said, serving
from fake_engines.asking import ask, at_engine, generated, heard, pieces_of
from hypothesis import given, settings
from hypothesis import strategies as st

from lect_serve.engines.base import ContextTooLongError, EngineError

WITH_IDS = ("vllm", "sglang", "llama.cpp")
TEXTS = ["Hello there.", "日本 é 😀😀 𝄞", "<think>\nHm.\n</think>\n\nYes <tool_call>{}</tool_call>", ""]


@pytest.fixture(params=FAKES)
def fake(request):
    return FAKES[request.param]()


@pytest.fixture
def url(fake):
    with serving(fake.app) as address:
        yield address


def order(**what):
    return f"FAKE {json.dumps(what)} "


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_said_is_heard(fake, url, text):
    pieces = generated(url, ask(fake, order(say=text)))
    assert heard(pieces, fake.tokenizer).removesuffix("<|im_end|>") == text


def test_the_last_piece_says_why_it_ended_and_what_it_took(fake, url):
    asked = ask(fake, order(say="Hello", cached=3))
    pieces = generated(url, asked)
    assert [piece.finish for piece in pieces if piece.finish] == ["stop"]
    assert pieces[-1].finish == "stop"
    assert (pieces[-1].usage.prompt, pieces[-1].usage.completion) == (len(asked.ids), 6)
    # Of the others nothing says what was cached.
    assert pieces[-1].usage.cached == (3 if isinstance(fake, tuple(map(FAKES.get, WITH_IDS))) else 0)


def test_a_limit_is_a_finish_reason(fake, url):
    pieces = generated(url, ask(fake, order(say="Hello"), max_tokens=3))
    assert heard(pieces, fake.tokenizer) == "Hel"
    assert pieces[-1].finish == "length"


def test_a_stop_string_ends_it(fake, url):
    pieces = generated(url, ask(fake, order(say="one two three"), stop=("o t", "three")))
    assert heard(pieces, fake.tokenizer).removesuffix("o t") == "one tw"
    assert pieces[-1].finish == "stop"


@settings(max_examples=15)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_any_text_arrives(texts, text):
    for fake, url in texts.values():
        if "<|" not in text:
            assert said_and_heard(fake, url, text) == text


@pytest.fixture(scope="module")
def texts():
    with ExitStack() as stack:
        fakes = {kind: make() for kind, make in FAKES.items()}
        yield {kind: (fake, stack.enter_context(serving(fake.app))) for kind, fake in fakes.items()}


def said_and_heard(fake, url, text):
    fake.script = lambda prompt, ids: said(fake.tokenizer, f"{text}<|im_end|>")
    return heard(generated(url, ask(fake)), fake.tokenizer).removesuffix("<|im_end|>")


def test_generations_at_once_do_not_mix(fake, url):
    texts = [f"I am number {number}, {number * 'é'}." for number in range(12)]

    async def all_of_them(engine):
        return await asyncio.gather(*(pieces_of(engine, ask(fake, order(say=text, delay=0.001))) for text in texts))

    found = at_engine(url, all_of_them)
    assert [heard(pieces, fake.tokenizer).removesuffix("<|im_end|>") for pieces in found] == texts


def test_to_close_the_iterator_stops_the_engine(fake, url):
    async def leave(engine):
        async with aclosing(engine.generate(ask(fake, order(say="Hello", silent=2)))) as batches:
            async for batch in batches:
                if batch:
                    break

    at_engine(url, leave)
    fake.wait_for(lambda state: state.running == 0 and state.broken == 1)


def test_to_cancel_the_task_stops_the_engine(fake, url):
    async def leave(engine):
        task = asyncio.ensure_future(pieces_of(engine, ask(fake, order(say="Hello", silent=0))))
        await asyncio.to_thread(fake.wait_for, lambda state: state.running == 1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        # The client is still open: it is the one connection that ends.
        await asyncio.to_thread(fake.wait_for, lambda state: state.running == 0)
        return task.cancelled()

    assert at_engine(url, leave)


@pytest.mark.parametrize("fault", ["dies", "fails"])
@pytest.mark.parametrize("after", [0, 3])
def test_a_stream_that_breaks_is_an_error(fake, url, fault, after):
    with pytest.raises(EngineError, match=url) as raised:
        generated(url, ask(fake, order(say="Hello", **{fault: after})))
    assert raised.value.status == 502
    assert not raised.value.retry


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_engine_may_be_asked_again(fake, url, status):
    with pytest.raises(EngineError, match="not ready") as raised:
        generated(url, ask(fake, order(refuse=status)))
    assert (raised.value.status, raised.value.retry) == (503, True)


def test_an_engine_that_is_gone_may_be_replaced(fake):
    async def work(engine):
        gone.__exit__(None, None, None)
        with pytest.raises(EngineError, match="cannot be reached") as raised:
            await pieces_of(engine, ask(fake))
        return raised.value.retry, await engine.healthy()

    gone = serving(fake.app)
    assert at_engine(gone.__enter__(), work) == (True, False)


def test_a_prompt_that_is_too_long_is_told_with_its_length(fake, url):
    fake.context = 100
    with pytest.raises(ContextTooLongError) as raised:
        generated(url, ask(fake, "x" * 200, max_tokens=10))
    assert (raised.value.status, raised.value.prompt, raised.value.context) == (400, 200, 100)
    assert not raised.value.retry


def test_every_engine_says_whether_it_is_well(fake, url):
    async def well(engine):
        return await engine.healthy()

    assert at_engine(url, well)


@pytest.mark.parametrize("kind", WITH_IDS)
def test_ids_go_up_and_come_back(kind):
    fake = FAKES[kind]()
    with serving(fake.app) as url:
        asked = ask(fake, order(say="Hello <tool_call>") + "<|im_start|>")
        pieces = generated(url, asked)
    assert (fake.asked[0].get("prompt") or fake.asked[0]["input_ids"]) == list(asked.ids)
    expected = fake.tokenizer.encode("Hello <tool_call><|im_end|>").ids
    assert [each for piece in pieces for each in piece.ids] == expected
    assert not any(piece.missing or piece.text for piece in pieces)


@pytest.mark.parametrize("kind", WITH_IDS)
def test_each_id_has_its_log_probability(kind):
    fake = FAKES[kind]()
    with serving(fake.app) as url:
        pieces = generated(url, ask(fake, order(say="Hello"), logprobs=True))
        without = generated(url, ask(fake, order(say="Hello")))
    ids = [each for piece in pieces for each in piece.ids]
    assert [each for piece in pieces for each in piece.logprobs or ()] == [-each / 2**20 for each in ids]
    assert not any(piece.logprobs for piece in without)


@pytest.mark.parametrize("kind", WITH_IDS)
def test_a_stop_id_ends_it_and_is_sent(kind):
    fake = FAKES[kind]()
    stop = fake.tokenizer.token_to_id("<|im_start|>")
    with serving(fake.app) as url:
        pieces = generated(url, ask(fake, order(say="Hi<|im_start|>never read"), stop_ids=(stop,)))
        fake.wait_for(lambda state: state.running == 0)
    assert [each for piece in pieces for each in piece.ids][-1] == stop
    assert (pieces[-1].finish, pieces[-1].stop) == ("stop", stop)
    assert pieces[-1].usage.completion == 3
