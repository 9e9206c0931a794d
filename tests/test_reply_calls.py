"""Calls, in every way that formats write them."""

import json

import pytest
import replies

import lect

OBJECT = {"x": {"type": "integer"}, "s": {"type": "string"}, "b": {"type": "boolean"}, "o": {"type": "object"}}
UNIONS = {
    "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "either": {"type": ["integer", "string"]},
    "size": {"enum": ["s", "m"]},
    "three": {"const": 3},
    "place": {"$ref": "#/$defs/Place"},
    "loop": {"$ref": "#/$defs/Loop"},
    "list": {"type": "array"},
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "parameters": {
                "type": "object",
                "properties": OBJECT | UNIONS,
                "$defs": {"Place": {"type": "object", "properties": {}}, "Loop": {"$ref": "#/$defs/Loop"}},
            },
        },
    }
]


def calls(text, name, **arguments):
    reply = replies.heard(text, format=name, **arguments)
    assert reply.tool_calls, reply
    return [(call.name, call.arguments) for call in reply.tool_calls]


def problems(text, name, **arguments):
    return [problem.code for problem in replies.heard(text, format=name, **arguments).problems]


# JSON


def hermes(inside):
    return f"<tool_call>{inside}</tool_call>"


@pytest.mark.parametrize(
    ("inside", "arguments"),
    [
        ('{"name": "f"}', {}),
        ('{"name": "f", "arguments": null}', {}),
        ('{"name": "f", "arguments": "{\\"x\\": 1}"}', {"x": 1}),
        ('{"name": "f", "arguments": "plain"}', "plain"),
        ('{"name": "f", "arguments": [1]}', [1]),
        ('{"arguments": {"x": 1}, "name": "f"}', {"x": 1}),
        ('{"name": "f", "parameters": {"x": 1}}', {"x": 1}),
        ('{"type": "function", "function": {"name": "f", "arguments": {"x": 1}}}', {"x": 1}),
        ('{"name": "f", "note": {"name": "g", "arguments": {}}, "arguments": {"x": 1}}', {"x": 1}),
        ('{"name": "f", "arguments": {"x": True, "y": None}}', {"x": True, "y": None}),
        ('{"name": "f", "arguments": {"x": "a\nb\tc\x01"}}', {"x": "a\nb\tc\x01"}),
        ('{"name": "f", "arguments": {"x": "\\d+ \\u12 \\"}"}}', {"x": '\\d+ \\u12 "}'}),
    ],
)
def test_a_json_call_is_read_however_it_is_written(inside, arguments):
    reply, events = replies.read(hermes(inside), format="hermes_json")
    (call,) = reply.tool_calls
    assert (call.name, call.arguments, reply.content) == ("f", arguments, "")
    assert json.loads(call.arguments_text) == arguments
    assert "".join(event.text for event in events if event.kind == "call_args") == call.arguments_text


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        ('{"arguments": {}}', "incomplete_call"),
        ('{"name": "", "arguments": {}}', "incomplete_call"),
        ('{"name": "f", "arguments": {"x": 1 "y": 2}}', "unbalanced_json"),
        ('{"name": "f", "arguments": {"x": 1]}', "unbalanced_json"),
        ('{"name": "f", "arguments": {"x": "say "hi" now"}}', "unbalanced_json"),
        ('{"name": "f", "arguments": {"x": maybe}}', "bad_literal"),
        ('{"name": "f" "arguments": {}}', "unbalanced_json"),
        ('{"name": "f", "arguments": ' + '{"x": ' * 300 + "1", "too_deep"),
    ],
)
def test_broken_json_is_a_problem_and_neither_content_nor_a_complete_call(inside, code):
    reply = replies.heard(hermes(inside) + "So.", format="hermes_json")
    assert (reply.content, reply.tool_calls, [problem.code for problem in reply.problems]) == ("So.", (), [code])
    assert [call.name for call in reply.incomplete] == (["f"] if '"f"' in inside else [])


def test_an_opening_that_no_call_can_follow_is_content():
    for inside in ('{"name": 3, "arguments": {}}', '{"name": ...}', "{}", "nothing"):
        assert replies.heard(hermes(inside), format="hermes_json").content == hermes(inside)


@pytest.mark.parametrize(
    ("inside", "arguments"),
    [
        ('{"name": "f", "arguments": {"x": 1,}}', {"x": 1}),
        ('{"name": "f", "arguments": {"x": [1, 2, ], },}', {"x": [1, 2]}),
        ("{'name': 'f', 'arguments': {'x': 'it\\'s', \"y\": 'b'}}", {"x": "it's", "y": "b"}),
        ('{name: "f", arguments: {x: 1, y_z: "a"}}', {"x": 1, "y_z": "a"}),
        ('{"name": "f", "arguments": {"x": True, "y": None}}', {"x": True, "y": None}),
        ('{"name": "f", "arguments": {"x": NaN, "y": -Infinity}}', {"x": None, "y": None}),
        ('{"name": "f", "arguments": {"x": 007}}', {"x": "007"}),
        ('{"name": "f", "arguments": {"x": .5, "y": +1}}', {"x": 0.5, "y": 1}),
        ('{"name": "f", "arguments": {"x": 1 /* one */, // two\n"y": 2}}', {"x": 1, "y": 2}),
        ('```json\n{"name": "f", "arguments": {"x": 1}}\n```', {"x": 1}),
        ('[{"name": "f", "arguments": {"x": 1}}]', {"x": 1}),
        ('{"name": "f", "arguments": "\\"{\\\\\\"x\\\\\\": 1}\\""}', {"x": 1}),
        ('{"name": "f", "arguments": "{\'x\': (1, None)}"}', {"x": [1, None]}),
        ('{"name": "f", "arguments": {"x": 1}', {"x": 1}),
        ('{"name": "f", "arguments": {"x": 1}}}', {"x": 1}),
        ('{"name": "f", "arguments": {"x": "it\\\'s"}}', {"x": "it's"}),
        ('{"name": "f", "arguments": {"x": "\\\\s \\d+"}}', {"x": "\\s \\d+"}),
        ('{"name": "f", "arguments": {"x": "a\nb"}}', {"x": "a\nb"}),
    ],
)
def test_json_whose_meaning_is_certain_is_repaired_and_reported(inside, arguments):
    reply = replies.heard(hermes(inside) + "So.", format="hermes_json")
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("f", arguments)]
    assert (reply.content, [problem.code for problem in reply.problems]) == ("So.", ["repaired"])


def test_the_first_of_two_equal_keys_counts():
    text = hermes('{"name": "f", "name": "g", "arguments": {"x": 1}, "arguments": {"x": 2}}')
    assert calls(text, "hermes_json") == [("f", {"x": 1})]
    assert problems(text, "hermes_json") == ["duplicate_key", "duplicate_key"]


def test_the_models_own_id_is_kept_unless_it_follows_the_start_of_the_call():
    reply, events = replies.read('[TOOL_CALLS][{"id": "123456789", "name": "f", "arguments": {}}]', format="mistral")
    assert reply.tool_calls[0].id == "123456789"
    late = '[TOOL_CALLS][{"name": "f", "arguments": {}, "id": "123456789"}]'
    reply, events = replies.read(late, format="mistral", call_id="made{:05}".format)
    assert [event.id for event in events if event.kind in ("call_start", "call_end")] == ["made00000", "made00000"]
    assert reply.tool_calls[0].id == "made00000"
    assert (
        replies.read("<|tool_call_begin|>functions.f:3<|tool_call_argument_begin|>{}", format="kimi_k2")[0]
        .tool_calls[0]
        .id
        == "functions.f:3"
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Ann", "age": 3}',
        '{"answer": 42}',
        '{"parameters": {}}',
        '[{"name": "f"}]',
        "{}",
        "{",
        '{"name": "Ann"',
        '{"name": ["Ann"]}',
    ],
)
def test_an_answer_in_json_is_not_a_call(text):
    for name in ("llama3_json", "granite3_list", "xlam"):
        reply, _ = replies.read(text, format=name)
        assert (reply.content, reply.tool_calls, reply.problems) == (text, (), ())


def test_a_bare_object_is_a_call_only_where_the_reply_begins():
    text = '{"name": "f", "parameters": {}}'
    assert calls(f"\n{text}; {text}", "llama3_json") == [("f", {}), ("f", {})]
    assert replies.read(f"So: {text}", format="llama3_json")[0].tool_calls == ()


def test_a_built_in_tool_of_llama_is_called_as_in_python():
    assert calls('<|python_tag|>brave_search.call(query="x")<|eom_id|>', "llama3_json") == [
        ("brave_search", {"query": "x"})
    ]


def test_code_for_an_interpreter_is_a_call_without_its_fence():
    text = "Look:\n<|action_start|><|interpreter|>\n```python\n  print(1)\n```\n<|action_end|>"
    assert calls(text, "internlm2_action") == [("python_interpreter", {"code": "  print(1)"})]
    assert calls("<|python_tag|>print(1)<|eot_id|>", "functionary_v31") == [("python", {"code": "print(1)"})]
    assert replies.read(text, format="internlm2_action")[0].content == "Look:\n"


# Parameters


def coder(**parameters):
    inside = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in parameters.items())
    return f"<tool_call>\n<function=f>\n{inside}</function>\n</tool_call>"


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("s", "007", "007"),
        ("s", '{"a": 1}', '{"a": 1}'),
        ("s", "", ""),
        ("s", "null", "null"),
        ("s", " a\n\nb ", " a\n\nb "),
        ("x", " 42 ", 42),
        ("x", "-14", -14),
        ("b", "True", True),
        ("b", "FALSE", False),
        ("o", '{"a": [1]}', {"a": [1]}),
        ("o", "{'a': (1, None)}", {"a": [1, None]}),
        ("o", '{\\"a\\": 1}', {"a": 1}),
        ("maybe", "null", None),
        ("maybe", "None", None),
        ("maybe", "none", "none"),
        ("either", "5", 5),
        ("either", "5a", "5a"),
        ("either", '"5"', '"5"'),
        ("size", "m", "m"),
        ("three", "3", 3),
        ("place", '{"city": "x"}', {"city": "x"}),
        ("loop", "[1]", [1]),
        ("other", "[1, 2]", [1, 2]),
        ("other", "007", "007"),
        ("other", "NaN", "NaN"),
        ("other", "true story", "true story"),
        ("other", '"quoted"', "quoted"),
    ],
)
def test_the_schema_decides_what_a_text_means(key, text, value):
    assert calls(coder(**{key: text}), "qwen3_coder_xml", tools=TOOLS) == [("f", {key: value})]
    assert calls(coder(**{key: text}), "qwen3_coder_xml", tools=[TOOLS[0]["function"]]) == [("f", {key: value})]


@pytest.mark.parametrize(("key", "text"), [("x", "many"), ("b", "1"), ("o", "[1]"), ("x", '"5"'), ("list", "{}")])
def test_a_text_that_the_schema_does_not_allow_stays_text_and_is_reported(key, text):
    assert calls(coder(**{key: text}), "qwen3_coder_xml", tools=TOOLS) == [("f", {key: text})]
    assert problems(coder(**{key: text}), "qwen3_coder_xml", tools=TOOLS) == ["bad_value"]


@pytest.mark.parametrize(
    ("key", "text", "codes"),
    [("o", '{"a": 1}', []), ("o", "{'a': 1}", ["repaired"]), ("list", "[1, 2,]", ["repaired"])],
)
def test_a_value_that_is_not_json_but_is_read_by_its_schema_is_reported(key, text, codes):
    assert problems(coder(**{key: text}), "qwen3_coder_xml", tools=TOOLS) == codes


@pytest.mark.parametrize("close", ["</parameter/>", "</parameter1>", "</parameter_function>"])
def test_a_misspelt_close_closes_and_is_reported(close):
    text = f"<tool_call>\n<function=f>\n<parameter=s>\na\n{close}\n</function>\n</tool_call>"
    assert calls(text, "qwen3_coder_xml") == [("f", {"s": "a"})]
    assert problems(text, "qwen3_coder_xml") == ["repaired"]


def test_a_number_instead_of_a_name_means_the_only_tool_that_fits():
    def kimi(name):
        return f'<|tool_call_begin|>{name}<|tool_call_argument_begin|>{{"x": 1}}<|tool_call_end|>'

    other = {"name": "g", "parameters": {"type": "object", "properties": {"y": {"type": "string"}}}}
    assert calls(kimi("5"), "kimi_k2", tools=[*TOOLS, other]) == [("f", {"x": 1})]
    assert calls(kimi("5"), "kimi_k2", tools=[*TOOLS, TOOLS[0]["function"] | {"name": "h"}]) == [("5", {"x": 1})]
    assert calls(kimi("5"), "kimi_k2") == [("5", {"x": 1})]


def test_a_text_may_contain_the_marks_that_close_it():
    value = "if a </parameter> b\n</function> <parameter= and </tool_call>"
    assert calls(coder(s=value, x="1"), "qwen3_coder_xml", tools=TOOLS) == [("f", {"s": value, "x": 1})]


def test_an_unclosed_parameter_ends_where_the_next_begins():
    text = "<tool_call>\n<function=f>\n<parameter=s>\na\n<parameter=x>\n1\n</function>\n</tool_call>"
    assert calls(text, "qwen3_coder_xml", tools=TOOLS) == [("f", {"s": "a", "x": 1})]


def test_an_unclosed_call_ends_where_its_section_does():
    assert calls("<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n</tool_call>", "qwen3_coder_xml") == [
        ("f", {"x": 1})
    ]


def test_a_parameter_is_streamed_as_soon_as_it_can_only_be_text():
    head = "<tool_call>\n<function=f>\n<parameter=s>\n"
    _, events = replies.read(head + "some words", [len(head), 5, 5], format="qwen3_coder_xml", tools=TOOLS)
    assert [event.text for event in events if event.kind == "call_args"] == ['{"s": "some ', "words"]
    _, events = replies.read(head + "some words", [len(head), 5, 5], format="qwen3_coder_xml")
    assert [event.text for event in events if event.kind == "call_args"] == ['{"s": "some ', "words"]
    _, events = replies.read(head + '{"a": 1', [len(head), 3, 4], format="qwen3_coder_xml")
    assert [event.text for event in events if event.kind == "call_args"] == []


def test_a_wrapped_set_of_arguments_is_unwrapped_if_the_tool_has_no_such_parameter():
    text = '<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="arguments" string="false">{"x": 1}</｜DSML｜parameter>\n</｜DSML｜invoke>'
    assert calls(text, "deepseek_v32_dsml", tools=TOOLS) == [("f", {"x": 1})]
    assert calls(text, "deepseek_v32_dsml") == [("f", {"arguments": {"x": 1}})]


def test_a_json_object_may_replace_parameters_where_the_format_allows_it():
    text = '<｜DSML｜tool_calls><｜DSML｜invoke name="f">{"x": 1}</｜DSML｜invoke></｜DSML｜tool_calls>'
    assert calls(text, "deepseek_v4_dsml") == [("f", {"x": 1})]


def test_parameters_may_be_nested():
    ns = "]<]minimax[>["
    inside = f"{ns}<o>{ns}<a>1{ns}</a>{ns}<list>{ns}<item>x{ns}</item>{ns}<item>y{ns}</item>{ns}</list>{ns}</o>"
    text = f'{ns}<tool_call>{ns}<invoke name="f">{inside}{ns}</invoke>{ns}</tool_call>'
    assert calls(text, "minimax_m3") == [("f", {"o": {"a": 1, "list": ["x", "y"]}})]


def test_the_schema_decides_inside_nested_parameters_too():
    ns = "]<]minimax[>["
    place = {
        "type": "object",
        "properties": {"zip": {"type": "string"}, "floors": {"type": "array", "items": {"type": "integer"}}},
    }
    tools = [
        {
            "name": "f",
            "parameters": {
                "type": "object",
                "properties": {"at": {"$ref": "#/$defs/Place"}},
                "$defs": {"Place": place},
            },
        }
    ]
    inside = f"{ns}<at>{ns}<zip>00501{ns}</zip>{ns}<floors>{ns}<item>1{ns}</item>{ns}<item>2{ns}</item>{ns}</floors>{ns}</at>"
    text = f'{ns}<tool_call>{ns}<invoke name="f">{inside}{ns}</invoke>{ns}</tool_call>'
    assert calls(text, "minimax_m3", tools=tools) == [("f", {"at": {"zip": "00501", "floors": [1, 2]}})]


@pytest.mark.parametrize("schema", [{"const": {"n": None, "l": ["5"]}}, {"enum": ["x", {"n": None, "l": ["5"]}]}])
def test_a_value_that_the_schema_spells_out_decides_inside_nested_parameters(schema):
    ns = "]<]minimax[>["
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"o": schema}}}]
    inside = f"{ns}<o>{ns}<n>None{ns}</n>{ns}<l>{ns}<item>5{ns}</item>{ns}</l>{ns}</o>"
    text = f'{ns}<tool_call>{ns}<invoke name="f">{inside}{ns}</invoke>{ns}</tool_call>'
    assert calls(text, "minimax_m3", tools=tools) == [("f", {"o": {"n": None, "l": ["5"]}})]


def test_a_value_in_cdata_is_unwrapped():
    text = '<function name="f"><param name="s"><![CDATA[<b> & "c"]]></param></function>'
    assert calls(text, "minicpm5_xml", tools=TOOLS) == [("f", {"s": '<b> & "c"'})]


def test_the_mark_may_name_the_type():
    arguments = "".join(
        f'<|open|>argument key="{key}" type="{kind}"<|sep|>1<|close|>argument<|sep|>'
        for key, kind in (("a", "string"), ("b", "number"), ("c", "odd"))
    )
    text = f'<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|>{arguments}<|close|>call<|sep|><|close|>tools<|sep|>'
    assert calls(text, "kimi_k3") == [("f", {"a": "1", "b": 1, "c": 1})]


# As in Python


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("1", 1), ("-1.5e3", -1500.0), ("0x1f", 31), ("1_000", 1000), (".5", 0.5), ("00501", "00501"), ("True", True), ("null", None),
        ("'a'", "a"), ('"a\\"b\\n\\x41\\u00e9\\101\\d"', 'a"b\nAéA\\d'), ("r'\\d'", "\\d"), ("'''a'b'''", "a'b"), ("''", ""), ("'a' \"b\"", "ab"),
        ("'it's 'quoted' here'", "it's 'quoted' here"), ("'a\nb'", "a\nb"),
        ("[1, [2,], (3,), (4)]", [1, [2], [3], 4]), ("()", []), ("{}", {}), ("{'a': 1, 2: 'b', }", {"a": 1, "2": "b"}), ("{'a', 'b'}", ["a", "b"]),
        ("{'a': {'b': [None]}}", {"a": {"b": [None]}}), ("{ 'a' : 1,\n 2 : 3 }", {"a": 1, "2": 3}),
    ],
)  # fmt: skip
def test_a_python_literal_is_read(literal, value):
    assert calls(f"[f(k={literal}, z=0)]", "pythonic") == [("f", {"k": value, "z": 0})]


@pytest.mark.parametrize("literal", ["x", "1+1", "{'a': 1, 'b'}", "{1: 2: 3}", "[1 2]", "g()", "nan", "", "[" * 300])
def test_a_call_with_an_invalid_python_literal_is_incomplete(literal):
    text = f"<function_calls>f(k={literal})</function_calls>So."
    reply = replies.heard(text, format="olmo3_pythonic")
    assert (reply.content, reply.tool_calls) == ("So.", ())
    assert [(call.name, call.arguments) for call in reply.incomplete] == [("f", f"k={literal})")]


def test_a_markdown_link_is_not_a_call():
    text = "See [the docs](https://x) and [f] or [g(x)]."
    assert replies.read(text, format="pythonic")[0].content == text


def test_a_notation_like_python_has_its_own_quotes():
    text = '<|tool_call>call:f{s:<|"|>a, "b"}<|"|>,o:{k:[1,true,<|"|>x<|"|>]},bare:plain words}<tool_call|>'
    assert calls(text, "gemma4") == [("f", {"s": 'a, "b"}', "o": {"k": [1, True, "x"]}, "bare": "plain words"})]


# In words


def test_react_is_read_by_its_words():
    text = 'Thought: I need it.\nAction: get_weather\nAction Input: {"city": "Paris"}\nObservation: 22'
    reply, _ = replies.read(text, format="react")
    assert (reply.reasoning, reply.content, reply.stop) == ("I need it.", "", "\nObservation:")
    assert calls(text, "react") == [("get_weather", {"city": "Paris"})]


def test_an_answer_in_react_is_content():
    reply, _ = replies.read("Thought: I now know the final answer\nFinal Answer: It is 22 degrees.", format="react")
    assert (reply.reasoning, reply.content, reply.tool_calls) == (
        "I now know the final answer",
        "It is 22 degrees.",
        (),
    )


def test_input_in_react_may_be_plain_text():
    assert calls("Action: search\nAction Input: weather in Paris\nObservation:", "react") == [
        ("search", {"input": "weather in Paris"})
    ]


@pytest.mark.parametrize("arguments", ["[1]", '"Paris"', "7", "true"])
def test_arguments_that_are_not_an_object_are_passed_on_and_reported(arguments):
    reply, _ = replies.read(f'<tool_call>{{"name": "f", "arguments": {arguments}}}</tool_call>', format="hermes_json")
    assert [(call.arguments_text, call.complete) for call in reply.tool_calls] == [(arguments, True)]
    assert [problem.code for problem in reply.problems] == ["bad_arguments"]


# Calls at the end


def test_a_call_without_its_last_bracket_is_complete_if_a_stop_mark_ends_the_reply():
    for text in (
        '<tool_call>{"name": "f", "arguments": {"x": 1}<|im_end|>',
        '<tool_call>{"name": "f", "arguments": {"x": 1}\n<|im_end|>',
    ):
        reply, _ = replies.read(text, [1], format="hermes_json")
        assert (reply.content, reply.stop, reply.finish) == ("", "<|im_end|>", "tool_calls")
        assert [(call.name, call.arguments, call.complete) for call in reply.tool_calls] == [("f", {"x": 1}, True)]
        assert {problem.code for problem in reply.problems} == {"repaired"}


UNENDED = "<function=f>\n<parameter=x>\n1\n</parameter>\n"
NUMBER = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}]


@pytest.mark.parametrize(
    ("text", "how", "complete"),
    [
        (UNENDED + "<|im_end|>", {}, True),
        (UNENDED, {"finish": "stop"}, True),
        (UNENDED, {"tools": NUMBER}, True),
        (UNENDED, {}, False),
        (UNENDED, {"tools": NUMBER, "finish": "length"}, False),
    ],
)
def test_parameters_without_the_end_of_their_call_are_complete_if_nothing_can_follow(text, how, complete):
    reply = lect.parse(None, text, format="qwen3_coder_xml", **how)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("f", {"x": 1})] * complete
    assert [problem.code for problem in reply.problems] == ["repaired" if complete else "incomplete_call"]


@pytest.mark.parametrize(
    ("name", "text", "arguments"),
    [
        ("hermes_json", '<tool_call>{"name": "f", "arguments": {"x": 1<|im_end|>', '{"x": 1'),
        ("kimi_k2", '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"x": 1<|im_end|>', '{"x": 1'),
        ("qwen3_coder_xml", "<function=f>\n<parameter=x>\n1\n<|im_end|>", ""),
        ("react", 'Action: f\nAction Input: {"x": 1\nObservation:', '{"x": 1\n'),
    ],
)
def test_a_call_that_breaks_off_at_a_stop_mark_is_incomplete_and_not_content(name, text, arguments):
    reply, _ = replies.read(text, [1], format=name)
    assert (reply.content, reply.tool_calls, reply.finish) == ("", (), "stop")
    assert [(call.name, call.arguments_text) for call in reply.incomplete] == [("f", arguments)]
    assert [problem.code for problem in reply.problems] == ["incomplete_call"]


# Channels


def test_text_outside_messages_is_content_and_stray_headers_are_reported():
    reply, _ = replies.read("Hi <|start|>assistant <|end|>there", format="harmony")
    assert (reply.content, [problem.code for problem in reply.problems]) == (
        "Hi assistant there",
        ["stray_header"],
    )


def test_a_header_mark_inside_a_message_is_not_content():
    for kind, field in (("final", "content"), ("analysis", "reasoning")):
        reply = replies.heard(f"<|channel|>{kind}<|message|>a <|message|><|channel|>b<|end|>", format="harmony")
        assert (getattr(reply, field), [problem.code for problem in reply.problems]) == ("a b", ["stray_mark"] * 2)


def test_a_call_that_restarts_before_it_has_a_name_is_made_once():
    call = '<|content_invoke_tool_json|>{"name": "f", "args": {"x": 1}}<|end_message|>'
    reply = replies.heard(f"<|message_model|>f<|content_invoke_tool_json|>Well{call}", format="inkling")
    assert (reply.content, [(call.name, call.arguments) for call in reply.tool_calls]) == ("", [("f", {"x": 1})])
    assert [problem.code for problem in reply.problems] == ["incomplete_call"]


def test_a_built_in_tool_gets_its_text():
    text = "<|start|>assistant<|channel|>analysis to=python code<|message|>print(1)<|call|>"
    assert calls(text, "harmony") == [("python", {"code": "print(1)"})]


def test_messages_of_one_kind_are_joined_by_a_line_end():
    thoughts = "".join(f"<|channel|>analysis<|message|>{text}<|end|><|start|>assistant" for text in "ab")
    assert replies.read(f"{thoughts}<|channel|>final<|message|>c<|return|>", format="harmony")[0].reasoning == "a\nb"


def test_an_unterminated_message_ends_where_the_next_begins():
    text = "<|channel|>analysis<|message|>a<|start|>assistant<|channel|>final<|message|>b"
    reply, _ = replies.read(text, format="harmony")
    assert (reply.reasoning, reply.content) == ("a", "b")


def test_a_comparison_is_not_an_argument_wherever_a_chunk_ends():
    text = "<function_calls>f(enabled==1)</function_calls>"
    assert all(replies.read(text, [size], format="olmo3_pythonic")[0].content == text for size in range(1, len(text)))


def test_an_empty_section_of_special_tokens_is_a_mark_with_the_white_space_before_it():
    reply, _ = replies.read("\n<|tool_call_start|><|tool_call_end|>", format="lfm2_pythonic")
    assert [(piece.kind, piece.start) for piece in reply.pieces] == [("mark", 0)]


@pytest.mark.parametrize("members", ['"arme": "f", "arguments": {}', '"arguments": {}, "arme": 1'])
def test_a_member_that_does_not_belong_in_a_call_without_marks_is_named(members):
    reply = replies.heard(f'{{"name": "f", {members}}}', format="llama3_json")
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("f", {})]
    assert [problem.code for problem in reply.problems] == ["stray_member"]
    # An answer in JSON is no call, and may have any members.
    assert not replies.heard('{"name": "f", "arme": 1}', format="llama3_json").problems


def test_text_beside_the_members_of_a_nested_value_belongs_nowhere():
    tags = ["<tool_call>\n", '<invoke name="f">', "<e>", "<item>", "<id>1", "</id>{}", "</item>", "</e>", "</invoke>"]
    text = "]<]minimax[>[".join(["", *tags, "</tool_call>"])
    assert calls(text.format("\n"), "minimax_m3") == [("f", {"e": [{"id": 1}]})]
    reply = replies.heard(text.format("lost"), format="minimax_m3")
    assert ([call.complete for call in reply.incomplete], reply.problems[0].code) == ([False], "stray_text")
