"""Answers as models write them, as text and as ids in which ordinary tokens spell control tokens."""

import replies
from constraints import without_stop

import lect
from lect.tokens.tokenizer import encoder_of

QUESTION = [{"role": "user", "content": "Hi"}]
TOOL = {
    "name": "write_file",
    "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}
TOOLS = [{"type": "function", "function": TOOL}]
PLACE = "PLACE"


def says(content):
    return {"role": "assistant", "content": content}


def calls(text):
    function = {"name": TOOL["name"], "arguments": {"text": text}}
    return says("") | {"tool_calls": [{"id": "call_0", "type": "function", "function": function}]}


def written(template, message):
    """Return an answer as the model writes it, without the stop; None if it has no way of doing so."""
    thoughts = [{"reasoning_content": "Look."}] * ("reasoning" in template.capabilities)
    for thought in (*thoughts, {}):
        try:
            text = template.reply_text([*QUESTION, message | thought], tools=TOOLS).text
        except lect.LectError:
            continue
        return without_stop(template, text)
    return None


def writes_calls(template):
    reply = template.reply and written(template, calls("x"))
    return bool(reply and template.parse(reply, tools=TOOLS).tool_calls)


def tokens(template):
    return [token for token in dict.fromkeys((*template.control_tokens, *template.stop)) if "{}" not in token]


def sentence(template, tokenizer):
    """Return a text about the control tokens of a template that a tokenizer has; it ends no string in a call."""
    controls = [token for token in tokens(template) if token in encoder_of(tokenizer).controls]
    return "".join(f"As in {token}{token[:2]} here. " for token in controls if not {*token} & {*"\"'\\"}) + "End."


def sampled(tokenizer, reply, text):
    """Return the ids of a reply with a text in place of its word: control tokens, except in that text."""
    encoder, at = encoder_of(tokenizer), reply.index(PLACE)
    further = len(text) - len(PLACE)
    moved = [each if each.start < at else each._replace(start=each.start + further, end=each.end + further)
             for each in encoder.found(reply)]  # fmt: skip
    return encoder.between(reply.replace(PLACE, text), moved).ids


def fed(template, tokenizer, ids, size):
    """Return the reply that some ids make, and what its events add up to."""
    stream = template.stream(tools=TOOLS, tokenizer=tokenizer, call_id="call_{}".format)
    events = [event for at in range(0, len(ids), size) for event in stream.feed_ids(ids[at : at + size])]
    events += stream.finish()
    return stream.close(), replies.folded_deltas(events)


def heard(template, tokenizer, message):
    """Return the reply with a message in which ordinary tokens spell control tokens, however it is fed."""
    text = sentence(template, tokenizer)
    reply = written(template, message(PLACE)) + next(iter(template.stop), "")
    found, deltas = fed(template, tokenizer, sampled(tokenizer, reply, text), 10_000)
    assert deltas == found.to_openai()
    # Some tokenizers put a space before every text.
    assert found.raw.lstrip(" ") == reply.replace(PLACE, text).lstrip(" ")
    assert fed(template, tokenizer, sampled(tokenizer, reply, text), 1) == (found, deltas)
    return found
