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
        found = {"prompt": prompt, "reply": reply}[request["task"]](request)
    except UnknownModelError as error:
        found = {"skip": str(error)}
    except LectError as error:
        found = {"error": str(error)}
    return {"id": request["id"], **found}


def prompt(request: dict[str, Any]) -> dict[str, Any]:
    """Return the prompt of a conversation, or why it is refused."""
    template = lect.resolve(request["model"]).template
    options = dict(request["options"])
    if "date" in template.options:
        options["date"] = date.fromisoformat(request["date"])
    arguments = {key: request[key] for key in ("messages", "tools", "add_generation_prompt")}
    try:
        return {"text": template.text(**arguments, **options)}
    except RefusedError as error:
        return {"refused": str(error)}


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
