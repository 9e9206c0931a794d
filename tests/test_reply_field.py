"""What models wrote this year, as public issues report it; and mistakes like those, in every format that can have them."""

import pytest
import replies
from together import together

import lect
from lect.reply.engine.compiled import marks_of

FIELD = replies.field()
TOOL = {"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}}
CODER, GLM = "Qwen/Qwen3-Coder-30B-A3B-Instruct", "zai-org/GLM-4.7"
DEEPSEEK, KIMI = "deepseek-ai/DeepSeek-V4-Flash", "moonshotai/Kimi-K2-Instruct"


def read(model, text, sizes=None, **arguments):
    stream = lect.stream(model, **arguments)
    for chunk in replies.chunks(text, sizes or [len(text)]):
        stream.feed(chunk)
    return stream.close()


def heard(model, text, tools=(TOOL,), **arguments):
    """Return the reply, after checking that it is the same when fed in small chunks, and that no markup is silent."""
    reply = read(model, text, tools=tools, **arguments)
    for sizes in ([1], [3], [7, 2]):
        assert read(model, text, sizes, tools=tools, **arguments) == reply
    assert reply.problems or not shown(model, reply)
    return reply


def calls(reply):
    return [(call.name, call.arguments) for call in reply.tool_calls]


def codes(reply):
    return [problem.code for problem in reply.problems]


def shown(model, reply):
    """Return the control tokens of a template that are in the content of a reply."""
    return [mark for mark in lect.get_template(model).control_tokens if "{}" not in mark and mark in reply.content]


def fits(wanted, reply):
    listed = {
        "tool_calls": calls(reply),
        "content": reply.content.strip(),
        "reasoning": (reply.reasoning or "").strip(),
    }
    given = {
        key: value.strip() if isinstance(value, str) else value for key, value in wanted.items() if value is not None
    }
    given["tool_calls"] = [(call["name"], call["arguments"]) for call in given["tool_calls"]]
    return all(listed[key] == value for key, value in given.items())


@pytest.mark.parametrize("vector", FIELD, ids=lambda vector: vector["id"])
def test_an_output_is_read_as_its_users_expect(vector):
    reply = heard(vector["model"], vector["raw"], vector["tools"], starts_in_reasoning=vector["starts_in_reasoning"])
    readings = [vector["expected"], *(vector["expected"] | other for other in vector["also_acceptable"])]
    assert any(fits(wanted, reply) for wanted in readings) or (vector["contestable"] and reply.problems), reply


DSML = (
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="x" string="true">a|b</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜tool_calls>"
)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("｜", "|"), ("｜", "‖"), ("｜", "｜｜"), ("｜", " ｜"), ("<", "‹"), ("<｜", "｜"), ("tool_calls", "toolcalls"),
        ("tool_calls", "tool calls"), ("tool_calls", "calls"), ("DSML｜", "DSML｜ "), ("</｜DSML｜tool_calls>", ""),
    ],
)  # fmt: skip
def test_marks_that_are_spelt_almost_right_are_read_and_named(right, wrong):
    reply = heard(DEEPSEEK, DSML.replace(right, wrong))
    assert (reply.content, calls(reply)) == ("", [("f", {"x": "a|b"})])
    assert set(codes(reply)) == {"repaired"}


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("Qwen/Qwen3-8B", '< tool_call >\n{"name": "f", "arguments": {"x": "a"}}\n</ tool_call >'),
        ("Qwen/Qwen3-8B", '<toolcall>{"name": "f", "arguments": {"x": "a"}}</toolcall>'),
        (
            "deepseek-ai/DeepSeek-V3.1",
            '<|tool_calls_begin|><|tool_call_begin|>f<|tool_sep|>{"x": "a"}<|tool_call_end|>',
        ),
        (KIMI, '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0{"x": "a"}<|tool_call_end|>'),
        (KIMI, '<|toolcalls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"x": "a"}'),
        (CODER, "<tool_call>\n<function = f>\n<parameter=x>\na\n</parameter\n</function>\n</tool_call>"),
        (CODER, "<tool_call>\n<function=f>\n<parameter=x>\na\n</parameter=x>\n</function>\n</tool_call>"),
        (CODER, "<tool_call>\n<function=f>\n<parameter=x>\na\n</function>\n</tool_call>"),
        (GLM, "<tool_call>f</arg_key><arg_value>a</arg_value></tool_call>"),
        (GLM, "<tool_call>fx</arg_key><arg_value>a</arg_value></tool_call>"),
        (GLM, "<tool_call>f\nx</arg_key><arg_value>a</arg_value></tool_call>"),
        (GLM, "<tool_call>f<arg_key>x</arg_key>a</arg_value></tool_call>"),
        (GLM, "<tool_call>f<tool_call>x</arg_key><arg_value>a</arg_value></tool_call>"),
        (GLM, "<tool_call>f<arg key>x</arg key><arg value>a</arg value></tool_call>"),
    ],
)
def test_a_call_with_a_mark_that_is_wrong_or_missing_is_read_and_named(model, text):
    reply = heard(model, text, starts_in_reasoning=False)
    assert (reply.content, calls(reply), set(codes(reply))) == ("", [("f", {"x": "a"})], {"repaired"})


def test_a_later_key_that_nothing_opens_is_read_and_named():
    pairs = "<arg_key>x</arg_key><arg_value>a</arg_value>y</arg_key><arg_value>1</arg_value>"
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "string"}, "y": {}}}}
    reply = heard(GLM, f"<tool_call>f{pairs}</tool_call>", [tool], starts_in_reasoning=False)
    assert (calls(reply), codes(reply)) == ([("f", {"x": "a", "y": 1})], ["repaired"])


def test_a_recipient_without_its_namespace_is_read_and_named():
    reply = heard("openai/gpt-oss-20b", '<|channel|>commentary to=f <|constrain|>json<|message|>{"x": "a"}<|call|>')
    assert (calls(reply), codes(reply)) == ([("f", {"x": "a"})], ["repaired"])


@pytest.mark.parametrize(
    ("before", "behind", "content"),
    [
        ("Let me look.", "", "Let me look."),
        ("", " Now I wait.\n", " Now I wait.\n"),
        ("\nOne.\n", "Two", "\nOne.\nTwo"),
    ],
)
def test_text_in_a_section_is_content_and_the_marks_round_it_are_not(before, behind, content):
    call = "<function=f>\n<parameter=x>\na\n</parameter>\n</function>"
    reply = heard(CODER, f"<tool_call>{before}{call}{behind}</tool_call>")
    assert (reply.content, calls(reply)) == (content, [("f", {"x": "a"})])
    assert set(codes(reply)) == {"repaired"}


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (DEEPSEEK, 'Look: <‖DSML‖invok name="f">'),
        (DEEPSEEK, '<DSML invoke name="f">'),
        (CODER, "Hi <toolcal>x"),
        (CODER, "What <tool_call> means"),
        ("MiniMaxAI/MiniMax-M2", 'minimax:tool_call\n{"x": 1}'),
        ("MiniMaxAI/MiniMax-M3", "Hi minimax[>[<invoke>"),
        (GLM, "So </arg_value> it is"),
    ],
)
def test_markup_in_the_content_is_named(model, text):
    reply = heard(model, text, starts_in_reasoning=False)
    assert (reply.content, calls(reply), set(codes(reply))) == (text, [], {"stray_mark"})


@pytest.mark.parametrize(
    "text", ["a < b | c > d", "<table><tr><td>1</td></tr></table>", "[link](x) | [y]", "<b>Hi</b>: x"]
)
@pytest.mark.parametrize("model", [DEEPSEEK, KIMI, CODER, GLM])
def test_brackets_that_are_no_marks_are_no_problem(model, text):
    reply = heard(model, text, starts_in_reasoning=False)
    assert (reply.content, reply.problems) == (text, ())


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>f<arg_key>x</arg_key>text <arg_value>1</arg_value></tool_call>",
        "<tool_call>g</arg_key><arg_value>1</arg_value></tool_call>",
        "<tool_call>f<arg_key>x</arg_key><arg_value>1</arg_value> text </tool_call>",
    ],
)
def test_a_call_of_which_text_would_be_lost_is_not_complete(text):
    reply = heard(GLM, text, starts_in_reasoning=False)
    assert (reply.content, calls(reply)) == ("", [])
    assert codes(reply)


def test_a_header_that_lacks_the_mark_of_its_body_is_read():
    reply = heard(
        "openai/gpt-oss-20b", "<|channel|>analysis\nHm.<|end|><|start|>assistant<|channel|>final\n42.<|return|>"
    )
    assert (reply.content, reply.reasoning, codes(reply)) == ("42.", "Hm.", ["stray_header", "stray_header"])


def test_objects_on_lines_are_calls():
    text = '{"name": "f", "parameters": {"x": "a"}}\n{"name": "f", "parameters": {"x": "b"}}'
    reply = heard("meta-llama/Llama-3.1-8B-Instruct", text)
    assert (reply.content, calls(reply)) == ("", [("f", {"x": "a"}), ("f", {"x": "b"})])


def test_calls_with_which_a_thought_ends_are_calls_if_nothing_follows_it():
    call = '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"x": "a"}<|tool_call_end|><|tool_calls_section_end|>'
    reply = heard(KIMI, f"Look. {call}</think>", starts_in_reasoning=True)
    assert (reply.reasoning, reply.content, calls(reply)) == ("Look. ", "", [("f", {"x": "a"})])
    reply = heard(KIMI, f"Look. {call}</think>It is so.", starts_in_reasoning=True)
    assert (reply.content, calls(reply)) == ("It is so.", [])


# Where families differ


K3_CALL = (
    '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="x" type="string"<|sep|>a'
    "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"
)
M3 = "]<]minimax[>["


def by_format(name, text, **arguments):
    return replies.heard(text, format=name, tools=[TOOL], **arguments)


@pytest.mark.parametrize(
    "half", ["<|close|>argument", "<|close|>call", "<|close|>tools", "<|close|>think", "<|open|>tools"]
)
def test_half_of_a_mark_of_several_tokens_is_a_mark(half):
    reply = by_format("kimi_k3", f"Look.<|close|>think<|sep|>{K3_CALL}".replace(f"{half}<|sep|>", half, 1))
    assert (reply.reasoning, reply.content, calls(reply)) == ("Look.", "", [("f", {"x": "a"})])


def test_attributes_are_unescaped():
    text = K3_CALL.replace('"f"', '"f&amp;g"').replace('"x"', '"say &quot;x&quot;"')
    assert calls(by_format("kimi_k3", f"<|close|>think<|sep|>{text}")) == [("f&g", {'say "x"': "a"})]


def test_a_message_of_inkling_ends_where_the_next_begins_and_its_roles_are_no_text():
    text = '<|content_text|>Hi<|content_invoke_tool_json|>{"name": "f", "args": {"x": "a"}}<|end_message|>'
    reply = by_format("inkling", text)
    assert (reply.content, calls(reply)) == ("Hi", [("f", {"x": "a"})])
    assert by_format("inkling", "<|content_text|>Hi<|end_message|><|message_user|>").content == "Hi"
    assert by_format("inkling", f"{text}<|content_model_end_sampling|>").stop == "<|content_model_end_sampling|>"


def test_a_role_token_of_command_r_is_no_content():
    reply = by_format("command_r_plus", "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>Hi")
    assert (reply.content, codes(reply)) == ("Hi", ["stray_mark", "stray_mark"])


@pytest.mark.parametrize("gap", ["", "\n\n"])
def test_reasoning_that_is_not_extracted_changes_nothing_about_the_calls_after_it(gap):
    text = f'<think>Hm.</think>{gap}[{{"name": "f", "arguments": {{"x": "a"}}}}]'
    for tools in (None, [TOOL]):
        assert calls(replies.heard(text, format="xlam", tools=tools, extract=["tools"])) == [("f", {"x": "a"})]


def test_a_close_of_another_name_closes_and_is_named():
    text = f'{M3}<tool_call>{M3}<invoke name="f">{M3}<x>a{M3}</city>{M3}</invoke>{M3}</tool_call>'
    reply = by_format("minimax_m3", text)
    assert (calls(reply), codes(reply)) == ([("f", {"x": "a"})], ["repaired"])


@pytest.mark.parametrize("extract", [["reasoning"], ["reasoning", "tools"]])
def test_a_control_token_in_reasoning_is_dropped_whatever_is_extracted(extract):
    reply = by_format("kimi_k2", "<think>a <|tool_call_end|> b</think>Hi", extract=extract)
    assert (reply.reasoning, reply.content, codes(reply)) == ("a  b", "Hi", ["stray_close"])


def test_the_first_line_of_a_text_without_quotes_is_no_comment():
    text = "<|tool_call>call:f{x:# Title\nbody}<tool_call|>"
    assert calls(by_format("gemma4", text)) == [("f", {"x": "# Title\nbody"})]


# No markup is silent

VECTORS = [*replies.vectors("parse"), *replies.vectors("parse-adversarial"), *replies.mistakes()]


@together("vector", VECTORS, ids=lambda vector: vector["id"])
def test_no_reply_leaves_a_marker_in_the_content_without_a_problem(vector):
    grammar = replies.formats()[vector["format"]].grammar
    parts = (grammar.reasoning, *grammar.wrappers, *grammar.sections, grammar.channels)
    marks = [
        mark for part in parts if part for mark in marks_of(part) if mark[:1] == "<" and sum(map(str.isalpha, mark)) > 3
    ]
    starts = True if vector["options"].get("prompt_opens_reasoning") else None
    how = {
        "format": vector["format"],
        "tools": vector["tools"] or None,
        "starts_in_reasoning": starts,
        "tokens": tuple(marks),
    }
    reply, _ = replies.read(vector["input"], **how)
    assert reply.problems or not any(mark in reply.content for mark in marks)
