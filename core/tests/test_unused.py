"""A prompt says what was given and did not reach it."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import CHATML, FULL, THINKING, by_program, rich_chats

from lect import Unused, UnusedInputError
from lect.plugin import Template
from lect.prompt.unused import MESSAGE_FIELDS
from lect.tokens.policy import STATES

USER = {"role": "user", "content": "Hi"}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
PARTS = [
    {"type": "text", "text": "see"},
    {"type": "image", "image": "a.png"},
    {"type": "audio", "audio": "a.wav"},
    {"type": "text", "text": " "},
]
CALL = {"type": "function", "id": "1", "function": {"name": "f", "arguments": {"a": 1}}}
LEFT_OUT = {
    "a developer's message": (
        FULL,
        [{"role": "developer", "content": "x"}, USER],
        {},
        [(("messages", 0, "content"), "dropped")],
    ),
    "white space": (FULL, [{"role": "developer", "content": " \n"}, USER], {}, []),
    "a name": (FULL, [{**USER, "name": "bob"}], {}, [(("messages", 0, "name"), "dropped")]),
    "a part without a place": (
        FULL,
        [{"role": "user", "content": PARTS}],
        {},
        [(("messages", 0, "content", 2), "dropped")],
    ),
    "parts of a message that is left out": (
        FULL,
        [{"role": "developer", "content": PARTS}],
        {},
        [(("messages", 0, "content", index), "dropped") for index in (0, 1, 2)],
    ),
    "an image in a table": (
        CHATML,
        [{"role": "user", "content": PARTS[:2]}],
        {},
        [(("messages", 0, "content", 1), "dropped")],
    ),
    "two texts in a table": (CHATML, [{"role": "user", "content": [PARTS[0], PARTS[0]]}], {}, []),
    "reasoning": (
        CHATML,
        [{**USER, "reasoning_content": "r"}],
        {},
        [(("messages", 0, "reasoning_content"), "dropped")],
    ),
    "earlier reasoning": (
        FULL,
        [
            {"role": "assistant", "content": "a", "thinking": "r"},
            {"role": "assistant", "content": "b", "thinking": "s"},
        ],
        {},
        [(("messages", 0, "thinking"), "by-rule")],
    ),
    "calls": (
        CHATML,
        [{"role": "assistant", "content": "a", "tool_calls": [CALL]}],
        {},
        [(("messages", 0, "tool_calls", 0, "function", field), "dropped") for field in ("name", "arguments")],
    ),
    "calls that are written": (FULL, [{"role": "assistant", "content": "a", "tool_calls": [CALL]}], {}, []),
    "tools": (CHATML, [USER], {"tools": [TOOL, TOOL]}, [(("tools", 0), "dropped"), (("tools", 1), "dropped")]),
    "tools that are written": (FULL, [USER], {"tools": [TOOL, TOOL]}, []),
    "an option": (CHATML, [USER], {"enable_thinking": False}, [(("options", "enable_thinking"), "dropped")]),
    "an option that is read": (FULL, [USER], {"mood": "gay"}, []),
    "documents": (CHATML, [USER], {"documents": [{"text": "d"}]}, [(("options", "documents"), "dropped")]),
    "all of a text that was thought": (
        THINKING,
        [{"role": "assistant", "content": "thought</think>"}],
        {},
        [(("messages", 0, "content"), "dropped")],
    ),
    "a field that no format knows": (FULL, [{**USER, "colour": 0}], {}, [(("messages", 0, "colour"), "dropped")]),
    "such a field in a call": (
        FULL,
        [{"role": "assistant", "content": "", "tool_calls": [{**CALL, "function": {"name": "f", "args": {"a": 1}}}]}],
        {},
        [(("messages", 0, "tool_calls", 0, "function", "args"), "dropped")],
    ),
    "such a field that is read": (
        Template("read", lambda chat, out: out.append(chat.text(chat.messages[0].raw["x"], "messages", 0, "x"))),
        [{"role": "user", "x": "Hi"}],
        {},
        [],
    ),
    "such a field that decides": (
        Template("decides", lambda chat, out: out.used("messages", 0, "x")),
        [{"role": "user", "x": True}],
        {},
        [],
    ),
    "fields that hold nothing": (
        FULL,
        [
            {
                **USER,
                "refusal": None,
                "audio": None,
                "function_call": None,
                "annotations": [],
                "a": "",
                "b": {},
                "c": " ",
            }
        ],
        {},
        [],
    ),
    "fields that nobody misses": (
        FULL,
        [{**USER, "id": "1", "type": "message", "tool_call_id": "2", "weight": 0, "annotations": [{"type": "x"}]}],
        {},
        [],
    ),
    "nothing": (FULL, [USER], {}, []),
}


@pytest.mark.parametrize(("template", "messages", "arguments", "expected"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_unused_names_exactly_what_was_left_out(template, messages, arguments, expected):
    assert template.render(messages, **arguments).unused == tuple(Unused(path, why) for path, why in expected)
    assert by_program(template).render(messages, **arguments).unused == tuple(
        Unused(path, why) for path, why in expected
    )


@pytest.mark.parametrize(("template", "messages", "arguments", "expected"), LEFT_OUT.values(), ids=LEFT_OUT)
@pytest.mark.parametrize("way", [Template.text, Template.render], ids=["text", "render"])
def test_strict_raises_on_what_is_dropped_and_not_on_what_the_format_leaves_out(
    way, template, messages, arguments, expected
):
    dropped = tuple(Unused(path, why) for path, why in expected if why == "dropped")
    if not dropped:
        assert str(way(template, messages, strict=True, **arguments)) == template.text(messages, **arguments)
        return
    with pytest.raises(UnusedInputError, match="has no place for") as caught:
        way(template, messages, strict=True, **arguments)
    assert caught.value.unused == dropped


@given(rich_chats())
def test_a_developers_text_and_every_name_is_unused_whatever_else_is_there(messages):
    paths = {unused.path for unused in FULL.render(messages).unused}
    for index, message in enumerate(messages):
        assert (("messages", index, "name") in paths) == bool(message.get("name")), message
        if isinstance(message["content"], str):
            assert (("messages", index, "content") in paths) == (
                message["role"] == "developer" and bool(message["content"].strip())
            )


def test_a_message_may_change_after_it_was_rendered():
    template = by_program(CHATML)
    message = {**USER, "reasoning_content": "r", "name": "n", "tool_calls": [CALL]}
    rendered = template.render([message])
    expected = template.render([message.copy()]).unused
    message.clear()
    assert rendered.unused == expected
    assert ("messages", 0, "reasoning_content") in [unused.path for unused in expected]


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        ("text", "content"), ("contents", "content"), ("contnet", "content"), ("tool_call", "tool_calls"), ("refusal", "content"),
        ("function_call", "tool_calls"), ("loss_mask", "loss"), ("thougth", "thought"), ("reasoning_contents", "reasoning_content"),
        ("colour", None), ("x" * 10**6, None),
    ],
    ids=lambda value: str(value)[:20],
)  # fmt: skip
def test_a_field_that_no_format_knows_is_reported_with_what_was_meant(field, meant):
    for template in (CHATML, FULL):
        for _ in range(4):
            (unused,) = template.render([USER, {**USER, field: "lost"}]).unused
            assert (unused, unused.meant) == (Unused(("messages", 1, field), "dropped"), meant)
            assert pickle.loads(pickle.dumps(unused)).meant == meant
        with pytest.raises(UnusedInputError) as caught:
            template.text([USER, {**USER, field: "lost"}], strict=True)
        assert f"has no place for messages[1].{field}{f' (did you mean {meant}?)' if meant else ''}\n" in str(
            caught.value
        )


def test_what_is_meant_is_shown():
    assert repr(FULL.render([{**USER, "text": "lost"}]).unused) == (
        "(Unused(path=('messages', 0, 'text'), why='dropped', meant='content'),)"
    )


@pytest.mark.parametrize(
    ("field", "meant"), [("parameters", "arguments"), ("call_id", "id"), ("argumets", "arguments")]
)
def test_what_is_meant_in_a_call_is_a_field_of_a_call(field, meant):
    (unused,) = FULL.render([{"role": "assistant", "content": "", "tool_calls": [{**CALL, field: "1"}]}]).unused
    assert (unused, unused.meant) == (Unused(("messages", 0, "tool_calls", 0, field), "dropped"), meant)


def test_an_error_names_the_first_of_many_fields():
    with pytest.raises(UnusedInputError, match=r"no place for messages\[0\].a0, .*messages\[0\].a9 and 9,990 more\n"):
        CHATML.render([{**USER, **{f"a{index}": 1 for index in range(10_000)}}], strict=True)


def test_a_message_that_follows_the_generation_prompt_hides_nothing():
    last = {"role": "assistant", "content": "Sure", "reasoning_content": "r", "text": "lost", "id": "1", "name": ""}
    prompt = CHATML.render([USER, last], add_generation_prompt=True, continue_final_message=True)
    assert [unused.path[2] for unused in prompt.unused] == ["reasoning_content", "text"]


@given(st.dictionaries(st.text(max_size=12), st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
), max_size=3))  # fmt: skip
def test_every_field_that_no_format_knows_is_reported_every_time(fields):
    unknown = {name: value for name, value in fields.items() if name not in MESSAGE_FIELDS}
    message = {**unknown, **USER}
    lost = [
        name for name, value in unknown.items()
        if (value.strip() if isinstance(value, str) else value not in (None, [], {}))
    ]  # fmt: skip
    for template in (CHATML, FULL, by_program(CHATML)):
        text = template.text([USER])
        for _ in range(3):
            assert template.text([message]) == text
            prompt = template.render([message])
            assert (prompt.text, prompt.unused) == (
                text,
                tuple(Unused(("messages", 0, name), "dropped") for name in lost),
            )


def test_what_a_message_says_of_its_loss_is_known():
    assert STATES <= MESSAGE_FIELDS


DEFINED = {"properties": {"at": {"$ref": "#/$defs/Place"}}, "$defs": {"Place": {"type": "object"}, "Other": {}}}


def names_of_parameters(chat, out):
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        for name in function["parameters"]["properties"]:
            out.append(chat.input(name, *path, "parameters", "properties", name))


def whole_schemas(chat, out):
    for index in range(len(chat.tools)):
        function, path = chat.function(index)
        out.append(chat.json(function["parameters"], *path, "parameters"))


def test_a_definition_that_a_schema_refers_to_and_nobody_writes_is_unused():
    tools = [{"type": "function", "function": {"name": "go", "parameters": DEFINED}}]
    unused = Template("t", names_of_parameters).render([], tools=tools).unused
    assert Unused(("tools", 0, "function", "parameters", "$defs", "Place"), "dropped") in unused
    assert not [each for each in unused if each.path[-1] == "Other"]
    assert Template("t", whole_schemas).render([], tools=tools).unused == (Unused(("messages",), "absent"),)
    assert [each.path for each in CHATML.render([USER], tools=tools).unused] == [("tools", 0)]


def test_a_text_that_is_taken_apart_into_characters_is_unused():
    def apart(chat, out):
        for message in chat.messages:
            out.append(chat.json(dict(enumerate(message.content)), "messages", message.index, "content"))

    def quoted(chat, out):
        for message in chat.messages:
            out.append(chat.json({"text": message.content}, "messages", message.index, "content"))

    path = ("messages", 0, "content")
    assert Template("t", apart).render([{"role": "user", "content": "Hello there"}]).unused == (
        Unused(path, "dropped"),
    )
    for text in ("Hello there", "你好", "a", 'say "hi"\n' * 99):
        assert Template("t", quoted).render([{"role": "user", "content": text}]).unused == ()
