"""Write the gallery's page of reply formats, from what the formats say and do: `python docs/make_reply_formats.py`.

The page is committed, so that it can be read where nothing is built; a test compares it with what this writes.
"""

import json
from pathlib import Path

import lect
from lect.reply.known import FORMATS, json_calls, messages, named_calls, parameters, pythonic, thinking

PAGE = Path(__file__).parent / "gallery" / "replies.md"
KINDS = {
    thinking: ("Reasoning alone", "Nothing but reasoning is marked, or nothing at all."),
    json_calls: (
        "JSON calls",
        (
            "A call is a JSON object with a name and arguments in it, in any order; some write a list of them. "
            "Arguments are passed on as written."
        ),
    ),
    named_calls: ("A name, then JSON", "The name stands before the JSON arguments, which are passed on as written."),
    parameters: (
        "A mark for each parameter",
        (
            "Values are plain text. The tools' schemas decide what they stand for; where there is no schema, what can "
            "be read as JSON is JSON."
        ),
    ),
    pythonic: (
        "As in Python",
        "A call is written as in Python, or nearly so. Each argument is passed on when it is complete.",
    ),
    messages: ("Messages with headers", "A header says what a message is, or for whom."),
}
INTRODUCTION = """\
# Reply formats

The names that `format` takes in [`lect.parse` and `lect.stream`](../how-to/parse-a-stream.md), and `reply` in a
[template](../reference/templates.md#template); `lect.reply.formats()` lists them. Each is a
[grammar](../how-to/write-a-grammar.md): a few facts, which the same engine reads by, whole or streamed. This page is
written by the formats themselves: below each example stands what it is taken apart into.
"""


def prompt_opens_reasoning(grammar):
    """Say whether the example of a format begins inside reasoning: then it shows the end of that alone."""
    marks = grammar.reasoning
    return (
        marks is not None
        and any(close in grammar.example for close in marks.close)
        and not any(mark in grammar.example for mark in marks.open)
    )


def taken_apart(grammar):
    """Return what the example of a format says, line by line."""
    reply = lect.parse(
        None, grammar.example, format=grammar, starts_in_reasoning=prompt_opens_reasoning(grammar) or None
    )
    texts = [("reasoning", reply.reasoning), ("content", reply.content), ("stop", reply.stop)]
    lines = [f"{what}: {json.dumps(text, ensure_ascii=False)}" for what, text in texts if text]
    return "\n".join(lines + [f"call: {call.name} {call.arguments_text}" for call in reply.tool_calls])


def page():
    """Return the text of the page."""
    parts = [INTRODUCTION]
    for module, (heading, text) in KINDS.items():
        parts.append(f"## {heading}\n\n{text}\n")
        for name, grammar in FORMATS.items():
            if grammar in vars(module).values():
                parts.append(
                    f"### {name}\n\n{grammar.models}.\n\n~~~text\n{grammar.example}\n~~~\n\n~~~text\n"
                    f"{taken_apart(grammar)}\n~~~\n"
                )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
