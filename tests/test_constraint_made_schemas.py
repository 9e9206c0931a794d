"""A constraint takes what fits a schema and nothing else, whatever keywords say it, or lists what it does not honour."""

import itertools

import pytest
from constraint_notations import MODELS, Notations
from made_schemas import VALUES, Maker, closed
from sampling import STRESS

import lect

jsonschema = pytest.importorskip("jsonschema")
pytest.importorskip("llguidance")
TRIED = 1000 if STRESS else 48


def wrong(notations, value, fits):
    """Return the notations that are wrong about arguments: of what fits, they take one order of the keys."""
    rows = [dict(row) for row in itertools.permutations(value.items())]
    found = [{each[0] for each in notations.wrong(row, fits)} for row in rows]
    return set.intersection(*found) if fits else set.union(*found)


def is_written(value):
    """Return whether numbers are written as their schema does: 7.0 is an integer, and not written as one."""
    return not any(isinstance(each, float) and each.is_integer() for each in value.values())


def test_what_a_made_schema_says_is_honoured_or_listed():
    failed, fitting, refused = [], 0, []
    for number in range(TRIED):
        maker = Maker(f"constraint {number}")
        arguments = maker.arguments()
        parameters = maker.parameters(arguments)
        judge = jsonschema.Draft202012Validator(closed({"type": "object", **parameters}))
        try:
            notations = Notations(MODELS[number % len(MODELS)], parameters)
        except lect.MessageError as error:
            refused += [(parameters, arguments, str(error))] if judge.is_valid(arguments) else []
            continue
        values = [arguments, *(maker.arguments() for _ in range(4))]
        values += [{**arguments, name: maker.random.choice(VALUES)} for name in arguments]
        for value in filter(is_written, values):
            fits = judge.is_valid(value)
            fitting += fits
            failed += [(parameters, value, fits, each) for each in wrong(notations, value, fits)]
    assert not failed, (len(failed), failed[:3])
    assert not refused, refused[:2]
    assert fitting > TRIED


CLOSED = {"type": "object", "additionalProperties": False}


@pytest.mark.parametrize(
    ("parameters", "taken", "refused"),
    [
        ({"allOf": [{"properties": {"a": {}}, **CLOSED}, {"properties": {"b": {}}}]}, [{}, {"a": 1}], [{"b": 1}]),
        (
            {"allOf": [{"properties": {"a": {}}, "additionalProperties": {"type": "integer"}}, {"required": ["b"]}]},
            [{"b": 1}],
            [{}, {"b": "x"}],
        ),
        (
            {"properties": {"a": {"type": "integer"}}, "unevaluatedProperties": {"type": "string"}},
            [{"a": 1}, {"a": 1, "k": "x"}],
            [{"k": 2}],
        ),
        ({"unevaluatedProperties": {"type": "array"}}, [{}, {"k": [1]}], [{"k": 1}]),
        (
            {"properties": {"a": {"allOf": [{"const": 1}, {"type": "string"}]}, "b": {"type": "integer"}}},
            [{}, {"b": 1}],
            [{"a": 1}, {"a": "x"}],
        ),
        (
            {"properties": {"a": {"type": "array", "items": {"type": "array", "prefixItems": [{}], "maxItems": 1}}}},
            [{"a": [[1]]}, {"a": [[]]}],
            [{"a": [[1, 2]]}],
        ),
    ],
)
@pytest.mark.parametrize("name", ["qwen:qwen3", "qwen:qwen3-coder", "minimax:minimax-m3"])
def test_members_that_several_schemas_speak_of_are_taken_as_all_of_them_say(name, parameters, taken, refused):
    notations = Notations(name, {"type": "object", **parameters})
    assert [value for value in taken if wrong(notations, value, True)] == []
    assert [value for value in refused if wrong(notations, value, False)] == []


def test_conditions_beside_each_other_are_not_merged():
    conditions = [{"if": {"type": kind}, "then": {"minLength": 1}} for kind in ("string", "integer")]
    notations = Notations("qwen:qwen3", {"type": "object", "properties": {"a": {"allOf": conditions}}})
    assert wrong(notations, {"a": "x"}, True) == wrong(notations, {"a": 7}, True) == set()
    assert all("/properties/a/if" in paths for paths in notations.constraint.loose.values())
