"""Replies of late 2026, valid and mistaken, each with the readings that a careful person expects."""

import json

import pytest
import replies
from shared import SHARED
from together import together

import lect

if not SHARED.exists():
    pytest.skip("the replies are not available: ../shared is missing", allow_module_level=True)
FRESH = json.loads((SHARED / "vectors/fresh-2026-11.json").read_text("utf-8"))


def read(vector, sizes):
    """Return the reply to the prompt that the vector's options make; the format alone if it names no model."""
    given = {"tools": vector["tools"], "starts_in_reasoning": vector["starts"]}
    if vector["model"] is None:
        stream = replies.open_stream(vector["format"], **given)
    else:
        template = lect.get_template(vector["model"])
        question = [{"role": "user", "content": "Hi"}]
        prompt = template.render(question, tools=vector["tools"], add_generation_prompt=True, **vector["opts"])
        stream = template.stream(prompt=prompt, call_id="call_{}".format, **given)
    for chunk in replies.chunks(vector["text"], sizes):
        stream.feed(chunk)
    return stream.close(vector["finish"])


def fits(wanted, reply, exact):
    """Return whether a reply is as wanted, in a white space that does not matter unless it is `exact`."""
    texts = [(wanted["content"], reply.content), (wanted["reasoning"], reply.reasoning)]
    same = all((a or "") == (b or "") if exact else (a or "").strip() == (b or "").strip() for a, b in texts)
    calls = [{"name": call.name, "arguments": call.arguments} for call in reply.tool_calls]
    whole = not (wanted["complete"] and reply.incomplete)
    named = wanted["problem"] is None or wanted["problem"] == bool(reply.problems)
    return same and calls == wanted["calls"] and whole and named


@together("vector", FRESH, ids=lambda vector: vector["id"])
def test_a_reply_is_read_as_a_careful_person_expects(vector):
    reply = read(vector, [len(vector["text"])])
    for sizes in ([1], [3], [7, 2]):
        assert read(vector, sizes) == reply
    assert any(fits(wanted, reply, vector["exact"]) for wanted in (vector["expect"], *vector["also"])), reply
