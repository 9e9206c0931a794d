"""A reply as a server streams it: `lect_apis.ChatChunks`."""

import json

import pytest
from together import together

import lect
from lect import MessageError
from lect_apis import ChatChunks

WRITTEN = 'Hm.</think>Hi!<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'


@pytest.fixture
def tagged():
    from lect.plugin import CHATML
    from lect.plugin.grammar import JSON_IN_TAGS, THINK, Grammar

    return CHATML.but(reply=Grammar("tagged", reasoning=THINK, sections=(JSON_IN_TAGS,)))


def streamed(template, text, size=3, **options):
    chunks = ChatChunks(template.stream(starts_in_reasoning=True), "acme", id="c1", created=7, **options)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [chunks.opening(), *(chunk for piece in pieces for chunk in chunks.feed(piece)), *chunks.close()], chunks


def folded(chunks):
    """Return the message that a client puts together, and the finish reason."""
    message = {}
    for choice in (chunk["choices"][0] for chunk in chunks):
        for key, value in choice["delta"].items():
            if key == "tool_calls":
                for call in value:
                    calls = message.setdefault("tool_calls", [])
                    if call["index"] == len(calls):
                        calls.append({key: value for key, value in call.items() if key != "index"})
                    else:
                        calls[call["index"]]["function"]["arguments"] += call["function"]["arguments"]
            else:
                message[key] = message.get(key, "") + value
    return message, chunks[-1]["choices"][0]["finish_reason"]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_the_chunks_make_up_the_reply(tagged, size, key):
    chunks, finished = streamed(tagged, WRITTEN, size, reasoning_key=key)
    message = finished.reply.to_openai()
    message[key] = message.pop("reasoning_content")
    assert folded(chunks) == (message, "tool_calls")


def test_every_chunk_says_what_it_belongs_to(tagged):
    chunks, _ = streamed(tagged, WRITTEN, index=2)
    assert chunks[0] == {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 7,
        "model": "acme",
        "choices": [{"index": 2, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
    }
    for chunk in chunks:
        assert (chunk["id"], chunk["created"], chunk["model"], chunk["choices"][0]["index"]) == ("c1", 7, "acme", 2)
        assert json.loads(json.dumps(chunk)) == chunk
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)


@pytest.mark.parametrize(("finish", "expected"), [(None, "stop"), ("length", "length"), ("stop", "stop")])
def test_the_engines_finish_reason_is_passed_on(finish, expected):
    chunks = ChatChunks(lect.template("chatml").stream(), "acme")
    chunks.feed("Hi!")
    assert chunks.close(finish)[-1]["choices"][0]["finish_reason"] == expected


@together("end", range(len(WRITTEN) + 1))
def test_an_engine_that_fails_leaves_what_had_arrived(tagged, end):
    chunks = ChatChunks(tagged.stream(starts_in_reasoning=True), "acme", id="c1", created=7)
    *sent, last = [chunks.opening(), *chunks.feed(WRITTEN[:end]), *chunks.fail(OSError("the engine is gone"))]
    error = {"message": "the engine is gone", "type": "server_error", "param": None, "code": None}
    assert last == {**sent[0], "choices": [], "error": error}
    assert chunks.reply == tagged.parse(WRITTEN[:end], starts_in_reasoning=True, finish="error")
    message, said = folded(sent)[0], chunks.reply.to_openai()
    assert {**message, "content": message["content"] or said["content"]} == said


def test_a_failure_is_an_exception_or_a_text_of_a_kind():
    chunks = ChatChunks(lect.template("chatml").stream(), "acme")
    error = {"message": "TimeoutError()", "type": "overloaded", "param": None, "code": None}
    assert chunks.fail(TimeoutError(), kind="overloaded")[-1]["error"] == error


def test_ids_are_unique_unless_given():
    ids = {ChatChunks(lect.template("chatml").stream(), "acme").opening()["id"] for _ in range(3)}
    assert len(ids) == 3


def test_an_unknown_key_for_reasoning_is_refused():
    with pytest.raises(MessageError, match="reasoning_key is 'thoughts'; expected one of 'reasoning_content'"):
        ChatChunks(lect.template("chatml").stream(), "acme", reasoning_key="thoughts")
