"""What models get wrong, and what only looks like a call."""

import re

import pytest
import replies

WEATHER = [{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]
ATEM = '<atem:function_calls>\n<atem:invoke name="f">\n<atem:parameter name="s">a</atem:parameter>\n</atem:invoke>\n</atem:function_calls>'
HY3 = (
    "<think>Hm.</think>Sure.<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>city</arg_key>\n"
    "<arg_value>Paris</arg_value>\n</tool_call>\n"
    "</tool_calls>"
)


def heard(name, text, **arguments):
    return replies.heard(text, format=name, **arguments)


def calls(reply):
    return [(call.name, call.arguments) for call in reply.tool_calls]


def codes(reply):
    return [problem.code for problem in reply.problems]


# No calls


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pythonic", "See [print()](https://docs.python.org/3/library/functions.html#print) for details."),
        ("pythonic", "So [max(a=1)] is one."),
        (
            "llama4_pythonic",
            "Here is the code:\n```python\npoints = [Point(x=1, y=2), Point(x=3, y=4)]\n```\nHope this helps!",
        ),
        ("xlam", 'Here are the users:\n```json\n[{"name": "Bob", "age": 3}, {"name": "Al", "age": 4}]\n```\nOk?'),
        ("functionary_v32", "all\nDoctests begin with >>> and a space."),
        ("deepseek_v3", "A function returns a value."),
        ("step3", "A function returns a value."),
    ],
)
@pytest.mark.parametrize("tools", [None, WEATHER])
def test_prose_and_code_that_look_like_a_call_are_content(name, text, tools):
    reply = heard(name, text, tools=tools)
    assert (reply.content, reply.tool_calls) == (text.removeprefix("all\n"), ())
    assert set(codes(reply)) <= {"stray_header"}


def test_after_text_brackets_open_a_call_of_a_known_tool_or_on_their_own_line():
    assert calls(heard("pythonic", 'Well: [get_weather(city="Paris")]', tools=WEATHER)) == [
        ("get_weather", {"city": "Paris"})
    ]
    assert calls(heard("pythonic", 'Well:\n[get_weather(city="Paris")]')) == [("get_weather", {"city": "Paris"})]


def test_a_first_line_is_a_function_name_only_if_it_can_be_one():
    text = "Sure\nHere it is<|eot_id|>"
    assert heard("functionary_v32", text, tools=WEATHER).content == "Sure\nHere it is"
    assert heard("functionary_v32", text, prompt="...assistant\n\n>>>all\n").content == "Sure\nHere it is"
    assert calls(heard("functionary_v32", text)) == [("Sure", {"code": "Here it is"})]


def test_a_message_that_the_prompt_has_ended_is_not_continued():
    prompt = "<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|>"
    assert heard("harmony", "Hi", prompt=prompt).reasoning is None
    assert heard("harmony", "Hi", prompt=prompt.replace("<|end|>", "<|return|>")).reasoning is None
    assert heard("harmony", "Hi", prompt=prompt.removesuffix("<|end|>")).reasoning == "Hi"
    assert heard("harmony", "Hi", prompt="<|start|>assistant<|channel|>final<|message|>").content == "Hi"


# A broken call affects nothing else


@pytest.mark.parametrize(
    ("name", "text", "content"),
    [
        ("pythonic", "[f(x=1, 'b')]\nHere you go.<|eot_id|>", "\nHere you go."),
        ("lfm2_pythonic", "<|tool_call_start|>[f(x=1, 2)]<|tool_call_end|>Done.", "Done."),
        ("functiongemma", "<start_function_call>call:f{a:1,[b]:2}<end_function_call>Hi", "Hi"),
    ],
)
def test_an_invalid_key_breaks_only_its_own_call(name, text, content):
    reply = heard(name, text)
    assert (reply.content, reply.tool_calls, codes(reply)) == (content, (), ["bad_literal"])
    assert [call.name for call in reply.incomplete] == ["f"]


def test_the_call_after_a_broken_one_is_read():
    reply = heard("gemma4", "<|tool_call>call:f{o:[}}<tool_call|><|tool_call>call:g{x:1}<tool_call|>Hello<turn|>")
    assert (calls(reply), reply.stop) == ([("g", {"x": 1})], "<turn|>")
    assert (reply.content, [(call.name, call.arguments) for call in reply.incomplete]) == ("Hello", [("f", "o:[}}")])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hermes_json", '<tool_call>\n{"name": "f", "arguments": {"x": 1}}}\n</tool_call>'),
        ("jamba", '<tool_calls>[{"name": "f", "arguments": {"x": 1}}}]</tool_calls>'),
    ],
)
def test_surplus_brackets_are_reported_and_not_content(name, text):
    reply = heard(name, text)
    assert (reply.content, calls(reply), codes(reply)) == ("", [("f", {"x": 1})], ["repaired"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("jamba", '<tool_calls>[{"name": "f", "arguments": {"x": 1}}, {"name": "g"},]</tool_calls>'),
        ("jamba", '<tool_calls>[{"name": "f", "args": {"x": 1}}, {"name": "g"}</tool_calls>'),
        ("pythonic", "[\n  f(x=1),\n  g(),\n]"),
        ("olmo3_pythonic", "<function_calls>f(x=1), g()</function_calls>"),
        (
            "hermes_json",
            '<tool_call>\n{"name": "f", "arguments": {"x": 1}},\n{"name": "g", "arguments": {}}\n</tool_call>',
        ),
    ],
)
def test_a_list_is_read_with_a_surplus_comma_or_a_missing_bracket(name, text):
    reply = heard(name, text)
    assert (reply.content, calls(reply), set(codes(reply))) == ("", [("f", {"x": 1}), ("g", {})], {"repaired"})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("granite3_list", '[{"name": "f", "arguments": {"x": 1}}, {"name": "g"}]'),
        ("llama3_json", '{"name": "f", "parameters": {"x": 1}}; {"name": "g"}'),
    ],
)
def test_a_call_may_have_no_arguments(name, text):
    reply = heard(name, text)
    assert (reply.content, calls(reply), reply.problems) == ("", [("f", {"x": 1}), ("g", {})], ())


@pytest.mark.parametrize("text", ['{{"name": "f", "arguments": {}}}', '{"name": 7}', '["f", {}]'])
def test_a_failed_attempt_at_a_call_is_content_and_reported(text):
    reply = heard("hermes_json", f"<tool_call>\n{text}\n</tool_call>")
    assert (reply.content, codes(reply)) == (f"<tool_call>\n{text}\n</tool_call>", ["stray_open"])


def test_a_member_that_is_not_part_of_a_call_is_reported():
    reply = heard("hermes_json", '<tool_call>{"name": "f", "why": "so", "arguments": {"x": 1}}</tool_call>')
    assert (calls(reply), codes(reply)) == ([("f", {"x": 1})], ["stray_member"])


@pytest.mark.parametrize("member", ['"city": "Paris"', '"argments": {"city": "Paris"}', '"parameter": {}'])
def test_a_call_whose_arguments_may_be_in_another_member_is_incomplete(member):
    reply = heard("hermes_json", f'<tool_call>{{"name": "f", {member}, "type": "function"}}</tool_call>')
    assert (calls(reply), codes(reply)) == ([], ["stray_member", "stray_text"])
    assert [call.name for call in reply.incomplete] == ["f"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "glm4_xml",
            "<tool_call>f<arg_key>x</arg_key><arg_value>a</b>\n<arg_key>y</arg_key><arg_value>1</arg_value></tool_call>",
        ),
        ("glm4_xml", "<tool_call>f<arg_key>k>x</arg_key><arg_value>a</arg_value></tool_call>"),
        ("qwen3_coder_xml", "<function=f>\n<parameter=x>\n<parameter=y>\n1\n</parameter>\n</function>"),
        ("qwen3_coder_xml", "<function=f>\n<parameter=x>\na\n<parameter=x>\n1\n</parameter>\n</function>"),
        ("gemma4", '<|tool_call>call:f{x|>:<|"|>a<|"|>}<tool_call|>'),
        ("pythonic", "[f(x='a')(x='b')]"),
        ("qwen3_coder_xml", "<function=f><parameter=x>a</parameter><prameter=y>b</parameter></function>"),
        (
            "glm4_xml",
            "<tool_call>f<arg_key>x</arg_key><arg_value>a</arg_value><ar_key>y</arg_key><arg_value>1</arg_value></tool_call>",
        ),
    ],
    ids=[
        "half a close",
        "half a mark in a key",
        "no value",
        "a parameter begun twice",
        "a mark in a key",
        "two strings",
        "a misspelt parameter",
        "a misspelt key",
    ],
)
def test_a_call_is_incomplete_where_nobody_can_tell_a_value_from_a_mark(name, text):
    reply = heard(name, text)
    assert (calls(reply), len(reply.incomplete), len(codes(reply))) == ([], 1, 1)


@pytest.mark.parametrize(
    ("name", "opens", "value", "closes"),
    [
        ("qwen3_coder_xml", "<function=f><parameter=x>", 'a</parameter y="1">b', "</parameter></function>"),
        ("glm4_xml", "<tool_call>f<arg_key>x</arg_key><arg_value>", "a<arg_value>b", "</arg_value></tool_call>"),
    ],
)
def test_what_looks_like_a_mark_in_a_value_is_named(name, opens, value, closes):
    reply = heard(name, opens + value + closes)
    assert (calls(reply), codes(reply)) == ([("f", {"x": value})], ["repaired"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "granite20b_fc",
            '<function_call> {"name": "f", "arguments": {}}}\n<function_call> {"name": "f", "arguments": {}}',
        ),
        ("llama3_json", '<|python_tag|>{"name": "f", "parameters": {}}}'),
    ],
)
def test_a_surplus_bracket_is_named_and_no_content(name, text):
    reply = heard(name, text)
    assert (reply.content, {call.name for call in reply.tool_calls}, codes(reply)) == ("", {"f"}, ["repaired"])


def test_a_missing_quote_makes_a_call_incomplete():
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}}]
    reply = heard("gemma4", '<|tool_call>call:f{x:a<|"|>}<tool_call|>', tools=tools)
    assert (calls(reply), codes(reply)) == ([], ["bad_literal"])


def test_code_with_marks_in_it_is_named():
    reply = heard("harmony", " to=python<|channel|>commentary<|message|>print(1)<|channel|>analysis<|mesage|>Done.")
    assert codes(reply) == ["repaired"]


def test_code_ends_where_the_next_message_begins():
    reply = heard("harmony", " to=python<|channel|>commentary<|message|>print(1)<|channel|>analysis<|message|>Done.")
    assert calls(reply) == [("python", {"code": "print(1)"})]
    assert "stray_mark" in codes(reply)


# Parameters


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pythonic", "[f(x=1, x=2)]"),
        ("gemma4", "<|tool_call>call:f{x:1,x:2}<tool_call|>"),
        (
            "qwen3_coder_xml",
            "<tool_call><function=f><parameter=x>1</parameter><parameter=x>2</parameter></function></tool_call>",
        ),
    ],
)
def test_the_first_of_two_equal_parameters_counts(name, text):
    reply = heard(name, text)
    assert (calls(reply), codes(reply)) == ([("f", {"x": 1})], ["duplicate_key"])


@pytest.mark.parametrize("behind", ["Thanks, bye.", "\nNow the other:\n"])
def test_the_end_of_a_call_on_its_own_line_ends_an_unclosed_parameter(behind):
    text = f"<function=f>\n<parameter=s>\na\n</function>\n{behind}<function=g>\n<parameter=x>\n1\n</parameter>\n</function>"
    reply = heard("qwen3_coder_xml", text)
    assert (reply.content, calls(reply)) == (f"\n{behind}", [("f", {"s": "a"}), ("g", {"x": 1})])


@pytest.mark.parametrize("code", ['<param name="x">1</param>', "</param></function>", "a]]>b", "]]></param", ""])
def test_marks_in_cdata_are_text(code):
    text = f'<function name="write"><param name="code"><![CDATA[{code}]]></param><param name="n">7</param></function>'
    assert calls(heard("minicpm5_xml", text)) == [("write", {"code": code, "n": 7})]


def test_a_key_in_a_value_is_text():
    text = "<tool_call>write\n<arg_key>s</arg_key>\n<arg_value>keys look like <arg_key>name</arg_key>, see?</arg_value>\n</tool_call>"
    assert calls(heard("glm4_xml", text)) == [("write", {"s": "keys look like <arg_key>name</arg_key>, see?"})]


@pytest.mark.parametrize(
    ("name", "opening", "text"),
    [
        (
            "qwen3_coder_xml",
            "<tool_call>\n",
            "<function=f>\n<function=f>\n<parameter=s>\na\n</parameter>\n</function>\n</tool_call>",
        ),
        (
            "minimax_m2_xml",
            "<minimax:tool_call>\n",
            '<invoke name="f">\n<invoke name="f">\n<parameter name="s">a</parameter>\n</invoke>\n</minimax:tool_call>',
        ),
    ],
)
def test_a_call_that_is_opened_twice_is_made_once(name, opening, text):
    reply = heard(name, opening + text)
    assert (reply.content, calls(reply), codes(reply)) == ("", [("f", {"s": "a"})], ["incomplete_call"])


def test_tags_may_have_the_suffix_of_the_public_checkpoints():
    for text in (HY3, re.sub(r"(</?\w+)>", r"\1:opensource>", HY3)):
        reply = heard("hunyuan_v3_xml", text)
        assert (reply.reasoning, reply.content, calls(reply)) == ("Hm.", "Sure.", [("get_weather", {"city": "Paris"})])


# Messages


@pytest.mark.parametrize(("before", "between"), [("\n", ""), ("Let me look. ", "\n"), ("", " and ")])
def test_sections_in_a_message_are_read_wherever_they_are(before, between):
    reply = heard("muse_glimmer", f" to=f<|message|>{before}{ATEM}{between}{ATEM}<|eom|>")
    assert (reply.content, calls(reply)) == (
        (before + between).lstrip("\n").removesuffix("\n"),
        [("f", {"s": "a"})] * 2,
    )


def test_code_may_contain_what_starts_a_message():
    code = 'def f(x):\n    """\n    >>> f(1)\n    2\n    """\n    return x >>> 1\n'
    assert calls(heard("functionary_v32", f"python\n{code}<|eot_id|>")) == [("python", {"code": code})]
    assert calls(heard("functionary_v32", 'python\nprint(1)\n>>>f\n{"x": 1}')) == [
        ("python", {"code": "print(1)\n"}),
        ("f", {"x": 1}),
    ]


def test_a_function_of_the_caller_takes_json_and_a_built_in_tool_takes_text():
    head = "<|channel|>commentary to={} <|constrain|>json<|message|>"
    assert calls(heard("harmony", head.format("functions.f") + "<|call|>")) == [("f", {})]
    assert calls(heard("harmony", head.format("python") + "print(1)<|call|>")) == [("python", {"code": "print(1)"})]
    reply = heard("harmony", head.format("functions.f") + "print(1)<|call|>")
    assert (reply.content, calls(reply), codes(reply)) == ("", [], ["unbalanced_json"])
    assert [(call.name, call.arguments) for call in reply.incomplete] == [("f", "print(1)")]


# Where the reply breaks off


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("minimax_m2_xml", '<minimax:tool_call>\n<invoke name="f">\n<paramet'),
        ("qwen3_coder_xml", "<tool_call>\n<function=f>\n<param"),
        ("granite3_list", '[{"name": "e", "arguments": {}}, {"name": "f", "argu'),
    ],
)
def test_a_call_that_breaks_off_in_a_mark_is_incomplete(name, text):
    reply = heard(name, text)
    assert (reply.content, [call.name for call in reply.incomplete], codes(reply), reply.finish) == (
        "",
        ["f"],
        ["incomplete_call"],
        "length",
    )


def test_a_truncated_close_is_not_content():
    reply = heard("hermes_json", 'Hi <tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_')
    assert (reply.content, calls(reply)) == ("Hi ", [("f", {"x": 1})])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hermes_json", '<tool_call>\n{"name": "f", "arguments": {"x": "abc<|im_end|>'),
        ("qwen3_coder_xml", "<tool_call>\n<function=f>\n<parameter=s>\nabc<|im_end|>"),
    ],
)
def test_a_stop_mark_at_the_very_end_counts_even_inside_a_text(name, text):
    reply = heard(name, text)
    assert (reply.stop, reply.finish, reply.tool_calls) == ("<|im_end|>", "stop", ())


@pytest.mark.parametrize(
    ("name", "text", "finish"),
    [
        ("hermes_json", "<think>\nLet me\n<tool_call>{}", "length"),
        ("hermes_json", "<think>\nLet me\n<tool_call>{}<|im_end|>", "stop"),
        ("harmony", "<|channel|>analysis<|message|>Let me", "length"),
    ],
)
def test_unclosed_reasoning_is_reported(name, text, finish):
    reply = heard(name, text)
    assert (reply.content, reply.tool_calls, reply.finish, codes(reply)) == ("", (), finish, ["incomplete_reasoning"])
    assert reply.reasoning.startswith("Let me")
    assert codes(heard(name, text, extract=["tools"])) == []


# Where a prompt ends


def test_a_reasoning_mark_in_user_text_opens_no_reasoning():
    prompt = "<s>[INST]Hi[/INST]Hello!</s>[INST]What does [THINK] do?[/INST]"
    markers = ("[INST]", "[/INST]", "[THINK]", "[/THINK]", "</s>")
    assert heard("mistral", "It opens a thought.", prompt=prompt, markers=markers).content == "It opens a thought."
    assert heard("mistral", "so on.[/THINK]Yes.", prompt=prompt + "[THINK]And", markers=markers).reasoning == "so on."


def test_an_unexpected_close_of_reasoning_is_reported_once():
    reply = heard("hermes_json", "Six sevens.\n</think>\n\nIt is </think> 42.")
    assert (reply.content, codes(reply)) == ("Six sevens.\n</think>\n\nIt is </think> 42.", ["stray_close"])
    assert codes(heard("hermes_json", "<think>x</think>The mark is </think>.")) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qwen3_coder_xml", "<tool_call>\n<function=get_wea"),
        ("glm4_xml", "<tool_call>get_wea"),
        ("kimi_k2", "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_wea"),
        ("mistral", "[TOOL_CALLS]get_wea"),
        ("hermes_json", "Well <tool_call>"),
    ],
)
def test_a_call_that_breaks_off_before_its_name_is_hidden_and_the_reply_is_unfinished(name, text):
    reply = heard(name, text)
    assert (reply.content, reply.finish) == ("Well " if text.startswith("Well") else "", "length")
    assert (reply.pieces[-1].kind, codes(reply)) == ("call", ["incomplete_call"])


def test_a_header_that_breaks_off_leaves_the_reply_unfinished():
    assert (
        heard(
            "harmony", "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.f"
        ).finish
        == "length"
    )


def test_what_follows_the_end_is_not_read():
    reply = heard("harmony", "<|channel|>final<|message|>42.<|return|><|start|>user<|message|>And")
    assert (reply.content, reply.stop, reply.pieces[-1].kind) == ("42.", "<|return|>", "after")


def test_tags_around_the_answer_are_not_content():
    assert heard("granite3_list", "<think>Hm.</think><response>42.</response>").content == "42."


def test_the_call_tokens_of_phi_4_mini_are_read():
    text = '<|tool_call|>[{"name": "f", "arguments": {"x": 1}}]<|/tool_call|><|end|>'
    assert calls(heard("phi4mini_functools", text)) == [("f", {"x": 1})]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kimi_k2", 'functions.get_weather:0{"city": "Rome"}'),
        ("cohere_action", '[\n    {"tool_call_id": "0", "tool_name": "f", "parameters": {}}\n]'),
        ("harmony", 'analysisLook.assistantcommentary to=functions.get_weather json{"city": "Rome"}'),
    ],
)
def test_a_reply_without_its_special_tokens_is_recognised(name, text):
    assert codes(heard(name, text)) == ["markers_missing"]


def test_a_reply_that_breaks_off_anywhere_in_nested_parameters_is_incomplete():
    mark = "]<]minimax[>["
    text = f'{mark}<tool_call>{mark}<invoke name="f">{mark}<o>{mark}<city>Paris{mark}</city>{mark}</o>{mark}</invoke>'
    begin = text.index("<o>")
    for end in range(begin + 3, len(text) - len("</invoke>")):
        assert codes(heard("minimax_m3", text[:end])) == ["incomplete_call"], text[:end]


def test_a_parameter_after_a_json_body_breaks_the_call_and_is_reported():
    text = '<｜DSML｜invoke name="f">{"x": 1}<｜DSML｜parameter name="y">2</｜DSML｜parameter></｜DSML｜invoke>'
    reply = heard("deepseek_v4_dsml", text)
    assert (reply.tool_calls, codes(reply)[0]) == ((), "stray_text")
