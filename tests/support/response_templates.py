"""Response templates and the replies that models with them would write, made by chance."""

import json
import random
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

WORDS = ["the", "time", "is", "noon", "o'clock", "in", "Bern,", "I", "think:", "{so}", "[it]", "is"]
STYLES = ("<|{}|>", "<{}>", "[{}]", "<｜{}｜>")
NAMES = ("weather", "get_time", "a_b2")
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "deep": {"type": "object"}},
            },
        },
    }
    for name in NAMES
]


KEYS = ("open", "open_pattern", "close", "close_pattern", "content", "content_args", "join", "transform")
ODD = (
    None, 0, True, "", " ", "x", "<a>", "json", "xml-inline", "{content}", r"(?P<name>\w+)", r"[^<]*<a>", "^", "$",
    "(?=<a>)", "[z-a]", "[[a]", "a{2,3}", r"\p{L}+", r"<a>(?P<key>.*?)</a>(?P<value>.*?)<b>", "(a+)+b", r"(?i)<a>",
    r"(?<!x)<a>", r"(?:ab)*<a>", "(" * 499, "[", "\\", r"<a>(?P<name>\w+)<b>|<c>", r"<c>|<a>(?P<name>\w+)", r"\s*",
    [], ["<a>", "<b>"], [["a", "b"]], ["", 1], {}, {"name": "json"}, {"function": "{content}"}, "a||b",
)  # fmt: skip
"""What may stand somewhere in a response template, and rarely means anything there."""


class Marks(NamedTuple):
    """A pair of marks, and how a response template has them."""

    open: str
    close: str
    spec: dict[str, Any]


class Case(NamedTuple):
    """A response template, and replies with what each says: reasoning, content and calls."""

    start: str
    """What starts an answer in a prompt."""
    jinja: str
    """What writes an answer in a chat template."""
    spec: dict[str, Any]
    replies: list[tuple[str, dict[str, Any]]]


def case(seed: int, replies: int = 6) -> Case:
    """Return a response template with replies."""
    chance = random.Random(seed)
    return (messages if chance.random() < 0.25 else regions)(chance, replies)


def mutant(seed: int) -> Any:
    """Return a response template with some mistakes."""
    chance = random.Random(seed)
    spec = {"": case(chance.randrange(1_000), 1).spec}
    for _ in range(chance.randint(1, 3)):
        holder, key = chance.choice(list(places(spec)))
        how = chance.random()
        if how < 0.2 and isinstance(holder, dict) and holder is not spec:
            del holder[key]
        elif how < 0.4 and isinstance(holder[key], dict):
            holder[key][chance.choice(KEYS)] = chance.choice(ODD)
        else:
            holder[key] = chance.choice(ODD)
    return spec[""]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all that holds something in a value, each with the key."""
    found = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in found:
        yield value, key
        yield from places(each)


def text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(1, 6)))


def call(chance: random.Random) -> tuple[str, dict[str, Any]]:
    given = {"city": text(chance), "days": chance.randint(-9, 99), "deep": {"a": [1, {"b": None}]}}
    return chance.choice(NAMES), {key: given[key] for key in chance.sample(sorted(given), chance.randint(1, 3))}


def marks(chance: random.Random, style: str, name: str) -> Marks:
    """Return a pair of marks: texts, lists of texts or patterns."""
    open_ = style.format(name)
    close = chance.choice([open_[0] + "/" + open_[1:], style.format(f"{name}_end")])
    how = chance.choice(["text", "list", "pattern"])
    if how == "text":
        return Marks(open_, close, {"open": open_, "close": close})
    if how == "list":
        return Marks(open_, close, {"open": [open_, style.format(f"{name}2")], "close": [close]})
    spec = {"open_pattern": rf"\s*{re.escape(open_)}\s*", "close_pattern": rf"\s*(?:{re.escape(close)}|$)"}
    return Marks(open_, close, spec)


def regions(chance: random.Random, number: int) -> Case:
    """Return replies of parts between marks of their own."""
    style = chance.choice(STYLES)
    thought, told = marks(chance, style, "think"), marks(chance, style, "text")
    end = style.format("end_of_turn")
    fields = {chance.choice(["thinking", "reasoning_content", "reasoning"]): thought.spec}
    is_wrapped = chance.random() < 0.3
    fields["content"] = told.spec if is_wrapped else {"close": end}
    field, write, jinja = CALLS[chance.choice(sorted(CALLS))](chance, style)
    # White space between two parts is content of its own for transformers, unless a pattern takes it.
    space = "\n" if field.get("open_pattern", "").startswith(r"\s*") else ""
    fields["tool_calls"] = {**field, "repeats": "transform_each" not in field}
    if chance.random() < 0.3:
        fields = {name: {"content": "text", **each} for name, each in fields.items()}
    spec = {"defaults": {"role": "assistant"}, "start_anchor": f"{style.format('bot')}\n", "fields": fields}
    replies = []
    for _ in range(number):
        said = {"thinking": "", "content": "", "calls": []}
        parts = []
        if chance.random() < 0.6:
            said["thinking"] = text(chance)
            line = chance.choice(["", "\n"])
            parts.append(f"{thought.open}{line}{said['thinking']}{line}{thought.close}")
        if chance.random() < 0.6:
            said["content"] = text(chance)
            parts.append(f"{told.open}{said['content']}{told.close}" if is_wrapped else said["content"])
        said["calls"] = [list(call(chance)) for _ in range(chance.choice([0, 0, 1, 2]))]
        if said["calls"]:
            parts.append(write(said["calls"], space))
        replies.append((chance.choice(["", space]).join(parts) + ("" if is_wrapped else end), said))
    around = (told.open, told.close) if is_wrapped else ("", "")
    written = _text("reasoning_content", *thought[:2]) + _text("content", *around) + jinja
    start = spec["start_anchor"]
    return Case(start, start + written + ("" if is_wrapped else end), spec, replies)


def messages(chance: random.Random, number: int) -> Case:
    """Return replies of messages whose headers name their author."""
    style = chance.choice(STYLES)
    start, end = style.format("message"), style.format("end_message")
    kinds = {kind: style.format(kind) for kind in ("thinking", "content", "tool_calls")}
    joint = chance.choice(["", "\n", "\n\n"])
    names = chance.choice([("name", "args"), ("name", "arguments"), ("tool_name", "parameters")])
    first = re.escape(style[0])
    fields = {
        kind: {"open_pattern": rf"(?:{re.escape(start)})?[^{first}]*{re.escape(mark)}", "close": end, "repeats": True}
        for kind, mark in kinds.items()
    }
    for kind in ("thinking", "content"):
        fields[kind] |= {"join": joint, "content_args": {"strip": False}}
    function = {"name": f"{{content.{names[0]}}}", "arguments": f"{{content.{names[1]}}}"}
    fields["tool_calls"] |= {"content": "json", "transform": {"type": "function", "function": function}}
    spec = {"defaults": {"role": "assistant"}, "start_anchor": start, "fields": fields}
    replies = []
    for _ in range(number):
        said = {
            kind: [text(chance).translate(BRACKETS) for _ in range(chance.choice([0, 1, 1, 2]))]
            for kind in ("thinking", "content")
        }
        calls = [list(call(chance)) for _ in range(chance.choice([0, 0, 1, 2]))]
        bodies = [(kinds[kind], body) for kind, texts in said.items() for body in texts]
        bodies += [(kinds["tool_calls"], json.dumps({names[0]: name, names[1]: given})) for name, given in calls]
        written = [f"{chance.choice(['', 'bot'])}{mark}{body}{end}" for mark, body in bodies]
        replies.append(
            (start.join(written), {kind: joint.join(texts) for kind, texts in said.items()} | {"calls": calls})
        )
    function = f"{{'{names[0]}': call.function.name, '{names[1]}': call.function.arguments}} | tojson"
    jinja = _text("reasoning_content", start + kinds["thinking"], end) + _text("content", start + kinds["content"], end)
    jinja += _each(f"'{start}{kinds['tool_calls']}' + ({function}) + '{end}'")
    return Case(start, jinja, spec, replies)


BRACKETS = str.maketrans("", "", "[]{}<>")


def _function(name: str, arguments: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


def _text(field: str, before: str, after: str) -> str:
    """Return Jinja that writes a text of a message between marks."""
    return f"{{% if message.{field} %}}{{{{ '{before}' + message.{field} + '{after}' }}}}{{% endif %}}"


def _each(call: str) -> str:
    """Return Jinja that writes each call by an expression."""
    return f"{{% for call in message.tool_calls or [] %}}{{{{ {call} }}}}{{% endfor %}}"


def _objects(chance, style):
    pair = marks(chance, style, "a_call")
    keys = chance.choice([None, ("name", "arguments"), ("tool_name", "parameters"), ("name", "args")])
    name, arguments = keys or ("name", "arguments")
    function = _function(f"{{content.{name}}}", f"{{content.{arguments}}}")["function"] if keys else "{content}"

    def write(calls, between):
        objects = [json.dumps({name: each, arguments: given}) for each, given in calls]
        return between.join(f"{pair.open}{each}{pair.close}" for each in objects)

    written = f"{{'{name}': call.function.name, '{arguments}': call.function.arguments}} | tojson"
    jinja = _each(f"'{pair.open}' + ({written}) + '{pair.close}'")
    return {**pair.spec, "content": "json", "transform": {"type": "function", "function": function}}, write, jinja


def _lists(chance, style):
    pair = marks(chance, style, "actions")

    def write(calls, _):
        objects = [{"tool_name": name, "parameters": given} for name, given in calls]
        return f"{pair.open}{json.dumps(objects)}{pair.close}"

    field = {"content": "json", "transform": _function("{tool_name}", "{parameters}"), "transform_each": True}
    jinja = (
        f"{{% if message.tool_calls %}}{pair.open}[{{% for call in message.tool_calls %}}{{{{ ', ' if not loop.first }}}}"
        "{{ {'tool_name': call.function.name, 'parameters': call.function.arguments} | tojson }}{% endfor %}]"
        f"{pair.close}{{% endif %}}"
    )
    return {**pair.spec, **field}, write, jinja


def _named(chance, style):
    begin, middle, end = (style.format(each) for each in ("call", "args", "call_end"))
    group = chance.choice([r"(?P<name>\w+)", r"(?P<name>[^\[<\s]+)", r"\s*(?P<name>[\w.-]+)\s*"])
    opening = re.escape(begin) + group + re.escape(middle) + chance.choice(["", r"\s*"])
    field = {"open_pattern": opening, "close": end, "content": "json"}

    def write(calls, between):
        return between.join(f"{begin}{name}{middle}{json.dumps(given)}{end}" for name, given in calls)

    written = f"'{begin}' + call.function.name + '{middle}' + (call.function.arguments | tojson) + '{end}'"
    return {**field, "transform": _function("{name}", "{content}")}, write, _each(written)


def _tags(chance, style):
    outer = chance.choice(["a_call", "calls"])
    line = chance.choice(["", "\n"])
    space = r"\s*" if line else ""
    field = {
        "open_pattern": rf"\s*<{outer}>\s*<fn=(?P<name>[^>\n]+)>",
        "close_pattern": rf"</fn>\s*</{outer}>",
        "content": "xml-inline",
        "content_args": {"tag_pattern": rf"<arg=(?P<key>[^>\n]+)>{space}(?P<value>.*?){space}</arg>"},
        "transform": _function("{name}", "{content}"),
    }
    if chance.random() < 0.5:
        field["content_args"]["value_parser"] = {"name": "json", "args": {"allow_non_json": True}}

    def parameter(key, given):
        return f"<arg={key}>{line}{given if isinstance(given, str) else json.dumps(given)}{line}</arg>\n"

    def write(calls, between):
        inner = ["".join(parameter(*each) for each in given.items()) for _, given in calls]
        whole = [f"<fn={name}>\n{each}</fn>" for (name, _), each in zip(calls, inner, strict=True)]
        return between.join(f"<{outer}>\n{each}\n</{outer}>" for each in whole)

    jinja = (
        f"{{% for call in message.tool_calls or [] %}}{{{{ '<{outer}>\\n<fn=' + call.function.name + '>\\n' }}}}"
        f"{{% for key, value in call.function.arguments.items() %}}{{{{ '<arg=' + key + '>{_escaped(line)}' + "
        f"(value if value is string else value | tojson) + '{_escaped(line)}</arg>\\n' }}}}{{% endfor %}}"
        f"{{{{ '</fn>\\n</{outer}>' }}}}{{% endfor %}}"
    )
    return field, write, jinja


def _escaped(line: str) -> str:
    return line.replace("\n", "\\n")


CALLS = {"objects": _objects, "lists": _lists, "named": _named, "tags": _tags}
"""The ways in which calls are written."""
