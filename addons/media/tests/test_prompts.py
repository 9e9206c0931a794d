"""Images in prompts: where they stand, what becomes of them, and what is trained."""

import base64
import pickle
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lect
from lect.plugin import Template
from lect_media import Item, Place

IMAGE, VIDEO, OPEN, CLOSE, END = "<|image_pad|>", "<|video_pad|>", "<|open|>", "<|close|>", "<|end|>"
GRID = {"rule": "grid", "patch_size": 14, "merge_size": 2, "size": {"shortest_edge": 784, "longest_edge": 784_000}}
MEDIA = {"image": {"placeholder": IMAGE, **GRID}, "video": {"placeholder": VIDEO, "temporal_patch_size": 2, **GRID}}


def write(chat, out):
    for message in out.turns(chat.messages):
        out += "<|", message.role, "|>"
        for part in message.parts:
            if part.type == "text":
                out.append(part.text)
            else:
                out.used(*part.path)
                out += OPEN, MEDIA[part.type]["placeholder"], CLOSE
        if not message.parts:
            out.append(message.content)
        out.append(END)
    if chat.add_generation_prompt:
        out.append("<|assistant|>")


SEEING = Template(
    "seeing", write, stop=[END], markers=[IMAGE, VIDEO, OPEN, CLOSE, END], accepts=["parts"], media=MEDIA,
    capabilities=["images", "video"],
)  # fmt: skip


class Characters:
    """A tokenizer with a token for each character, and one for each marker."""

    def control_tokens(self):
        return {marker: 1_200_000 + at for at, marker in enumerate(SEEING.markers)}

    def encode_ordinary(self, text):
        return [*map(ord, text)], [(at, at + 1) for at in range(len(text))]


IDS = Characters().control_tokens()
PARTS = st.lists(
    st.one_of(
        st.text(st.sampled_from("ab <|image_pad>"), min_size=1).map(lambda text: {"type": "text", "text": text}),
        st.sampled_from([IMAGE, OPEN + IMAGE]).map(lambda text: {"type": "text", "text": text}),
        st.sampled_from(["image", "image_url", "input_image", "video"]).map(lambda kind: {"type": kind}),
    ),
    min_size=1,
    max_size=5,
)
CHATS = st.lists(PARTS, min_size=1, max_size=4).map(
    lambda all_parts: [
        {"role": "assistant" if at % 2 else "user", "content": parts} for at, parts in enumerate(all_parts)
    ]
)


def seen(messages):
    """Return the path of each part that is no text."""
    return [
        ("messages", at, "content", place)
        for at, message in enumerate(messages)
        for place, part in enumerate(message["content"])
        if part["type"] != "text"
    ]


@given(CHATS)
def test_every_part_has_its_place_and_a_users_placeholder_is_text(messages):
    prompt = SEEING.render(messages)
    assert [place.path for place in prompt.media] == seen(messages)
    for place in prompt.media:
        assert prompt.text[place.start : place.end] == MEDIA[place.kind]["placeholder"]
        assert prompt.text[: place.start].endswith(OPEN)


@given(CHATS, st.data())
def test_ids_are_those_of_the_expanded_text_and_none_of_an_image_is_trained(messages, data):
    prompt = SEEING.render(messages)
    counts = data.draw(st.lists(st.integers(0, 5), min_size=len(prompt.media), max_size=len(prompt.media)))
    policy = lect.LossPolicy(roles=("user", "assistant"), allow_uniform=True)
    bare = prompt.encode(Characters(), policy=policy, strict=False)
    made = prompt.encode(Characters(), media=lambda items: counts, policy=policy, strict=False)
    at = iter(zip(bare.media, counts, strict=True))
    expected, begin = [], 0
    for place, count in at:
        expected += bare.ids[begin : place.start] + [bare.ids[place.start]] * count
        begin = place.end
    assert made.ids == expected + bare.ids[begin:]
    assert [(each.path, each.end - each.start) for each in made.media] == [
        (place.path, count) for place, count in zip(bare.media, counts, strict=True)
    ]
    inside = [at for place in made.media for at in range(place.start, place.end)]
    assert all(made.weights[at] == 0 for at in inside)
    # Of all else, what is trained is what was trained before.
    kept = [label for at, label in enumerate(made.labels) if at not in set(inside)]
    outside = {at for place in bare.media for at in range(place.start, place.end)}
    assert kept == [label for at, label in enumerate(bare.labels) if at not in outside]


@given(CHATS, st.data())
def test_an_image_is_never_cut(messages, data):
    prompt = SEEING.render(messages)
    whole = prompt.encode(Characters(), media=lambda items: [7] * len(items))
    length = data.draw(st.integers(1, len(whole.ids)))
    cut = prompt.encode(Characters(), media=lambda items: [7] * len(items), max_length=length)
    assert cut.ids == whole.ids[: len(cut.ids)]
    assert cut.media == tuple(place for place in whole.media if place.end <= length)
    assert len(cut.ids) + cut.report.truncated == len(whole.ids)
    reached = [place for place in whole.media if place.start < length < place.end]
    assert len(cut.ids) == (reached[0].start if reached else length)


CHAT = [
    {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "and"}, {"type": "video"}]},
    {"role": "assistant", "content": "A cat."},
]


def test_sizes_are_for_the_rule_of_the_template():
    prompt = SEEING.render(CHAT)
    made = prompt.encode(Characters(), media=[(56, 84), Item("video", (4, 28, 56))])
    assert [(each.kind, each.end - each.start) for each in made.media] == [("image", 6), ("video", 4)]
    assert made.field[made.media[0].start] == "messages[0].content[0]"
    assert [chr(each) for each in made.labels if 0 < each < 1_200_000] == [*"A cat."]


def test_a_function_is_given_every_item_and_may_return_a_text():
    asked = []

    def rows(items):
        asked.extend(items)
        return [IMAGE + OPEN + IMAGE, 2]

    made = SEEING.render(CHAT).encode(Characters(), media=rows)
    assert [(each.kind, each.path, each.size) for each in asked] == [
        ("image", ("messages", 0, "content", 0), ()),
        ("video", ("messages", 0, "content", 2), ()),
    ]
    assert made.ids[made.media[0].start : made.media[0].end] == [IDS[IMAGE], IDS[OPEN], IDS[IMAGE]]


class Picture:
    """As Pillow has images."""

    size = (84, 56)


HEADER = b"IHDR" + bytes([0, 0, 0, 84, 0, 0, 0, 56, 8, 2, 0, 0, 0])
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\r" + HEADER + crc32(HEADER).to_bytes(4)
URL = "data:image/png;base64," + base64.b64encode(PNG).decode()


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image", "height": 56, "width": 84},
        {"type": "image", "image": {"height": 56, "width": 84, "path": "nowhere.png"}},
        {"type": "image", "image": Picture()},
        {"type": "image", "image": PNG},
        {"type": "image", "image": {"bytes": PNG, "path": None}},
        {"type": "image", "url": URL},
        {"type": "image_url", "image_url": {"url": URL, "detail": "low"}},
        {"type": "image_url", "image_url": URL},
        {"type": "input_image", "image_url": URL},
        {"type": "image", "path": "cat.png"},
    ],
)
def test_parts_tell_their_sizes(part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cat.png").write_bytes(PNG)
    made = SEEING.render([{"role": "user", "content": [part]}]).encode(Characters(), media="parts")
    assert [each.end - each.start for each in made.media] == [6]


def test_a_video_tells_its_frames_or_is_refused():
    video = {"type": "video", "video": "a.mp4", "frames": 4, "height": 28, "width": 56}
    made = SEEING.render([{"role": "user", "content": [video]}]).encode(Characters(), media="parts")
    assert [each.end - each.start for each in made.media] == [4]
    prompt = SEEING.render([{"role": "user", "content": [{"type": "video", "video": "a.mp4"}]}])
    with pytest.raises(lect.SourceError, match=r"^messages\[0\].content\[0\] is video, and does not tell its frames"):
        prompt.encode(Characters(), media="parts")


@pytest.mark.parametrize(
    ("media", "message"),
    [
        ([(28, 28)], "media says what 1 images, videos and sounds are; the prompt has 2: image, video"),
        ([(28, 28), (28, 28)], "the size of item 1, video, is (28, 28)\n  try: (frames, height, width)"),
        ([(0, 28), (4, 28, 28)], "the height of item 0, image, is 0"),
        (lambda items: [1, None], "media says None for video; expected a number of placeholders, or a text"),
        (lambda items: [1, -1], "media says -1 for video"),
        (7, "media"),
    ],
)
def test_what_media_cannot_be(media, message):
    with pytest.raises(lect.LectError) as caught:
        SEEING.render(CHAT).encode(Characters(), media=media)
    assert message in str(caught.value)


def test_places_go_with_a_prompt_and_with_ids_to_another_process():
    prompt = SEEING.render(CHAT)
    made = prompt.encode(Characters(), media=lambda items: [3, 4])
    assert pickle.loads(pickle.dumps(prompt)).media == prompt.media
    assert pickle.loads(pickle.dumps(made)).media == made.media
    assert prompt.media[0] == Place("image", ("messages", 0, "content", 0), 16, 29)


def test_without_images_there_are_no_places():
    prompt = SEEING.render([{"role": "user", "content": "Hi"}])
    assert prompt.media == prompt.encode(Characters()).media == prompt.encode(Characters(), media=[]).media == ()
