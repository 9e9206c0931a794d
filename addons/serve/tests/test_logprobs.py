"""Log probabilities in answers: those that the engine gave, for the tokens of what the client reads."""

import json
from itertools import chain

import pytest
from fake_engines import FAKES, said, serving, tiny
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from lect.addon import encoder_of
from lect_serve import Settings, app
from lect_serve.engines.base import Piece
from lect_serve.scores import UNKNOWN, Scores

CONTENT = "Hé, 😀 <5>!"
SAID = f"<think>\nI greet.\n</think>\n\n{CONTENT}<|im_end|>"
LOGPROBS = "message.output_text.logprobs"
WANTED = {"chat": {"logprobs": True, "top_logprobs": 0}, "responses": {"include": [LOGPROBS]}}
QUESTION = {"chat": {"messages": [{"role": "user", "content": "Hi"}]}, "responses": {"input": "Hi"}}
PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses"}


@pytest.fixture(params=WANTED)
def api(request):
    return request.param


@pytest.fixture(params=["vllm", "sglang", "llama.cpp"])
def engine(request):
    tokenizer = tiny()
    return FAKES[request.param](tokenizer, lambda *_: said(tokenizer, SAID))


@pytest.fixture
def client(engine, tmp_path):
    engine.tokenizer.save(str(tmp_path / "tokenizer.json"))
    with serving(engine.app) as url:
        built = app(Settings("Qwen/Qwen3-8B", engines=(url,), tokenizer=str(tmp_path)))
        with TestClient(built, base_url="http://127.0.0.1:8000") as asking:
            yield asking


def events_of(text):
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]


def whole(api, data):
    """Return the content of an answer and its tokens."""
    if api == "chat":
        choice = data["choices"][0]
        return choice["message"]["content"], choice["logprobs"]["content"]
    (part,) = next(each for each in data["output"] if each["type"] == "message")["content"]
    return part["text"], part["logprobs"]


def streamed(api, events):
    """Return the same of the deltas of a stream."""
    if api == "chat":
        choices = [each["choices"][0] for each in events[1:] if each["choices"][0]["delta"].get("content")]
        texts, tokens = (
            [each["delta"]["content"] for each in choices],
            [each["logprobs"]["content"] for each in choices],
        )
    else:
        deltas = [each for each in events if each["type"] == "response.output_text.delta"]
        texts, tokens = [each["delta"] for each in deltas], [each["logprobs"] for each in deltas]
        (done,) = (each for each in events if each["type"] == "response.output_text.done")
        assert done["logprobs"] == [*chain(*tokens)]
        (item,) = (
            each["item"]
            for each in events
            if each["type"] == "response.output_item.done" and each["item"]["type"] == "message"
        )
        assert whole(api, {"output": [item]}) == whole(api, events[-1]["response"])
    return "".join(texts), [*chain(*tokens)]


def expected(engine):
    """Return the text and the number of each token of the content, as the engine was scripted."""
    ids = engine.tokenizer.encode(CONTENT, add_special_tokens=False).ids
    return [-each / 2**20 for each in ids]


def test_the_tokens_of_the_content_have_the_numbers_of_the_engine(api, client, engine):
    text, tokens = whole(api, client.post(PATHS[api], json={**QUESTION[api], **WANTED[api]}).json())
    assert text == CONTENT == "".join(each["token"] for each in tokens)
    assert bytes(chain(*(each["bytes"] for each in tokens))) == CONTENT.encode()
    known = expected(engine)
    if engine.__class__ is FAKES["llama.cpp"]:
        # It sends neither the ids nor the numbers of a character of several tokens.
        known = [each if token["logprob"] != UNKNOWN else UNKNOWN for each, token in zip(known, tokens, strict=True)]
        assert known.count(UNKNOWN) == len("é😀".encode())
    assert [each["logprob"] for each in tokens] == known
    assert {tuple(each) for each in tokens} == {("token", "logprob", "bytes", "top_logprobs")}


def test_streams_have_each_token_once_and_no_other(api, client):
    asked = {**QUESTION[api], **WANTED[api]}
    text, tokens = whole(api, client.post(PATHS[api], json=asked).json())
    events = events_of(client.post(PATHS[api], json={**asked, "stream": True}).text)
    names = [name for name in tokens[0] if api == "chat" or name != "bytes"]
    assert streamed(api, events) == (text, [{name: each[name] for name in names} for each in tokens])


def test_who_does_not_ask_gets_none_and_the_engine_is_not_asked(api, client, engine):
    data = client.post(PATHS[api], json=QUESTION[api]).json()
    if api == "chat":
        assert data["choices"][0]["logprobs"] is None
    else:
        assert not whole(api, data)[1]
    (asked,) = engine.asked
    assert not asked.get("logprobs")
    assert not asked.get("return_logprob")
    assert not asked.get("n_probs")


def test_an_engine_of_text_alone_has_none(api, asking, scripted):
    engine = scripted("Hi")
    engine.takes_ids = False
    with asking(engine) as (client, _):
        refused = client.post(PATHS[api], json={**QUESTION[api], **WANTED[api]})
    assert refused.status_code == 400
    assert "logprobs" in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "more", "told"),
    [
        ("chat", {"logprobs": 5}, "logprobs is 5"),
        ("chat", {"logprobs": True, "top_logprobs": 2}, "top_logprobs is 2"),
        ("responses", {"include": 1}, "include is 1"),
        ("responses", {"logprobs": True}, "logprobs"),
        ("responses", {"include": [LOGPROBS], "top_logprobs": 1}, "top_logprobs is 1"),
    ],
)
def test_what_is_asked_otherwise_is_refused_by_name(asking, path, more, told):
    with asking() as (client, _):
        answer = client.post(PATHS[path], json={**QUESTION[path], **more})
    assert answer.status_code == 400
    assert told in answer.json()["error"]["message"]


def test_numbers_that_are_none_do_not_break_the_answer(asking, scripted):
    engine = scripted()

    class Odd(type(engine)):
        async def generate(self, ask):
            yield [Piece(ids=self.ids("a"), logprobs=[float("-inf")]), Piece(ids=self.ids("b"))]
            yield [Piece(finish="stop")]

    with asking(Odd(engine.model)) as (client, _):
        text, tokens = whole("chat", client.post(PATHS["chat"], json={**QUESTION["chat"], **WANTED["chat"]}).json())
    assert text == "ab"
    assert [each["logprob"] for each in tokens] == [UNKNOWN, UNKNOWN]


def test_the_calls_of_an_answer_have_none_and_one_call_is_enough(asking, scripted):
    call = '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>'
    engine = scripted(f"Let me see.{call}{call}<|im_end|>")
    asked = {**QUESTION["chat"], **WANTED["chat"], "parallel_tool_calls": False}
    asked["tools"] = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    with asking(engine) as (client, _):
        data = client.post(PATHS["chat"], json=asked).json()
    text, tokens = whole("chat", data)
    assert text == "".join(each["token"] for each in tokens) == "Let me see."
    assert len(data["choices"][0]["message"]["tool_calls"]) == 1


MARKS = ["<think>", "</think>", "<tool_call>", "\n", "é", "😀", "\ufffd", '{"name": "look", "arguments": {}}']


@given(st.lists(st.sampled_from(MARKS) | st.text(max_size=5), max_size=8), st.data())
@example(["é"], None)
def test_the_tokens_of_the_events_of_any_reply_add_up_to_their_text(model, parts, data):
    ids = [
        each
        for part in parts
        for each in encoder_of(model.tokenizer).whole(part.encode("utf-8", "replace").decode()).ids
    ]
    stream, scores = model.template.stream(tokenizer=model.tokenizer), Scores(model.tokenizer, None)
    at, told, texts = 0, [], []

    def take(events):
        for event in events:
            if event.kind == "content":
                texts.append(event.text)
                told.extend(scores.of(event))

    while at < len(ids):
        end = at + (data.draw(st.integers(1, 30)) if data else 1)
        piece = Piece(ids=ids[at:end], logprobs=[-float(index) for index in range(at, min(end, len(ids)))])
        scores.add(piece)
        take(stream.feed_ids(piece.ids))
        at = end
    scores.end()
    take(stream.finish("stop"))
    text = "".join(texts)
    assert "".join(each["token"] for each in told) == text.encode("utf-8", "replace").decode()
    numbers = [each["logprob"] for each in told]
    assert numbers == sorted(set(numbers), reverse=True), "each token once, in order"
