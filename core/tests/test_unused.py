"""A prompt says what was given and did not reach it."""

import pytest
from hypothesis import given
from made import CHATML, FULL, THINKING, rich_chats, slow_twin

from lect import Unused, UnusedInputError
from lect.plugin import Template

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
    "nothing": (FULL, [USER], {}, []),
}


@pytest.mark.parametrize(("template", "messages", "arguments", "expected"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_unused_names_exactly_what_was_left_out(template, messages, arguments, expected):
    assert template.render(messages, **arguments).unused == tuple(Unused(path, why) for path, why in expected)
    assert slow_twin(template).render(messages, **arguments).unused == tuple(
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
    template = slow_twin(CHATML)
    message = {**USER, "reasoning_content": "r", "name": "n", "tool_calls": [CALL]}
    rendered = template.render([message])
    expected = template.render([message.copy()]).unused
    message.clear()
    assert rendered.unused == expected
    assert ("messages", 0, "reasoning_content") in [unused.path for unused in expected]
