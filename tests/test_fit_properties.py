"""What fit promises of every format with tools, on random sessions: a longer one begins as the shorter one did, a fitted
one is not changed again, the changes can be undone, and nothing of the caller's is changed."""

import copy
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from installed_templates import installed
from sampling import few, in_turn
from together import together

from lect import LectError
from lect.format.call_ids import respelled

pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in a maker's template
FORMATS = {name: template for name, template in installed().items() if "tools" in template.capabilities}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "look",
            "description": "Look up a word.",
            "parameters": {
                "type": "object",
                "properties": {"q": {"$ref": "#/$defs/word"}},
                "$defs": {"word": {"type": "string"}},
            },
        },
    }
]
TEXTS = st.sampled_from(["", "One.", "Two words", " ", "\n", "<think>x</think>"])
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}


def text_part(text):
    return {"type": "text", "text": text}


CONTENTS = TEXTS | st.lists(TEXTS.map(text_part) | st.just(IMAGE), min_size=1, max_size=3)
STRICT = {"mistral-small-2501", "mistral-small-3.2", "mistral-medium-3.5", "ministral-3-reasoning"}
"""Formats in which turns alternate strictly: an empty answer is left out of them, so that what follows it joins what was
sent before it."""


@st.composite
def blocks(draw):
    """Return some messages of a session: an instruction, a question, an answer, or calls and results, not all of them
    in order."""
    kind = draw(st.sampled_from(["system", "developer", "user", "user", "answer", "calls", "calls", "orphan"]))
    if kind in ("system", "developer", "user"):
        return [{"role": kind, "content": draw(CONTENTS if kind == "user" else TEXTS)}]
    if kind == "orphan":
        return [{"role": "tool", "tool_call_id": "gone", "content": draw(CONTENTS)}]
    message = {"role": "assistant", "content": draw(TEXTS)}
    if draw(st.booleans()):
        message["reasoning_content"] = draw(TEXTS)
    if kind == "answer":
        return [message]
    ids = [f"toolu_{draw(st.integers(0, 10**6))}_{at}" for at in range(draw(st.integers(1, 3)))]
    message["tool_calls"] = [
        {"id": each, "type": "function", "function": {"name": "look", "arguments": {"q": each}}} for each in ids
    ]
    answered = draw(st.permutations(ids))[: draw(st.integers(0, len(ids)))] if draw(st.booleans()) else ids
    return [message, *({"role": "tool", "tool_call_id": each, "content": draw(CONTENTS)} for each in answered)]


SESSIONS = st.lists(blocks(), max_size=6).map(lambda several: [message for block in several for message in block])


@together("name", in_turn(FORMATS, 4))
def test_random_sessions(name):
    template = FORMATS[name]

    @settings(max_examples=few(200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(messages=SESSIONS, split_text=st.booleans(), invent=st.booleans())
    def keeps_its_promises(messages, **wishes):
        given, tools = copy.deepcopy(messages), copy.deepcopy(TOOLS)
        fitted = template.fit(messages, tools, **wishes)
        assert (messages, tools) == (given, TOOLS)
        assert fitted.undo() == (messages, TOOLS)
        assert bool(fitted.changes) == (fitted.messages is not messages or fitted.tools is not tools)
        assert len(fitted.origins) == len(fitted.messages)
        again = template.fit(fitted.messages, fitted.tools, **wishes)
        assert again.steps == ()
        for at, (before, message) in enumerate(pairwise(messages), 1):
            # A client asks for an answer before each of the model's turns.
            if message["role"] != "assistant" or before["role"] == "assistant":
                continue
            begun = template.fit(messages[:at], tools, **wishes).messages
            if template.name in STRICT and any(not is_said(each) for each in messages[at:]):
                continue
            assert list(begun) == list(fitted.messages[: len(begun)])

    keeps_its_promises()


def is_said(message):
    return message["role"] != "assistant" or message["content"] or message.get("tool_calls")


def asked(at, text=None, calls=1):
    ids = [f"toolu_{at}{each}" for each in range(calls)]
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [
            {"id": each, "type": "function", "function": {"name": "look", "arguments": {"q": each}}} for each in ids
        ],
    }


def seen(at, number=0, content="wet"):
    return {"role": "tool", "tool_call_id": f"toolu_{at}{number}", "content": content}


def said(role, content):
    return {"role": role, "content": content}


def parts(*texts):
    return [text_part(text) for text in texts]


FIRST, ENDING = (
    said("system", "Be brief."),
    [said("user", "Q2"), asked(3), seen(3), said("assistant", "A2"), said("user", "Q3")],
)
ODD = {
    "late system messages": [
        FIRST, said("user", "Q1"), said("system", "L1"), asked(1), seen(1), said("system", "L2"), asked(2), seen(2),
        said("assistant", "A1"), said("system", "L3"), *ENDING,
    ],
    "developers": [
        said("developer", "D0"), said("developer", "D1"), said("user", "E"), said("user", "Q1"), asked(1), seen(1),
        asked(2), seen(2), said("assistant", "A1"), said("developer", "D2"), *ENDING,
    ],
    "users in a row, and after a result": [
        FIRST, said("user", "Q0"), said("user", "Q1"), asked(1), seen(1), said("user", "N"), asked(2), seen(2),
        said("assistant", "A1"), said("user", "Q2"), *ENDING,
    ],
    "parallel calls and texts": [
        FIRST, said("user", "Q1"), asked(1, "I look", 2), seen(1), seen(1, 1), asked(2, "again"), seen(2),
        said("assistant", "A1"), *ENDING,
    ],
    "parts": [
        said("system", parts("S1", "S2")), said("user", parts("E", "Q1")), asked(1), seen(1, 0, parts("x", "y")), asked(2),
        seen(2), said("assistant", "A1"), *ENDING,
    ],
}  # fmt: skip
FORKS = {"bielik:bielik-v3": "developers"}
"""Formats whose exact prompt forks wherever there is a system text; without fit, such a session has none."""


def prompts(template, messages, *, fits):
    """Return the prompt before each turn of the model; nothing if one is refused."""
    written = []
    for at, message in enumerate(messages):
        if message["role"] == "assistant" or at == len(messages) - 1:
            begun = messages[: at + (message["role"] != "assistant")]
            try:
                if fits:
                    fitted = template.fit(begun, TOOLS, add_generation_prompt=False)
                    begun, tools = fitted.messages, fitted.tools
                else:
                    begun, tools = respelled(begun, template.reply), TOOLS
                written.append(template.text(begun, tools=tools))
            except LectError:
                return []
    return written


@together("name", in_turn(FORMATS, 4, "exact"))
def test_where_the_exact_prompt_of_a_turn_begins_with_that_before_the_fitted_one_does(name):
    for session, messages in ODD.items():
        fitted, exact = (prompts(FORMATS[name], messages, fits=fits) for fits in (True, False))
        assert fitted, session
        if exact and FORKS.get(name) != session:
            for (one, other), (begun, whole) in zip(pairwise(exact), pairwise(fitted), strict=True):
                assert whole.startswith(begun) or not other.startswith(one), session


@pytest.mark.parametrize("name", FORKS)
def test_a_format_that_forks_does_so_wherever_there_is_a_system_text(name):
    session = [{**each, "role": "user"} if each["role"] == "developer" else each for each in ODD[FORKS[name]][2:]]
    without, with_system = (prompts(FORMATS[name], messages, fits=False) for messages in (session, [FIRST, *session]))
    assert all(other.startswith(one) for one, other in pairwise(without))
    assert not all(other.startswith(one) for one, other in pairwise(with_system))
