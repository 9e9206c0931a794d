"""Rows with images beside their messages: LLaMA-Factory's, LLaVA's, ms-swift's and TRL's."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lect

ANSWER = {"role": "assistant", "content": "A cat."}


def asked(content):
    return {"role": "user", "content": content}


def image(value):
    return {"type": "image", "image": value}


def text(value):
    return {"type": "text", "text": value}


@pytest.mark.parametrize(
    ("row", "messages"),
    [
        ({"messages": [asked("<image>What?"), ANSWER], "images": ["a.png"]}, [asked([image("a.png"), text("What?")])]),
        (
            {"conversations": [{"from": "human", "value": "What?\n<image>"}, {"from": "gpt", "value": "A cat."}], "image": "a.png"},
            [asked([text("What?\n"), image("a.png")])],
        ),
        (
            {"messages": [asked([{"type": "image", "text": None}, text("What?")]), ANSWER], "images": [{"bytes": b"PNG", "path": None}]},
            [asked([image({"bytes": b"PNG", "path": None}), text("What?")])],
        ),
        (
            {"query": None, "instruction": "<image><video>What?", "output": "A cat.", "images": ["a.png"], "videos": ["b.mp4"]},
            [asked([image("a.png"), {"type": "video", "video": "b.mp4"}, text("What?")])],
        ),
    ],
)  # fmt: skip
def test_what_a_row_has_stands_where_its_messages_name_it(row, messages):
    before = copy.deepcopy(row)
    read = lect.row(row)
    assert read.messages == [*messages, ANSWER]
    assert not {"images", "image", "videos"}.intersection(read.rest)
    assert row == before


def test_a_preference_follows_the_same_images():
    read = lect.row({"prompt": "<image>Which?", "chosen": "A cat.", "rejected": "A dog.", "images": ["a.png"]})
    assert read.messages == [asked([image("a.png"), text("Which?")])]
    assert (read.chosen, read.rejected) == ([ANSWER], [{"role": "assistant", "content": "A dog."}])
    sides = {"chosen": [asked("<image>?"), ANSWER], "rejected": [asked("<image>?"), {**ANSWER, "content": "A dog."}]}
    assert lect.row({**sides, "images": ["a.png"]}).messages == [asked([image("a.png"), text("?")])]


def test_what_no_message_names_stays_beside_them():
    read = lect.row({"messages": [asked("What?"), ANSWER], "images": ["a.png"], "videos": []})
    assert read.messages == [asked("What?"), ANSWER]
    assert read.rest["images"] == ["a.png"]
    assert lect.row({"messages": [asked("Use <image> tags"), ANSWER]}).messages[0] == asked("Use <image> tags")


@pytest.mark.parametrize(("content", "times"), [("<image>What?", "once"), ("<image><image><image>", "3 times")])
def test_each_image_needs_a_place(content, times):
    with pytest.raises(lect.MessageError) as caught:
        lect.row({"messages": [asked(content), ANSWER], "images": ["a.png", "b.png"]})
    assert str(caught.value) == f"images has 2, and the messages name <image> {times}\n  try: one <image> for each"


@given(st.lists(st.sampled_from(["<image>", "a", " <video>", "\n", "<", "image>"]), min_size=1, max_size=12))
def test_nothing_of_a_text_is_lost(pieces):
    content = "".join(pieces)
    given_images = [f"{at}.png" for at in range(content.count("<image>"))]
    (message, _) = lect.row({"messages": [asked(content), ANSWER], "images": given_images}).messages
    if not given_images:
        assert message == asked(content)
        return
    parts = message["content"]
    assert "".join(part.get("text", "<image>") for part in parts) == content
    assert [part["image"] for part in parts if part["type"] == "image"] == given_images
