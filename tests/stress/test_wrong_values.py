"""Any value in any field: the result is a prompt, or one of our errors that says what is wrong."""

import random

import hostile
from sampling import in_turn
from together import together

from lect import MessageError

PAIRS = 25
"""How many wrong values are tried with each template in an ordinary run; under stress, all of them."""
GARBAGE = 8
"""How many random requests are tried with each template, times the scale."""

CALL = {
    "id": "call00001",
    "type": "function",
    "function": {"name": "look", "arguments": {"where": {"x": [1, "a"]}}, "content_type": "json"},
}
TOOL = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look.",
        "strict": False,
        "response": {"type": "object", "description": "What is seen"},
        "parameters": {
            "type": "object",
            "description": "All",
            "properties": {
                "a": {"type": "string", "description": "d", "enum": ["x", "y"], "default": "q", "nullable": True},
                "b": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"c": {"type": "integer"}}, "required": ["c"]},
                },
                "o": {
                    "oneOf": [{"type": "string"}, {"type": "number", "description": "n"}],
                    "anyOf": [{"type": "string"}],
                    "allOf": [{"type": "null"}],
                },
                "m": {"type": ["string", "null"]},
            },
            "required": ["a"],
        },
    },
}
RICH = [
    {"role": "system", "content": "s", "tools": [TOOL]},
    {
        "role": "user",
        "content": [{"type": "text", "text": "p"}, {"type": "image_url", "image_url": {"url": "u"}}],
        "name": "n",
    },
    {
        "role": "assistant",
        "content": "c",
        "reasoning_content": "r",
        "tool_plan": "p",
        "metadata": "m",
        "prefix": False,
        "tool_calls": [CALL],
        "tool_responses": [{"name": "look", "response": {"a": 1}}],
    },
    {"role": "tool", "tool_call_id": "call00001", "name": "look", "content": "t"},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "a"}]},
    {"role": "user", "content": "q"},
]
PLAIN = [
    {"role": "user", "content": "q"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call00001", "content": "t"},
]
OPTIONS = {
    "documents": [{"title": "t", "text": "x", "doc_id": "1"}],
    "controls": {"citations": True},
    "available_tools": [TOOL],
    "custom_tools": [TOOL],
    "builtin_tools": ["browser"],
    "response_format": {"type": "json_object", "schema": {"a": 1}, "json_schema": {"b": 1}},
    "developer_preamble": {"role": "system", "content": "x"},
}


def nested(depth, wrap, value="x"):
    for _ in range(depth):
        value = wrap(value)
    return value


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no")


ENDLESS = {}
ENDLESS["a"] = ENDLESS
JSON = [
    None, True, 0, -1, 7.5, float("nan"), 10**30, 10**5000, "text", "", "\ud800", [], [None], [5], ["x"], [[]], [{}],
    {}, {"a": 1}, {"type": 5}, {"type": "x"}, {"a": None}, {"0": {}}, [{"a": 1}], {"function": None},
    nested(600, lambda value: {"a": value}), nested(600, lambda value: [value]), '{"a":' * 600 + "1" + "}" * 600,
]  # fmt: skip
OTHER = [
    Unprintable(), ENDLESS, b"x", object(), {1, 2}, {5: 5}, {None: 1}, {b"x": {}}, {Unprintable(): {}}, (), len, 1j, int,
]  # fmt: skip


def requests(template):
    """Yield valid requests, as arguments of `render`, with all fields that any template reads."""
    options = {
        name: OPTIONS[name] if name in OPTIONS else hostile.OPTIONS.get(name, ["x"])[0]
        for name in template.options
        if name != "date"
    }
    yield {"messages": RICH, "tools": [TOOL]}
    yield {"messages": PLAIN, "tools": [TOOL], **options}
    yield {"messages": RICH[:2], **options, "date": None}


def fields(value, path=()):
    """Yield the path of everything in a value."""
    if path:
        yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from fields(item, (*path, key))


def replaced(value, path, other):
    """Return a value with something else at a path."""
    if not path:
        return other
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


def check(template, arguments, what):
    """Assert that a request is rendered, or refused by a MessageError."""
    for way in (template.text, template.render):
        try:
            rendered = way(**arguments)
            if way == template.render:
                assert "".join(segment.text for segment in rendered.segments) == rendered.text, what
                assert all(isinstance(view, tuple) for view in (rendered.unused, rendered.controls)), what
        except MessageError:
            continue
        except Exception as error:
            error.add_note(f"with {what}")
            raise


@together("name", in_turn(hostile.installed(), 3))
def test_a_wrong_value_in_any_field_is_rendered_or_refused(name, scale):
    template = hostile.installed()[name]
    tries = [
        (arguments, path, value)
        for arguments in requests(template)
        for path in fields(arguments)
        for value in (*JSON, *OTHER)
    ]
    for arguments, path, value in tries if scale > 1 else random.Random(name).sample(tries, PAIRS):
        check(template, replaced(arguments, path, value), f"a {type(value).__name__} at {path}")


WORDS = [
    "role", "content", "user", "assistant", "system", "tool", "type", "text", "function", "name", "arguments", "id",
    "tool_calls", "tool_call_id", "parameters", "properties", "required", "object", "string", "array", "items", "enum",
    "oneOf", "description", "image_url", "tools", "reasoning_content", "thinking", "x",
]  # fmt: skip


def garbage(choose, depth=0):
    """Return random JSON that contains the words of requests."""
    kind = choose.randrange(4 if depth > 5 else 10)
    if kind < 4:
        return [choose.choice(WORDS), choose.choice(WORDS), choose.choice([None, True, 0, -2.5]), "<|im_end|>"][kind]
    values = [garbage(choose, depth + 1) for _ in range(choose.randint(0, 5))]
    return values if kind < 6 else {choose.choice(WORDS): value for value in values}


@together("name", in_turn(hostile.installed(), 3))
def test_json_garbage_is_rendered_or_refused(name, scale):
    template, choose = hostile.installed()[name], random.Random(name)
    for number in range(GARBAGE * scale):
        arguments = next(requests(template))
        for _ in range(choose.randint(1, 3)):
            path = choose.choice(list(fields(arguments)))
            arguments = replaced(arguments, path, garbage(choose))
        check(template, arguments, f"garbage {number}")
