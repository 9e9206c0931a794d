"""Walking through a tool's JSON schema: whatever callers give, and where they gave it."""

import pytest

from lect.plugin import Schema, Template

PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "enum": ["Paris", "Rome"]},
        "anything": True,
        "days": {"type": "array", "items": {"type": "integer"}, "default": [1]},
        "either": {"oneOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["city", "days"],
}
FUNCTION = {"name": "get_weather", "description": "Tell the weather.", "parameters": PARAMETERS}
BY_FUNCTION = [{"type": "function", "function": FUNCTION}]


def walked(program, tools=BY_FUNCTION):
    """Return the prompt of a program that is given the first tool as a schema."""

    def write(chat, out):
        out += program(Schema(chat, *chat.function(0)))

    return Template("walker", write, capabilities=["tools"], text_separators=True).render([], tools=tools)


@pytest.mark.parametrize("tools", [BY_FUNCTION, [FUNCTION]])
def test_properties_have_a_name_and_are_required_or_not(tools):
    def program(function):
        for each in function.at("parameters").properties:
            yield each.name
            yield "! " if each.is_required else "? "

    assert walked(program, tools).text == "city! anything? days! either? "


def test_every_text_has_the_field_that_it_came_from():
    def program(function):
        city, _, days, either = function.at("parameters").properties
        yield function.text("description")
        yield city.name
        yield days.json("default")
        yield days.at("items").text("type")
        yield either.each("oneOf")[1].text("type")

    here = ("tools", 0, "function")
    properties = (*here, "parameters", "properties")
    assert [(piece.text, piece.path) for piece in walked(program).segments] == [
        ("Tell the weather.", (*here, "description")),
        ("city", (*properties, "city")),
        ("[1]", (*properties, "days", "default")),
        ("integer", (*properties, "days", "items", "type")),
        ("null", (*properties, "either", "oneOf", 1, "type")),
    ]


def test_what_is_missing_or_no_mapping_says_nothing():
    def program(function):
        anything = function.at("parameters").properties[1]
        assert not anything.fields
        assert "type" not in anything
        assert anything.get("type") is None
        for schema in (anything, function.at("nothing")):
            assert (schema.properties, schema.members, schema.each("oneOf")) == ([], [], [])
            yield schema.text("description")

    assert walked(program).text == ""


def test_members_are_all_fields():
    assert walked(lambda function: [each.name for each in function.members]).text == "namedescriptionparameters"


@pytest.mark.parametrize("required", [None, [], "city", 5, [["city"]], {"city": 1}])
def test_a_required_that_is_no_list_of_names_requires_nothing(required):
    # `returns` is a field that only some formats read, so it is not checked beforehand.
    function = {"name": "f", "returns": {"properties": {"city": {}}, "required": required}}
    prompt = walked(lambda schema: [str(schema.at("returns").properties[0].is_required)], [function])
    assert prompt.text == "False"
