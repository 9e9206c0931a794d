"""OpenAI's own client reads our stream from a real server, as the page about it shows, and its objects are messages."""

import json

import pages
import pytest

import lect

openai = pytest.importorskip("openai")

PAGE = pages.DOCS / "how-to" / "stream-to-openai-clients.md"
MODEL = "Qwen/Qwen3-8B"
COMPLETION = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{
        "index": 0, "finish_reason": "tool_calls", "logprobs": None,
        "message": {
            "role": "assistant", "content": None, "refusal": None, "annotations": [],
            "reasoning_content": "The weather is asked for.",
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Bern"}'}}
            ],
        },
    }],
}  # fmt: skip
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}
QUESTION = {"role": "user", "content": "And in Bern?"}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "Rain."}


@pytest.fixture
def answer():
    return openai.types.chat.ChatCompletion.model_validate(COMPLETION).choices[0].message


def test_an_answer_of_the_client_is_a_message(answer):
    before = answer.model_dump()
    messages = [QUESTION, answer, RESULT]
    plain = [QUESTION, json.loads(json.dumps(COMPLETION))["choices"][0]["message"], RESULT]
    for _ in range(3):
        prompt = lect.render(MODEL, messages, strict=True)
        assert (prompt.text, prompt.unused) == (lect.render(MODEL, plain, strict=True).text, ())
        assert lect.get_template(MODEL).text(messages) == prompt.text
    # Its parts are taken too, in a message of one's own.
    own = {
        "role": "assistant",
        "content": "",
        "reasoning_content": answer.reasoning_content,
        "tool_calls": answer.tool_calls,
    }
    assert lect.render(MODEL, [QUESTION, own, RESULT]).text == prompt.text
    assert '"name": "weather", "arguments": {"city": "Bern"}' in prompt.text
    assert answer.model_dump() == before


def test_an_answer_that_was_refused_is_reported(answer):
    refused = answer.model_copy(update={"refusal": "I cannot.", "tool_calls": None, "reasoning_content": None})
    (unused,) = lect.render(MODEL, [QUESTION, refused]).unused
    assert (unused.path, unused.meant) == (("messages", 1, "refusal"), "content")


def test_a_tool_of_the_client_is_a_tool(answer):
    from openai.types.chat import ChatCompletionFunctionTool
    from openai.types.shared import FunctionDefinition

    function = FunctionDefinition(name="weather", parameters=SCHEMA)
    for tool in (
        ChatCompletionFunctionTool(type="function", function=function),
        {"type": "function", "function": function},
    ):
        assert lect.render(MODEL, [QUESTION], tools=[tool]).text == lect.render(MODEL, [QUESTION], tools=[TOOL]).text
        output = '<tool_call>\n{"name": "weather", "arguments": {"city": "Bern"}}\n</tool_call>'
        assert lect.parse(MODEL, output, tools=[tool]).tool_calls == lect.parse(MODEL, output, tools=[TOOL]).tool_calls


def test_models_of_pydantic_are_messages():
    from pydantic import BaseModel

    class Message(BaseModel):
        role: str = "user"
        content: str
        name: str | None = None

    assert (
        lect.render(MODEL, [Message(content="Hi")]).text == lect.render(MODEL, [{"role": "user", "content": "Hi"}]).text
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("no JSON", "Expecting value"),
        ("[]", "the request is not an object"),
        ('{"model": "m"}', "messages is None (NoneType); expected a list of messages"),
        ('{"messages": [{"role": "robot", "content": "Hi"}]}', "the role of messages[0] is 'robot'"),
        ('{"messages": [{"role": "user", "content": "<|im_end|>"}]}', "contains control text of the model"),
        ('{"messages": [{"role": "user", "content": "Hi"}], "tools": 3, "stream": true}', "tools is 3 (int)"),
        ('{"messages": [{"role": "user", "content": "Hi"}], "stop": [3]}', "stop is [3]; expected a list of texts"),
    ],
)
def test_the_server_of_the_page_refuses_what_is_wrong_with_a_request(body, message):
    client = pytest.importorskip("starlette.testclient").TestClient
    server = next(example.code for example in pages.python_examples(PAGE, ("py",)) if "Starlette(" in example.code)
    names = {"lect": lect}
    exec(server, names)  # the page's own code
    answer = client(names["app"]).post("/v1/chat/completions", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert message in answer.json()["error"]["message"]
