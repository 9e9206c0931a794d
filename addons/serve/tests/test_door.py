"""Who may come in, and bodies that are no requests: nothing that a client sends is a fault of the server."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from lect_serve import Settings, app
from lect_serve.door import DEEPEST

PAGE = {"origin": "http://evil.example"}


@pytest.fixture(scope="module")
def client(model):
    with TestClient(
        app(Settings("Qwen/Qwen3-8B"), model=model), base_url="http://127.0.0.1", raise_server_exceptions=False
    ) as made:
        yield made


def statuses(asking, *headers, path="/v1/models", **told):
    with asking(**told) as (client, _):
        return [client.get(path, headers=each).status_code for each in headers]


def test_a_server_of_this_machine_answers_only_to_its_own_name(asking):
    hosts = ["127.0.0.1:8000", "localhost", "[::1]:8000", "evil.example", "evil.example:8000", ""]
    for path in ("/v1/models", "/healthz", "/", "/nothing"):
        found = statuses(asking, *({"host": each} for each in hosts), path=path)
        assert [each == 403 for each in found] == [False] * 3 + [True] * 3, path
    assert statuses(asking, {"host": "box"}, hosts=("box",)) == [200]


def test_web_pages_may_not_ask_unless_they_are_named(asking):
    assert statuses(asking, PAGE, {"origin": "null"}, origins=()) == [403, 403]
    assert statuses(asking, PAGE, origins=(PAGE["origin"],)) == [200]


def test_a_page_that_is_named_may_read_what_it_gets(asking):
    asks_first = {**PAGE, "access-control-request-method": "POST", "access-control-request-headers": "x-api-key"}
    with asking(origins=(PAGE["origin"],), keys=("one",)) as (client, _):
        answer = client.options("/v1/messages", headers=asks_first)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, PAGE["origin"])
        assert client.get("/v1/models", headers=PAGE).status_code == 401
        answer = client.get("/v1/models", headers={**PAGE, "x-api-key": "one"})
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, PAGE["origin"])
    with asking(keys=("one",)) as (client, _):
        assert client.options("/v1/messages", headers=asks_first).status_code == 403


def test_a_key_is_asked_for_everywhere_but_for_health(asking):
    right = [{"x-api-key": "two"}, {"authorization": "Bearer one"}, {"authorization": "bearer two"}]
    wrong = [{}, {"x-api-key": "three"}, {"authorization": "Basic one"}, {"x-api-key": ""}, {"x-api-key": "on"}]
    keys = ("one", "two")
    assert statuses(asking, *right, keys=keys) == [200] * 3
    assert statuses(asking, *wrong, keys=keys) == [401] * 5
    assert statuses(asking, {}, path="/healthz", keys=keys) == [200]
    assert statuses(asking, {}, path="/metrics", keys=keys) == [401]


@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=3), st.text(max_size=6))
def test_a_key_is_the_bytes_that_it_is_in_any_script(keys, other):
    from lect_serve.door import admit
    from lect_serve.refusals import RefusedRequestError

    settings = Settings("m", keys=tuple(keys))

    def comes_in(key):
        sent = key.encode("utf-8", "surrogateescape").decode("latin-1")
        try:
            admit(settings, "GET", "/v1/models", {"host": "localhost", "x-api-key": sent})
        except RefusedRequestError:
            return False
        return True

    assert all(map(comes_in, keys))
    assert comes_in(other) == (other in keys)


def test_a_refusal_at_the_door_has_the_shape_of_the_api(asking, ask):
    with asking(keys=("one",)) as (client, _):
        assert "key" in ask.error(ask(client).json())


def test_a_body_is_bounded_before_it_is_read(asking, ask):
    with asking(most_bytes=1000) as (client, _):
        assert ask(client).status_code == 200
        for body in (b" " * 1001, iter([b" " * 600] * 2)):
            answer = client.post(ask.path, content=body)
            assert answer.status_code == 413
            ask.error(answer.json())


NESTED = b'{"a":' * 100_000
MALFORMED = [
    b"", b"{", b"[]", b"1", b"null", b'"x"', b"\xff\xfe", b'{"a": \xff}', NESTED, b"[" * 1_000_000,
    b'{"temperature": 1e400, "messages": [{"role": "user", "content": "x"}], "input": "x"}',
    b'{"temperature": NaN, "messages": [{"role": "user", "content": "x"}], "input": "x"}',
    b'{"max_tokens": ' + b"9" * 10_000 + b"}",
    b'{"messages": [{"role": "user", "content": "x"}], "input": "x", "top_k": ' + b"9" * 400 + b"}",
]  # fmt: skip
NO_REQUESTS = [
    {}, {"messages": None, "input": None}, {"messages": [], "input": []}, {"messages": "x", "input": 1},
    {"messages": [1], "input": [1]}, {"messages": [{}], "input": [{}]}, {"messages": [None], "input": [None]},
    {"messages": {"role": "user"}, "input": {"role": "user"}},
    {"messages": [{"role": 1, "content": "x"}], "input": [{"role": 1, "content": "x"}]},
    {"messages": [{"role": "user", "content": 1}], "input": [{"role": "user", "content": 1}]},
    {"messages": [{"role": "user", "content": [1]}], "input": [{"role": "user", "content": [1]}]},
    {"messages": [{"role": "user", "content": [{"type": []}]}], "input": [{"role": "user", "content": [{"type": {}}]}]},
    {"messages": [{"role": "assistant", "tool_calls": [{}]}], "input": [{"type": "function_call"}]},
    {"messages": [{"role": "assistant", "content": [{"type": "tool_use"}]}], "input": [{"type": "custom_tool_call"}]},
]  # fmt: skip
FINE = {"messages": [{"role": "user", "content": "Hi"}], "input": "Hi", "max_tokens": 9}
WRONG_FIELDS = [
    ("tools", "x"), ("tools", [1]), ("tools", [{"type": "function"}]), ("tools", {"a": 1}),
    ("tools", [{"type": "function", "function": 1}]), ("tools", [{"name": 1, "input_schema": 1}]),
    ("tools", [{"type": "namespace", "name": "a", "tools": 1}]), ("tools", [{"type": "custom", "name": []}]),
    ("temperature", "x"), ("temperature", True), ("temperature", []), ("top_k", 1.5), ("seed", "x"), ("seed", 10**30),
    ("max_tokens", "x"), ("max_tokens", -1), ("max_tokens", 1.5), ("max_tokens", True),
    ("stop", 1), ("stop", [""]), ("stop", ["x"] * 100), ("stop_sequences", 1), ("stop", {"a": 1}),
    ("stream", "yes"), ("stream_options", 1), ("model", 1), ("model", {}), ("n", "x"), ("n", 0),
    ("reasoning", 1), ("reasoning", {"effort": 1}), ("reasoning_effort", []), ("thinking", 1), ("thinking", []),
    ("output_config", "x"), ("text", 1), ("text", {"format": 1}), ("response_format", "json"),
    ("response_format", {"type": "json_schema"}), ("response_format", {"type": "json_schema", "json_schema": 1}),
    ("response_format", {"type": "json_schema", "json_schema": {"schema": {"type": "nothing"}}}),
    ("response_format", {"type": []}), ("tool_choice", 1), ("tool_choice", {"type": "function"}),
    ("tool_choice", "nothing"), ("tool_choice", {"type": []}), ("parallel_tool_calls", "x"),
    ("chat_template_kwargs", 1), ("metadata", 1), ("instructions", 1), ("system", 1), ("system", [1]),
    ("messages", [{"role": "tool", "tool_call_id": []}]), ("input", [{"type": "function_call_output"}]),
    ("background", True), ("conversation", "x"), ("prompt", {"id": "x"}),
]  # fmt: skip


@pytest.mark.parametrize("body", MALFORMED, ids=lambda body: repr(body[:20]))
def test_a_body_that_is_no_json_object_is_the_clients_fault(client, ask, body):
    answer = client.post(ask.path, content=body)
    assert answer.status_code == 400
    assert ask.error(answer.json())


@pytest.mark.parametrize("body", NO_REQUESTS, ids=lambda body: json.dumps(body)[:60])
def test_an_object_that_is_no_request_is_the_clients_fault(client, ask, body):
    answer = client.post(ask.path, json={"max_tokens": 9, **body})
    assert answer.status_code == 400, answer.text
    assert ask.error(answer.json())


@pytest.mark.parametrize(("name", "value"), WRONG_FIELDS)
def test_a_field_of_a_wrong_type_is_never_the_servers_fault(client, ask, name, value):
    answer = client.post(ask.path, json={**FINE, name: value})
    assert answer.status_code in (200, 400), answer.text
    if answer.status_code == 400:
        assert ask.error(answer.json())


def test_half_of_a_surrogate_pair_is_no_fault_of_the_server(asking, ask):
    for name in ("model", "content"):
        body = json.dumps({**ask.body, "model": "half" if name == "content" else "\ud800"})
        body = body.replace("Hi", "\\ud800") if name == "content" else body
        with asking() as (client, _):
            answer = client.post(ask.path, content=body.encode())
        assert answer.status_code in (200, 400)
        answer.json()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-2, 2) | st.sampled_from(["", "x", "user", "look"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "role", "content", "name", "text"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
REQUEST = {
    "model": "m", "max_tokens": 9, "instructions": "Be.", "system": "Be.", "temperature": 1, "stop": ["x"],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "look"}]},
        {"role": "assistant", "content": "So", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
    ],
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "look"}]},
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "So"}]},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
    ],
    "tools": [{"type": "function", "name": "look", "function": {"name": "look", "parameters": {"type": "object"}}, "input_schema": {"type": "object"}}],
    "tool_choice": "auto", "reasoning": {"effort": "low"}, "thinking": {"type": "enabled", "budget_tokens": 9},
    "metadata": {"user_id": '{"session_id": "x"}'}, "stream_options": {"include_usage": True},
    "include": ["message.output_text.logprobs"], "parallel_tool_calls": False, "prompt_cache_key": "x", "n": 1,
    "top_logprobs": 0, "chat_template_kwargs": {"enable_thinking": False}, "text": {"format": {"type": "text"}},
    "response_format": {"type": "text"}, "output_config": {"effort": "low"}, "store": True, "add_generation_prompt": True,
    "continue_final_message": False, "session_id": "x", "user": "x", "truncation": "auto",
}  # fmt: skip


def places(value, path=()):
    """Yield the places in a value."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inside:
        yield from places(each, (*path, name))


PLACES = [path for path in places(REQUEST) if path]


def changed(path, value):
    made = copy.deepcopy(REQUEST)
    inside = made
    for name in path[:-1]:
        inside = inside[name]
    inside[path[-1]] = value
    return made


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens"])
def test_whatever_stands_anywhere_in_a_request_is_never_the_servers_fault(client, path):
    @settings(max_examples=60)
    @given(st.sampled_from(PLACES), VALUES, st.booleans())
    def try_one(place, value, stream):
        answer = client.post(path, json={**changed(place, value), "stream": stream})
        assert answer.status_code in (200, 400), (place, value, answer.text)

    try_one()


INFINITE = ["NaN", "Infinity", "-Infinity", "1e400", "-1e999", "9" * 400 + ".0"]


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens"])
def test_a_number_that_is_not_finite_is_refused_wherever_it_stands_and_so_is_what_is_too_deep(client, path):
    @settings(max_examples=40)
    @given(st.sampled_from(PLACES), st.sampled_from(INFINITE) | st.integers(DEEPEST, 3 * DEEPEST))
    def try_one(place, wrong):
        wrong = wrong if isinstance(wrong, str) else "[" * wrong + "]" * wrong
        body = json.dumps(changed(place, "@")).replace('"@"', wrong)
        answer = client.post(path, content=body)
        assert answer.status_code == 400, (place, wrong, answer.text)
        assert "the body" in answer.json()["error"]["message"]

    try_one()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("POST", "/chat/completions", 404), ("POST", "/v1/v1/messages", 404), ("GET", "/v1/chat/completions", 405)],
)
def test_a_wrong_address_is_answered_and_logged_with_the_right_ones(method, path, status, client, caplog):
    with caplog.at_level("INFO", "lect_serve"):
        answer = client.request(method, path)
    assert answer.status_code == status
    said = answer.json()["error"]["message"]
    assert f"{method} '{path}' is not served here" in said
    assert "/v1/chat/completions" in said
    assert said in caplog.text


def test_a_picture_that_nobody_asked_for_says_which_option_shows_it(client):
    assert "--inspect" in client.get("/inspect").json()["error"]["message"]


SECRET = "xylophone"


def with_secret(value):
    """Return a value in which every text says more."""
    if isinstance(value, dict):
        return {name: with_secret(each) for name, each in value.items()}
    if isinstance(value, list):
        return [with_secret(each) for each in value]
    return f"{value}{SECRET}" if isinstance(value, str) else value


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens"])
def test_nothing_of_a_body_is_in_the_log(client, path, caplog):
    caplog.set_level("DEBUG", "lect_serve")

    @settings(max_examples=60)
    @given(st.sampled_from(PLACES), VALUES, st.booleans())
    def try_one(place, value, everywhere):
        client.post(path, json=with_secret(REQUEST) if everywhere else changed(place, with_secret(value) or SECRET))

    try_one()
    assert caplog.records
    assert SECRET not in caplog.text
