"""OpenAI's and Anthropic's own clients, with everything that they check: streamed and whole, tools, and errors."""

import json
from contextlib import contextmanager

import pytest

openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")

from fake_engines import serving  # noqa: E402

from lect_serve import Settings, app  # noqa: E402
from lect_serve.engines.base import EngineError  # noqa: E402

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
SAID = '<think>\nA tool can tell.\n</think>\n\nLet me see.\n<tool_call>\n{"name": "look", "arguments": {"q": "x"}}\n</tool_call><|im_end|>'
DONE = "<think>\n\n</think>\n\nIt is wet: é 日本.<|im_end|>"
QUESTION = {"role": "user", "content": "How is it?"}


@contextmanager
def served(model, *engines, **settings):
    built = app(Settings("Qwen/Qwen3-8B", **settings), model=model, engines=engines)
    with (
        serving(built) as url,
        openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as ours,
        anthropic.Anthropic(base_url=url, api_key="k", max_retries=0) as theirs,
    ):
        yield ours, theirs


def test_chat_completions(model, scripted):
    tools = [{"type": "function", "function": {"name": "look", "parameters": SCHEMA}}]
    engine = scripted(SAID, DONE)
    with served(model, engine) as (client, _):
        asked = {"model": "m", "tools": tools}
        whole = client.chat.completions.create(messages=[QUESTION], **asked)
        message = whole.choices[0].message
        (call,) = message.tool_calls
        assert (message.content, message.reasoning_content) == ("Let me see.", "A tool can tell.")
        assert (call.function.name, json.loads(call.function.arguments)) == ("look", {"q": "x"})
        assert whole.choices[0].finish_reason == "tool_calls"
        assert whole.usage.prompt_tokens_details.cached_tokens == 3
        result = {"role": "tool", "tool_call_id": call.id, "content": "wet"}
        messages = [QUESTION, message.model_dump(exclude_none=True), result]
        with client.chat.completions.stream(
            messages=messages, stream_options={"include_usage": True}, **asked
        ) as stream:
            final = stream.get_final_completion()
        assert final.choices[0].message.content == "It is wet: é 日本."
        assert final.usage.total_tokens == final.usage.prompt_tokens + final.usage.completion_tokens
        assert client.models.list().data[0].id == "Qwen/Qwen3-8B"


def test_responses(model, scripted):
    tools = [{"type": "function", "name": "look", "parameters": SCHEMA, "strict": False}]
    with served(model, scripted(SAID, DONE, SAID, DONE)) as (client, _):
        asked = {"model": "m", "tools": tools}
        with client.responses.stream(input=[QUESTION], **asked) as stream:
            response = stream.get_final_response()
        assert [item.type for item in response.output] == ["reasoning", "message", "function_call"]
        assert response.output_text == "Let me see."
        result = {"type": "function_call_output", "call_id": response.output[2].call_id, "output": "wet"}
        whole = client.responses.create(input=[QUESTION, *response.output, result], **asked)
        assert whole.output_text == "It is wet: é 日本."
        first = client.responses.create(input=[QUESTION], **asked)
        again = client.responses.create(
            previous_response_id=first.id, input=[{**result, "call_id": first.output[2].call_id}], **asked
        )
        assert again.output_text == "It is wet: é 日本."
        assert client.responses.retrieve(again.id).output_text == again.output_text
        with pytest.raises(openai.NotFoundError):
            client.responses.create(previous_response_id="resp_0", input="x", **asked)


def test_messages(model, scripted):
    tools = [{"name": "look", "input_schema": SCHEMA}]
    with served(model, scripted(SAID, DONE)) as (_, client):
        asked = {"model": "m", "max_tokens": 500, "tools": tools}
        with client.messages.stream(messages=[QUESTION], **asked) as stream:
            message = stream.get_final_message()
        assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
        assert (message.content[2].input, message.stop_reason) == ({"q": "x"}, "tool_use")
        result = {"type": "tool_result", "tool_use_id": message.content[2].id, "content": "wet"}
        messages = [QUESTION, {"role": "assistant", "content": message.content}, {"role": "user", "content": [result]}]
        whole = client.messages.create(messages=messages, **asked)
        assert (whole.content[-1].text, whole.stop_reason) == ("It is wet: é 日本.", "end_turn")
        counted = client.messages.count_tokens(messages=messages, model="m", tools=tools)
        assert counted.input_tokens == whole.usage.input_tokens + whole.usage.cache_read_input_tokens


def test_errors_are_what_clients_raise_for_them(model, scripted):
    engine = scripted(["Hello", EngineError("it died")], context=100)
    with served(model, engine, keys=("k",)) as (ours, theirs):
        long = [{"role": "user", "content": "word " * 200}]
        with pytest.raises(openai.BadRequestError) as refused:
            ours.chat.completions.create(model="m", messages=long)
        assert refused.value.code == "context_length_exceeded"
        with pytest.raises(anthropic.BadRequestError, match=r"prompt is too long: \d+ tokens > 100 maximum"):
            theirs.messages.create(model="m", max_tokens=9, messages=long)
        with pytest.raises(openai.APIError, match="it died"):
            list(ours.chat.completions.create(model="m", messages=[QUESTION], stream=True))
        failed = list(ours.responses.create(model="m", input="x", stream=True))[-1]
        assert (failed.type, failed.response.error.message) == ("response.failed", "it died")
        with pytest.raises(anthropic.APIStatusError, match="it died"):
            list(theirs.messages.create(model="m", max_tokens=9, messages=[QUESTION], stream=True))
        with pytest.raises(openai.InternalServerError, match="it died"):
            ours.chat.completions.create(model="m", messages=[QUESTION])
        with pytest.raises(openai.AuthenticationError):
            ours.with_options(api_key="other").models.list()
        with pytest.raises(anthropic.AuthenticationError):
            theirs.with_options(api_key="other").messages.create(model="m", max_tokens=9, messages=[QUESTION])


def test_log_probabilities(model, scripted):
    text = "It is wet: é 日本."
    with served(model, scripted(DONE)) as (client, _):
        asked = {"model": "m", "messages": [QUESTION], "logprobs": True, "top_logprobs": 0}
        found = client.chat.completions.create(**asked).choices[0].logprobs.content
        with client.chat.completions.stream(**asked) as stream:
            assert stream.get_final_completion().choices[0].logprobs.content == found
        assert "".join(each.token for each in found) == text
        assert {each.logprob for each in found} == {-0.5}
        wanted = {"model": "m", "input": [QUESTION], "include": ["message.output_text.logprobs"]}
        whole = client.responses.create(**wanted)
        with client.responses.stream(**wanted) as stream:
            streamed = stream.get_final_response()
        for response in (whole, streamed):
            (part,) = response.output[-1].content
            assert "".join(each.token for each in part.logprobs) == response.output_text == text
        # An answer with them can be sent back, and be named.
        assert client.responses.create(model="m", input=[*whole.output, QUESTION]).output_text == text
        assert client.responses.create(model="m", input="And?", previous_response_id=whole.id).output_text == text


def test_one_call_at_most(model, scripted):
    twice = SAID.replace("<|im_end|>", "\n" + SAID[SAID.index("<tool_call>") :])
    with served(model, scripted(twice)) as (ours, theirs):
        tools = [{"name": "look", "input_schema": SCHEMA}]
        for one, count in ((True, 1), (False, 2)):
            choice = {"type": "auto", "disable_parallel_tool_use": one}
            asked = {"model": "m", "max_tokens": 500, "messages": [QUESTION], "tools": tools, "tool_choice": choice}
            with theirs.messages.stream(**asked) as stream:
                message = stream.get_final_message()
            assert [block.type for block in message.content] == ["thinking", "text", *["tool_use"] * count]
            assert message.stop_reason == "tool_use"
            functions = [{"type": "function", "name": "look", "parameters": SCHEMA}]
            with ours.responses.stream(
                model="m", input=[QUESTION], tools=functions, parallel_tool_calls=not one
            ) as stream:
                response = stream.get_final_response()
            assert [item.type for item in response.output] == ["reasoning", "message", *["function_call"] * count]
            assert response.parallel_tool_calls is not one
