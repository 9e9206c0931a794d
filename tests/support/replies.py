"""Replies with what they mean, and ways to cut them up."""

import json
from functools import cache

from pages import REPOSITORY

DATA = REPOSITORY / "tests/data/replies"
STAGES = {"reasoning": ("reasoning",), "tools": ("tools",), "full": ("reasoning", "tools")}
TEXTS = ("content", "reasoning", "call_args")
NO_CALL = {
    "plain", "think", "minimax_append_think", "granite_think", "kimi_vl_think", "hunyuan_a13b", "apriel", "deepseek_r1",
    "deepseek_v4_dsml", "olmo3_pythonic",
}  # fmt: skip
"""The formats whose example is not one call of `get_weather`."""


@cache
def vectors(name):
    """Return the replies of a file, each completed and corrected by our judgements."""
    told, instead = judgements()["told"], judgements()["instead"]
    return [vector | told.get(vector["id"], {}) | instead.get(vector["id"], {}) for vector in _load(name)["vectors"]]


@cache
def mistakes():
    """Return the mistakes that models make."""
    return [vector | {"stage": "full", "fields": list(vector["expected"])} for vector in vectors("mistakes")]


@cache
def field():
    """Return outputs of models as public issues report them, each with the model that wrote it."""
    return _load("field-2026")["vectors"]


@cache
def judgements():
    """Return our judgements on the vectors."""
    return _load("judgements")


def held_wrong():
    """Return why we consider some vectors wrong for us, by the id of the vector."""
    return {vector: judgements()["reasons"][code] for vector, code in judgements()["wrong"].items()}


def _load(name):
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


@cache
def formats():
    """Return every reply format that is installed, by name."""
    import lect

    return {name: lect._registry.formats.get(name) for name in lect.reply_formats()}


def starts_inside(reply_format):
    """Return whether the example of a format begins inside reasoning: it has the closing tag but no opening one."""
    return "</think>" in reply_format.example and "<think>" not in reply_format.example


def open_stream(format, *, stop=(), **arguments):  # noqa: A002  # as in `lect.stream`
    """Return a stream for a reply in a format, given by name or as an object.

    Its calls are counted, so that what two streams give can be compared.
    """
    from lect.reply.stream import ReplyStream

    given = formats()[format] if isinstance(format, str) else format
    return ReplyStream(given.grammar, stop=(*given.stop, *stop), **{"call_id": "call_{}".format, **arguments})


def read(text, sizes=None, **arguments):
    """Return the reply and the events of a text, fed in chunks of the given sizes over and over; whole by default."""
    return read_stream(open_stream(**arguments), text, sizes)


def read_stream(stream, text, sizes=None):
    """Return the reply and the events of a text that is fed to a stream."""
    events = []
    for chunk in chunks(text, sizes or [len(text)]):
        events += stream.feed(chunk)
    events += stream.finish()
    return stream.close(), events


def heard(text, **arguments):
    """Return the parsed reply, after checking that it is the same when fed character by character."""
    reply, events = read(text, **arguments)
    again, others = read(text, [1], **arguments)
    assert (again, fold(others)) == (reply, fold(events))
    return reply


def chunks(text, sizes):
    """Cut a text into chunks of the given sizes, over and over."""
    start = index = 0
    while start < len(text):
        size = max(sizes[index % len(sizes)], 1)
        yield text[start : start + size]
        start += size
        index += 1


def open_vector(vector):
    """Return a stream for a vector, with the options that it names."""
    options = vector["options"]
    extract = [
        what for what in STAGES[vector["stage"]] if what != "reasoning" or options.get("extract_reasoning") is not False
    ]
    return open_stream(
        format=vector["format"],
        tools=vector["tools"] or None,
        starts_in_reasoning=True if options.get("prompt_opens_reasoning") else None,
        extract=extract,
        stop=options.get("stop", ()),
    )


def read_vector(vector, sizes=None):
    """Return the reply and the events of a vector."""
    return read_stream(open_vector(vector), vector["input"], sizes)


def fold(events):
    """Return events with adjacent pieces of one text joined: what is left does not depend on chunks.

    Where the raw text of a call is cut between pieces of its arguments and its end depends on them.
    """
    folded = []
    for event in events:
        if event.kind == "call_args":
            event = event._replace(start=None, end=None)
        if event.kind == "call_end":
            event = event._replace(start=None)
        if folded and event.kind in TEXTS and (folded[-1].kind, folded[-1].index) == (event.kind, event.index):
            folded[-1] = folded[-1]._replace(text=folded[-1].text + event.text, end=event.end)
        else:
            folded.append(event)
    return folded


def folded_deltas(events):
    """Return the message that the OpenAI deltas of events add up to, as a client joins them."""
    message = {"role": "assistant", "content": ""}
    calls = {}
    for delta in filter(None, (event.to_openai() for event in events)):
        for key in ("content", "reasoning_content"):
            if key in delta:
                message[key] = message.get(key, "") + delta[key]
        for piece in delta.get("tool_calls", ()):
            call = calls.setdefault(piece["index"], {**piece, "function": {**piece["function"], "arguments": ""}})
            call["function"]["arguments"] += piece["function"]["arguments"]
    if calls:
        message["tool_calls"] = [
            {key: calls[index][key] for key in ("id", "type", "function")} for index in sorted(calls)
        ]
    message["content"] = message["content"] or (None if calls else "")
    return message


def as_expected(vector, reply):
    """Return whether a reply is what a vector expects, or any of its alternatives, in the fields that it pins."""
    listed = reply.tool_calls
    if any(call.get("arguments_is_raw_text") for call in vector["expected"].get("tool_calls", ())):
        # The peer lists a call that is not complete among the others, with the raw text of its arguments.
        listed = sorted((*reply.tool_calls, *reply.incomplete), key=lambda call: call.index)
    calls = [{"name": call.name, "arguments": call.arguments} for call in listed]
    if vector["options"].get("unknown_tool_policy_tested"):
        # The vector has the peer's policy, which drops calls of unknown tools; ours keeps them for the caller to drop.
        known = {tool["name"] for tool in vector["tools"]}
        calls = [call for call in calls if call["name"] in known]
    found = {"content": reply.content, "reasoning": reply.reasoning, "tool_calls": calls}
    spaces_differ = "compare with strip()" in (vector.get("note") or "")
    alternatives = [vector["expected"], *(other["expected"] for other in vector.get("alternatives", ()))]
    return any(
        all(_same(field, wanted[field], found[field], spaces_differ) for field in vector["fields"])
        for wanted in alternatives
    )


def _same(field, wanted, found, spaces_differ):
    if field == "tool_calls":
        wanted = [{"name": call["name"], "arguments": call["arguments"]} for call in wanted]
    elif field == "content" and spaces_differ:
        wanted, found = wanted.strip(), found.strip()
    return wanted == found
