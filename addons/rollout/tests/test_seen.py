"""Rollouts in which a model is shown images: by users, and by the results of its calls."""

import base64
import pickle

import pytest
import small_images
from thinking_chatml import CALL, CONTROLS, THINKING, sample, shown
from tiny_tokenizer import Bytes

import lect
from lect.plugin import Template
from lect_media import Item, media_tokens
from lect_rollout import Rollout

PAD, OPEN, CLOSE = "<|image_pad|>", "<|vision_start|>", "<|vision_end|>"
GRID = {"rule": "grid", "patch_size": 14, "merge_size": 2, "size": {"shortest_edge": 784, "longest_edge": 784_000}}


def write(chat, out):
    """Write the same ChatML with images in any turn."""
    for message in out.turns(chat.messages):
        out += "<|im_start|>", message.role, "\n"
        if not message.parts:
            out.append(message.content)
        for part in message.parts:
            if part.type == "image":
                out += OPEN, PAD, CLOSE
                out.used(*part.path)
            else:
                out.append(part.text)
        for call in message.tool_calls:
            arguments = chat.arguments_as_given(call)
            out += '<tool_call>\n{"name": "', call.name, '", "arguments": ', arguments, "}\n</tool_call>"
        out.append("<|im_end|>\n")
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")


SEEING = Template(
    "seeing", write, reply=THINKING.reply, roles=THINKING.roles, stop=THINKING.stop,
    markers=[*CONTROLS, PAD, OPEN, CLOSE], capabilities=["system", "tools", "images"], accepts=["parts"],
    media={"image": {**GRID, "placeholder": PAD}},
)  # fmt: skip
QUESTION = [{"role": "user", "content": [{"type": "image", "height": 56, "width": 84}, {"type": "text", "text": "?"}]}]


@pytest.fixture
def tokenizer():
    return Bytes(*CONTROLS, PAD, OPEN, CLOSE)


def screenshot(call, height, width):
    url = "data:image/png;base64," + base64.b64encode(small_images.png(width, height)).decode()
    parts = [{"type": "text", "text": "Done."}, {"type": "image_url", "image_url": {"url": url}}]
    return {"role": "tool", "tool_call_id": call.id, "content": parts}


def test_an_image_is_as_many_tokens_as_the_model_gets_and_an_engine_is_sent_one(tokenizer):
    rollout = Rollout(SEEING, QUESTION, tokenizer)
    prompt = SEEING.render(QUESTION, add_generation_prompt=True)
    assert rollout.ids == prompt.encode(tokenizer, media="parts").ids
    assert rollout.unexpanded == prompt.encode(tokenizer).ids
    first = sample(tokenizer, f"{CALL}<|im_end|>")
    call = rollout.feed(first).tool_calls[0]
    rollout.add([screenshot(call, 28, 140)])
    control = tokenizer.control_tokens()
    assert rollout.ids.count(control[PAD]) == 6 + 5
    assert rollout.unexpanded.count(control[PAD]) == 2
    bridge = shown(tokenizer, rollout.unexpanded[len(prompt.encode(tokenizer).ids) + len(first) :])
    assert bridge == f"\n<|im_start|>tool\nDone.{OPEN}{PAD}{CLOSE}<|im_end|>\n<|im_start|>assistant\n"
    assert rollout.drift is None
    rollout.feed(sample(tokenizer, "A cat.<|im_end|>"))
    encoded = rollout.encoded
    assert [(place.kind, place.path, place.end - place.start) for place in encoded.media] == [
        ("image", ("messages", 0, "content", 0), 6),
        ("image", ("messages", 2, "content", 1), 5),
    ]
    for place in encoded.media:
        assert encoded.ids[place.start : place.end] == [control[PAD]] * (place.end - place.start)
        assert not any(encoded.weights[place.start : place.end])
        assert {*encoded.message_index[place.start : place.end]} == {place.path[1]}
    assert encoded.ids == SEEING.render(rollout.messages).encode(tokenizer, media="parts").ids[: len(encoded.ids)]


def test_a_session_with_thirty_screenshots_has_the_labels_of_its_samples(tokenizer):
    rollout = Rollout(SEEING, [{"role": "user", "content": "Book a flight."}], tokenizer)
    sampled, sizes = [], []
    for step in range(30):
        ids = sample(tokenizer, f"{CALL}<|im_end|>")
        sampled += ids
        call = rollout.feed(ids).tool_calls[0]
        sizes.append((28 * (step % 7 + 1), 600 + step))
        rollout.add([screenshot(call, *sizes[-1])])
    last = sample(tokenizer, "Booked.<|im_end|>")
    rollout.feed(last)
    encoded = rollout.encoded
    tokens = [place.end - place.start for place in encoded.media]
    assert tokens == [media_tokens(SEEING, height=height, width=width).tokens for height, width in sizes]
    assert [place.path for place in encoded.media] == [("messages", 2 * at, "content", 1) for at in range(1, 31)]
    assert [label for label in encoded.labels if label >= 0] == [*sampled, *last]
    anew = SEEING.render(rollout.messages).encode(tokenizer, media="parts")
    assert encoded.ids == anew.ids[: len(encoded.ids)]
    assert tuple(encoded.media) == anew.media
    assert len(rollout.unexpanded) == len(rollout.ids) - sum(tokens) + 30
    # The same session as a row of a data set.
    row = lect.row({"messages": rollout.messages})
    assert SEEING.render(row.messages).encode(tokenizer, media="parts").ids == anew.ids


def test_a_function_is_asked_about_all_that_was_shown(tokenizer):
    asked = []

    def counts(items):
        asked.append([(item.kind, item.path) for item in items])
        return [len(items)] * len(items)

    rollout = Rollout(SEEING, QUESTION, tokenizer, media=counts)
    rollout.feed(sample(tokenizer, "A cat.<|im_end|>"))
    rollout.add([{"role": "user", "content": [{"type": "image"}]}])
    first, second = ("image", ("messages", 0, "content", 0)), ("image", ("messages", 2, "content", 0))
    assert asked == [[first], [first, second]]
    assert [place.end - place.start for place in rollout.encoded.media] == [1, 2]
    # What was shown first would be two tokens beside the other; it was one when the answer was sampled.
    assert rollout.drift is not None


def test_what_one_image_is_may_depend_on_those_before_it(tokenizer):
    numbered = {"rule": "slices", "placeholder": PAD, "start": OPEN, "end": CLOSE, "number_start": "", "number_end": ""}
    numbers = {"max_slice_nums": 9, "scale_resolution": 448, "patch_size": 14, "image_feature_size": 2}
    template = SEEING.but(media={"image": {**numbered, **numbers, "slice_start": "", "slice_end": ""}})
    rollout = Rollout(template, QUESTION, tokenizer)
    rollout.feed(sample(tokenizer, "A cat.<|im_end|>"))
    rollout.add(QUESTION)
    texts = [shown(tokenizer, rollout.ids[place.start : place.end]) for place in rollout.encoded.media]
    assert texts == [f"{number}{OPEN}{PAD}{PAD}{CLOSE}" for number in (0, 1)]


def test_forks_and_pickles_go_on_by_themselves(tokenizer):
    rollout = Rollout(SEEING, QUESTION, tokenizer)
    rollout.feed(sample(tokenizer, "A cat.<|im_end|>"))
    other, third = rollout.fork(), pickle.loads(pickle.dumps(rollout))
    for each in (rollout, other, third):
        each.add(QUESTION)
        assert [place.end - place.start for place in each.encoded.media] == [6, 6]
    assert rollout.ids == other.ids == third.ids


@pytest.mark.parametrize(
    ("template", "part", "error", "said"),
    [
        (SEEING, {"type": "image"}, lect.SourceError, r"messages\[2\]\.content\[0\] is image, and does not tell its"),
        (SEEING, {"type": "video", "frames": 2}, lect.RefusedError, r"writes nothing for messages\[2\]\.content\[0\]"),
        (SEEING.but(media={}), {"type": "image", "height": 9, "width": 9}, lect.RefusedError, "seeing"),
        (SEEING, {"type": ["image"]}, lect.MessageError, "type"),
    ],
)
def test_what_nobody_knows_the_tokens_of_is_refused(tokenizer, template, part, error, said):
    rollout = Rollout(template, [{"role": "user", "content": "?"}], tokenizer)
    rollout.feed(sample(tokenizer, "What?<|im_end|>"))
    before = rollout.ids
    with pytest.raises(error, match=said):
        rollout.add([{"role": "user", "content": [part]}])
    assert rollout.ids == before


def test_a_users_placeholder_is_text(tokenizer):
    rollout = Rollout(
        SEEING, [{"role": "user", "content": [{"type": "text", "text": PAD}, QUESTION[0]["content"][0]]}], tokenizer
    )
    assert rollout.ids.count(tokenizer.control_tokens()[PAD]) == 6
    assert Item("image", (56, 84), path=("messages", 0, "content", 1)) == rollout._items[0]
