"""Messages are read into one shape; a wrong type or shape is one clear error that names the field."""

import enum
import json
from collections import OrderedDict, UserDict, deque
from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import CHATML, FULL, rich_chats
from sampling import few
from together import together

from lect import LectError, MessageError, Template
from lect.facts import ACCEPTABLE, STANDARD_ROLES
from lect.prompt.fields import spell
from lect.prompt.inputs import Input
from lect.prompt.limits import DEFAULT, Limits
from lect.prompt.messages import messages_of_pairs, read_messages
from lect.values import TRANSFORMED


def read(*messages, tracked=False, accepts=()):
    return read_messages(list(messages), STANDARD_ROLES, accepts, tracked=tracked)


def user(content, **fields):
    return {"role": "user", "content": content, **fields}


def assistant(*calls):
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


class Role(str, enum.Enum):  # noqa: UP042 - the older kind, whose str() is not its text
    USER = "user"


WRONG = {
    "messages is a text": ("hello", "messages is 'hello' (str); expected a list of messages"),
    "messages is one message": (
        user("x"),
        "messages is {'role': 'user', 'content': 'x'} (dict); expected a list of messages",
    ),
    "messages is None": (None, "messages is None (NoneType)"),
    "messages is a generator": ((each for each in [user("x")]), "(generator); expected a list of messages"),
    "messages is a set": (set(), "messages is set() (set)"),
    "messages is an empty text": ("", "messages is '' (str)"),
    "messages is an empty mapping": ({}, "messages is {} (dict)"),
    "a message is a text": (["x"], "messages[0] is 'x' (str); expected a mapping such as"),
    "a message is a pair": ([("user", "x")], "messages[0] is ('user', 'x') (tuple)"),
    "a message is None": ([user("x"), None], "messages[1] is None"),
    "no role": (
        [{"content": "x"}],
        "the role of messages[0] is missing\n  known: assistant, developer,",
    ),
    "an unknown role": (
        [{"role": "USER", "content": "x"}],
        "the role of messages[0] is 'USER', which this template does not know",
    ),
    "a role of blanks": ([{"role": " user ", "content": "x"}], "the role of messages[0] is ' user '"),
    "a role that is a list": (
        [{"role": ["user"], "content": "x"}],
        "messages[0].role is ['user'] (list); expected text",
    ),
    "a role that is a number": ([{"role": 1, "content": "x"}], "messages[0].role is 1 (int); expected text"),
    "a number": ([user(5)], "messages[0].content is 5 (int); expected text, or a list of parts"),
    "zero": ([user(0)], "messages[0].content is 0 (int)"),
    "a truth": ([user(True)], "messages[0].content is True (bool)"),
    "bytes": ([user(b"x")], "messages[0].content is b'x' (bytes)"),
    "a byte array": ([user(bytearray(b"x"))], "messages[0].content is bytearray(b'x') (bytearray)"),
    "a mapping": ([user({"type": "text", "text": "x"})], "messages[0].content is {'type': 'text', 'text': 'x'} (dict)"),
    "a part that is a text": ([user(["x"])], "messages[0].content[0] is 'x' (str); expected a part such as"),
    "a part of no kind": (
        [user([{"text": "x"}])],
        "messages[0].content[0].type is None, which is not a known kind of part\n  try: a kind of audio,",
    ),
    "a part of a misspelt kind": ([user([{"type": "txt"}])], "messages[0].content[0].type is 'txt'"),
    "a part of a kind that is a list": ([user([{"type": []}])], "messages[0].content[0].type is []"),
    "a text part without text": ([user([{"type": "text"}])], "messages[0].content[0].text is None"),
    "a text part with a number": (
        [user([{"type": "text", "text": 5}])],
        "messages[0].content[0].text is 5 (int); expected text",
    ),
    "reasoning that is a list": (
        [user("x", reasoning_content=[])],
        "messages[0].reasoning_content is [] (list); expected text",
    ),
    "a name that is a number": ([user("x", name=5)], "messages[0].name is 5 (int); expected text"),
    "calls that are a mapping": (
        [user("x", tool_calls={})],
        "messages[0].tool_calls is {} (dict); expected a list of tool calls",
    ),
    "calls that are a text": ([user("x", tool_calls="f()")], "messages[0].tool_calls is 'f()'"),
    "a call that is a text": ([assistant("f()")], "messages[0].tool_calls[0] is 'f()' (str)"),
    "a function that is a text": ([assistant({"function": "f"})], "messages[0].tool_calls[0].function is 'f' (str)"),
    "a call without a name": ([assistant({"function": {}})], "messages[0].tool_calls[0].function.name is None"),
    "a call with a number for a name": (
        [assistant({"function": {"name": 5}})],
        "messages[0].tool_calls[0].function.name is 5 (int)",
    ),
    "arguments that are a list": (
        [assistant({"name": "f", "arguments": []})],
        "messages[0].tool_calls[0].arguments is [] (list)",
    ),
    "an id that is a number": ([assistant({"name": "f", "id": 5})], "messages[0].tool_calls[0].id is 5 (int)"),
}


@together(("messages", "said"), WRONG.values(), ids=WRONG)
@together("way", [FULL.text, FULL.render], ids=["text", "render"])
def test_a_wrong_type_or_shape_is_one_error_that_names_the_field(way, messages, said):
    with pytest.raises(MessageError) as caught:
        way(messages)
    assert said in str(caught.value)


@pytest.mark.parametrize("role", ["u" * 1_000_000, "<|im_end|>\n"])
def test_an_error_shows_no_more_of_a_value_than_a_line(role):
    with pytest.raises(MessageError) as caught:
        read({"role": role, "content": "x"})
    assert len(str(caught.value)) < 300
    assert str(caught.value).count("\n") == 1


@pytest.mark.parametrize("kind", [OrderedDict, UserDict, MappingProxyType], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("sequence", [list, tuple, deque], ids=lambda kind: kind.__name__)
def test_any_mapping_in_any_sequence_is_read(kind, sequence):
    messages = sequence([kind(user("x", name="n")), kind(user("y"))])
    assert [
        (message.content, message.name) for message in read_messages(messages, STANDARD_ROLES, (), tracked=False)
    ] == [
        ("x", "n"),
        ("y", None),
    ]
    assert FULL.text(messages) == FULL.render(messages).text == FULL.text([user("x"), user("y")])


def test_a_subclass_of_str_is_read_by_its_value_and_not_by_its_str():
    messages = [{"role": Role.USER, "content": Role.USER, "name": "n"}, {"role": Role.USER, "content": Role.USER}]
    expected = FULL.text([user("user"), user("user")])
    assert FULL.text(messages) == FULL.render(messages).text == expected
    assert FULL.text(messages[1:]) == FULL.render(messages[1:]).text == FULL.text([user("user")])
    assert {type(segment.text) for segment in FULL.render(messages).segments} == {str}


def test_content_may_be_absent():
    assert [message.content for message in read({"role": "user"}, user(None), user([]))] == ["", "", ""]


def test_the_texts_of_several_parts_are_joined_and_have_no_offset():
    parts = [{"type": "text", "text": "a"}, {"type": "image", "image": "x"}, {"type": "text", "text": "b"}]
    for accepts, joined in (((), "a\nb"), (["parts"], "ab")):
        (message,) = read(user(parts), tracked=True, accepts=accepts)
        assert message.content == joined
        assert (message.content.path, message.content.start) == (("messages", 0, "content"), TRANSFORMED)
        assert [part.type for part in message.parts] == ["text", "image", "text"]


def test_the_text_of_a_single_part_keeps_its_offset():
    (message,) = read(user([{"type": "image", "image": "x"}, {"type": "text", "text": "a"}]), tracked=True)
    assert (message.content.path, message.content.start) == (("messages", 0, "content", 1, "text"), 0)


@pytest.mark.parametrize("name", ["reasoning_content", "thinking", "reasoning"])
def test_reasoning_is_found_under_each_of_its_names(name):
    (message,) = read(user("x", **{name: "why"}), tracked=True)
    assert (message.reasoning, message.reasoning.path) == ("why", ("messages", 0, name))


@pytest.mark.parametrize(
    ("given_as", "arguments"),
    [
        ({"a": 1}, {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        ('{"a": 1', '{"a": 1'),
        ("[1]", "[1]"),
        ("[" * 100_000, "[" * 100_000),
        ("9" * 5000, "9" * 5000),
        (None, {}),
        ("", {}),
    ],
    ids=["mapping", "JSON", "broken JSON", "JSON of a list", "deep JSON", "a long number", "absent", "empty"],
)
def test_arguments_are_parsed_if_they_are_the_json_of_an_object(given_as, arguments):
    ((call,),) = [message.tool_calls for message in read(assistant({"name": "f", "arguments": given_as}))]
    assert call.arguments == arguments


def test_values_parsed_from_the_text_of_arguments_keep_its_path():
    calls = assistant({"name": "f", "arguments": '{"a": ["x"]}'})
    (message,) = read(calls, tracked=True)
    ((key, (value,)),) = message.tool_calls[0].arguments.items()
    for text in (key, value):
        assert (text.path, text.start) == (("messages", 0, "tool_calls", 0, "arguments"), TRANSFORMED)
    assert read(calls, accepts=["argument_text"])[0].tool_calls[0].arguments == '{"a": ["x"]}'


def test_arguments_that_are_not_json_are_still_known_to_be_the_callers():
    ((call,),) = [
        message.tool_calls
        for message in read(assistant({"function": {"name": "f", "arguments": "<|im_end|>"}}), tracked=True)
    ]
    assert isinstance(call.arguments, Input)
    assert call.arguments.path == ("messages", 0, "tool_calls", 0, "function", "arguments")


@given(rich_chats())
def test_reading_does_not_change_the_callers_messages(messages):
    before = deepcopy(messages)
    for tracked in (True, False):
        read_messages(messages, STANDARD_ROLES, (), tracked=tracked)
    assert messages == before


def nested(depth):
    return [nested(depth - 1)] if depth else []


values = st.sampled_from([
    None, True, False, 0, 1, 2.5, 10**5000, "", "x", "{}", '{"a": [1, {"b": "c"}]}', "[1]", "{", [], {}, ["x"],
    {"a": "x", "b": None, "c": 1.5}, {"a": {"b": ["c"]}}, {1: "x"}, {(1, 2): "x"}, {"a": 10**5000}, {"a": nested(70)},
    {"a": Role.USER}, Role.USER, OrderedDict(a=1), ("x",), b"x", [{"type": "text", "text": "x"}], [{"type": "odd"}],
])  # fmt: skip
functions = st.dictionaries(st.sampled_from(["name", "arguments", "strict", "id"]), values | st.just("f"), max_size=4)
odd_calls = st.lists(
    st.fixed_dictionaries({}, optional={"function": functions | values, "id": values, "type": values, "index": values}),
    max_size=2,
)
odd_parts = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "image", "image_url", "input_audio", "odd"]) | values},
        optional={**dict.fromkeys(("text", "image", "image_url", "detail", 5), values | st.just({"url": "x", 5: {}}))},
    ),
    max_size=3,
)
odd_messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool"]) | values},
        optional={
            **dict.fromkeys(("name", "tool_call_id", "weight", "refusal"), values),
            **dict.fromkeys(("reasoning_content", "thinking", "reasoning"), values),
            "content": odd_parts | values,
            "tool_calls": odd_calls | values,
        },
    ),
    max_size=3,
)


def known(value):
    """Return a value with the origins of its texts, so that it can be compared."""
    if isinstance(value, Input):
        return str.__str__(value), value.path, value.start
    if isinstance(value, Mapping):
        return [(known(key), known(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [known(each) for each in value]
    return type(value), value


def outcome(messages, accepts, *, tracked, limits=DEFAULT):
    fields = ("index", "role", "content", "raw", "parts", "reasoning", "tool_calls", "name")
    try:
        read = read_messages(messages, STANDARD_ROLES, accepts, tracked=tracked, limits=limits)
    except LectError as error:
        return type(error), str(error)
    return [[known(getattr(message, field)) for field in fields] for message in read]


@settings(max_examples=few(1000))
@given(
    rich_chats() | odd_messages,
    st.booleans(),
    st.sets(st.sampled_from(sorted(ACCEPTABLE))),
    st.sampled_from([DEFAULT, DEFAULT, *(Limits({"depth": depth}) for depth in range(3))]),
)
def test_messages_of_built_in_types_are_read_as_all_others_are(messages, tracked, accepts, limits):
    # A mapping of any other type is read the general way.
    read = partial(outcome, accepts=accepts, tracked=tracked, limits=limits)
    assert read(messages) == read(list(map(UserDict, messages)))


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ("f", "tools is 'f' (str); expected a list of tool schemas"),
        ({"type": "function"}, "tools is {'type': 'function'} (dict)"),
        (5, "tools is 5 (int)"),
        (["f"], "tools[0] is 'f' (str); expected a schema such as"),
        ([{}, None], "tools[1] is None (NoneType)"),
    ],
)
@pytest.mark.parametrize("way", [FULL.text, FULL.render], ids=["text", "render"])
def test_wrong_tools_are_one_error(way, tools, said):
    with pytest.raises(MessageError) as caught:
        way([user("x")], tools=tools)
    assert said in str(caught.value)


def test_none_and_an_empty_list_both_mean_no_tools():
    assert FULL.text([user("x")], tools=[]) == FULL.text([user("x")], tools=None) == FULL.text([user("x")])


def test_what_was_written_of_tools_before_is_written_only_of_equal_ones():
    def listing(chat, out):
        out.append(chat.json(chat.tools, "tools"))
        for index, tool in enumerate(chat.tools):
            out += chat.json(tool, "tools", index), chat.json({"only": tool}, "tools", index)
            out += chat.json(tool, "tools", index, indent=1), chat.json(tool["function"], "tools", index, "function")
            out += chat.json(None, "tools", index, "none"), chat.json(tool, "tools", index, "none")

    template = Template("listing", listing)
    tools = [{"function": {"name": "f", "default": value}} for value in (1, True, 1.0)]
    for sent in (tools, tools[::-1], [*tools, {"function": {"name": "g"}}], tools[:1]):
        first, again = template.text([], tools=sent), template.text([], tools=json.loads(json.dumps(sent)))
        expected = [json.dumps(sent)]
        for tool in sent:
            expected += json.dumps(tool), json.dumps({"only": tool})
            expected += json.dumps(tool, indent=1), json.dumps(tool["function"]), "null", json.dumps(tool)
        assert first == again == template.render([], tools=sent).text == "".join(expected)
    sent[0]["function"]["name"] = "changed"
    assert '"changed"' in template.text([], tools=sent)


@pytest.mark.parametrize("way", ["text", "render"])
def test_a_program_that_changes_tools_changes_no_other_prompt(way):
    def listing(chat, out):
        out += chat.json(chat.tools, "tools"), chat.json(chat.tools[0], "tools", 0)

    def meddling(chat, out):
        chat.tools[0]["name"] = "changed"
        listing(chat, out)

    def prompt(program):
        return str(getattr(Template("t", program), way)([], tools=[{"name": way}]))

    before = prompt(meddling)
    assert prompt(listing) == f'[{{"name": "{way}"}}]{{"name": "{way}"}}' == before


def test_pairs_become_messages_after_the_system_text():
    expected = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    assert messages_of_pairs("s", [["user", "u"]], STANDARD_ROLES) == expected
    assert messages_of_pairs(None, [("user", "u")], STANDARD_ROLES) == expected[1:]


def test_a_path_is_spelt_like_python_code():
    assert spell(("messages", 0, "tool_calls", 1, "function", "name")) == "messages[0].tool_calls[1].function.name"


def test_a_kind_of_part_that_only_some_formats_read_is_left_to_them_and_a_misspelt_one_is_refused():
    message = {"role": "user", "content": [{"type": "tool_hologram"}, {"type": "text", "text": "x"}]}
    (read,) = read_messages([message], STANDARD_ROLES, (), tracked=False)
    assert ([part.type for part in read.parts], read.content) == (["tool_hologram", "text"], "x")
    for kind in ("imge_url", "nope", "", 3):
        message["content"][0] = {"type": kind}
        with pytest.raises(MessageError, match="which is not a known kind of part"):
            read_messages([message], STANDARD_ROLES, (), tracked=False)


SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def tool(**fields):
    return {"type": "function", "function": {"name": "f", "parameters": SCHEMA, **fields}}


def nested(depth, value="x"):
    for _ in range(depth):
        value = {"a": value}
    return value


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no")


ENDLESS = {}
ENDLESS["a"] = ENDLESS


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"type": "function", "function": "f"}, "tools[0].function is 'f' (str); expected a mapping such as"),
        (tool(name=5), "tools[0].function.name is 5 (int); expected text"),
        (tool(description=["d"]), "tools[0].function.description is ['d'] (list); expected text"),
        (tool(parameters="none"), "tools[0].function.parameters is 'none' (str); expected a schema such as"),
        (tool(parameters={"properties": ["a"]}), "tools[0].function.parameters.properties is ['a'] (list)"),
        (tool(parameters={"required": "a"}), "tools[0].function.parameters.required is 'a' (str); expected a list of"),
        (
            tool(parameters={"properties": {"a": {"enum": 1}}}),
            "tools[0].function.parameters.properties.a.enum is 1 (int); expected a list of values",
        ),
        (
            tool(parameters={"properties": {"a": {"oneOf": {}}}}),
            "tools[0].function.parameters.properties.a.oneOf is {} (dict); expected a list of schemas",
        ),
        (
            tool(parameters={"properties": {"a": {"anyOf": ["x"]}}}),
            "tools[0].function.parameters.properties.a.anyOf[0] is 'x' (str); expected a schema such as",
        ),
        (tool(parameters={"properties": {"a": "string"}}), "tools[0].function.parameters.properties.a is 'string'"),
        (
            tool(parameters={"properties": {b"a": {}}}),
            "a key of tools[0].function.parameters.properties is b'a' (bytes); expected text",
        ),
        (
            tool(parameters={"properties": {Unprintable(): {}}}),
            "a key of tools[0].function.parameters.properties is <Unprintable object> (Unprintable)",
        ),
        (tool(strict=nested(600)), "tools[0] is nested more than 64 deep"),
        (tool(default=ENDLESS), "tools[0] is nested more than 64 deep"),
        (tool(maximum=10**5000), "tools[0].function.maximum is an integer of 16,610 bits; expected at most 14,000"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("way", [FULL.text, FULL.render], ids=["text", "render"])
def test_a_wrong_field_of_a_tool_is_one_error_that_names_it(way, wrong, said):
    for _ in range(3):
        with pytest.raises(MessageError) as caught:
            way([user("x")], tools=[wrong])
        assert str(caught.value).startswith(said)


@pytest.mark.parametrize("arguments", [nested(600), ENDLESS, {"a": 10**5000}], ids=["deep", "endless", "huge"])
@pytest.mark.parametrize("way", [FULL.text, FULL.render], ids=["text", "render"])
def test_arguments_that_cannot_be_written_are_one_error_that_names_them(way, arguments):
    for _ in range(3):
        with pytest.raises(MessageError, match=r"^messages\[0\]\.tool_calls\[0\]\.arguments"):
            way([assistant({"name": "f", "arguments": arguments})])


def test_a_schema_may_leave_things_out_or_allow_anything():
    for schema in ({}, {"properties": {"a": True, "b": {}}}, {"properties": None}, {"items": False, "type": None}):
        assert FULL.text([user("x")], tools=[tool(parameters=schema), {"name": "bare"}, {"type": "code_interpreter"}])


@pytest.mark.parametrize(
    "messages",
    [
        [{"from": "human", "value": "Hi"}],
        [{"role": "user", "content": "Hi"}, {"from": "gpt", "value": "Hi"}],
        {"conversations": [{"from": "human", "value": "Hi"}]},
    ],
    ids=["turns", "mixed", "a row"],
)
def test_the_error_for_a_row_of_a_data_set_names_what_reads_it(messages):
    for way in (FULL.text, FULL.render, CHATML.text, CHATML.unroll):
        for _ in range(3):
            with pytest.raises(
                MessageError, match=r"\n  try: lect.messages\(row\), which reads the rows of data sets$"
            ):
                way(messages)
