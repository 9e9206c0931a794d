"""What a constraint lets a model write for a parameter has the types with which the reply is read."""

import pytest

import lect
from lect.json_schema import ALL, NEVER, SchemaView, kind_of
from lect_constrain.arguments import flat
from lect_constrain.lost import Lost
from lect_constrain.normal import normal
from lect_constrain.schema import types_of

hypothesis = pytest.importorskip("hypothesis")
strategies = hypothesis.strategies

NAMES = ("first", "second")
TYPES = sorted(ALL)
SAMPLES = {"string": ["a"], "integer": [1], "boolean": [True], "null": [None]}
leaves = strategies.one_of(
    strategies.sampled_from(TYPES).map(lambda name: {"type": name}),
    strategies.lists(strategies.sampled_from(TYPES), min_size=1, max_size=3, unique=True).map(
        lambda names: {"type": names}
    ),
    strategies.sampled_from(TYPES).map(lambda name: {"type": name, "nullable": True}),
    strategies.sampled_from(sorted(SAMPLES)).map(lambda name: {"enum": SAMPLES[name]}),
    strategies.sampled_from(NAMES).map(lambda name: {"$ref": f"#/$defs/{name}"}),
    strategies.just({"description": "anything"}),
)


def combined(inner):
    """Return schemas that others are combined to."""
    listed = strategies.lists(inner, min_size=1, max_size=3)
    words = strategies.sampled_from(["anyOf", "allOf"])
    beside = strategies.tuples(inner, words, listed).map(lambda found: {**found[0], found[1]: found[2]})
    return beside | strategies.tuples(words, listed).map(lambda found: {found[0]: found[1]})


schemas = strategies.recursive(leaves, combined, max_leaves=6)


def allowed(schema):
    """Return the types of the parameter `x` in the normal form; None if no value fits."""
    try:
        found = normal(schema, "the test")
    except lect.MessageError:
        return None
    inner = {**found["properties"]["x"], **({"$defs": found["$defs"]} if "$defs" in found else {})}
    types = set()
    for branch in flat(inner, "", Lost()):
        values = branch.schema.get("enum")
        types |= {*types_of(branch.schema)} if values is None else {*map(kind_of, values)}
    return types


def with_integers(types):
    """Return types with that of integers where numbers are allowed, as every integer is one."""
    return types | {"integer"} if "number" in types else types


@hypothesis.given(schemas, leaves, leaves)
@hypothesis.settings(max_examples=300, deadline=None)
def test_a_parameter_is_written_with_the_types_with_which_it_is_read(schema, first, second):
    root = {
        "type": "object",
        "properties": {"x": schema},
        "required": ["x"],
        "$defs": {"first": first, "second": second},
    }
    written = allowed(root)
    hypothesis.assume(written is not None)
    branches = SchemaView(root, [root]).child("x").types()
    read = {name for types in branches for name in types} - NEVER or {*ALL}
    assert with_integers(written) == with_integers(read)
