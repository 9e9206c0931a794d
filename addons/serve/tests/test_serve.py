"""What a client gets: answers of three APIs, streamed and whole, from the model inside and from engines."""

import json

import pytest
from sampling import in_turn

import lect
from lect_kit import AdapterSuite
from lect_serve import Settings, app
from lect_serve.engines.base import ContextTooLongError, EngineError, Piece


class TestServe(AdapterSuite):
    plugin = "serve"
    examples = {}


LOOK = {
    "name": "look",
    "description": "Look.",
    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
}
TOOLS = {
    "chat": [{"type": "function", "function": LOOK}],
    "responses": [{"type": "function", **LOOK}],
    "messages": [{"name": "look", "description": "Look.", "input_schema": LOOK["parameters"]}],
}


def test_the_first_minute_needs_no_engine_and_no_tokenizer(asking, ask):
    with asking() as (client, _):
        answer = ask(client)
        assert (answer.status_code, ask.whole_text(answer.json())) == (200, "You said: Hi")
        assert ask.text(ask.events(client)) == "You said: Hi"


def test_a_stream_has_the_events_of_its_api_in_order(asking, ask):
    with asking() as (client, _):
        events = ask.events(client)
    if ask.api == "chat":
        assert events[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
        assert events[-1]["choices"][0]["finish_reason"] == "stop"
    elif ask.api == "responses":
        assert [each["sequence_number"] for each in events] == [*range(len(events))]
        assert (events[0]["type"], events[-1]["type"]) == ("response.created", "response.completed")
    else:
        assert (events[0]["type"], events[-1]["type"]) == ("message_start", "message_stop")


def test_what_the_model_inside_writes_in_every_format_is_read(asking, model):
    for name in ("qwen:qwen3", "qwen:qwen2.5", "lect:chatml", "llama:llama-3.1", "mistral:mistral-v3"):
        built = app(Settings(name))
        from starlette.testclient import TestClient

        with TestClient(built, base_url="http://127.0.0.1") as client:
            asked = {"messages": [{"role": "user", "content": "héllo 日本"}]}
            said = client.post("/v1/chat/completions", json=asked).json()["choices"][0]
        assert (name, said["message"]["content"], said["finish_reason"]) == (name, "You said: héllo 日本", "stop")


def test_a_tool_that_the_question_names_is_called_and_its_result_is_read(asking, ask):
    with asking() as (client, _):
        body = {key: value for key, value in ask.body.items() if key not in ("messages", "input")}
        question = {"role": "user", "content": "Please look now"}
        name = "input" if ask.api == "responses" else "messages"
        called = client.post(ask.path, json={**body, name: [question], "tools": TOOLS[ask.api]}).json()
        if ask.api == "chat":
            message = called["choices"][0]["message"]
            (call,) = message["tool_calls"]
            assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == ("look", {"q": "x"})
            more = [message, {"role": "tool", "tool_call_id": call["id"], "content": "seen"}]
        elif ask.api == "responses":
            *_, call = called["output"]
            assert (call["type"], call["name"], json.loads(call["arguments"])) == ("function_call", "look", {"q": "x"})
            more = [*called["output"], {"type": "function_call_output", "call_id": call["call_id"], "output": "seen"}]
        else:
            *_, call = called["content"]
            assert (call["type"], call["name"], call["input"], called["stop_reason"]) == (
                "tool_use",
                "look",
                {"q": "x"},
                "tool_use",
            )
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": "seen"}
            more = [{"role": "assistant", "content": called["content"]}, {"role": "user", "content": [result]}]
        done = client.post(ask.path, json={**body, name: [question, *more], "tools": TOOLS[ask.api]}).json()
    assert ask.whole_text(done) == "Done: seen"


def test_every_call_has_an_id_that_no_other_has(asking):
    asked = {"messages": [{"role": "user", "content": "look"}], "tools": TOOLS["chat"]}
    with asking() as (client, _):
        answers = [client.post("/v1/chat/completions", json=asked).json() for _ in range(3)]
    assert len({each["choices"][0]["message"]["tool_calls"][0]["id"] for each in answers}) == 3


def test_what_the_engine_gets_are_the_ids_of_the_prompt(asking, scripted, model):
    engine = scripted("Hello!<|im_end|>")
    messages = [{"role": "user", "content": "Hi<|im_end|>"}]
    with asking(engine) as (client, _):
        client.post(
            "/v1/chat/completions", json={"messages": messages, "temperature": 0.5, "stop": "END", "max_tokens": 7}
        )
    (asked,) = engine.asked
    prompt = lect.render("Qwen/Qwen3-8B", messages, add_generation_prompt=True)
    assert list(asked.ids) == list(prompt.encode(model.tokenizer).ids)
    # The user's own `<|im_end|>` is text.
    assert list(asked.ids).count(model.tokenizer.control_tokens()["<|im_end|>"]) == 1
    assert (asked.sampling, asked.stop, asked.max_tokens) == ({"temperature": 0.5}, ("END",), 7)
    assert asked.stop_ids == (model.tokenizer.control_tokens()["<|im_end|>"], *asked.stop_ids[1:])


def test_a_stop_that_is_no_token_is_a_text_to_stop_at(asking, scripted, model):
    engine = scripted("Hello!</s>")
    with asking(engine) as (client, server):
        server.model = model._replace(stop_texts=("USER:",))
        client.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": "Hi"}], "stop": "END"})
    assert engine.asked[0].stop == ("END", "USER:")


def test_usage_is_what_the_engine_counted(asking, scripted, ask):
    with asking(scripted("<think>\nHm.\n</think>\n\nHello!<|im_end|>")) as (client, _):
        answer = ask(client)
        usage = answer.json()["usage"]
        prompt = int(answer.headers["x-lect-prompt-tokens"])
    names = {"chat": ("prompt_tokens", "completion_tokens"), "responses": ("input_tokens", "output_tokens")}
    if ask.api == "messages":
        assert (usage["input_tokens"], usage["cache_read_input_tokens"]) == (prompt - 3, 3)
        assert 0 < usage["output_tokens_details"]["thinking_tokens"] < usage["output_tokens"]
    else:
        given, sampled = names[ask.api]
        assert usage[given] == prompt
        assert usage["total_tokens"] == prompt + usage[sampled]
        assert (
            next(value for name, value in usage.items() if "put_tokens_details" in name or "prompt_tokens_d" in name)[
                "cached_tokens"
            ]
            == 3
        )


def test_a_streamed_usage_comes_if_it_is_asked_for(asking, scripted):
    with asking(scripted("Hello!<|im_end|>")) as (client, _):
        body = {"messages": [{"role": "user", "content": "Hi"}], "stream": True}
        last = client.post("/v1/chat/completions", json={**body, "stream_options": {"include_usage": True}}).text
        assert '"completion_tokens":7' in last.splitlines()[-4]
        assert "usage" not in client.post("/v1/chat/completions", json=body).text


def test_characters_of_several_pieces_and_text_from_engines_without_ids(asking, scripted, ask, model):
    text = "naïve 日本語 👩‍👩‍👧‍👦"
    ids = scripted().ids(text)
    one_by_one = [[each] for each in ids]

    class TextEngine(type(scripted())):
        takes_ids = False

        async def generate(self, ask):
            self.asked.append(ask)
            for each in text:
                yield [Piece(text=each)]
            yield [Piece(finish="stop")]

    with asking(scripted(one_by_one)) as (client, _):
        assert ask.text(ask.events(client)) == text
    with asking(TextEngine(model)) as (client, _):
        assert ask.text(ask.events(client)) == text
        refused = client.post(ask.path, json=json.loads(json.dumps(ask.body).replace("Hi", "Hi<|im_end|>")))
        assert refused.status_code == 400
        assert "takes text" in ask.error(refused.json())


def test_an_error_before_the_answer_is_a_status_and_one_in_it_is_an_event(asking, scripted, ask):
    with asking(scripted([EngineError("out of memory", status=503)])) as (client, _):
        for stream in (False, True):
            answer = ask(client, stream=stream)
            assert answer.status_code == (529 if ask.api == "messages" else 503)
            assert ask.error(answer.json()) == "out of memory"
    with asking(scripted(["Hello", EngineError("it died")])) as (client, server):
        events = ask.events(client)
        assert ask.text(events) == "Hello"
        assert ask.failure(events) == "it died"
        answer = ask(client)
        assert (answer.status_code, ask.error(answer.json())) == (502, "it died")
        assert not server.jobs


def test_what_is_no_fault_of_anybodys_is_told_without_details(asking, scripted, ask):
    with asking(scripted([RuntimeError("secret path")])) as (client, _):
        answer = ask(client)
        assert answer.status_code == 500
        assert "secret" not in answer.text
        assert "log" in ask.error(answer.json())


def test_the_context_bounds_what_is_sampled(asking, scripted, ask):
    engine = scripted("Hello!<|im_end|>", context=1000)
    body = {key: value for key, value in ask.body.items() if key != "max_tokens"}
    with asking(engine) as (client, _):
        size = int(client.post(ask.path, json=body).headers["x-lect-prompt-tokens"])
        client.post(ask.path, json={**body, ("max_output_tokens" if ask.api == "responses" else "max_tokens"): 5000})
        assert [each.max_tokens for each in engine.asked] == [1000 - size] * 2
    with asking(engine, context=size) as (client, _):
        refused = ask(client)
    assert refused.status_code == 400
    if ask.api == "messages":
        assert ask.error(refused.json()) == f"prompt is too long: {size} tokens > {size} maximum"
    else:
        assert refused.json()["error"]["code"] == "context_length_exceeded"


def test_an_engine_that_says_that_a_prompt_is_too_long_is_put_in_the_words_of_the_api(asking, scripted, ask):
    refusal = ContextTooLongError("Please reduce your prompt.", prompt=7000, context=4096)
    with asking(scripted([refusal])) as (client, _):
        answer = ask(client)
    assert answer.status_code == 400
    if ask.api == "messages":
        assert ask.error(answer.json()) == "prompt is too long: 7000 tokens > 4096 maximum"
    else:
        assert answer.json()["error"]["code"] == "context_length_exceeded"


def test_effort_is_what_the_format_calls_it(asking, scripted):
    engine = scripted("Hello!<|im_end|>")
    question = {"messages": [{"role": "user", "content": "Hi"}]}
    with asking(engine) as (client, _):
        client.post("/v1/chat/completions", json={**question, "reasoning_effort": "none"})
        client.post("/v1/messages", json={**question, "max_tokens": 9, "thinking": {"type": "disabled"}})
        client.post("/v1/responses", json={"input": "Hi", "reasoning": {"effort": "none"}})
        client.post("/v1/chat/completions", json={**question, "chat_template_kwargs": {"enable_thinking": False}})
        client.post("/v1/chat/completions", json={**question, "reasoning_effort": "high"})
        assert client.post("/v1/chat/completions", json={**question, "reasoning_effort": "lots"}).status_code == 400
    closed = [each.text.endswith("<think>\n\n</think>\n\n") for each in engine.asked]
    assert closed == [True, True, True, True, False]


def test_a_choice_of_tools_and_a_schema_are_a_constraint(asking, scripted):
    engine = scripted("Hello!<|im_end|>")
    question = {"messages": [{"role": "user", "content": "Hi"}]}
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    strict = [{"type": "function", "function": {**LOOK, "strict": True}}]
    with asking(engine) as (client, _):
        for more in (
            {"tools": TOOLS["chat"]},
            {"tools": TOOLS["chat"], "tool_choice": "required"},
            {"tools": TOOLS["chat"], "tool_choice": {"type": "function", "function": {"name": "look"}}},
            {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}}},
            {"tools": strict},
        ):
            assert client.post("/v1/chat/completions", json={**question, **more}).status_code == 200
        free, *forced = [each.constraint for each in engine.asked]
        assert free is None
        assert all("look" in each.gbnf() for each in (*forced[:2], forced[3]))
        assert "integer" in forced[2].gbnf() or "[0-9]" in forced[2].gbnf()
        refused = client.post("/v1/chat/completions", json={**question, "tool_choice": "required"})
        assert refused.status_code == 400
    engine.constrains = False
    with asking(engine) as (client, _):
        refused = client.post(
            "/v1/chat/completions", json={**question, "tools": TOOLS["chat"], "tool_choice": "required"}
        )
        assert "cannot force a call" in refused.json()["error"]["message"]
        client.post("/v1/chat/completions", json={**question, "tools": TOOLS["chat"], "tool_choice": "none"})
    assert "look" not in engine.asked[-1].text


def test_a_request_is_fitted_to_the_format_and_the_changes_are_told(asking, scripted):
    engine = scripted("Hello!<|im_end|>")
    asked = {"messages": [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}]}
    with asking(engine) as (client, _):
        answer = client.post("/v1/chat/completions", json=asked)
        assert answer.headers["x-lect-changes"] == "developer to system"
    with asking(engine, exact=True) as (client, _):
        assert "x-lect-changes" not in client.post("/v1/chat/completions", json=asked).headers


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"n": 2}, "n is 2"),
        ({"logprobs": True, "top_logprobs": 3}, "top_logprobs is 3"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]}, "'image'"),
        ({"background": True}, "background"),
        ({"temperature": "hot"}, "temperature is 'hot'"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"stop": [1]}, "stop is [1]"),
        ({"messages": []}, "messages is empty"),
    ],
)  # fmt: skip
def test_what_is_not_served_is_refused_by_name(asking, more, told):
    with asking() as (client, _):
        answer = client.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": "Hi"}], **more})
    assert answer.status_code == 400
    assert told in answer.json()["error"]["message"]


def test_an_unknown_field_is_named_once_in_the_log(asking, caplog):
    asked = {"messages": [{"role": "user", "content": "Hi"}], "surprise": 1}
    with asking() as (client, _):
        for _ in range(3):
            assert client.post("/v1/chat/completions", json=asked).status_code == 200
    assert [each.getMessage() for each in caplog.records if "surprise" in each.getMessage()] == [
        "nothing reads the field 'surprise' of requests to chat"
    ]


@pytest.mark.parametrize("name", in_turn(["qwen:qwen3", "gptoss:gpt-oss", "llama:llama-3.1", "lect:chatml"], 4))
def test_whatever_agents_send_is_answered_or_refused_by_name(name):
    from agent_requests import MADE_UP, recorded
    from starlette.testclient import TestClient

    paths = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}
    with TestClient(app(Settings(name)), base_url="http://127.0.0.1") as client:
        for what, api, body in [*MADE_UP, *recorded()]:
            answer = client.post(paths[api], json=body)
            if "image" in what:
                assert (what, answer.status_code, "is of the type 'image'" in answer.text) == (what, 400, True)
            else:
                assert (what, answer.status_code) == (what, 200), answer.text


def test_what_a_format_has_no_place_for_is_named_once_in_the_log(caplog):
    from starlette.testclient import TestClient

    asked = {"messages": [{"role": "user", "content": "Hi"}], "tools": TOOLS["chat"]}
    with TestClient(app(Settings("lect:chatml")), base_url="http://127.0.0.1") as client:
        for _ in range(2):
            assert client.post("/v1/chat/completions", json=asked).headers["x-lect-changes"] == "left out: tool"
    assert [each.getMessage() for each in caplog.records if "no place" in each.getMessage()] == [
        "chatml has no place for what requests have: tool"
    ]


def test_an_answer_that_the_client_began_is_continued(asking, scripted):
    engine = scripted("is blue.<|im_end|>")
    begun = [{"role": "user", "content": "The sky?"}, {"role": "assistant", "content": "The sky"}]
    with asking(engine) as (client, _):
        client.post("/v1/messages", json={"max_tokens": 9, "messages": begun})
        client.post("/v1/chat/completions", json={"messages": begun, "continue_final_message": True})
    assert all(each.text.endswith("The sky") for each in engine.asked)


def test_tokens_are_counted_as_they_are_sent(asking):
    body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 9}
    with asking() as (client, _):
        counted = client.post("/v1/messages/count_tokens", json={k: body[k] for k in ("messages",)}).json()
        answer = client.post("/v1/messages", json=body)
    assert counted == {"input_tokens": int(answer.headers["x-lect-prompt-tokens"])}


def test_what_clients_ask_before_they_ask(asking):
    with asking(name="mine") as (client, _):
        assert client.head("/").status_code == 200
        assert client.get("/healthz").json()["status"] == "ok"
        (found,) = client.get("/v1/models").json()["data"]
        assert (found["id"], found["object"], found["type"]) == ("mine", "model", "model")
        assert client.get("/v1/models/mine").json()["id"] == "mine"
        assert client.get("/v1/models/other").status_code == 404
        client.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": "Hi"}]})
        assert 'lect_requests_total{api="chat",status="200"} 1' in client.get("/metrics").text


def test_a_tokenizer_that_is_not_here_says_what_to_type():
    with pytest.raises(lect.errors.TokenizerError, match="tokenizer='DIR'"):
        app(Settings("Qwen/Qwen3-8B", engines=("http://127.0.0.1:9",)))
