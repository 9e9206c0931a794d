"""A prompt that ends within the last message: for every template that is installed, and as transformers ends it.

An ordinary run compares one maker's template in four, and one in eight as one's own; LECT_FULL=1 compares all.
"""

import copy
from datetime import datetime

import differential
import goldens
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from installed_templates import installed
from sampling import in_turn
from together import together

import lect
from lect import LectError
from lect.format.prefill import MARK

pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in a maker's template
TAG = "CONTINUE_FINAL_MESSAGE_TAG "
"""What transformers writes for a mark."""
CONTINUED = {"continue_final_message": True}
TEMPLATES = installed()
MAKERS = goldens.native_models()
THE_MOMENT = datetime(2024, 7, 26, 12)


def ending_with(content, **fields):
    return [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": content, **fields}]


def parts(*texts):
    return [{"type": "text", "text": text} for text in texts]


CALL = {"id": "call00001", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}}
SHAPES = {
    "a text": ending_with("Sure, the"),
    "a text in white space": ending_with(" \nSure, the \n"),
    "parts": ending_with(parts("Sure, the")),
    "parts and reasoning": ending_with(parts("Sure, the"), reasoning_content="R."),
    "a text and reasoning": ending_with("Sure, the", reasoning_content="R."),
    "a closed thought": ending_with("<think>\nR.\n</think>\n\n"),
    "an open thought": ending_with("<think>\nR. I"),
    "a text beside a call": ending_with("Sure, the", tool_calls=[CALL]),
}


def by_transformers(slug, messages):
    """Return what transformers makes of a maker's template, by its rule; None where it has no text."""
    chat = copy.deepcopy(differential.normalize(slug, messages))
    content = chat[-1]["content"]
    if isinstance(content, list):
        last = next(part for part in reversed(content) if "text" in part)
        last["text"], said = last["text"] + TAG, last["text"]
    else:
        chat[-1]["content"], said = content + TAG, content
    try:
        text = differential.reference().render(slug, chat)
    except Exception:  # A template may refuse, or crash in any way.
        return None
    at = text.rfind(TAG.strip())
    if at < 0 or said.strip() not in text:
        return None
    return text[:at] if text.startswith(TAG, at) else text[:at].rstrip()


def compare(slug, template, date):
    clock = {"date": date} if "date" in template.options else {}
    for messages in SHAPES.values():
        expected = by_transformers(slug, messages)
        if expected is None:
            continue
        prompt = template.text(messages, **CONTINUED, **clock)
        if prompt != expected:
            # Llama 2's templates trim a text and write a space behind it, which transformers takes for one that is
            # left alone: it ends as no whole message is written.
            whole = template.text(messages, **clock)
            assert whole.startswith(prompt)
            assert not whole.startswith(expected)
            assert prompt == expected.rstrip()


@pytest.mark.parametrize("slug", in_turn(MAKERS, 4))
def test_a_family_ends_as_transformers_ends_the_makers_template(slug):
    compare(slug, lect.resolve(MAKERS[slug]).template, goldens.THE_DAY)


@together("slug", in_turn(differential.entries(), 24))
def test_a_template_of_ones_own_ends_as_transformers_ends_it(slug):
    compare(slug, differential.own_template(slug), THE_MOMENT)


def continued(template, messages):
    """Return the prompt, or the error."""
    try:
        return template.render(messages, **CONTINUED)
    except LectError as error:
        return error


@together("name", TEMPLATES)
def test_nothing_of_the_last_text_is_lost_and_the_mark_is_gone(name):
    template = TEMPLATES[name]
    for shape, messages in SHAPES.items():
        prompt = continued(template, messages)
        assert MARK not in str(prompt)
        if isinstance(prompt, LectError):
            continue
        assert prompt.text == template.text(messages, **CONTINUED)
        assert "".join(segment.text for segment in prompt.segments) == prompt.text
        if "thought" not in shape and "call" not in shape:
            assert prompt.text.rstrip().endswith("Sure, the")
        if "parts" in shape:
            plain = [messages[0], {**messages[1], "content": "Sure, the"}]
            # A maker's template may write parts as the list that they are.
            if template.text(messages) == template.text(plain):
                assert prompt.text == template.text(plain, **CONTINUED)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(sorted(TEMPLATES)), st.text(min_size=1), st.text(), st.booleans())
def test_any_text_is_continued_or_refused(name, said, thought, in_parts):
    template = TEMPLATES[name]
    messages = ending_with(parts("a", said) if in_parts else said, reasoning_content=thought)
    assert MARK not in str(continued(template, messages))


def test_reasoning_is_continued_where_there_is_no_content():
    template = lect.get_template("Qwen/Qwen3-8B")
    for content in (None, "", [], parts("")):
        prompt = template.text(ending_with(content, reasoning_content="So"), **CONTINUED)
        assert prompt.endswith("<think>\nSo")
    assert template.text(ending_with(" ", reasoning_content="So"), **CONTINUED).endswith("</think>\n\n ")


def test_the_mark_in_somebodys_text_is_text():
    messages = [{"role": "user", "content": f"Say {MARK} "}, {"role": "assistant", "content": f"{MARK} is"}]
    for name in ("Qwen/Qwen3-8B", "meta-llama/Llama-2-7b-chat-hf", "LiquidAI/LFM2.5-VL-3B"):
        template = lect.get_template(name)
        prompt = template.text(messages, **CONTINUED)
        assert prompt.endswith(f"{MARK} is")
        assert template.text(messages).startswith(prompt)


def test_what_follows_the_text_is_told():
    messages = ending_with("Let me look.", tool_calls=[CALL])
    prompt = lect.get_template("Qwen/Qwen3-8B").render(messages, **CONTINUED)
    assert prompt.text.endswith("Let me look.")
    assert {unused.path[2:4] for unused in prompt.unused} == {("tool_calls", 0)}
    with pytest.raises(LectError, match="tool_calls"):
        lect.get_template("Qwen/Qwen3-8B").render(messages, strict=True, **CONTINUED)
