"""Constraints as text: what they begin with, what they refuse, and what they cannot honour. No engine is needed."""

import json
import re

import pytest

import lect
from lect.cli import main
from lect.plugin import CHATML, Template
from lect.plugin.grammar import JSON_IN_TAGS, PYTHON_LIST, THINK, Grammar
from lect_constrain import constrain
from lect_constrain.after import after
from lect_kit import AdapterSuite


class TestConstrain(AdapterSuite):
    plugin = "constrain"
    examples = {}


def write(chat, out):
    """Write ChatML with reasoning and calls."""
    for message in out.turns(chat.messages):
        out += "<|im_start|>", message.role, "\n"
        if message.reasoning:
            out += "<think>\n", message.reasoning, "\n</think>\n\n"
        out.append(message.content)
        for call in message.tool_calls:
            arguments = chat.arguments_as_given(call)
            out += '\n<tool_call>\n{"name": "', call.name, '", "arguments": ', arguments, "}\n</tool_call>"
        out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")
        if chat.options.get("think"):
            out.append("<think>\n")


TEMPLATE = Template(
    "acme",
    write,
    reply=Grammar("acme", reasoning=THINK, sections=(JSON_IN_TAGS,)),
    stop={"<|im_end|>": 7},
    markers={"<|im_start|>": 6, "<|im_end|>": 7, "<tool_call>": 8, "</tool_call>": 9},
    capabilities=("system", "tools", "parallel_tools", "reasoning"),
    options=("think",),
)
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def tool(name="f", parameters=CITY):
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def value(schema):
    """Return a tool with one argument of this schema."""
    return tool(parameters={"type": "object", "properties": {"a": schema}, "required": ["a"]})


def literals(constraint):
    """Return all texts that a structural tag requires."""
    return re.findall(r'"value": ("(?:[^"\\]|\\.)*")', json.dumps(constraint.structural_tag(), ensure_ascii=False))


def root(constraint):
    return constraint.gbnf().splitlines()[0]


def test_the_literals_are_those_of_the_template():
    found = constrain(TEMPLATE, [tool()], tool_choice="required", reasoning=False, tokenizer={})
    assert [json.loads(each) for each in literals(found)] == [
        '\n<tool_call>\n{"name": "f", "arguments": ',
        '}\n</tool_call>\n<tool_call>\n{"name": "f", "arguments": ',
        "}\n</tool_call>",
    ]
    assert found.triggers == ("<tool_call>",)


def test_one_call_at_most_without_parallel_and_with_a_name():
    several = constrain(TEMPLATE, [tool(), tool("g")], tool_choice="required")
    for one in (
        constrain(TEMPLATE, [tool(), tool("g")], tool_choice="required", parallel=False),
        constrain(TEMPLATE, [tool(), tool("g")], tool_choice={"type": "function", "function": {"name": "g"}}),
    ):
        assert root(several).count("</tool_call>") == 2
        assert root(one).count("</tool_call>") == 1
    assert '"f"' not in one.gbnf()


def test_one_bound_alone_contradicts_nothing():
    parameters = {"type": "object", "properties": {"n": {"type": "integer", "maximum": -5}}}
    assert not any(constrain(TEMPLATE, [tool(parameters=parameters)], strict=True).loose.values())


def test_without_tools_or_with_none_there_is_no_call():
    for found in (constrain(TEMPLATE), constrain(TEMPLATE, [tool()], tool_choice="none")):
        assert "arguments" not in found.gbnf()
        assert found.triggers == ()


def test_special_tokens_are_tokens_where_their_ids_are_known():
    assert "<[8]>" in constrain(TEMPLATE, [tool()]).lark()
    assert "<[80]>" in constrain(TEMPLATE, [tool()], tokenizer={"<tool_call>": 80}).lark()
    assert "<[" not in constrain(TEMPLATE, [tool()], tokenizer={}).lark()


def test_the_constraint_begins_where_the_prompt_ends():
    messages = [{"role": "user", "content": "Hi"}]
    tools = [tool()]
    opened = TEMPLATE.render(messages, tools=tools, add_generation_prompt=True, think=True)
    assert root(constrain(TEMPLATE, tools, tool_choice="required", prompt=opened)).startswith("root ::= t")
    assert "<think>" not in root(constrain(TEMPLATE, tools, tool_choice="required", think=True))
    begun = opened.text.removesuffix("<think>\n") + '\n<tool_call>\n{"name": '
    assert root(constrain(TEMPLATE, tools, tool_choice="required", prompt=begun)).startswith(r'root ::= "\"f\", ')
    inside = f'{begun}"f", "arguments": {{"ci'
    assert root(constrain(TEMPLATE, tools, tool_choice="required", prompt=inside)).startswith(r'root ::= ("ty\":"')
    with pytest.raises(lect.MessageError, match="no reply of acme begins with"):
        constrain(TEMPLATE, tools, tool_choice="required", prompt=f"{inside}vility")
    with pytest.raises(lect.MessageError, match="no reply of acme begins with"):
        constrain(TEMPLATE, tools, tool_choice="required", prompt=begun.replace('{"name": ', "{x"))


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("{", ['"a": 12, "b": "x"}', '"b": ""}', "}"]),
        ('{"a": 1', ['2, "b": "x"}', ', "b": ""}', "}"]),
        ('{"a": 12, "b": "two', ['\\n"}', '"}']),
        ('{"b": "two\\', ['n"}', 'u00e9"}']),
        ('{"b": "\\u00', ['e9"}']),
        ('{"b": "four', ['"}']),
        ('{"c": [true, {"c": [', ["]}]}", "null, {}]}]}"]),
    ],
)
def test_a_prompt_may_end_inside_arguments(said, left):
    """What is left is asked of the nodes themselves: nothing may remain of them after it."""
    parameters = {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 1, "maximum": 14},
            "b": {"type": "string", "maxLength": 4},
            "c": {"type": "array", "items": {"anyOf": [{"type": ["boolean", "null"]}, {"$ref": "#"}]}},
        },
    }
    before = TEMPLATE.text([{"role": "user", "content": "Hi"}], add_generation_prompt=True)
    begun = f'{before}\n<tool_call>\n{{"name": "f", "arguments": {said}'
    constraint = constrain(TEMPLATE, [tool(parameters=parameters)], tool_choice="required", prompt=begun)
    for text in left:
        assert after(constraint.node, text + "}\n</tool_call>") is not None, text
    assert after(constraint.node, "\x07") is None


def test_reasoning_is_required_or_left_out():
    assert "<think>" in root(constrain(TEMPLATE, [tool()], tool_choice="required", reasoning=True))
    assert "<think>" not in root(constrain(TEMPLATE, [tool()], tool_choice="required", reasoning=False))


def test_content_may_have_a_schema():
    found = constrain(TEMPLATE, content_schema={"type": "object", "properties": {"answer": {"type": "integer"}}})
    assert r"\"answer\"" in found.gbnf()
    assert "json_schema" in json.dumps(found.structural_tag())


@pytest.mark.parametrize(
    ("tools", "choice", "message"),
    [
        ([{"type": "function", "function": {}}], "auto", r"tools\[0\] has no name"),
        ([tool(), tool()], "auto", r"tools\[1\] has the name of another tool: 'f'"),
        ([tool('f"}')], "auto", "cannot write the name"),
        ([tool()], {"name": "g"}, "no tool is called 'g'"),
        ([tool()], "some", "tool_choice is 'some'"),
        ([], "required", "there are no tools"),
        (5, "auto", "expected a list of tools"),
        ([tool(parameters={"type": "object", "properties": {"a": {"type": "text"}}})], "auto", "type 'text'"),
        ([tool(parameters={"type": "object", "properties": {"a": 5}})], "auto", "wrong at /properties/a"),
        ([tool(parameters={"$ref": "#/$defs/x"})], "auto", "refers to nothing"),
        ([tool(parameters={"type": "object", "properties": {"a": {"enum": []}}})], "auto", "fits no value"),
        (
            [tool(parameters={"type": "object", "properties": {"a": {"type": "integer", "minimum": 3, "maximum": 2}}})],
            "auto",
            "minimum is above maximum",
        ),
        ([value({"enum": [2, 7], "multipleOf": 5})], "auto", "fits no value"),
        ([value({"type": "integer", "minimum": "a"})], "auto", "minimum is 'a'; expected a number"),
        ([value({"type": "integer", "multipleOf": 0})], "auto", "multipleOf is 0; expected a number above 0"),
        ([value({"type": "array", "maxItems": -1})], "auto", "maxItems is -1; expected an integer, 0 or more"),
        ([value({"type": "string", "maxLength": float("inf")})], "auto", "maxLength is inf; expected an integer"),
        ([value({"allOf": [{"pattern": 3}, {"type": "string"}]})], "auto", "pattern is 3; expected a regular"),
        (
            [tool(parameters={"allOf": [{"type": "object"}, {"type": "string"}]})],
            "auto",
            "types exclude each other",
        ),
        (
            [tool(parameters={"type": "object", "properties": {}, "required": ["a"], "additionalProperties": False})],
            "auto",
            "'a' is required",
        ),
    ],
)
def test_bad_input_is_refused_before_an_engine_sees_it(tools, choice, message):
    with pytest.raises(lect.MessageError, match=message):
        constrain(TEMPLATE, tools, tool_choice=choice)


def test_older_schemas_exclude_bounds_by_a_boolean():
    def bounds(**said):
        return constrain(TEMPLATE, [value({"type": "integer", "minimum": 3, **said})]).lark().split("{", 1)[1]

    assert bounds(exclusiveMinimum=False) == bounds()
    assert bounds(maximum=10**400) != bounds()
    newer = [value({"type": "integer", "exclusiveMinimum": 3})]
    assert bounds(exclusiveMinimum=True) == constrain(TEMPLATE, newer).lark().split("{", 1)[1]


def test_sizes_are_bounded():
    deep = {"type": "string"}
    for _ in range(100):
        deep = {"type": "array", "items": deep}
    with pytest.raises(lect.LimitError, match="deeper than 64"):
        constrain(TEMPLATE, [tool(parameters={"type": "object", "properties": {"a": deep}})])
    with pytest.raises(lect.LimitError, match="tools"):
        constrain(TEMPLATE, [tool(f"f{number}") for number in range(5000)])


def test_a_format_without_calls_cannot_be_made_to_call():
    for model in (CHATML, lect.template("chatml")):
        with pytest.raises(lect.MessageError, match="cannot write calls"):
            constrain(model, [tool()], tool_choice="required")
    assert "get" not in constrain(CHATML, [tool("get")]).gbnf()


def test_keywords_that_are_not_honoured_are_listed_or_refused():
    odd = {"type": "object", "properties": {"a": {"type": "number", "multipleOf": 3, "not": {"const": 6}}}}
    found = constrain(TEMPLATE, [tool(parameters=odd)])
    assert found.loose == {
        "lark": ("/properties/a/not",),
        "gbnf": ("/properties/a/multipleOf", "/properties/a/not"),
        "xgrammar": ("/properties/a/multipleOf", "/properties/a/not"),
    }
    strict = constrain(TEMPLATE, [tool(parameters=odd)], strict=True)
    for write_it in (strict.lark, strict.gbnf, strict.structural_tag):
        with pytest.raises(lect.MessageError, match="cannot honour"):
            write_it()
    assert constrain(TEMPLATE, [tool()], strict=True).lark()


def test_what_nobody_has_heard_of_is_listed_wherever_it_is():
    """No list of keywords decides: what nothing reads is told."""
    inner = {"type": "string", "x-odd": 1}
    parameters = {
        "type": "object",
        "x-odd": 1,
        "properties": {
            "a": inner,
            "b": {"type": "array", "items": inner},
            "c": {"anyOf": [inner, {"type": "null"}]},
            "d": {"type": "object", "additionalProperties": inner},
            "e": {"enum": [1, 2], "x-odd": 1},
        },
    }
    paths = {"", "/properties/a", "/properties/b/items", "/properties/c/anyOf/0", "/properties/d/additionalProperties"}
    paths = {f"{path}/x-odd" for path in (*paths, "/properties/e")}
    python = Grammar("python", sections=(PYTHON_LIST,))
    for found in (
        constrain(TEMPLATE, [tool(parameters=parameters)]),
        constrain(None, [tool(parameters=parameters)], format=python),
        constrain(None, [tool(parameters=parameters)], format="glm4_xml"),
    ):
        assert all(paths <= {*listed} for listed in found.loose.values()), found.loose


def test_what_is_narrower_is_listed_or_refused(tmp_path, capsys):
    odd = {"type": "object", "properties": {"a": {"type": "integer"}, "a b": {"type": "integer"}}}
    python = Grammar("python", sections=(PYTHON_LIST,))
    found = constrain(None, [tool(parameters=odd)], format=python)
    assert {*found.tight.values()} == {("/properties/a b",)}
    assert not any(found.loose.values())
    with pytest.raises(lect.MessageError, match="cannot honour /properties/a b"):
        constrain(None, [tool(parameters=odd)], format=python, strict=True).gbnf()
    with pytest.raises(lect.MessageError, match="cannot write a call: the key 'a b' at / would not be read"):
        constrain(None, [tool(parameters={**odd, "required": ["a b"]})], format=python)
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([tool(parameters=odd)]))
    assert main(["constrain", "-", "--format", "pythonic", "--tools", str(tools), "--to", "gbnf"]) == 0
    assert capsys.readouterr().err == "allows less: /properties/a b\n"
    assert not any(constrain(TEMPLATE, [tool(parameters=odd)], strict=True).tight.values())
    free = constrain(None, [tool(parameters={"type": "object", "additionalProperties": {}})], format=python)
    assert {*free.tight.values()} == {("/additionalProperties",)}


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "string"},
        {"anyOf": [{"type": "array"}, {"type": "null"}]},
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {}}, "minProperties": 2},
        {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"], "maxProperties": 1},
        {"type": "object", "properties": {"a": {"enum": [1, 2], "minimum": 3}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"type": "integer", "exclusiveMinimum": 1, "maximum": 1.5}}},
        {"type": "object", "properties": {"a": {"type": "array", "items": False, "minItems": 1}}},
        {"type": "object", "propertyNames": {"enum": ["b"]}, "required": ["a"]},
    ],
)
def test_a_schema_that_leaves_no_call_is_refused(parameters):
    with pytest.raises(lect.MessageError, match="fits no value"):
        constrain(TEMPLATE, [tool(parameters=parameters)])


def test_paths_of_keywords_begin_at_the_schema_of_the_tool():
    odd = {"type": "integer", "multipleOf": 3}
    parameters = {"type": "object", "properties": {"a": odd, "b": {"type": "array", "items": {"$ref": "#/$defs/odd"}}}}
    tools = [tool(parameters=parameters | {"$defs": {"odd": odd}})]
    found = constrain(None, tools, format=Grammar("python", sections=(PYTHON_LIST,)))
    assert {*found.loose.values()} == {("/properties/a/multipleOf", "/$defs/0-odd/multipleOf")}


def test_where_the_order_of_keys_is_kept_is_listed_or_refused():
    def of(count, **more):
        return {"type": "object", "properties": {f"k{at}": {"type": "integer"} for at in range(count)} | more}

    inner = constrain(TEMPLATE, [tool(parameters=of(2, o=of(2)))], any_order=True)
    assert not any(inner.loose.values())
    many = constrain(TEMPLATE, [tool(parameters=of(5))], any_order=True)
    assert many.loose == dict.fromkeys(("lark", "gbnf", "xgrammar"), ("/any_order",))
    with pytest.raises(lect.MessageError, match="xgrammar cannot honour /any_order"):
        constrain(TEMPLATE, [tool(parameters=of(5))], any_order=True, strict=True).structural_tag()
    for parameters in (of(5), of(1)):
        free, ordered = (constrain(TEMPLATE, [tool(parameters=parameters)], any_order=each) for each in (True, False))
        assert free.gbnf() == ordered.gbnf()
        assert not any(ordered.loose.values())


def test_what_an_engine_honours_inside_an_object_it_honours_in_any_order_too():
    odd = {"type": "object", "properties": {"a": {"type": "number", "multipleOf": 3}, "b": {"$ref": "#/$defs/b"}}}
    odd["$defs"] = {"b": {"type": "string", "not": {"const": "x"}}}
    found = constrain(TEMPLATE, [tool(parameters=odd)], any_order=True)
    assert [path.split("/")[-1] for path in found.loose["lark"]] == ["not"]
    assert {path.split("/")[-1] for path in found.loose["gbnf"]} == {"multipleOf", "not"}
    assert '"multipleOf": 3' in found.lark()
    bounded = {"type": "object", "properties": {"a": {"type": "number", "minimum": 3}, "b": {"type": "string"}}}
    assert not any(constrain(TEMPLATE, [tool(parameters=bounded)], any_order=True, strict=True).loose.values())


def test_the_command_says_what_is_not_honoured(tmp_path, capsys):
    five = {"type": "object", "properties": {f"k{at}": {"type": "integer"} for at in range(5)}}
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(five))
    words = ["constrain", "some/model", "--adapter", "chatml", "--content-schema", str(schema), "--to", "gbnf"]
    assert main(words) == 0
    ordered = capsys.readouterr()
    assert main([*words, "--any-order"]) == 0
    free = capsys.readouterr()
    assert (free.out, ordered.err, free.err) == (ordered.out, "", "not honoured: /any_order\n")
    assert main([*words, "--any-order", "--strict"]) == 1


def test_references_may_recur():
    tree = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "$defs": {"node": {
        "type": "object", "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}},
    }}}  # fmt: skip
    found = constrain(TEMPLATE, [tool(parameters=tree)])
    assert all(not each for each in found.loose.values())
    assert found.gbnf().count(r"\"value\"") == 1


def test_no_reply_format_is_given_by_something_else():
    for arguments in ((None,), (5,)):
        with pytest.raises(lect.MessageError):
            constrain(*arguments)
    with pytest.raises(lect.MessageError):
        constrain(TEMPLATE, format="plain")


@pytest.mark.parametrize("write", ["structural_tag", "lark", "gbnf"])
@pytest.mark.parametrize("form", ["hermes_json", "glm4_xml"])
def test_it_is_said_how_many_tools_are_read_and_written(form, write):
    inner = {"type": "object", "properties": {"x": {"type": "string", "pattern": "a+"}, "y": {"type": "integer"}}}
    tools = [{"name": f"tool_{number}", "parameters": inner} for number in range(4)]
    read, written = [], []
    found = constrain(None, tools, format=form, seen=lambda *step: read.append(step))
    getattr(found, write)(seen=lambda *step: written.append(step))
    assert read == written == [(number, 4) for number in range(4)]


def test_an_option_that_is_misspelt_is_refused_as_a_render_refuses_it(capsys):
    assert main(["constrain", "Qwen/Qwen3-8B", "--to", "lark", "--option", "enable_thinkin=false"]) == 1
    assert "try: --option enable_thinking=..." in capsys.readouterr().err
