"""Replies with something cut out, doubled, swapped or inserted: whatever a model writes, every promise holds."""

import json
import random
import re
from difflib import get_close_matches

import pytest
import replies
from sampling import in_turn

PLAIN = "Nothing of this is a mark. " * 300
MOST_UNREAD = 4500
"""Characters that may wait for what follows: an unquoted value, which is passed on when it is complete."""
FORMATS = sorted(replies.formats())
NOISE = ["{", "}", "[", "]", '"', "'", "\\", ",", ":", "\n", " ", "<", ">", "</", "<|", "|>", "```", "é", "\ud83d", "\x00", "text", "null", "01", "name", "|", "｜", "‖", "‹", "_", "=", "/"]  # fmt: skip
ESCAPE = re.compile(r"\\(?:(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-7]{1,3}))|(.))", re.DOTALL)
"""An escape of JSON or of Python."""
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}

TYPE_OR_ID = re.compile(r'\b(?:type|id)"?[:=] *"[^"]*"|_type>[^<]*')
"""A member, an attribute or an element that says what something is, in any words, or what it is called."""
WORD = re.compile(r"[^\W\d_]{3,}")
OF_NOTATIONS = {
    "args", "arguments", "function", "input", "item", "json", "name", "number", "object", "parameters", "properties", "string",
    "null", "tool", "None", "True", "False",
}  # fmt: skip
"""Words of a notation that are not arguments: keys of a call, types, tags, fences, and what Python writes for null."""
LEFT_OUT = {"bad_arguments", "duplicate_key", "stray_member"}
"""Problems that say that something in a call does not count, by its key."""
GAPS = re.compile("[_▁ ]")
"""What may be missing in a mark that is read all the same."""


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


def decoded(text, others):
    """Return text without escapes; `others` says what becomes of a backslash that begins none."""

    def character(found):
        if found[4]:
            return ESCAPES.get(found[4], others + found[4])
        if others and not found[1]:
            return found[0]
        return chr(int(found[3], 8) if found[3] else int(found[1] or found[2], 16))

    joined = ESCAPE.sub(character, text)
    return joined.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def texts_in(value):
    """Return all texts in arguments, except keys."""
    if isinstance(value, dict | list):
        return [text for inner in (value.values() if isinstance(value, dict) else value) for text in texts_in(inner)]
    return [value] if isinstance(value, str) else []


def is_written(value, text):
    """Return whether every text in arguments occurs in a reply, escaped up to two times or not at all."""
    once = [decoded(text, others) for others in ("", "\\")]
    whole = "\0".join([text, *once, *(decoded(each, "\\") for each in once)])
    return all(each in whole for each in texts_in(value))


def dropped(call, reply, grammar):
    """Return words of a call that are in no argument and in no mark, and that no problem names: lost in silence."""
    raw = TYPE_OR_ID.sub("", reply.raw[slice(*call.span)])
    if LEFT_OUT.intersection(problem.code for problem in reply.problems):
        return set()
    told = "\n".join(problem.text for problem in reply.problems)
    marks = repr(grammar)
    kept = "\0".join([call.name, call.id or "", call.arguments_text, told, marks, GAPS.sub("", marks)])
    kept = "\0".join([kept, *(decoded(kept, others) for others in ("", "\\"))])
    words = {word for text in (raw, decoded(raw, "\\")) for word in WORD.findall(text)}
    # The first character after a backslash is a part of an escape.
    lost = [word for word in words - OF_NOTATIONS if word not in kept and word[1:] not in kept]
    # A mark may be misspelt, and a comment is left out on purpose.
    return {word for word in lost if not get_close_matches(word, WORD.findall(marks), 1, 0.7) and "comment" not in told}


def unread_before(more, text, how):
    """Return how many characters of a reply are still unread after more text has followed."""
    stream = replies.open_stream(**how)
    stream.feed(text)
    stream.feed(more)
    return len(stream._reader.buffer) - stream._reader.at


@pytest.mark.parametrize("name", in_turn(FORMATS, 6))
def test_a_mutated_reply_keeps_every_promise(name, scale):
    chance = random.Random(name)
    known, grammar = originals(name), replies.formats()[name].grammar
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
            assert is_written(call.arguments, text), (text, how, call.arguments)
            assert not dropped(call, reply, grammar), (text, how, call.arguments)
