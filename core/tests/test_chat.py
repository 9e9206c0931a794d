"""What programs share: the methods of `Chat`."""

import pytest

from lect import MessageError, RefusedError
from lect.plugin import Template
from lect.values import Origin

USER = {"role": "user", "content": "Hi"}
TOOL = {"type": "function", "function": {"name": "f", "version": 7}}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}}


def prompt_of(write, messages=(USER,), accepts=(), **arguments):
    """Render with a given program, both ways, and return the segments."""
    template = Template("own", write, default_system="D", bos="<s>", options=["mode"], accepts=accepts)
    prompt = template.render(list(messages), **arguments)
    assert template.text(list(messages), **arguments) == prompt.text
    return [(segment.text, segment.origin, segment.path) for segment in prompt.segments]


def test_the_messages_without_the_system_and_its_default():
    def write(chat, out):
        out += chat.default_system, *(message.content for message in chat.without_system)

    expected = [("D", Origin.TEMPLATE, ()), ("Hi", Origin.INPUT, ("messages", 0, "content"))]
    assert prompt_of(write) == expected
    expected[1] = ("Hi", Origin.INPUT, ("messages", 1, "content"))
    assert prompt_of(write, [{"role": "system", "content": "S"}, USER]) == expected


@pytest.mark.parametrize(("tool", "path"), [(TOOL, ("tools", 0, "function")), (TOOL["function"], ("tools", 0))])
def test_the_function_of_a_tool_however_it_is_given(tool, path):
    def write(chat, out):
        function, where = chat.function(0)
        out += chat.text(function["name"], *where, "name"), chat.text(function["version"], *where, "version")

    assert prompt_of(write, tools=[tool]) == [
        ("f", Origin.INPUT, (*path, "name")),
        ("7", Origin.INPUT, (*path, "version")),
    ]


@pytest.mark.parametrize(
    ("arguments", "as_json", "as_given"),
    [({"x": 1}, '{"x": 1}', '{"x": 1}'), ('{"x":1}', '{"x": 1}', '{"x": 1}'), ("x", '"x"', "x")],
)
def test_the_arguments_of_a_call_as_json_or_as_they_were_given(arguments, as_json, as_given):
    def write(chat, out):
        (call,) = chat.messages[0].tool_calls
        out += chat.arguments(call), "|", chat.arguments_as_given(call)

    call = {**CALL, "function": {"name": "f", "arguments": arguments}}
    path = ("messages", 0, "tool_calls", 0, "function", "arguments")
    assert prompt_of(write, [{"role": "assistant", "tool_calls": [call]}]) == [
        (as_json, Origin.INPUT, path),
        ("|", Origin.TEMPLATE, ()),
        (as_given, Origin.INPUT, path),
    ]


def test_consecutive_messages_of_one_role_are_a_run():
    def write(chat, out):
        for message in out.turns(chat.messages):
            out += "(" if chat.begins_run(message) else "", message.content, ")" if chat.ends_run(message) else ""

    template = Template("runs", write, text_separators=True)
    for roles, expected in (("", ""), ("u", "(u)"), ("uaua", "(u)(a)(u)(a)"), ("uuattta", "(uu)(a)(ttt)(a)")):
        names = {"u": "user", "a": "assistant", "t": "tool"}
        assert template.text([{"role": names[role], "content": role} for role in roles]) == expected


def test_the_arguments_of_a_call_one_by_one():
    def write(chat, out):
        for name, value, path in chat.named_arguments(chat.messages[0].tool_calls[0]):
            out += name, "=", chat.json(value, *path)

    def asked(arguments):
        call = {**CALL, "function": {"name": "f", "arguments": arguments}}
        return prompt_of(write, [{"role": "assistant", "tool_calls": [call]}])

    path = ("messages", 0, "tool_calls", 0, "function", "arguments", "x")
    assert asked({"x": 1}) == [("x", Origin.INPUT, path), ("=", Origin.TEMPLATE, ()), ("1", Origin.INPUT, path)]
    assert asked({}) == []
    with pytest.raises(RefusedError, match=r"the arguments of a call of 'f' are '\[1\]'\n  try: a mapping"):
        asked("[1]")


def test_content_in_parts_is_printed_where_a_program_asks_for_it():
    def write(chat, out):
        out.append(chat.content(chat.messages[0]))

    parts = [{"type": "text", "text": "x"}]
    assert prompt_of(write) == [("Hi", Origin.INPUT, ("messages", 0, "content"))]
    assert prompt_of(write, [{"role": "user", "content": parts}], accepts=["parts"]) == [
        (str(parts), Origin.INPUT, ("messages", 0, "content"))
    ]


def test_everything_in_a_value_of_the_callers_knows_its_origin():
    def write(chat, out):
        value = chat.input(chat.options["mode"], "options", "mode")
        (key,) = value
        out += key, value[key][0]

    assert prompt_of(write, mode={"k": ["v"]}) == [
        ("k", Origin.INPUT, ("options", "mode", "k")),
        ("v", Origin.INPUT, ("options", "mode", "k", 0)),
    ]


def test_a_value_whose_field_is_not_named_is_of_unknown_origin():
    def write(chat, out):
        out += chat.json({"a": 1}), chat.text("t"), chat.printed(5)

    assert prompt_of(write) == [(text, Origin.UNKNOWN, ()) for text in ('{"a": 1}', "t", "5")]


def test_a_format_without_an_eos_reads_no_option_for_one():
    def write(chat, out):
        out += chat.bos, chat.eos

    assert prompt_of(write, eos_token="</s>") == [("<s>", Origin.TEMPLATE, ())]
    with pytest.raises(MessageError, match="option bos_token is 3"):
        prompt_of(write, bos_token=3)
