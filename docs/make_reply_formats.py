"""Write the page of reply formats out of the formats themselves.

    python docs/make_reply_formats.py

Run by hand when a format changes; a test says so.
"""

from pathlib import Path

from idiolect.reply.known import FORMATS, json_calls, messages, named_calls, parameters, pythonic, thinking

PAGE = Path(__file__).parent / "reference" / "reply-formats.md"
KINDS = {
    thinking: ("Reasoning alone", "Nothing but reasoning is marked, or nothing at all."),
    json_calls: (
        "JSON calls",
        "A call is a JSON object with a name and arguments in it, in any order; some write a list of them. Arguments are passed on as written.",
    ),
    named_calls: ("A name, then JSON", "The name stands before the JSON arguments, which are passed on as written."),
    parameters: (
        "A mark for each parameter",
        "Values are plain text. The tools' schemas decide what they stand for; where there is no schema, what can be read as JSON is JSON.",
    ),
    pythonic: ("As in Python", "A call is written as in Python, or nearly so. Each argument is passed on when it is complete."),
    messages: ("Messages with headers", "A header says what a message is, or for whom."),
}
INTRODUCTION = """\
# Reply formats

The names that `format` takes in [`idiolect.parse` and `idiolect.stream`](../how-to/parse-a-stream.md), and `reply` in a
[template](templates.md#template); `idiolect.reply.formats()` lists them. Each is a [grammar](../how-to/write-a-grammar.md): a few facts, which the
same engine reads by, whole or streamed. This page is written by the formats themselves.
"""


def page():
    """Return the text of the page."""
    parts = [INTRODUCTION]
    for module, (heading, text) in KINDS.items():
        parts.append(f"## {heading}\n\n{text}\n")
        for name, grammar in FORMATS.items():
            if grammar in vars(module).values():
                parts.append(f"### {name}\n\n{grammar.models}.\n\n~~~text\n{grammar.example}\n~~~\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
