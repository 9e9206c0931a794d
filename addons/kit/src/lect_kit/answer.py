"""Answer the lines of the conformance pack with lect: `python run.py -- python -m lect_kit.answer`.

One JSON object is read from each line of the standard input, and one is written for it. The pack's README.md describes
both, and `nox -s pack` makes the pack.
"""

from __future__ import annotations

import json
import sys
from datetime import date
from typing import Any

import lect
from lect.errors import LectError, RefusedError, UnknownModelError


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a line."""
    try:
        found = {"prompt": prompt, "mask": mask, "reply": reply}[request["task"]](request)
    except UnknownModelError as error:
        found = {"skip": str(error)}
    except LectError as error:
        found = {"error": str(error)}
    return {"id": request["id"], **found}


def prompt(request: dict[str, Any]) -> dict[str, Any]:
    """Return the prompt of a conversation, or why it is refused."""
    template, arguments = conversation(request)
    try:
        return {"text": template.text(**arguments, add_generation_prompt=request["add_generation_prompt"])}
    except RefusedError as error:
        return {"refused": str(error)}


def mask(request: dict[str, Any]) -> dict[str, Any]:
    """Return what of a conversation is trained, as a text for each piece without a gap."""
    template, arguments = conversation(request)
    rendered = template.render(**arguments)
    pieces: list[str] = []
    end = -1
    for span in rendered.loss_spans():
        pieces += [] if span.start == end else [""]
        pieces[-1] += rendered.text[span.start : span.end]
        end = span.end
    return {"trained": pieces}


def conversation(request: dict[str, Any]) -> tuple[lect.Template, dict[str, Any]]:
    """Return the template of a line, and what it is asked to write."""
    template = lect.resolve(request["model"]).template
    options = dict(request["options"])
    if "date" in template.options:
        options["date"] = date.fromisoformat(request["date"])
    return template, {"messages": request["messages"], "tools": request["tools"], **options}


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """Return what a reply says, read whole and in chunks."""
    read = read_in_chunks(request, [max(len(request["text"]), 1)])[0]
    return {
        "content": read.content,
        "reasoning": read.reasoning,
        "calls": [{"name": call.name, "arguments": call.arguments} for call in read.tool_calls],
        "problems": [problem.code for problem in read.problems],
        "streams": [[delta for _, delta in read_in_chunks(request, sizes)[1]] for sizes in request["sizes"]],
    }


def read_in_chunks(request: dict[str, Any], sizes: list[int]) -> tuple[lect.Reply, list[tuple[int, dict[str, Any]]]]:
    """Return the reply, and each delta with the number of the chunk after which it was known."""
    stream = lect.stream(
        request["model"],
        format=None if request["model"] else request["format"],
        prompt=request["prompt"],
        starts_in_reasoning=request["starts_in_reasoning"],
        tools=request["tools"],
        stop=request["stop"],
        call_id="call_{}".format,
    )
    text, deltas, start, number = request["text"], [], 0, 0
    while start < len(text):
        size = sizes[number % len(sizes)]
        deltas += [(number, event.to_openai()) for event in stream.feed(text[start : start + size])]
        start, number = start + size, number + 1
    deltas += [(number, event.to_openai()) for event in stream.finish()]
    return stream.close(), [(number, delta) for number, delta in deltas if delta]


def main() -> None:
    """Answer every line."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
