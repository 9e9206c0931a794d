"""Replies as answers of both APIs, whole and as events."""

import json

import pytest

import lect
import lect_apis
from lect.plugin import Template
from lect.plugin.grammar import JSON_IN_TAGS, THINK, Grammar
from lect_apis.partial import partial_value

FORMAT = Template(
    "thinking",
    lambda chat, out: None,
    reply=Grammar("thinking", reasoning=THINK, sections=(JSON_IN_TAGS,)),
    stop={"<|im_end|>": None},
    markers=("<|im_end|>",),
)
CALL = '<tool_call>\n{"name": "f", "arguments": {"x": [1, "a"]}}\n</tool_call>'
TEXTS = {
    "empty": "",
    "text": "Hi!<|im_end|>",
    "all": f"<think>Ask.</think>See: {CALL}{CALL}<|im_end|>",
    "text after a call": f"See: {CALL} Done.<|im_end|>",
    "broken off in a call": f"See: {CALL[:-20]}",
    "broken off in reasoning": "<think>As",
}
every_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


def streamed(kind, text, *, size=3, **arguments):
    """Return the object with all events of a text."""
    events = kind(FORMAT.stream(call_id="call_{}".format), "m", **arguments)
    sent = events.opening()
    for start in range(0, len(text), size):
        sent += events.feed(text[start : start + size])
    return events, sent + events.close(output_tokens=2)


@every_text
def test_a_streamed_response_is_the_whole_response(text):
    arguments = {"id": "resp_1", "created": 1, "input_tokens": 3}
    events, sent = streamed(lect_apis.ResponseEvents, text, **arguments)
    whole = lect_apis.response(FORMAT.parse(text, call_id="call_{}".format), "m", **arguments, output_tokens=2)
    assert events.response == whole == sent[-1]["response"]
    assert [event["item"] for event in sent if event["type"] == "response.output_item.done"] == whole["output"]
    assert [event["sequence_number"] for event in sent] == list(range(len(sent)))
    assert whole["usage"]["total_tokens"] == 5
    again, _ = streamed(lect_apis.ResponseEvents, text, size=100, **arguments)
    assert again.response == whole


@every_text
def test_a_streamed_message_is_the_whole_message(text):
    events, sent = streamed(lect_apis.MessageEvents, text, id="msg_1", input_tokens=3)
    whole = lect_apis.message(
        FORMAT.parse(text, call_id="call_{}".format), "m", id="msg_1", input_tokens=3, output_tokens=2
    )
    assert events.message == whole
    assert whole["usage"] == {"input_tokens": 3, "output_tokens": 2}
    kinds = [event["type"] for event in sent]
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == len(whole["content"])


def test_the_events_of_a_response():
    _, sent = streamed(lect_apis.ResponseEvents, f"<think>A</think>B{CALL}<|im_end|>", size=100, id="resp_1", created=1)
    assert [event["type"].removeprefix("response.") for event in sent] == [
        "created", "in_progress",
        "output_item.added", "content_part.added", "reasoning_text.delta", "reasoning_text.done", "content_part.done",
        "output_item.done",
        "output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done",
        "output_item.done",
        "output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done",
        "completed",
    ]  # fmt: skip
    ids = [event.get("item_id") or event["item"]["id"] for event in sent if "output_index" in event]
    assert ids == ["rs_1_0"] * 6 + ["msg_1_1"] * 6 + ["fc_1_2"] * 4
    assert sent[-2]["item"] == {
        "id": "fc_1_2", "status": "completed", "type": "function_call", "arguments": '{"x": [1, "a"]}',
        "call_id": "call_0", "name": "f",
    }  # fmt: skip
    json.dumps(sent)


FAILURES = {"response": lect_apis.ResponseEvents, "message": lect_apis.MessageEvents}


def cut_off(text):
    """Yield every beginning of a text with the events of both APIs until the engine fails there."""
    for end in range(len(text) + 1):
        for name, kind in FAILURES.items():
            events = kind(FORMAT.stream(call_id="call_{}".format), "m", id="x_1", input_tokens=3)
            yield name, events, text[:end], [*events.opening(), *events.feed(text[:end])]


@every_text
def test_an_engine_that_fails_leaves_what_had_arrived(text):
    for name, events, arrived, sent in cut_off(text):
        sent += events.fail("out of memory", output_tokens=2)
        reply = FORMAT.parse(arrived, finish="error", call_id="call_{}".format)
        assert events.reply == reply
        if name == "response":
            whole, last = events.response, sent[-1]
            assert last == {"type": "response.failed", "sequence_number": len(sent) - 1, "response": whole}
            assert (whole["status"], whole["error"]) == ("failed", {"code": "server_error", "message": "out of memory"})
            assert (whole["incomplete_details"], whole["usage"]["output_tokens"]) == (None, 2)
            done = [event["item"] for event in sent if event["type"] == "response.output_item.done"]
            assert whole["output"] == done == lect_apis.response(reply, "m", id="x_1")["output"]
        else:
            assert sent[-1] == {"type": "error", "error": {"type": "api_error", "message": "out of memory"}}
            assert events.message["content"] == lect_apis.message(reply, "m")["content"]
            assert (events.message["stop_reason"], events.message["usage"]["output_tokens"]) == (None, 2)
            kinds = [event["type"] for event in sent]
            assert kinds.count("content_block_start") == kinds.count("content_block_stop")
            assert "message_stop" not in kinds
        json.dumps(sent)


@pytest.mark.parametrize(("error", "message"), [(TimeoutError(), "TimeoutError()"), (OSError("lost"), "lost")])
def test_a_failure_is_an_exception_or_a_text_of_a_kind(error, message):
    events = lect_apis.ResponseEvents(FORMAT.stream(), "m")
    events.fail(error, kind="rate_limit_exceeded")
    assert events.response["error"] == {"code": "rate_limit_exceeded", "message": message}
    sent = lect_apis.MessageEvents(FORMAT.stream(), "m").fail(error, kind="overloaded_error")
    assert sent == [{"type": "error", "error": {"type": "overloaded_error", "message": message}}]


def test_events_of_a_stream_that_is_fed_elsewhere_can_be_added():
    stream = FORMAT.stream()
    events = lect_apis.MessageEvents(stream, "m", id="msg_1")
    assert [event["type"] for event in events.add(stream.feed("Hi!"))] == ["content_block_start", "content_block_delta"]
    events.close()
    assert events.message == lect_apis.message(FORMAT.parse("Hi!"), "m", id="msg_1")


def test_blocks_are_in_the_order_in_which_the_model_wrote_them():
    whole = lect_apis.message(FORMAT.parse(TEXTS["text after a call"]), "m")
    assert [block["type"] for block in whole["content"]] == ["text", "tool_use", "text"]


def test_a_reply_made_by_hand_has_its_blocks_in_the_usual_order():
    call = lect.Reply("", tool_calls=FORMAT.parse(CALL).tool_calls).tool_calls[0]._replace(span=None, arguments_text="")
    whole = lect_apis.response(lect.Reply("Hi", "Ask.", (call,)), "m")
    assert [item["type"] for item in whole["output"]] == ["reasoning", "message", "function_call"]
    assert whole["output"][2]["arguments"] == '{"x": [1, "a"]}'


def test_a_reply_that_breaks_off_is_incomplete():
    whole = lect_apis.response(FORMAT.parse(TEXTS["broken off in a call"]), "m")
    assert (whole["status"], whole["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})
    assert [item["status"] for item in whole["output"]] == ["completed", "incomplete"]
    whole = lect_apis.message(FORMAT.parse(TEXTS["broken off in a call"]), "m")
    assert (whole["stop_reason"], whole["content"][-1]["input"]) == ("max_tokens", {"x": [1]})


@pytest.mark.parametrize(
    ("text", "finish", "reason", "sequence"),
    [
        ("Hi<|im_end|>", None, "end_turn", None),
        ("Hi", "length", "max_tokens", None),
        ("Hi", "content_filter", "refusal", None),
        ("HiEND", None, "stop_sequence", "END"),
        (f"{CALL}<|im_end|>", "stop", "tool_use", None),
    ],
)
def test_why_a_message_ends(text, finish, reason, sequence):
    stream = FORMAT.stream(stop=["<|im_end|>", "END"])
    events = lect_apis.MessageEvents(stream, "m", request={"stop_sequences": ["END"]})
    events.feed(text)
    delta = {"stop_reason": reason, "stop_sequence": sequence}
    assert events.close(finish)[-2] == {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 0}}
    assert {name: events.message[name] for name in delta} == delta


def test_a_response_repeats_the_options_of_its_request():
    request = {"temperature": 0.5, "tools": [{"type": "web_search"}], "store": False}
    whole = lect_apis.response(lect.Reply("Hi"), "m", request=request)
    assert (whole["temperature"], whole["tools"], whole["tool_choice"]) == (0.5, request["tools"], "auto")
    whole["metadata"]["of"] = "this one"
    assert lect_apis.response(lect.Reply("Hi"), "m")["metadata"] == {}


REQUIRED = (
    "id object created_at completed_at status incomplete_details model previous_response_id instructions output error "
    "tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs "
    "temperature reasoning user usage max_output_tokens max_tool_calls store background service_tier metadata "
    "safety_identifier prompt_cache_key"
)
"""What `ResponseResource` of openresponses.org requires, in its revision 3452c01."""


def test_a_response_has_all_that_open_responses_requires():
    events = lect_apis.ResponseEvents(FORMAT.stream(), "m", request={"tools": [{"type": "function", "name": "f"}]})
    for response in (events.opening()[0]["response"], (events.close(), events.response)[1]):
        assert set(REQUIRED.split()) <= response.keys()
        assert [type(response[name]) for name in ("temperature", "top_p", "text", "store")] == [
            float,
            float,
            dict,
            bool,
        ]
        assert response["tools"] == [
            {"type": "function", "name": "f", "description": None, "parameters": None, "strict": None}
        ]
    assert response["completed_at"] >= response["created_at"]


def test_ids_are_random_by_default():
    assert len({lect_apis.response(lect.Reply("Hi"), "m")["output"][0]["id"] for _ in range(2)}) == 2
    assert lect_apis.message(lect.Reply("Hi"), "m")["id"].startswith("msg_")


def test_an_event_is_two_lines():
    assert lect_apis.sse({"type": "message_stop"}) == 'event: message_stop\ndata: {"type": "message_stop"}\n\n'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}), ("{", {}), ('{"a', {}), ('{"a":', {}), ('{"a": tr', {}), ('{"a": 1, "b"', {"a": 1}),
        ('{"a": "x, {', {}), ('{"a": {"b": [1, "\\"', {"a": {"b": [1]}}), ('{"a": 12', {"a": 12}), ("[1, ", [1]),
        ('{"a": [{"b": 1}, {"c": nul', {"a": [{"b": 1}, {}]}), ('{"a": 1}', {"a": 1}),
    ],
)  # fmt: skip
def test_json_that_breaks_off_has_the_members_that_are_complete(text, value):
    assert partial_value(text) == value


def test_what_came_from_the_cache_is_told_as_each_api_does():
    counts = {"output_tokens": 2, "cached_tokens": 7}
    told = lect_apis.message(lect.Reply("Hi"), "m", input_tokens=9, **counts)["usage"]
    assert (told["input_tokens"], told["cache_read_input_tokens"], told["output_tokens"]) == (2, 7, 2)
    told = lect_apis.response(lect.Reply("Hi"), "m", input_tokens=9, **counts)["usage"]
    assert (told["input_tokens"], told["input_tokens_details"]["cached_tokens"]) == (9, 7)
    stream = FORMAT.stream()
    stream.feed("Hi")
    told = lect_apis.usage(stream, 9, 2, cached_tokens=7)
    assert (told["prompt_tokens"], told["prompt_tokens_details"]) == (9, {"cached_tokens": 7})
