"""OpenAI's and Anthropic's own clients read our answers, add up our streams to them, and send them back."""

import json
import math
from functools import cache
from importlib import import_module

import pytest
import replies
from sampling import some

import lect_apis
from lect_apis.partial import partial_value

openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")
from jiter import from_json  # noqa: E402  # where there is no openai, all is skipped
from openai.types.responses import Response, ResponseStreamEvent  # noqa: E402  # as above
from pydantic import TypeAdapter  # noqa: E402  # as above

VECTORS = some([*replies.vectors("parse"), *replies.vectors("parse-adversarial"), *replies.mistakes()], seed="apis")
RESPONSES, MESSAGES = TypeAdapter(ResponseStreamEvent), TypeAdapter(anthropic.types.RawMessageStreamEvent)
QUESTION = {"role": "user", "content": "Go on."}
FAILED = ("response.failed", "server_error", "lost")
OF_CLIENTS = ("parsed", "parsed_arguments", "parsed_output", "stop_details")
"""What clients add to what they receive."""
every_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])


class Wire:
    """A client whose requests are recorded and answered with events of ours."""

    def __init__(self, package, client, **options):
        http = import_module(package.DefaultHttpxClient.__base__.__module__.partition(".")[0])

        def answer(request):
            self.asked = json.loads(request.content)
            body = "".join(map(self.line, self.events))
            return http.Response(200, headers={"content-type": "text/event-stream"}, content=body.encode())

        transport = package.DefaultHttpxClient(transport=http.MockTransport(answer))
        self.client = client(api_key="none", base_url="http://test", http_client=transport, **options)
        self.line = lect_apis.sse


@cache
def wire(name):
    return Wire(openai, openai.OpenAI) if name == "openai" else Wire(anthropic, anthropic.Anthropic)


class Recorded:
    """A stream that was read before, as `ResponseEvents` and `MessageEvents` take one."""

    def __init__(self, reply, events):
        self.reply, self.events = reply, events

    def feed(self, _):
        return self.events

    def finish(self, _):
        return []

    def close(self):
        return self.reply


def cases(vector):
    """Yield a vector's reply as it is, and broken off, each with its events."""
    text = vector["input"]
    for end in [len(text), *some(range(len(text) // 5, len(text), max(len(text) // 5, 1))[:4], seed=vector["id"])]:
        yield replies.read_vector(vector | {"input": text[:end]}, [3])


def sent(events):
    return [*events.opening(), *events.feed(""), *events.close(output_tokens=7, reasoning_tokens=3)]


def bare(value):
    """Return what a client received, without what it adds itself."""
    if isinstance(value, dict):
        return {name: bare(each) for name, each in value.items() if name not in OF_CLIENTS}
    return [bare(each) for each in value] if isinstance(value, list) else value


def added_up(stream):
    """Return the texts that the events of OpenAI's client add up to, by the number of the item, and its last event."""
    texts = {}
    for event in stream:
        if event.type == "response.reasoning_text.delta":
            texts[event.output_index] = texts.get(event.output_index, "") + event.delta
        elif event.type in ("response.output_text.delta", "response.function_call_arguments.delta"):
            texts[event.output_index] = event.snapshot
    return texts, event


@every_vector
def test_openais_client_adds_up_a_stream_to_the_whole_response(vector, monkeypatch):
    own = wire("openai")
    monkeypatch.setattr("time.time", lambda: 2.0)  # Both end in the same second.
    for reply, events in cases(vector):
        facts = {"id": "resp_1", "created": 1, "input_tokens": 5}
        whole = lect_apis.response(reply, "m", **facts, output_tokens=7, reasoning_tokens=3)
        Response.model_validate(whole)
        own.events = sent(lect_apis.ResponseEvents(Recorded(reply, events), "m", **facts))
        for number, event in enumerate(own.events):
            assert event["sequence_number"] == number
            RESPONSES.validate_python(event)
        with own.client.responses.stream(model="m", input="Hi") as stream:
            texts, last = added_up(stream)
            if reply.finish != "length":
                assert bare(stream.get_final_response().to_dict()) == whole
        assert last.type == f"response.{whole['status']}"
        assert bare(last.response.to_dict()) == whole
        items = [item.get("arguments") or item.get("content", [{"text": ""}])[0]["text"] for item in whole["output"]]
        assert [texts.get(number, "") for number in range(len(items))] == items


@every_vector
def test_anthropics_client_adds_up_a_stream_to_the_whole_message(vector):
    own = wire("anthropic")
    for reply, events in cases(vector):
        if any("\\ud8" in call.arguments_text for call in reply.incomplete):
            continue  # This client cannot read half a surrogate pair.
        facts = {"id": "msg_1", "input_tokens": 5}
        whole = lect_apis.message(reply, "m", **facts, output_tokens=7, reasoning_tokens=3)
        own.events = sent(lect_apis.MessageEvents(Recorded(reply, events), "m", **facts))
        for event in own.events:
            MESSAGES.validate_python(event)
        with own.client.messages.stream(model="m", max_tokens=9, messages=[QUESTION]) as stream:
            assert bare(stream.get_final_message().to_dict(warnings=False)) == whole


@every_vector
def test_what_a_client_sends_back_is_read_as_the_same_message(vector):
    for reply, events in cases(vector):
        said = reply.to_openai()
        own = wire("openai")
        own.events = sent(lect_apis.ResponseEvents(Recorded(reply, events), "m"))
        with own.client.responses.stream(model="m", input="Hi") as stream:
            output = [event.response.output for event in stream if hasattr(event, "response")][-1]
        own.client.responses.create(model="m", input=[QUESTION, *output, QUESTION], stream=True).close()
        row = lect_apis.request(own.asked)
        assert row.messages == [QUESTION, *([said] if output else []), QUESTION]
        assert row.rest == {"model": "m", "stream": True}


@every_vector
def test_what_a_client_of_messages_sends_back_is_read_as_the_same_message(vector):
    for reply, _ in cases(vector):
        whole = lect_apis.message(reply, "m")
        inputs = [block["input"] for block in whole["content"] if block["type"] == "tool_use"]
        if not all(isinstance(each, dict) and math.inf not in each.values() for each in inputs):
            continue  # Anthropic's client has no input that is not a mapping, and no infinity.
        message = anthropic.types.Message.model_validate(whole)
        own = wire("anthropic")
        own.events = []
        back = [QUESTION, {"role": "assistant", "content": message.content}, QUESTION]
        own.client.messages.create(model="m", max_tokens=9, messages=back, stream=True).close()
        row = lect_apis.request(own.asked)
        said = reply.to_openai()
        for call, given in zip(said.get("tool_calls", ()), inputs, strict=True):
            call["function"]["arguments"] = given
        assert row.messages == [QUESTION, said, QUESTION]
        assert row.rest == {"model": "m", "max_tokens": 9, "stream": True}


@every_vector
def test_openais_client_has_what_arrived_before_the_engine_failed(vector):
    own = wire("openai")
    for reply, events in cases(vector):
        told = lect_apis.ResponseEvents(Recorded(reply._replace(finish="error"), events), "m")
        own.events = [*told.opening(), *told.feed(""), *told.fail(OSError("lost"))]
        RESPONSES.validate_python(own.events[-1])
        with own.client.responses.stream(model="m", input="Hi") as stream:
            _, last = added_up(stream)
        assert (last.type, last.response.error.code, last.response.error.message) == FAILED
        assert bare(last.response.to_dict())["output"] == told.response["output"]


@every_vector
def test_anthropics_client_raises_what_the_engine_failed_of_after_what_arrived(vector):
    own = wire("anthropic")
    for reply, events in cases(vector):
        if any("\\ud8" in call.arguments_text for call in reply.incomplete):
            continue  # This client cannot read half a surrogate pair.
        told = lect_apis.MessageEvents(Recorded(reply._replace(finish="error"), events), "m")
        own.events = [*told.opening(), *told.feed(""), *told.fail(OSError("lost"))]
        with own.client.messages.stream(model="m", max_tokens=9, messages=[QUESTION]) as stream:
            with pytest.raises(anthropic.APIStatusError, match="lost") as raised:
                stream.until_done()
            whole = bare(stream.current_message_snapshot.to_dict(warnings=False))
        assert raised.value.body == {"type": "error", "error": {"type": "api_error", "message": "lost"}}
        assert whole["content"] == told.message["content"]


@every_vector
def test_openais_client_raises_what_the_engine_failed_of_after_the_chunks(vector):
    own = Wire(openai, openai.OpenAI)
    own.line = lambda chunk: f"data: {json.dumps(chunk)}\n\n"
    for reply, events in cases(vector):
        told = lect_apis.ChatChunks(Recorded(reply, events), "m")
        own.events = [told.opening(), *told.feed(""), *told.fail(OSError("lost"))]
        seen = []
        with pytest.raises(openai.APIError, match="lost") as raised:
            seen.extend(own.client.chat.completions.create(model="m", messages=[QUESTION], stream=True))
        assert (raised.value.type, raised.value.code) == ("server_error", None)
        assert len(seen) == len(own.events) - 1


def test_arguments_that_break_off_have_the_members_that_anthropics_client_sees():
    texts = {call.arguments_text for vector in VECTORS for call in replies.read_vector(vector)[0].tool_calls}
    for text in some(sorted(text for text in texts if len(text) < 500 and "\\ud8" not in text), seed=1):
        for end in range(1, len(text) + 1):
            # It refuses a text that breaks off outside a mapping or a list.
            if end == len(text) or text[0] in "{[":
                assert partial_value(text[:end]) == from_json(text[:end].encode(), partial_mode=True), text[:end]
