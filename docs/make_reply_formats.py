"""Write the gallery's page of reply formats, from what the formats say and do: `python docs/make_reply_formats.py`.

The page is committed, so that it can be read without a build; a test compares it with what this writes.
"""

import json
from pathlib import Path

import reasoning_facts

import lect
from lect.plugin.grammar import Json, JsonMap, Literals, NamedJson, Params
from lect.registry.groups import REPLIES

PAGE = Path(__file__).parent / "gallery" / "replies.md"
PLAIN, JSON, NAMED, PARAMETERS, PYTHON, MESSAGES = KINDS = (
    ("Reasoning only", "Only reasoning is marked, or nothing at all."),
    (
        "JSON calls",
        "A call is a JSON object with a name and arguments in it, in any order; some models write a list of them. "
        "Arguments are passed on as written.",
    ),
    ("A name, then JSON", "The name stands before the JSON arguments, which are passed on as written."),
    (
        "A tag for each parameter",
        "Values are plain text. The schemas of the tools decide their types; without a schema, whatever parses as "
        "JSON is JSON.",
    ),
    ("As in Python", "A call is written as in Python, or nearly so. Each argument is passed on once it is complete."),
    ("Messages with headers", "A header says what a message is, or whom it is for."),
)
KIND_OF = {Json: JSON, JsonMap: JSON, NamedJson: NAMED, Params: PARAMETERS, Literals: PYTHON}
INTRODUCTION = """\
# Reply formats

The names that `format` takes in [`lect.parse` and `lect.stream`](../how-to/parse-a-stream.md). `lect.reply_formats()`
lists those that are installed: core has `plain`, `think` and `hermes_json`, each family package has the formats of its
models, and `lect-dialects` has those of models whose family is no package here. Each is a
[grammar](../how-to/write-a-grammar.md): a few facts, and one engine that reads by them, whole or streamed.

A format that is named without a model ends at the stops that are listed here. With a model, a reply ends at the stops
of the model's template, and nowhere else.

This page is generated from the formats: each example is followed by the result of parsing it.
"""
NEXT = """
Where to go next: [Parse a stream](../how-to/parse-a-stream.md) to read them; [Write a
grammar](../how-to/write-a-grammar.md) for a format that is not here.
"""


def kind(grammar):
    """Return the heading under which a grammar belongs."""
    if grammar.channels is not None:
        return MESSAGES
    return KIND_OF[type(grammar.sections[0].calls[0].arguments)] if grammar.sections else PLAIN


def opens_inside_reasoning(reply_format):
    """Return whether the example of a format begins inside reasoning: it has the closing tag but no opening one."""
    marks = reply_format.grammar.reasoning
    return (
        marks is not None
        and any(close in reply_format.example for close in marks.close)
        and not any(mark in reply_format.example for mark in marks.open)
    )


def taken_apart(reply_format):
    """Return the parts of a format's example, line by line."""
    reply = lect.parse(
        None,
        reply_format.example,
        format=reply_format,
        starts_in_reasoning=opens_inside_reasoning(reply_format) or None,
    )
    texts = [("reasoning", reply.reasoning), ("content", reply.content), ("stop", reply.stop)]
    lines = [f"{what}: {json.dumps(text, ensure_ascii=False)}" for what, text in texts if text]
    return "\n".join(lines + [f"call: {call.name} {call.arguments_text}" for call in reply.tool_calls])


def formats():
    """Return every installed format with the packages that have it."""
    owners = {}
    for record in lect._registry.adapters.parts(REPLIES):
        owners.setdefault(record.name, []).append(record.package)
    return [(lect._registry.formats.get(name), owners.get(name, ["lect"])) for name in lect.reply_formats()]


def section(reply_format, packages):
    """Return what the page says about one format."""
    owners = ", ".join(f"`{package}`" for package in packages)
    stops = ", ".join(f"`{json.dumps(stop, ensure_ascii=False)[1:-1]}`" for stop in reply_format.stop) or "none"
    return (
        f"### {reply_format.name}\n\n{reply_format.names}. Package: {owners}. Stops: {stops}.\n\n"
        f"~~~text\n{reply_format.example}\n~~~\n\n~~~text\n{taken_apart(reply_format)}\n~~~\n"
    )


def page():
    """Return the text of the page."""
    parts = [INTRODUCTION]
    for heading in KINDS:
        parts.append("## {}\n\n{}\n".format(*heading))
        parts += [section(each, packages) for each, packages in formats() if kind(each.grammar) is heading]
    parts.append(reasoning_facts.section())
    return "\n".join(parts) + NEXT


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
