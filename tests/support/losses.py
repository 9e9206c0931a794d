"""What other projects lose by their public issues, each as a case of ours: tests/data/losses.json.

A case is a reply that is read, a prompt, a mask or ids. A `vector` is a reply of tests/data/replies. What lect loses, too,
is `open`.
"""

import json
from functools import cache

import replies
from character_tokenizer import CharacterTokenizer
from pages import REPOSITORY

import lect
from lect_kit.answer import read_in_chunks

CHUNKINGS = ([1_000_000], [1], [3, 1, 7], [40])


@cache
def cases():
    """Return all cases, each with an id: the issue, and the name of the case if the issue has several."""
    found = json.loads((REPOSITORY / "tests/data/losses.json").read_text("utf-8"))["cases"]
    return [{**case, "id": case_id(case)} for case in found]


def case_id(case):
    project, _, number = case["issue"].partition("#")
    return "-".join(filter(None, (project.partition("/")[2], number, case.get("case"))))


def request(case):
    """Return what a program is given to read a reply, as a line of the conformance pack has it."""
    if case["task"] == "vector":
        case = as_reply(case["vector"])
    keys = ("model", "format", "prompt", "starts_in_reasoning", "tools", "text")
    return {**{key: case.get(key) or None for key in keys}, "stop": case.get("stop", [])} | (
        {"starts_in_reasoning": case["starts_in_reasoning"]} if "starts_in_reasoning" in case else {}
    )


def expected(case):
    """Return what a reply says: `content`, `reasoning`, `calls` and `problems`, as far as it is known."""
    return as_reply(case["vector"])["expected"] if case["task"] == "vector" else case["expected"]


@cache
def as_reply(name):
    """Return a vector as a case that is a reply."""
    for vector in replies.field():
        if vector["id"] == name:
            given = {key: vector[key] for key in ("model", "tools", "starts_in_reasoning")}
            wanted = {key: value for key, value in vector["expected"].items() if value is not None}
            return {**given, "text": vector["raw"], "expected": {**as_calls(wanted), "trim": True}}
    (vector,) = (each for each in replies.mistakes() if each["id"] == name)
    given = {"format": vector["format"], "tools": vector["tools"], "stop": vector["options"].get("stop", [])}
    return {**given, "text": vector["input"], "expected": as_calls(vector["expected"])}


def as_calls(reading):
    return {("calls" if key == "tool_calls" else key): value for key, value in reading.items()}


def read(case, sizes=CHUNKINGS[0]):
    """Return what lect reads in the reply of a case that arrives in chunks."""
    reply, _ = read_in_chunks(request(case), sizes)
    return {
        "content": reply.content,
        "reasoning": reply.reasoning,
        "calls": [{"name": call.name, "arguments": call.arguments} for call in reply.tool_calls],
        "incomplete": [call.name for call in reply.incomplete],
        "problems": [problem.code for problem in reply.problems],
    }


def misread(case, sizes=CHUNKINGS[0]):
    """Return the fields of a reply that are not as they were meant."""
    found, wanted = read(case, sizes), dict(expected(case))
    same = bare if wanted.pop("trim", False) else (lambda value: value or "")
    return {
        name: found[name]
        for name, value in wanted.items()
        if (same(found[name]) != same(value) if name in ("content", "reasoning") else found[name] != value)
    }


def bare(text):
    return (text or "").strip()


def rendered(case):
    """Return the prompt of a case."""
    options = {"add_generation_prompt": case.get("add_generation_prompt", False), **case.get("options", {})}
    return lect.render(case["model"], case["messages"], tools=case.get("tools"), **options)


def trained(case):
    """Return the trained text of each message, by its tokens."""
    prompt = rendered(case)
    marks = {mark: number for mark, number in prompt.template.markers.items() if number is not None}
    tokenizer = CharacterTokenizer(marks)
    encoded = prompt.encode(tokenizer, policy=lect.LossPolicy(), media="parts")
    found, before = [], False
    for number, label in zip(encoded.ids, encoded.labels, strict=True):
        if label != -100:
            found += [] if before else [""]
            found[-1] += tokenizer.id_to_token(number)
        before = label != -100
    return found


def times(case):
    """Return how often the ids of a prompt have a control token, and how often its text has it."""
    prompt = rendered(case)
    number = prompt.template.markers[case["token"]] or 1
    ids = prompt.encode(CharacterTokenizer({case["token"]: number})).ids
    return ids.count(number), prompt.text.count(case["token"])
