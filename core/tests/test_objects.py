"""Objects with `model_dump()` are taken as messages and tools, wherever those are taken."""

from copy import deepcopy
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import CHATML, FULL, TEMPLATES, by_program, rich_chats

import lect
from lect import MessageError
from lect.plugin import normalize
from lect.plugin.grammar import JSON_IN_TAGS, Grammar

USER = {"role": "user", "content": "Hi"}
CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
ANSWER = {"role": "assistant", "content": "A", "reasoning_content": "R", "tool_calls": [CALL]}
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer", "default": None}}}
TOOL = {"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA}}


class Model:
    """What pydantic's models are here: fields, and a method that returns them as plain data."""

    def __init__(self, fields):
        self.fields = fields

    def model_dump(self):
        return deepcopy({name: undone(value) for name, value in self.fields.items()})


def undone(value):
    """Return a value with plain data for each object."""
    if isinstance(value, Model):
        return value.model_dump()
    if isinstance(value, list):
        return [undone(item) for item in value]
    return {name: undone(item) for name, item in value.items()} if isinstance(value, dict) else value


@st.composite
def with_objects(draw, value):
    """Return a strategy for a value in which messages, parts, calls, tools, functions and schemas may be objects."""
    if isinstance(value, list):
        return [draw(with_objects(item)) for item in value]
    if not isinstance(value, dict):
        return value
    # Whatever is in arguments and schemas is plain JSON.
    names = {"content", "tool_calls", "function"} & value.keys()
    made = value | {name: draw(with_objects(value[name])) for name in sorted(names)}
    for name in {"arguments", "parameters"} & value.keys():
        made[name] = Model(value[name]) if isinstance(value[name], dict) and draw(st.booleans()) else value[name]
    return Model(made) if draw(st.booleans()) else made


def views(prompt):
    return prompt.text, prompt.segments, prompt.unused, prompt.controls, prompt.loss_spans()


@given(st.data(), rich_chats(), st.booleans())
def test_a_conversation_with_objects_is_written_like_one_without(data, messages, asks):
    given_messages = data.draw(with_objects([USER, *messages]))
    given_tools = data.draw(with_objects([TOOL]))
    before = undone(given_messages), undone(given_tools)
    for template in (FULL, CHATML, by_program(FULL)):
        expected = template.render([USER, *messages], tools=[TOOL], add_generation_prompt=asks)
        for _ in range(2):
            rendered = template.render(given_messages, tools=given_tools, add_generation_prompt=asks)
            assert views(rendered) == views(expected)
            assert template.text(given_messages, tools=given_tools, add_generation_prompt=asks) == expected.text
    assert (undone(given_messages), undone(given_tools)) == before


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_every_way_to_give_messages_takes_objects(template):
    plain, objects = (
        [USER, {"role": "assistant", "content": "A"}],
        [Model(USER), Model({"role": "assistant", "content": "A"})],
    )
    assert template.text(objects) == template.text(tuple(objects)) == template.text(plain)
    assert template.apply_chat_template(objects, tokenize=False) == template.text(plain)
    assert template.apply_chat_template([objects, plain], tokenize=False) == [template.text(plain)] * 2
    assert [prompt.text for prompt in template.unroll(objects)] == [prompt.text for prompt in template.unroll(plain)]
    for asks in (False, True):
        arguments = {"add_generation_prompt": asks, "continue_final_message": True}
        assert template.text([USER, objects[1]], **arguments) == template.text(plain, **arguments)
    assert normalize(objects)[0] == plain


def test_a_reply_is_parsed_with_tools_that_are_objects():
    template = CHATML.but(reply=Grammar("tags", sections=(JSON_IN_TAGS,)))
    output = '<tool_call>{"name": "f", "arguments": {"a": "1"}}</tool_call>'
    for tools in ([Model(TOOL)], [{**TOOL, "function": Model(TOOL["function"])}], [Model(TOOL["function"])]):
        assert template.parse(output, tools=tools) == template.parse(output, tools=[TOOL])


def test_a_tool_is_written_without_nulls_and_its_type_first_but_a_schema_is_left_alone():
    expected = FULL.text([USER], tools=[TOOL])
    assert FULL.text([USER], tools=[Model(dict(reversed(TOOL.items())))]) == expected
    function = {**TOOL["function"], "strict": None}
    assert FULL.text([USER], tools=[Model({**TOOL, "function": function, "custom": None})]) == expected
    assert FULL.text([USER], tools=[{**TOOL, "function": Model(function)}]) == expected
    assert '"default": null' in expected
    assert '"strict": null' in FULL.text([USER], tools=[{**TOOL, "function": function}])


class Broken:
    def model_dump(self):
        raise RuntimeError("no")


class Empty:
    def model_dump(self):
        return None


class MakesUp:
    def __getattr__(self, name):
        return lambda: USER


@pytest.mark.parametrize("odd", [Broken(), Empty(), MakesUp(), Model, Model.model_dump, SimpleNamespace(), "x", 5])
def test_an_object_that_dumps_no_mapping_is_refused_like_any_other(odd):
    for way in (FULL.text, FULL.render, CHATML.text):
        with pytest.raises(MessageError, match=r"messages\[0\] is .*; expected a mapping such as"):
            way([odd])
        with pytest.raises(MessageError, match=r"tools\[0\] is .*; expected a schema such as"):
            way([USER], tools=[odd])


def test_what_is_wrong_in_an_object_is_named_as_in_a_mapping():
    with pytest.raises(MessageError, match=r"^the role of messages\[1\] is 'wizard'"):
        FULL.text([USER, Model({"role": "wizard", "content": "x"})])
    with pytest.raises(lect.UnusedInputError, match=r"messages\[0\].text \(did you mean content\?\)"):
        FULL.text([Model({"role": "user", "text": "x"})], strict=True)


def test_a_list_that_holds_itself_is_refused():
    messages = [USER]
    messages.append(messages)
    parts = []
    parts.append(parts)
    for odd in (messages, [{"role": "user", "content": parts}], [{"role": "assistant", "tool_calls": parts}]):
        with pytest.raises(MessageError):
            FULL.text(odd)
