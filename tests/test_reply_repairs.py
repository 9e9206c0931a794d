"""A repair is never silent: whatever a model does to the marks of a call that its template does not, is a problem."""

import notations
import pytest
import replies
from together import together

from lect.reply.engine.compiled import marks_of
from lect.reply.reader.lookahead import as_row


def marks(section, call):
    """Return the marks round a call, each once."""
    rows = [*(section.open + section.close if section else ()), *call.open, *call.close]
    return dict.fromkeys(mark for row in rows for mark in as_row(row) if "{" not in mark)


def changed(mark):
    """Yield what becomes of a mark by mistake, and how."""
    yield "missing", ""
    yield "twice", mark * 2
    if mark[0] == "<":
        yield "spelt almost right", mark[0] + " " + mark[1:]


CASES = [
    (f"{name}-{number}-{mark}-{how}", reply_format, text.replace(mark, made))
    for name, reply_format in notations.grammars().items()
    for number, section, call, text in notations.places(reply_format.grammar)
    # What is around the content may be opened by the prompt.
    for mark in marks(section, call)
    if mark not in marks_of(reply_format.grammar.wrappers)
    for how, made in changed(mark)
    # Nothing is read after a stop.
    if not (how == "twice" and mark in reply_format.stop)
    # Words and fences are ordinary text.
    if text.count(mark) == 1 and not mark.strip()[0].isalpha() and mark.strip()[0] != "`"
]


@together(("name", "reply_format", "made"), CASES, ids=[case[0] for case in CASES])
def test_a_call_whose_marks_are_not_as_they_should_be_is_a_problem(name, reply_format, made):
    reply = replies.heard(made, format=reply_format, tools=notations.TOOLS)
    # Without one of its marks, a call may be as another of the format's notations has it, or nothing is read; and a
    # surplus mark that is left as content has not been repaired.
    ways = {text for _, _, call, text in notations.places(reply_format.grammar) if not call.foreign}
    marks_left = {
        mark for _, section, call, _ in notations.places(reply_format.grammar) for mark in marks(section, call)
    }
    assert reply.problems or made in ways or not reply.tool_calls or reply.content.strip() in marks_left, reply


LISTS = [
    (f"{name}-{number}", reply_format, text)
    for name, reply_format in notations.grammars().items()
    for number, section, call, text in notations.places(reply_format.grammar)
    if section and any(len(as_row(row)) > 1 and row[-1] == "[" for row in section.open) and not call.foreign
]


@pytest.mark.parametrize(("name", "reply_format", "text"), LISTS, ids=[case[0] for case in LISTS])
def test_one_call_where_a_list_belongs_is_read_and_named_unless_the_format_has_that_too(name, reply_format, text):
    right, one = (
        replies.heard(written, format=reply_format, tools=notations.TOOLS)
        for written in (text, text.replace("[{", "{").replace("[f", "f").replace("}]", "}").replace(")]", ")"))
    )
    ways = {written for _, _, _, written in notations.places(reply_format.grammar)}
    assert [(call.name, call.arguments) for call in one.tool_calls] == [("f", right.tool_calls[0].arguments)]
    assert one.content == right.content
    assert not right.problems
    assert one.problems or one.raw in ways


@together("before", ["Sure:\n\n", "```json\n", "Here it is.\n```json\n", "<tools>"])
@together("made", ['{"name": "f", "arguments": {"s": "a"}}', '{"arguments": {"s": "a"}, "name": "f"}'])
@together("name", [name for name, each in notations.grammars().items() if each.grammar.sections])
def test_an_object_that_names_a_tool_is_a_call_or_a_problem(name, made, before):
    reply = replies.heard(before + made, format=notations.grammars()[name], tools=notations.TOOLS)
    assert reply.problems or reply.tool_calls, reply


@pytest.mark.parametrize("key", ["name", "id", "type"])
@pytest.mark.parametrize("name", ["llama3_json", "llama4_pythonic"])
def test_an_answer_in_json_that_names_no_tool_is_not_held_back(name, key):
    stream = replies.open_stream(name, tools=notations.TOOLS)
    text = f'{{"{key}": "Ada", "bio": "'
    assert "".join(event.text for event in stream.feed(text)) == text
    stream.feed('a"}')
    reply = stream.close()
    assert (reply.content, reply.problems) == (f'{text}a"}}', ())


@pytest.mark.parametrize("key", ["城市", "город", "मौसम", "ñandú", "$filter", "@type", "a-b", "a.b", "2fa"])
@pytest.mark.parametrize("name", ["pythonic", "lfm2_pythonic", "llama4_pythonic", "olmo3_pythonic", "minicpm3_python"])
def test_a_parameter_has_any_name_that_python_allows_or_its_tool_has(name, key):
    tool = {"name": "погода", "parameters": {"type": "object", "properties": {key: {"type": "string"}, "x": {}}}}
    reply_format = replies.formats()[name]
    text = reply_format.example.replace("get_weather", tool["name"])
    tools = [tool, {"name": "get_time"}]
    for made in (f'{key}="a", x=1', f'x=1, {key}="a"'):
        written = text[: text.index("(") + 1] + made + text[text.index(")") :]
        reply = replies.heard(written, format=name, tools=tools)
        assert [(call.name, call.arguments) for call in reply.tool_calls][:1] == [("погода", {key: "a", "x": 1})]
        assert reply.problems == ()


CITY = {"name": "f", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("glm4_xml", "<tool_call>f\n<arg_key>city</arg_key>\n< arg_value>Oslo</arg_value>\n</tool_call>"),
        ("minimax_m2_xml", '<minimax:tool_call>\n<invoke name="f>\n<parameter name="city">Oslo</parameter>\n</invoke>\n'
         "</minimax:tool_call>"),
        ("minimax_m2_xml", '<minimax:tool_call>\n<invoke name="f">\n<parameter name=city">Oslo</parameter>\n</invoke>\n'
         "</minimax:tool_call>"),
        ("harmony", ' to=functions.f<|chanel|>commentary json<|message|>{"city": "Oslo"}<|call|>'),
        ("harmony", ' to=functions.f<|channel|><|channel|>commentary json<|message|>{"city": "Oslo"}<|call|>'),
        ("hermes_json", '<think><think>\nHm.\n</think>\n<tool_call>\n{"name": "f", "arguments": {"city": "Oslo"}}\n'
         "</tool_call>"),
        ("hermes_json", '<think>\nHm.\n</thnk>\n<tool_call>\n{"name": "f", "arguments": {"city": "Oslo"}}\n</tool_call>'),
    ],
)  # fmt: skip
def test_a_mistake_beside_a_call_is_forgiven_and_named(name, made):
    reply = replies.heard(made, format=name, tools=[CITY])
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("f", {"city": "Oslo"})]
    assert len(reply.problems) == 1


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("harmony", 'Sure.\n\n to=functions.f<|channel|>commentary json<|message|>{"city": "Oslo"}<|call|>'),
        ("harmony", "analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi."),
        ("qwen3_coder_xml", "<tool_call>\n<function=f>\n\nOslo\n</parameter>\n</function>\n</tool_call>"),
        ("qwen3_coder_xml", "<tool_call>\n\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>"),
        ("glm4_xml", "f\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>"),
        ("hermes_json", '<tool_call>\n"name": "f", "arguments": {"city": "Oslo"}}\n</tool_call>'),
        ("llama3_json", '{"function": "f", "parameters": {"city": "Oslo"}}'),
        ("llama3_json", '{"name": "f", "parameters"": {"city": "Oslo"}}'),
        ("llama3_json", '{"name": "f" "args": {"city": "Oslo"}}'),
    ],
)
def test_what_was_meant_to_be_a_call_and_is_content_is_named(name, made):
    reply = replies.heard(made, format=name, tools=[CITY])
    assert (reply.tool_calls, reply.content != "") == ((), True)
    assert reply.problems


def test_a_sentence_about_a_mark_is_no_problem():
    text = "Write `<tool_call>` before the name, such as f, and `</tool_call>` after it."
    reply = replies.heard(text, format="hermes_json", tools=[CITY])
    assert (reply.content, reply.problems) == (text, ())
