"""Requests of three APIs as messages, tools and options."""

import copy

import pytest

import lect
import lect_apis

HI = {"role": "user", "content": "Hi"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOL = {"type": "function", "function": {"name": "weather", "description": "Tell it", "parameters": SCHEMA}}
PIXEL = "data:image/png;base64,AAAA"
IMAGE = {"type": "image_url", "image_url": {"url": PIXEL}}


RESPONSES = {
    "input": [
        {
            "role": "user",
            "content": [{"type": "input_text", "text": "Hi"}, {"type": "input_image", "image_url": PIXEL}],
        },
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Ask."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Wait."}]},
        {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "Rain."},
    ],
    "instructions": "Be brief.",
    "tools": [{"type": "function", "name": "weather", "parameters": SCHEMA}],
    "tool_choice": {"type": "function", "name": "weather"},
}
MESSAGES = {
    "messages": [
        {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": PIXEL}}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Ask.", "signature": ""},
                {"type": "text", "text": "Wait."},
                {"type": "tool_use", "id": "call_1", "name": "weather", "input": {}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "Rain."}]},
    ],
    "system": [{"type": "text", "text": "Be brief."}],
    "tools": [{"name": "weather", "input_schema": SCHEMA}],
    "tool_choice": {"type": "tool", "name": "weather"},
}


def call(arguments):
    return {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": arguments}}


def asked(*input, **fields):  # noqa: A002  # as in the API
    return lect_apis.request({"input": list(input), **fields})


def told(*messages, **fields):
    return lect_apis.request({"messages": list(messages), **fields})


def test_a_text_is_a_message_of_the_user():
    row = lect_apis.request({"model": "m", "input": "Hi", "instructions": "Be brief.", "temperature": None})
    assert row == lect.Row([{"role": "system", "content": "Be brief."}, HI], None, None, None, None, {"model": "m"})


def test_a_conversation_of_responses():
    row = asked(
        {"role": "developer", "content": "Be brief."},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "Ask."}]},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Wait.", "annotations": []}],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "weather",
            "arguments": '{"city": "Bern"}',
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "Rain."},
        {"role": "assistant", "content": "Rain."},
        {"role": "assistant", "content": "Really."},
    )
    answer = {"role": "assistant", "content": "Wait.", "reasoning_content": "Ask."}
    assert row.messages == [
        {"role": "developer", "content": "Be brief."},
        HI,
        {**answer, "tool_calls": [call('{"city": "Bern"}')]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Rain."},
        {"role": "assistant", "content": "Rain."},
        {"role": "assistant", "content": "Really."},
    ]
    assert row.rest == {}


def test_a_conversation_of_messages():
    row = told(
        HI,
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Ask.", "signature": ""},
                {"type": "text", "text": "Wait."},
                {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Bern"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "Rain."}]},
                {"type": "text", "text": "Hi"},
            ],
        },
        {"role": "assistant", "content": "It"},
        system=[{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Be kind."}],
    )
    answer = {"role": "assistant", "content": "Wait.", "reasoning_content": "Ask."}
    assert row.messages == [
        {"role": "system", "content": [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Be kind."}]},
        HI,
        {**answer, "tool_calls": [call({"city": "Bern"})]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Rain."},
        HI,
        {"role": "assistant", "content": "It"},
    ]
    assert row.rest == {}


def test_calls_alone_have_no_content():
    use = {"type": "tool_use", "id": "call_1", "name": "weather", "input": {}}
    assert told({"role": "assistant", "content": [use]}).messages == [
        {"role": "assistant", "content": None, "tool_calls": [call({})]}
    ]


def test_images_are_parts():
    text = {"type": "text", "text": "See"}
    image = {"type": "input_image", "image_url": PIXEL, "detail": "auto"}
    fine = {"type": "image_url", "image_url": {"url": PIXEL, "detail": "high"}}
    parts = [{"type": "input_text", "text": "See"}, image, image | {"detail": "high"}]
    assert asked({"role": "user", "content": parts}).messages == [{"role": "user", "content": [text, IMAGE, fine]}]
    sources = [
        {"type": "base64", "media_type": "image/png", "data": "AAAA"},
        {"type": "url", "url": "https://a.example/b.png"},
    ]
    blocks = [text, *({"type": "image", "source": source} for source in sources)]
    web = {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}}
    assert told({"role": "user", "content": blocks}).messages == [{"role": "user", "content": [text, IMAGE, web]}]
    result = {"type": "tool_result", "tool_use_id": "call_1", "content": blocks[1:2]}
    assert told({"role": "user", "content": [result]}).messages[0]["content"] == [IMAGE]
    assert asked({"type": "function_call_output", "call_id": "call_1", "output": [image]}).messages[0]["content"] == [
        IMAGE
    ]


def test_only_a_summary_of_reasoning_is_taken_for_it():
    thought = [{"type": "summary_text", "text": "One."}, {"type": "summary_text", "text": "Two."}]
    row = asked({"type": "reasoning", "id": "rs_1", "summary": thought, "encrypted_content": "gAAA"})
    assert row.messages == [{"role": "assistant", "content": "", "reasoning_content": "One.\n\nTwo."}]
    assert row.rest == {"unread": {"input[0].encrypted_content": "gAAA"}}


def test_tools_of_both_apis_are_the_same_tool():
    ours = {"name": "weather", "description": "Tell it"}
    flat = {"type": "function", **ours, "parameters": SCHEMA, "strict": True}
    search = {"type": "web_search"}
    row = asked(HI, tools=[flat, search])
    assert (row.tools, row.rest) == ([TOOL], {"unread": {"tools[0].strict": True, "tools[1]": search}})
    bash = {"type": "bash_20250124", "name": "bash"}
    row = told(HI, tools=[{**ours, "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}}, bash])
    unread = {"tools[0].cache_control": {"type": "ephemeral"}, "tools[1]": bash}
    assert (row.tools, row.rest) == ([TOOL], {"unread": unread})


@pytest.mark.parametrize(
    ("read", "choice", "expected"),
    [
        (asked, "required", {"tool_choice": "required"}),
        (asked, {"type": "function", "name": "f"}, {"tool_choice": {"type": "function", "function": {"name": "f"}}}),
        (told, {"type": "auto"}, {"tool_choice": "auto"}),
        (told, {"type": "none"}, {"tool_choice": "none"}),
        (
            told,
            {"type": "any", "disable_parallel_tool_use": True},
            {"tool_choice": "required", "parallel_tool_calls": False},
        ),
        (told, {"type": "tool", "name": "f"}, {"tool_choice": {"type": "function", "function": {"name": "f"}}}),
    ],
)
def test_the_choice_of_tools_is_that_of_chat_completions(read, choice, expected):
    assert read(HI, tool_choice=choice).rest == expected


def test_options_are_called_as_in_chat_completions():
    assert asked(HI, max_output_tokens=9, top_p=0.5).rest == {"max_tokens": 9, "top_p": 0.5}
    assert told(HI, max_tokens=9, stop_sequences=["END"], top_k=3).rest == {
        "max_tokens": 9,
        "stop": ["END"],
        "top_k": 3,
    }


def test_what_has_no_place_is_named():
    thinking = {"type": "thinking", "thinking": "Ask.", "signature": "EqQB"}
    row = told(
        {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "Emwk"}, thinking]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "No.", "is_error": True}]},
    )
    assert row.rest == {
        "unread": {
            "messages[0].content[0].data": "Emwk",
            "messages[0].content[1].signature": "EqQB",
            "messages[1].content[0].is_error": True,
        }
    }


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({}, "a request has input or messages, but this one has no fields"),
        ({"prompt": "Hi"}, "a request has input or messages, but this one has prompt"),
        ({"input": 5}, "input is 5; expected a list"),
        ({"input": ["Hi"]}, r"input\[0\] is 'Hi'; expected a mapping"),
        ({"input": [{"role": "user", "content": [{"type": "input_text"}]}]}, r"input\[0\].content\[0\].text is None"),
        ({"input": "Hi", "previous_response_id": "resp_1"}, "its messages are not in the request\n  try: put them"),
        (
            {"input": [{"role": "user", "content": [{"type": "input_file"}]}]},
            r"content\[0\] is a part of type 'input_f",
        ),
        ({"input": [{"role": "user", "content": [{"type": "input_image", "file_id": "f"}]}]}, "image_url"),
        ({"messages": [{"role": "user", "content": [{"type": "document"}]}]}, "is a block of type 'document', which"),
        ({"messages": [{"role": "assistant", "content": [{"type": "video"}]}]}, "say in a text what it says"),
        ({"messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "file"}}]}]}, "url source"),
    ],
)
def test_what_cannot_be_read_is_refused(data, told):
    with pytest.raises(lect.MessageError, match=told):
        lect_apis.request(data)


def places(value):
    """Yield every place in a request, as the keys that lead there."""
    yield ()
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    yield from ((key, *below) for key, each in pairs for below in places(each))


@pytest.mark.parametrize("junk", [None, 5, True, "x", [], [5], [[{}]], {}, {"type": ["x"]}, {"role": {}}], ids=repr)
@pytest.mark.parametrize("request_", [RESPONSES, MESSAGES], ids=["responses", "messages"])
def test_no_request_ends_in_another_error(request_, junk):
    for path in places(request_):
        changed = {"": copy.deepcopy(request_)}
        value = changed
        for key in ("", *path)[:-1]:
            value = value[key]
        value[("", *path)[-1]] = junk
        try:
            row = lect_apis.request(changed[""])
        except lect.MessageError:
            continue
        assert all(message["role"] for message in row.messages)


def test_the_format_can_be_given():
    assert lect_apis.request({"instructions": "Be brief."}, format="responses").messages[0]["role"] == "system"
    with pytest.raises(lect.MessageError, match="format is 'acme'; expected 'chat', 'responses' or 'messages'"):
        lect_apis.request({"messages": []}, format="acme")
    with pytest.raises(lect.MessageError, match=r"messages\[0\].role is 'tool'; expected 'user' or"):
        lect_apis.request({"messages": [{"role": "tool", "content": "4"}]}, format="messages")
