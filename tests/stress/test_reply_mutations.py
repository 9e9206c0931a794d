"""Replies with something cut out, doubled, swapped or inserted: whatever a model writes, every promise holds."""

import json
import random

import pytest
import replies

PLAIN = "Nothing of this is a mark. " * 300
MOST_UNREAD = 4500
"""Characters that may wait for what follows: an unquoted value, which is passed on when it is complete."""
FORMATS = sorted(replies.formats())
NOISE = ["{", "}", "[", "]", '"', "'", "\\", ",", ":", "\n", " ", "<", ">", "</", "<|", "|>", "```", "é", "\ud83d", "\x00", "text", "null", "01", "name"]  # fmt: skip


def originals(name):
    """Return the known replies in a format, and its example."""
    known = [*replies.vectors("parse"), *replies.vectors("parse-adversarial"), *replies.mistakes()]
    found = [(vector["input"], vector["tools"] or None) for vector in known if vector["format"] == name]
    return [*found, (replies.formats()[name].example, None)]


def mutated(text, chance):
    """Return a text with up to three changes."""
    for _ in range(chance.randint(1, 3)):
        start, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
        end = min(end, start + chance.choice((1, 4, 16, 64)))
        piece = text[start:end]
        text = chance.choice(
            (
                text[:start] + text[end:],
                text[:end] + piece + text[end:],
                text[:start] + chance.choice(NOISE) + text[end:],
                text[end:] + text[:end],
                text[:end],
            )
        )
    return text


def unread_before(more, text, how):
    """Return how many characters of a reply are still unread after more text has followed."""
    stream = replies.open_stream(**how)
    stream.feed(text)
    stream.feed(more)
    return len(stream._reader.buffer) - stream._reader.at


@pytest.mark.parametrize("name", FORMATS)
def test_a_mutated_reply_keeps_every_promise(name, scale):
    chance = random.Random(name)
    known = originals(name)
    for number in range(max(200, 50 * scale)):
        text, tools = chance.choice(known)
        text = mutated(text, chance)
        how = {
            "format": name,
            "tools": chance.choice((tools, None)),
            "starts_in_reasoning": chance.choice((None, True)),
        }
        sizes = [chance.randint(1, 9) for _ in range(3)]
        reply, events = replies.read(text, **how)
        again, others = replies.read(text, sizes, **how)
        assert (again, replies.fold(others)) == (reply, replies.fold(events)), (text, how, sizes)
        assert replies.folded_deltas(events) == reply.to_openai(), (text, how)
        assert number % 10 or unread_before(PLAIN, text, how) <= MOST_UNREAD, (text, how)
        assert "".join(text[piece.start : piece.end] for piece in reply.pieces) == text == reply.raw, (text, how)
        for call in reply.tool_calls:
            assert json.loads(call.arguments_text) == call.arguments, (text, how)
            assert call.name, (text, how)
