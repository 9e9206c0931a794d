"""Replies written by a grammar: what a model that keeps to its format would write."""

import json
import re

from lect.reply.grammar import Code, Json, JsonMap, Literals, NamedJson, Params

# What a head may contain for the name of a function or of a parameter.
NAMED = (
    "{}",
    'name="{}"',
    'tool="{}" index="1"',
    'key="{}"',
    "call:{}",
    "functions.{}:0",
    "{}[ARGS]",
    "a1<|tool_call:name|>{}",
    "{}</ifm|arg_key>",
)
MESSAGES = {
    "harmony": (
        "<|channel|>analysis<|message|>{}<|end|>",
        "<|start|>assistant<|channel|>final<|message|>{}<|end|>",
        "<|start|>assistant<|channel|>commentary to=functions.{} <|constrain|>json<|message|>{}<|call|>",
    ),
    "muse_glimmer": (
        " to=self<|message|>{}<|eom|>",
        "<|start|>assistant to=user<|message|>{}<|eom|>",
        "<|start|>assistant to={}<|message|>{}<|eom|>",
    ),
    "solar_open": (
        "<|think|>{}<|end|>",
        "<|begin|>assistant<|content|>{}<|end|>",
        "<|begin|>assistant<|tool_calls|>{1}<|calls|>",
    ),
    "functionary_v32": (None, ">>>all\n{}", ">>>{}\n{}"),
    "beam": (
        "<|channel|>analysis<|message|>{}<|end|>",
        "<|start|>assistant<|channel|>final<|message|>{}<|end|>",
        "<|start|>assistant to={}<|channel|>analysis <|constrain|>xml<|message|>{}<|call|>",
    ),
    "inkling": (
        None,
        "<|message_model|><|content_text|>{}<|end_message|>",
        '<|message_model|>{}<|content_invoke_tool_json|>{{"name": "f", "args": {}}}<|end_message|>',
    ),
}


def write(grammar, content, reasoning, calls):
    """Return a reply with calls, as `(name, arguments)`; None if the format cannot express some of it."""
    if grammar.name in MESSAGES:
        thought, said, called = MESSAGES[grammar.name]
        if reasoning and thought is None:
            return None
        parts = [thought.format(reasoning)] if reasoning else []
        parts += [said.format(content)] if content else []
        bodies = [
            write_section(grammar.sections[0], [call]) if grammar.sections else write_body(grammar.channels.call, *call)
            for call in calls
        ]
        parts += [called.format(name, body) for (name, _), body in zip(calls, bodies, strict=True)]
        return "".join(parts).removeprefix(">>>")
    if (calls and not grammar.sections) or (reasoning and grammar.reasoning is None):
        return None
    text = ""
    if reasoning:
        marks = grammar.reasoning
        text = f"{marks.open[0]}{reasoning}{marks.close[0]}"
    text += content
    if calls:
        section = next((each for each in grammar.sections if not (content and each.start)), None)
        if section is None or (len(calls) > 1 and not (section.between or section.close or section.calls[0].close)):
            return None
        text += before(section) + write_section(section, calls)
    return text


def write_body(call, name, arguments):
    """Return the arguments of a call whose name is in a header."""
    kind = call.arguments
    return write_params(kind, name, arguments) if isinstance(kind, Params) else json.dumps(arguments)


def before(section):
    return section.before[0] if section.before else ""


def row(marks):
    """Return the first of several marks."""
    return "".join((marks[0],) if isinstance(marks[0], str) else marks[0]) if marks else ""


def write_section(section, calls):
    written = [write_call(section.calls[0], *call) for call in calls]
    together = (section.between or "").join(written)
    if section.open and not section.between and not section.calls[0].close and len(calls) > 1:
        # Each call has its own section.
        return "".join(row(section.open) + one + row(section.close) for one in written)
    return row(section.open) + together + row(section.close)


def write_call(call, name, arguments):
    kind = call.arguments
    head = head_of(call.head, name) if call.head else ""
    return row(call.open) + head + WRITERS[type(kind)](kind, name, arguments) + row(call.close)


def head_of(head, name):
    """Return a head with this name."""
    fields = re.compile(head.fields)
    for shape in NAMED:
        found = fields.fullmatch(shape.format(name))
        if found and name in (found.groupdict().get("name"), found.groupdict().get("key")):
            return shape.format(name) + ("" if head.keep else head.end[0])
    raise AssertionError(head)


def write_params(spec, name, arguments):
    parts = []
    for key, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value)
        parts.append(
            spec.open
            + head_of(spec.head, key)
            + spec.value
            + spec.trim
            + text
            + spec.trim
            + spec.close.replace("{key}", key)
        )
    return "".join(parts)


def write_literals(spec, name, arguments):
    return ", ".join(f"{key}{spec.assign}{literal(spec, value)}" for key, value in arguments.items()) + spec.close


def literal(spec, value):
    if not spec.quotes:
        return repr(value)
    if isinstance(value, str):
        return f"{spec.quotes[0]}{value}{spec.quotes[0]}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{literal(spec, inner)}" for key, inner in value.items()) + "}"
    return json.dumps(value)


WRITERS = {
    Json: lambda spec, name, arguments: json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False),
    JsonMap: lambda spec, name, arguments: json.dumps({name: arguments}, ensure_ascii=False),
    NamedJson: lambda spec, name, arguments: json.dumps(arguments, ensure_ascii=False),
    Params: write_params,
    Literals: write_literals,
    Code: lambda spec, name, arguments: arguments["code"],
}
