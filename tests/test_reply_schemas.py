"""Arguments that are written as plain text get their types from the schema, wherever in it these are."""

import itertools
import json

import counting
import pytest
import replies
from described import CONDITION, KINDS, Described, items, stated
from hypothesis import given
from hypothesis import strategies as st
from sampling import in_turn
from together import together
from writing import write, write_call

from lect.reply.grammar import Params

NS = "]<]minimax[>["
FORMATS = {
    name: call
    for name, each in replies.formats().items()
    for section in each.grammar.sections[:1]
    for call in section.calls[:1]
    if isinstance(call.arguments, Params)
}
"""The formats whose calls have a mark for each parameter."""
FEW = ("qwen3_coder_xml", "glm4_xml", "seed_oss_xml", "minimax_m2_xml", "minimax_m3")
TRIED = in_turn(FORMATS, 8)
WAYS, MEMBERS = Described().ways(), Described().members()


def tools(schema):
    return [{"type": "function", "function": {"name": "f", "parameters": schema}}]


def read(name, schema, text):
    """Return the argument `x1` of a call that writes it as this text, and the codes of the reply's problems."""
    written = write(replies.formats()[name].grammar, "", "", [("f", {"x1": text})])
    reply = replies.heard(written, format=name, tools=tools(schema))
    ((arguments),) = [call.arguments for call in reply.tool_calls]
    return arguments["x1"], [problem.code for problem in reply.problems]


def meant(kind, text):
    return text if kind == "string" else json.loads(text)


def same(one, other):
    """Return whether two values are equal and of the same type: True is not 1."""
    return json.dumps(one) == json.dumps(other)


def composed(outer, member, inner, schema):
    """Return a schema that says something of `x1` in these ways."""
    described = Described()
    inside = described.ways()[inner](schema)
    return described.whole(described.ways()[outer](described.members()[member](inside)))


def test_the_formats_are_found():
    assert {*FEW} <= {*FORMATS}


@pytest.mark.parametrize("name", TRIED)
def test_the_type_of_an_argument_is_found_wherever_the_schema_has_it(name):
    wrong = []
    turns = itertools.product(WAYS, MEMBERS, WAYS)
    cases = [(kind, text) for kind, texts in KINDS.items() for text in texts]
    for index, (outer, member, inner) in enumerate(turns):
        # Each composition is asked about one text, and each way about all of them.
        kind, text = cases[index % len(cases)]
        found, problems = read(name, composed(outer, member, inner, stated(kind)[index % 4]), text)
        if problems or not same(found, meant(kind, text)):
            wrong.append((outer, member, inner, kind, text, found, problems))
    assert not wrong, (len(wrong), wrong[:5])


@given(
    name=st.sampled_from(FEW),
    member=st.sampled_from([*MEMBERS]),
    outer=st.lists(st.sampled_from([*WAYS]), max_size=6),
    inner=st.lists(st.sampled_from([*WAYS]), max_size=6),
    case=st.sampled_from([(kind, text) for kind, texts in KINDS.items() for text in texts]),
    which=st.integers(0, 3),
)
def test_ways_to_say_a_type_combine(name, member, outer, inner, case, which):
    described, (kind, text) = Described(), case
    ways = described.ways()
    schema = stated(kind)[which]
    for way in inner:
        schema = ways[way](schema)
    schema = described.members()[member](schema)
    for way in outer:
        schema = ways[way](schema)
    found, problems = read(name, described.whole(schema), text)
    assert (problems, json.dumps(found)) == ([], json.dumps(meant(kind, text)))


def forks(one, other):
    """Return schemas in which the type of `x1` depends on something else."""
    described = Described()
    for name, member in described.members().items():
        first, second = member(one), member(other)
        yield name, {"anyOf": [first, second]}
        yield name, {"oneOf": [first, {"allOf": [second]}]}
        yield name, {**CONDITION, "then": first, "else": second}
        yield name, {"allOf": [{**CONDITION, "then": first}, {**CONDITION, "then": second}]}
        yield name, {"type": "object", "anyOf": [{"$ref": "#/$defs/one"}, second], "$defs": {"one": first}}
        yield name, {"properties": {"x1": {**CONDITION, "then": one, "else": other}}}
        yield name, {"properties": {"x1": {"allOf": [one, other]}}}


@pytest.mark.parametrize("name", TRIED)
@pytest.mark.parametrize("kind", ["integer", "boolean", "null", "array", "object"])
def test_where_branches_disagree_the_argument_is_text_and_a_problem_is_named(name, kind):
    for way, schema in forks({"type": "string"}, {"type": kind}):
        text = KINDS[kind][0]
        assert read(name, schema, text) == (text, ["bad_value"]), (way, schema)


@pytest.mark.parametrize("name", FEW)
def test_branches_that_read_a_text_alike_agree(name):
    for way, schema in forks({"type": "integer"}, {"type": ["number", "null"]}):
        assert read(name, schema, "7") == (7, []), (way, schema)
    anyhow = [{"properties": {"x1": {"type": kind}}} for kind in ("string", "integer")]
    assert read(name, {"anyOf": anyhow}, "plain") == ("plain", [])
    assert read(name, {"anyOf": [*anyhow[1:], {"properties": {"x1": {"type": "boolean"}}}]}, "true") == (True, [])
    assert read(name, {"anyOf": [*anyhow[1:], {"properties": {"y": {"type": "boolean"}}}]}, "7") == (7, [])


def nested(*path, text):
    """Return a value of MiniMax-M3, in the tags of its keys and items."""
    return text if not path else f"{NS}<{path[0]}>{nested(*path[1:], text=text)}{NS}</{path[0]}>"


@together(("outer", "inner"), in_turn(itertools.product(WAYS, WAYS), 4))
def test_the_types_of_nested_parameters_are_found_too(outer, inner):
    for kind, texts in [*KINDS.items()][len(outer + inner) % 2 :: 2]:
        for member in MEMBERS:
            described = Described()
            ways = described.ways()
            leaf = described.members()[member](ways[inner]({"type": kind}))
            schema = described.whole({"properties": {"x1": ways[outer](leaf)}})
            found, problems = read("minimax_m3", schema, nested("x1", text=texts[0]))
            assert (problems, json.dumps(found["x1"])) == ([], json.dumps(meant(kind, texts[0]))), schema
        for of in items().values():
            described = Described()
            ways = described.ways()
            leaf = ways[outer](of(ways[inner]({"type": kind})))
            schema = described.whole({"properties": {"x1": leaf}})
            found, problems = read("minimax_m3", schema, nested("item", text="[]") + nested("item", text=texts[0]))
            assert json.dumps(found[1]) == json.dumps(meant(kind, texts[0])), (schema, found)


def test_where_branches_disagree_inside_nested_parameters_a_problem_is_named():
    for way, schema in forks({"type": "string"}, {"type": "integer"}):
        root = {"properties": {"x1": schema}, "$defs": schema.get("$defs", {})}
        assert read("minimax_m3", root, nested("x1", text="501")) == ({"x1": "501"}, ["bad_value"]), (way, schema)
    root = {"properties": {"x1": {"properties": {"n": {"type": "integer"}}}}}
    assert read("minimax_m3", root, nested("n", text="many")) == ({"n": "many"}, ["bad_value"])


def test_a_tool_whose_schema_is_a_reference_is_forgiven_as_any_other():
    plain = {"properties": {"x1": {"type": "string"}, "y": {"type": "string"}}}
    call = FORMATS["qwen3_coder_xml"]
    # The close of the first value is missing: the next mark counts if the tool has that parameter.
    text = "<tool_call>\n" + write_call(call, "f", {"x1": "a", "y": "b"}).replace("\n</parameter>", "\n", 1)
    read = [
        replies.heard(text + "\n</tool_call>", format="qwen3_coder_xml", tools=tools(schema))
        for schema in (plain, {"$ref": "#/$defs/p", "$defs": {"p": plain}}, {"allOf": [plain]}, {"anyOf": [plain, {}]})
    ]
    assert all(each == read[0] for each in read)


def doubled(depth):
    """Return definitions each of which refers twice to the next: there are 2 ** depth paths through them."""
    refs = [{"$ref": f"#/$defs/{index + 1}"} for index in range(depth)]
    return {
        str(index): {word: [ref, ref]} for index, ref in enumerate(refs) for word in [["anyOf", "allOf"][index % 2]]
    }


def deep(depth):
    found = {"type": "string"}
    for index in range(depth):
        found = {("anyOf", "allOf", "oneOf")[index % 3]: [found]}
    return found


LOOP = {"$ref": "#/$defs/loop"}
HOSTILE = {
    "cycles": {"anyOf": [LOOP] * 50, "$defs": {"loop": {"anyOf": [LOOP] * 50, "allOf": [{"$ref": "#"}, LOOP]}}},
    "paths": {"$ref": "#/$defs/0", "properties": {"x1": {"$ref": "#/$defs/0"}}, "$defs": doubled(200)},
    "depth": {**deep(1000), "properties": {"x1": deep(1000)}},
    "width": {"anyOf": [{"properties": {"x1": {"enum": [index]}}} for index in range(1000)]},
    "patterns": {"patternProperties": {"^(([a-z0-9])+.)+$!": {"type": "integer"}, "x{99999999999}": {"type": "null"}}},
    "no pattern": {"patternProperties": {"[": {"type": "integer"}, 3: {"type": "null"}, "[[a]": {"type": "string"}}},
    "a reference to nothing": {"$ref": "#/$defs/none", "properties": {"x1": {"$ref": "http://localhost/x"}}},
    "odd references": {"$ref": 3, "properties": {"x1": {"$ref": ["#"]}, "y": {"$ref": "#/anyOf/-1"}}},
    "no schemas": {"properties": {"x1": {"anyOf": 3, "allOf": "x", "type": {}, "enum": 3, "oneOf": [3, None, []]}}},
    "no objects": {"properties": [], "patternProperties": 3, "allOf": {}, "then": [], "dependentSchemas": "x"},
}


MOST_LINES = 2_000_000
"""Of Python, for schemas of 1,000 parts: what grows faster than they do takes many times as much."""


@pytest.mark.parametrize("name", in_turn(FEW, 3))
@pytest.mark.parametrize("schema", HOSTILE.values(), ids=HOSTILE)
def test_no_schema_stops_the_reader_or_takes_long(name, schema):
    written = write(replies.formats()[name].grammar, "", "", [("f", {"x1": "501", "a" * 60: "7"})])
    found = []
    lines = counting.lines_run(lambda: found.append(replies.heard(written, format=name, tools=tools(schema))))
    assert [[*call.arguments] for call in found[0].tool_calls] == [["x1", "a" * 60]]
    assert lines < MOST_LINES
