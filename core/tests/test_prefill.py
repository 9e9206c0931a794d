"""Prompts that end within the last message, for a model to continue it."""

import pytest

import lect
from lect.errors import MessageError

CHATML = lect.template("chatml")
ASKED = [{"role": "user", "content": "Hi"}]
BEGUN = [*ASKED, {"role": "assistant", "content": "Sure, "}]
BEHIND = {"continue_final_message": True, "add_generation_prompt": True}


def test_the_prompt_ends_with_the_text_of_the_last_message():
    for arguments in ({"continue_final_message": True}, BEHIND):
        prompt = CHATML.render(BEGUN, **arguments)
        assert prompt.text == CHATML.text(BEGUN, **arguments)
        assert prompt.text.endswith("<|im_start|>assistant\nSure, ")
        assert prompt.segments[-1].path == ("messages", 1, "content")


@pytest.mark.parametrize("arguments", [{"continue_final_message": True}, BEHIND])
@pytest.mark.parametrize(
    ("messages", "named"),
    [
        (None, "messages is None"),
        ("Hi", "messages is 'Hi'"),
        (7, "messages is 7"),
        ([], "there are no messages"),
        (ASKED, "the last message is"),
        ([*ASKED, "Sure, "], "'Sure, '"),
        ([*ASKED, None], "None"),
        ([*ASKED, {"role": "assistant", "content": ""}], "the last message is"),
        ([*ASKED, {"role": "assistant", "content": 7}], "7"),
        ([*ASKED, {"role": "assistant", "content": "Sure \ud800"}], "surrogate"),
    ],
)
def test_what_cannot_be_continued_is_refused(arguments, messages, named):
    with pytest.raises(MessageError, match=named):
        CHATML.render(messages, **arguments)
    with pytest.raises(MessageError, match=named):
        CHATML.text(messages, **arguments)


def test_the_end_of_the_last_text_part_is_continued():
    texts = [{"type": "text", "text": "Well."}, {"type": "text", "text": "Sure, "}]
    for arguments in ({"continue_final_message": True}, BEHIND):
        prompt = CHATML.render([*ASKED, {"role": "assistant", "content": texts}], **arguments)
        assert prompt.text.endswith("<|im_start|>assistant\nWell.\nSure, ")


def test_a_picture_has_no_place_behind_the_generation_prompt_and_that_is_told():
    seen = [{"type": "image"}, {"type": "text", "text": "Sure, "}]
    prompt = CHATML.render([*ASKED, {"role": "assistant", "content": seen}], **BEHIND)
    assert prompt.text.endswith("<|im_start|>assistant\nSure, ")
    assert [(unused.path, unused.why) for unused in prompt.unused] == [(("messages", 1, "content", 0), "dropped")]


def test_parts_without_a_text_cannot_be_continued():
    seen = {"role": "assistant", "content": [{"type": "image"}], "reasoning_content": "R."}
    for arguments in ({"continue_final_message": True}, BEHIND):
        with pytest.raises(MessageError, match="the last message is"):
            CHATML.render([*ASKED, seen], **arguments)
