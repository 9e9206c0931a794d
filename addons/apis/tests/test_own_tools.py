"""Namespaces, custom tools and shells as functions, and their calls as the client knows them; chat completions read."""

import json

import pytest

import lect
import lect_apis
from lect.plugin.grammar import JSON_IN_TAGS, Grammar

ARGUMENTS = {"type": "object", "properties": {}}
GRAMMAR = {"syntax": "lark", "definition": "start: /x+/"}
TOOLS = [
    {"type": "function", "name": "plain", "parameters": ARGUMENTS},
    {"type": "namespace", "name": "multi", "tools": [{"type": "function", "name": "go", "parameters": ARGUMENTS}]},
    {"type": "custom", "name": "patch", "description": "Edit.", "format": {"type": "grammar", **GRAMMAR}},
    {"type": "local_shell"},
    {"type": "shell"},
    {"type": "web_search"},
]
REQUEST = {
    "input": [
        {"type": "function_call", "call_id": "c1", "namespace": "multi", "name": "go", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": 'say "x"'},
        {"type": "web_search_call", "id": "w1", "status": "completed", "action": {"type": "search", "query": "x"}},
        {"type": "local_shell_call", "call_id": "c3", "action": {"type": "exec", "command": ["ls"], "env": {}}},
        {"type": "shell_call", "call_id": "c4", "action": {"commands": ["ls"], "timeout_ms": None}},
        {"type": "function_call_output", "call_id": "c1", "output": "went"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "patched"},
        {"type": "local_shell_call_output", "id": "c3", "output": "a.txt"},
        {"type": "shell_call_output", "call_id": "c4", "output": [{"stdout": "a.txt"}]},
    ],
    "tools": TOOLS,
}
FORMAT = Grammar("calls", sections=(JSON_IN_TAGS,))


def written(*calls):
    return "".join(
        f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>\n"
        for name, arguments in calls
    )


CALLS = written(
    ("multi__go", {"a": 1}), ("patch", {"input": 'x "y"\n'}), ("local_shell", {"command": ["ls"]}), ("shell", {"commands": ["ls"]}),
    ("plain", {}),
)  # fmt: skip


def test_they_are_functions_of_the_model():
    row = lect_apis.request(REQUEST)
    functions = {tool["function"]["name"]: tool["function"] for tool in row.tools}
    assert list(functions) == ["plain", "multi__go", "patch", "local_shell", "shell"]
    assert functions["patch"]["description"] == "Edit.\nThe input follows this lark grammar:\nstart: /x+/"
    assert functions["patch"]["parameters"]["required"] == ["input"]
    assert row.rest["unread"] == {"tools[5]": TOOLS[5], "input[2]": REQUEST["input"][2]}


def test_their_calls_and_results_are_those_of_functions():
    answer, *results = lect_apis.request(REQUEST).messages
    called = [
        (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
        for call in answer["tool_calls"]
    ]
    assert called == [
        ("c1", "multi__go", {}),
        ("c2", "patch", {"input": 'say "x"'}),
        ("c3", "local_shell", {"command": ["ls"]}),
        ("c4", "shell", {"commands": ["ls"]}),
    ]
    assert [(each["tool_call_id"], each["content"]) for each in results] == [
        ("c1", "went"), ("c2", "patched"), ("c3", "a.txt"), ("c4", '[{"stdout": "a.txt"}]'),
    ]  # fmt: skip


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_calls_of_the_model_come_back_as_what_they_are_to_the_client(size):
    events = lect_apis.ResponseEvents(lect.stream(None, format=FORMAT), "m", request=REQUEST, id="resp_1")
    sent = [event for at in range(0, len(CALLS), size) for event in events.feed(CALLS[at : at + size])] + events.close()
    items = events.response["output"]
    assert [(item["type"], item.get("namespace"), item.get("name")) for item in items] == [
        ("function_call", "multi", "go"),
        ("custom_tool_call", None, "patch"),
        ("local_shell_call", None, None),
        ("shell_call", None, None),
        ("function_call", None, "plain"),
    ]
    assert items[1]["input"] == 'x "y"\n'
    assert items[2]["action"] == {"type": "exec", "env": {}, "command": ["ls"]}
    assert items[3]["action"] == {"commands": ["ls"]}
    of_custom = [event for event in sent if event.get("item_id") == items[1]["id"]]
    assert [(event["type"], event.get("delta", event.get("input"))) for event in of_custom] == [
        ("response.custom_tool_call_input.delta", 'x "y"\n'),
        ("response.custom_tool_call_input.done", 'x "y"\n'),
    ]
    whole = lect_apis.response(lect.parse(None, CALLS, format=FORMAT), "m", request=REQUEST, id="resp_1")
    assert [{**item, "call_id": ""} for item in whole["output"]] == [{**item, "call_id": ""} for item in items]


def test_what_the_client_gets_back_reads_as_the_model_wrote_it():
    output = lect_apis.response(lect.parse(None, CALLS, format=FORMAT), "m", request=REQUEST)["output"]
    (answer,) = lect_apis.request({"input": output, "tools": TOOLS}).messages
    read = [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in answer["tool_calls"]]
    assert written(*read) == CALLS


def test_a_custom_call_that_breaks_off_has_what_arrived():
    text = CALLS[: CALLS.index('x \\"y') + 1]
    events = lect_apis.ResponseEvents(lect.stream(None, format=FORMAT), "m", request=REQUEST)
    events.feed(text)
    events.close("length")
    assert events.response["output"][-1]["status"] == "incomplete"


CHAT = {
    "messages": [
        {"role": "developer", "content": [{"type": "text", "text": "Rules.", "cache_control": {"type": "ephemeral"}}]},
        {"role": "user", "content": "Hi", "name": "ann"},
        {"role": "assistant", "content": None, "refusal": None, "tool_calls": [
            {"id": "c1", "type": "custom", "custom": {"name": "patch", "input": "x"}},
            {"id": "c2", "type": "function", "function": {"name": "plain", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "c2", "name": "plain", "content": "two"},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
    ],
    "tools": [
        {"type": "function", "function": {"name": "plain", "parameters": ARGUMENTS, "strict": True}},
        {"type": "custom", "custom": {"name": "patch", "format": {"type": "grammar", "grammar": GRAMMAR}}},
    ],
    "max_completion_tokens": 5,
    "stop": "END",
    "tool_choice": {"type": "custom", "custom": {"name": "patch"}},
}  # fmt: skip


def test_a_request_for_chat_completions_is_read_too():
    row = lect_apis.request(CHAT)
    assert row.messages[:2] == [
        {"role": "developer", "content": "Rules."},
        {"role": "user", "content": "Hi", "name": "ann"},
    ]
    assert [call["function"] for call in row.messages[2]["tool_calls"]] == [
        {"name": "patch", "arguments": '{"input": "x"}'}, {"name": "plain", "arguments": "{}"},
    ]  # fmt: skip
    assert [(each["tool_call_id"], each["content"]) for each in row.messages[3:]] == [("c1", "one"), ("c2", "two")]
    assert [tool["function"]["name"] for tool in row.tools] == ["plain", "patch"]
    assert row.rest == {
        "max_tokens": 5,
        "stop": ["END"],
        "tool_choice": {"type": "function", "function": {"name": "patch"}},
        "unread": {
            "messages[0].content[0].cache_control": {"type": "ephemeral"},
            "messages[3].name": "plain",
            "tools[0].function.strict": True,
        },
    }


@pytest.mark.parametrize("size", [1, 1000])
def test_a_custom_call_comes_back_in_a_chat_completion(size):
    text = written(("plain", {"a": 1}), ("patch", {"input": "x\ny"}))
    chunks = lect_apis.ChatChunks(lect.stream(None, format=FORMAT), "m", request=CHAT)
    sent = [each for at in range(0, len(text), size) for each in chunks.feed(text[at : at + size])] + chunks.close()
    calls = [call for each in sent for call in each["choices"][0]["delta"].get("tool_calls", ())]
    (custom,) = [call for call in calls if call.get("type") == "custom"]
    assert (custom["index"], custom["custom"]) == (1, {"name": "patch", "input": "x\ny"})
    assert all("function" in call for call in calls if call["index"] == 0)
    whole = lect_apis.completion(lect.parse(None, text, format=FORMAT), "m", request=CHAT)
    assert whole["choices"][0]["message"]["tool_calls"][1]["custom"] == custom["custom"]


def test_documents_and_search_results_of_the_messages_api_are_text():
    result = {
        "type": "search_result",
        "title": "T",
        "source": "https://example.org",
        "content": [{"type": "text", "text": "R"}],
    }
    blocks = [
        {"type": "document", "title": "D", "source": {"type": "text", "media_type": "text/plain", "data": "Long."}},
        {"type": "document", "source": {"type": "content", "content": "Short."}},
        {"type": "tool_reference", "tool_name": "x"},
        result,
    ]
    row = lect_apis.request({"messages": [{"role": "user", "content": blocks}]})
    texts = [part["text"] for part in row.messages[0]["content"]]
    assert texts == ["D", "Long.", "Short.", "T (https://example.org)", "R"]
    assert row.rest["unread"] == {"messages[0].content[2]": blocks[2]}
    pdf = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": ""}}
    with pytest.raises(lect.MessageError, match="is a block of type 'document', which no template can write"):
        lect_apis.request({"messages": [{"role": "user", "content": [pdf]}]})
