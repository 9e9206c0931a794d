"""What a model is trained to write is what it writes on a server, and is read back as it was meant."""

import random
from contextlib import suppress
from functools import partial

import hostile
import pytest
from reasoning_facts import UNKNOWN
from sampling import in_turn, some
from sessions import (
    KINDS,
    bare,
    heard,
    inside_markers,
    meant,
    message,
    options_of,
    random_session,
    results_of,
    session,
    tools_for,
)
from together import together

import lect
from lect.format.call_ids import respelled
from lect_kit.conversations import dated

TEMPLATES = {name: template for name, template in hostile.installed().items() if not name.startswith("lect:")}
every_template = together("name", in_turn(sorted(TEMPLATES), 3))
WHITE_SPACE = {
    "falcon:falcon-instruct": "empty lines are removed",
    "minicpm:minicpm5": "the line end before a call belongs to the text",
    "minicpm:minicpm5-2b": "the line end before a call belongs to the text",
}
"""Formats that give a message back with other white space."""


USER = {"role": "user", "content": "Go on."}
CASES = [(kind, seed) for kind in KINDS for seed in range(4)]


@every_template
def test_a_reply_is_read_back_as_it_was_meant(name):
    template = TEMPLATES[name]
    written, refusals = 0, set()
    for kind, seed in [("content", 0), ("reasoning", 0), *some(CASES, name)]:
        chance = random.Random(f"{kind}{seed}")
        history = session(chance, ["content"] * chance.randint(0, 2))
        messages = [*history, USER, message(chance, kind, 9)]
        tools = tools_for(messages)
        for options in options_of(template):
            try:
                served = template.render(messages[:-1], tools=tools, add_generation_prompt=True, **options)
                reply = template.reply_text(messages, tools=tools, **options)
            except lect.RefusedError:
                continue  # The maker's rule, wherever the message is.
            except lect.MessageError as error:
                refusals.add(str(error))
                continue
            written += 1
            parsed = template.parse(reply.text, prompt=served, tools=tools)
            if name in WHITE_SPACE:
                assert bare(heard(parsed)) == bare(meant(messages[-1]))
            else:
                assert heard(parsed) == meant(messages[-1]), (reply.text, served.text[-80:])
            assert "".join(segment.text for segment in reply.segments) == reply.text
    assert all("cannot write" in refusal for refusal in refusals)
    reasons = "reasoning" in template.capabilities
    assert any("is not known" in refusal for refusal in refusals) == (reasons and name in UNKNOWN)
    assert written or name in UNKNOWN


@every_template
def test_no_span_cuts_a_marker(name):
    template = TEMPLATES[name]
    if template.text_separators:
        pytest.skip("its markers are words, with the white space after them")
    for seed in some(range(8), name):
        chance = random.Random(seed)
        messages = session(chance, chance.choices(KINDS, k=3))
        for how in ("never", "auto"):
            try:
                prompts = template.unroll(messages, how, tools=tools_for(messages), **dated(template))
            except lect.MessageError:
                continue
            for prompt in prompts:
                assert not {edge for span in prompt.loss_spans() for edge in span[:2]} & inside_markers(prompt)


@every_template
def test_the_next_prompt_is_the_same_with_a_reply_that_was_read(name):
    """A server that keeps what it parsed sends the same bytes as one that knows the message."""
    template = TEMPLATES[name]
    if name in WHITE_SPACE:
        pytest.skip(WHITE_SPACE[name])
    for kind, seed in [("content", 0), *some(CASES, name)]:
        chance = random.Random(f"{kind}{seed}")
        history = random_session(chance)
        asked = [USER] * (history[-1]["role"] == "assistant")
        messages = respelled([*history, *asked, message(chance, kind, 99)], template.reply)
        tools = tools_for(messages)
        for options in options_of(template):
            render = partial(template.text, tools=tools, add_generation_prompt=True, **options)
            try:
                reply, served = template.reply_text(messages, tools=tools, **options).text, render(messages[:-1])
            except lect.MessageError:
                continue
            if served.endswith((*template.stop,)):
                continue  # The format writes no result, and does not ask after one.
            read = template.parse(reply, prompt=served, tools=tools).to_message()
            # The ids of calls are the server's, and a message that has nothing but calls has no content.
            known = {**messages[-1], "content": messages[-1]["content"] or None}
            for call, of_server in zip(known.get("tool_calls", ()), read.get("tool_calls", ()), strict=True):
                call["id"] = of_server["id"]
            after = results_of(read) or [USER]
            with suppress(lect.MessageError):
                expected = render([*messages[:-1], known, *after])
                assert render([*messages[:-1], read, *after]) == expected
