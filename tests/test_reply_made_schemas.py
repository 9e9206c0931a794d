"""What a template writes for a call is read as the same call, whatever the schema says, or a problem is named."""

import json

import pytest
from hostile import installed
from made_schemas import Maker
from sampled_replies import QUESTION, says, writes_calls
from sampling import STRESS
from together import together

import lect
from lect.reply.grammar import Params

jsonschema = pytest.importorskip("jsonschema")
TRIED = 400 if STRESS else 60


def untyped():
    """Return a template for each format that writes arguments as text."""
    found = {}
    for name, template in installed().items():
        sections = template.reply.sections[:1] if template.reply else ()
        is_untyped = any(isinstance(call.arguments, Params) for section in sections for call in section.calls[:1])
        if is_untyped and template.reply.name not in found and writes_calls(template):
            found[template.reply.name] = name
    return found


def read_back(template, parameters, arguments):
    """Return the arguments of a call as they are read where the template has written it, and the problems; or None."""
    tools = [{"type": "function", "function": {"name": "f", "description": "d", "parameters": parameters}}]
    function = {"name": "f", "arguments": arguments}
    message = says("") | {"tool_calls": [{"id": "call_0", "type": "function", "function": function}]}
    try:
        text = template.reply_text([*QUESTION, message], tools=tools).text
    except lect.LectError:
        return None
    prompt = template.text(QUESTION, tools=tools, add_generation_prompt=True)
    reply = template.parse(text, tools=tools, prompt=prompt)
    (call,) = reply.tool_calls
    return call.arguments, reply.problems


@together("name", untyped().values())
def test_an_argument_is_what_was_written_or_a_problem_is_named(name):
    template, wrong, tried = installed()[name], [], 0
    for number in range(TRIED):
        maker = Maker(f"{name} {number}")
        arguments = maker.arguments()
        parameters = maker.parameters(arguments)
        judge = jsonschema.Draft202012Validator(parameters)
        found = read_back(template, parameters, arguments) if judge.is_valid(arguments) else None
        if found is None:
            continue
        tried += 1
        # A text that may stand for two values that the schema allows is not always the one that was meant.
        is_right = json.dumps(found[0]) == json.dumps(arguments) or found[1] or judge.is_valid(found[0])
        wrong += [] if is_right else [(parameters, arguments, found[0])]
    assert not wrong, (len(wrong), tried, wrong[:3])
    assert tried > TRIED / 2


@pytest.mark.parametrize(
    ("schema", "text", "meant"),
    [
        ({"enum": ["501", 7.5]}, "501", "501"),
        ({"enum": ["501", 7.5]}, "7.5", 7.5),
        ({"anyOf": [{"const": "5"}, {"const": 6}]}, "5", "5"),
        ({"anyOf": [{"enum": [1, 2]}, {"type": "string"}]}, "5", "5"),
        ({"anyOf": [{"type": "string"}, {"type": "object", "required": ["next"]}]}, '{"a": 1}', '{"a": 1}'),
    ],
)
@pytest.mark.parametrize("name", ["qwen3_coder_xml", "glm4_xml", "minimax_m2_xml"])
def test_a_value_that_the_schema_does_not_allow_is_no_reading(name, schema, text, meant):
    template = installed()[untyped()[name]]
    found, problems = read_back(template, {"type": "object", "properties": {"x": schema}}, {"x": text})
    assert (found, problems) == ({"x": meant}, ())


@pytest.mark.parametrize(
    "parameters",
    [
        {
            "allOf": [
                {"properties": {"y": {}}, "unevaluatedProperties": {"type": "string"}},
                {"additionalProperties": {}},
            ]
        },
        {"anyOf": [{"additionalProperties": {"type": "null"}}, {"unevaluatedProperties": {"type": "string"}}]},
    ],
)
def test_what_is_said_of_further_members_counts_beside_other_schemas(parameters):
    template = installed()[untyped()["qwen3_coder_xml"]]
    assert read_back(template, parameters, {"x": "501"}) == ({"x": "501"}, ())


@pytest.mark.parametrize("types", [["string", "integer"], ["integer", "string", "null"]])
def test_where_a_mark_says_that_a_value_is_text_it_is(types):
    template = installed()[untyped()["deepseek_v32_dsml"]]
    parameters = {"type": "object", "properties": {"x": {"type": types}, "y": {"type": types}}}
    assert read_back(template, parameters, {"x": "501", "y": 501}) == ({"x": "501", "y": 501}, ())
