"""`lect.media_tokens`: what an image, a video or a sound is for a model."""

import json
import pickle
from contextlib import suppress

import pytest
import small_images
from counting import lines_run
from hypothesis import given
from hypothesis import strategies as st

import lect
from lect.errors import LectError, LimitError, MessageError, PluginError, RefusedError, SourceError
from lect.facts import Facts
from lect_kit import AdapterSuite
from lect_media import Item, expand, expansions, media_tokens
from lect_media.rules import RULES

VL = "Qwen/Qwen2.5-VL-7B-Instruct"
SEEING = sorted(
    {
        (owner, name)
        for owner, names in lect.templates(load=True).items()
        for name in names
        if owner not in ("default", "chatml") and lect.template(f"{owner}:{name}").media
    }
)
GRID = {"rule": "grid", "placeholder": "<p>", "patch_size": 14, "merge_size": 2}
SIZES = {"image": (640, 480), "video": (8, 240, 320), "audio": (48_000,)}
# More than any image, and fewer than would be noticed.
MOST_LINES = 200_000


class TestMedia(AdapterSuite):
    plugin = "media"
    examples = {}


def media_of(place):
    owner, name = place
    return lect.template(f"{owner}:{name}").media


def tried(media, item):
    with suppress(LectError):
        expand(media, [item])


def test_an_image_is_counted():
    counted = lect.media_tokens(VL, height=1080, width=1920)
    assert counted[:2] == (2691, 2691)
    assert (counted.runs, counted.rule) == ((("<|image_pad|>", 2691, True),), "grid")
    assert counted.text == "<|image_pad|>" * 2691
    assert pickle.loads(pickle.dumps(counted)) == counted


def test_a_video_and_a_sound_are_counted():
    video = lect.media_tokens("Qwen/Qwen3-VL-8B-Instruct", frames=4, height=64, width=64, fps=2)
    assert video.text == (
        "<0.2 seconds><|vision_start|><|video_pad|><|video_pad|><|video_pad|><|video_pad|><|vision_end|>"
        "<1.2 seconds><|vision_start|><|video_pad|><|video_pad|><|video_pad|><|video_pad|><|vision_end|>"
    )
    assert (video.tokens, video.pads) == (12, 8)
    later = lect.media_tokens("Qwen/Qwen3-VL-8B-Instruct", frames=4, height=64, width=64, timestamps=[10, 20, 30, 40])
    assert [run.text for run in later.runs if not run.is_control] == ["<15.0 seconds>", "<35.0 seconds>"]
    sound = lect.media_tokens("Qwen/Qwen2.5-Omni-7B", samples=160_000)
    assert sound.tokens == 250
    assert lect.media_tokens("Qwen/Qwen2.5-Omni-7B", samples=441_000, sampling_rate=44_100) == sound


def test_an_image_is_given_as_a_file_or_by_its_size(tmp_path):
    path = tmp_path / "cat.png"
    path.write_bytes(small_images.png(640, 480))
    by_size = media_tokens(VL, height=480, width=640)
    assert media_tokens(VL, image=path) == media_tokens(VL, image=path.read_bytes()) == by_size


@pytest.mark.parametrize(
    ("given_as", "said"),
    [
        ({}, "height is missing"),
        ({"height": 10}, "width is missing"),
        ({"height": 0, "width": 10}, "the height of item 0, image, is 0; expected a whole number from 1 to 1,000,000"),
        ({"height": 10, "width": 2**40}, "expected a whole number"),
        ({"height": True, "width": 10}, "expected a whole number"),
        ({"height": 1.5, "width": 10}, "expected a whole number"),
        ({"samples": 10, "width": 10}, "a sound has samples"),
        ({"frames": 10}, "height is missing"),
        ({"frames": 2, "height": 9, "width": 9, "timestamps": [1]}, "1 timestamps for 2 frames"),
        ({"frames": 2, "height": 9, "width": 9, "fps": 0}, "fps of item 0"),
        ({"image": "data:image/png;base64,", "height": 4}, "an image has a size of its own"),
    ],
)
def test_an_impossible_request_is_refused(given_as, said):
    with pytest.raises(MessageError, match=said):
        lect.media_tokens(VL, **given_as)


def test_what_the_maker_refuses_is_refused():
    with pytest.raises(RefusedError, match="one side is more than 200 times the other"):
        lect.media_tokens(VL, height=1, width=201)
    with pytest.raises(RefusedError, match="a video of 1 frames is refused"):
        lect.media_tokens("Qwen/Qwen3-VL-8B-Instruct", frames=1, height=64, width=64)


def test_a_model_that_sees_nothing_says_so():
    with pytest.raises(RefusedError, match="states nothing for image; it knows no media at all"):
        lect.media_tokens("Qwen/Qwen3-8B", height=10, width=10)
    with pytest.raises(RefusedError, match="states nothing for audio; it knows image, video"):
        lect.media_tokens(VL, samples=10)


def test_a_template_can_be_asked():
    assert media_tokens(lect.get_template(VL), height=28, width=28).tokens == 4


# What one becomes may depend on what is beside it.


def test_an_image_that_is_alone_is_seen_in_detail():
    model = "llava-hf/llava-onevision-qwen2-7b-ov-hf"
    one, two = Item("image", (1, 1)), Item("image", (100, 100))
    assert [each.tokens for each in expansions(model, [one])] == [1485]
    assert [each.tokens for each in expansions(model, [one, two])] == [730, 730]


def test_images_have_their_numbers_and_sounds_are_padded_to_the_longest():
    made = expansions("openbmb/MiniCPM-V-2_6", [Item("image", (100, 100)), Item("image", (1000, 500))])
    assert made[0].text.startswith("<image_id>0</image_id><image><unk>")
    assert made[1].text.startswith("<image_id>1</image_id><image><unk>")
    assert "</slice>\n<slice>" in made[1].text
    short, long = Item("audio", (16_100,)), Item("audio", (32_000,))
    alone = expansions("Qwen/Qwen3-Omni-30B-A3B-Instruct", [short])
    beside = expansions("Qwen/Qwen3-Omni-30B-A3B-Instruct", [short, long])
    assert (alone[0].tokens, beside[0].tokens) == (13, 14)


def test_a_request_is_counted_at_once():
    made = lect.media_tokens("openbmb/MiniCPM-V-2_6", request=[{"height": 9, "width": 9}, {"height": 9, "width": 9}])
    assert [each.runs[1].text for each in made] == ["0", "1"]
    assert [each.item for each in made] == [Item("image", (9, 9))] * 2
    with pytest.raises(MessageError, match="request=, or one item"):
        lect.media_tokens(VL, request=[], height=9)


def test_kinds_are_counted_apart():
    items = [Item("image", (100, 100)), Item("audio", (16_000,)), Item("image", (100, 100))]
    made = expansions("google/gemma-3n-E4B-it", items)
    assert [each.pads for each in made] == [256, 188, 256]


# A checkpoint's own numbers decide.


def checkpoint(folder, **files):
    for name, value in files.items():
        (folder / f"{name}.json").write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return folder


def test_the_numbers_of_a_checkpoint_decide(tmp_path):
    folder = checkpoint(tmp_path, preprocessor_config={"min_pixels": 200_704, "max_pixels": 1_003_520})
    assert media_tokens(VL, height=28, width=28, numbers=folder).tokens == 256
    assert media_tokens(VL, height=28, width=28, numbers=False).tokens == 4
    newer = checkpoint(tmp_path, preprocessor_config={"size": {"shortest_edge": 200_704, "longest_edge": 1_003_520}})
    assert media_tokens(VL, height=28, width=28, numbers=str(newer)).tokens == 256
    assert (
        media_tokens(VL, height=28, width=28, numbers={"size": {"shortest_edge": 9, "longest_edge": 9**9}}).tokens == 1
    )


def test_each_kind_has_its_own_file_or_part(tmp_path):
    folder = checkpoint(
        tmp_path,
        preprocessor_config={"size": {"shortest_edge": 200_704, "longest_edge": 1_003_520}},
        video_preprocessor_config={"size": {"shortest_edge": 784, "longest_edge": 602_112}},
    )
    assert media_tokens(VL, frames=2, height=28, width=28, numbers=folder).tokens == 1
    parts = checkpoint(tmp_path, processor_config={"image_processor": {"size": {"shortest_edge": 784}}})
    assert media_tokens(VL, height=28, width=28, numbers=parts).tokens == 1
    assert media_tokens(VL, frames=2, height=28, width=28, numbers=parts).tokens == 1


def test_a_model_directory_is_read(tmp_path):
    model = tmp_path / "Qwen2.5-VL-7B-Instruct"
    model.mkdir()
    checkpoint(model, preprocessor_config={"min_pixels": 200_704, "max_pixels": 1_003_520})
    assert lect.media_tokens(str(model), height=28, width=28).tokens == 256


CHAT = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "?"}]}]


def model_at(folder, **files):
    folder.mkdir()
    return str(checkpoint(folder, **files))


def test_the_template_of_a_directory_has_its_numbers(tmp_path):
    few = {"min_pixels": 200_704, "max_pixels": 1_003_520}
    model = model_at(tmp_path / "Qwen2.5-VL-7B-Instruct", preprocessor_config=few)
    template = lect.get_template(model)
    assert template is lect.get_template(model)
    assert template.name == lect.get_template(VL).name
    assert template.media["image"]["size"] == {"shortest_edge": 200_704, "longest_edge": 1_003_520}
    for asked in (template, lect.get_conversation_template(model).template, pickle.loads(pickle.dumps(template))):
        text = asked.render(CHAT).expand([(28, 28)]).text
        assert text.count("<|image_pad|>") == media_tokens(asked, height=28, width=28).tokens == 256
        assert media_tokens(asked, height=28, width=28, numbers=False).tokens == 4
    assert lect.get_template(VL).render(CHAT).expand([(28, 28)]).text.count("<|image_pad|>") == 4


def test_a_directory_that_says_nothing_else_has_the_familys_template(tmp_path):
    model = model_at(tmp_path / "Qwen2.5-VL-7B-Instruct", preprocessor_config={"patch_size": 14, "image_mean": [0.5]})
    assert lect.get_template(model) is lect.get_template(VL)


def test_a_template_of_its_own_can_be_given_what_another_states(tmp_path):
    text = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    model = model_at(tmp_path / "acme", preprocessor_config={"patch_size": 14})
    (tmp_path / "acme/chat_template.jinja").write_text(text, "utf-8")
    with pytest.raises(RefusedError, match=r"try: template\.but\(media="):
        media_tokens(model, height=28, width=28)
    template = lect.get_template(model)
    assert media_tokens(template.but(media=lect.get_template(VL).media), height=28, width=28).tokens == 4


def test_a_file_that_is_none_is_an_error_only_for_images(tmp_path):
    model = model_at(tmp_path / "Qwen2.5-VL-7B-Instruct", preprocessor_config="{")
    prompt = lect.render(model, CHAT)
    assert prompt.text.count("<|image_pad|>") == 1
    with pytest.raises(SourceError, match=r"cannot read .*preprocessor_config\.json"):
        prompt.expand([(28, 28)])
    assert media_tokens(model, height=28, width=28, numbers=False).tokens == 4


def test_what_a_file_says_of_a_square_may_be_a_mapping(tmp_path):
    folder = checkpoint(
        tmp_path,
        preprocessor_config={"size": {"longest_edge": 512}, "patch_size": {"height": 32, "width": 32}},
        processor_config={"spatial_merge_size": 1},
    )
    assert media_tokens("mistralai/Pixtral-12B-2409", height=640, width=640, numbers=folder).pads == 16 * 16


def test_a_number_that_the_processor_sets_itself_is_kept(tmp_path):
    folder = checkpoint(tmp_path, preprocessor_config={"crop_to_patches": False, "max_patches": 4})
    assert media_tokens("OpenGVLab/InternVL3-8B", height=896, width=896, numbers=folder).pads == 5 * 256


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "{", '{"size": 1, "size": 2}', '{"patch_size": NaN}', "[" * 100_000, "x" * 2_000_000],
)
def test_a_file_that_is_none_is_an_error(tmp_path, text):
    folder = checkpoint(tmp_path, preprocessor_config=text)
    with pytest.raises(SourceError):
        media_tokens(VL, height=28, width=28, numbers=folder)


@pytest.mark.parametrize(
    "value", [0, -1, 1.5, True, "14", [14], {}, {"height": 14, "width": 28}, 10**30], ids=json.dumps
)
def test_a_number_that_is_none_names_its_file(tmp_path, value):
    folder = checkpoint(tmp_path, preprocessor_config={"patch_size": value})
    with pytest.raises(SourceError, match=r"preprocessor_config\.json, image: patch_size is "):
        media_tokens(VL, height=28, width=28, numbers=folder)


def test_gemma_pans_and_scans_only_if_it_is_asked_to(tmp_path):
    folder = checkpoint(tmp_path, preprocessor_config={"do_pan_and_scan": True})
    model = "google/gemma-3-4b-it"
    assert media_tokens(model, height=600, width=1800, numbers=folder).pads == 256
    assert media_tokens(model, height=600, width=1800, numbers={"do_pan_and_scan": True}).pads == 4 * 256


def test_a_file_cannot_change_texts_or_the_rule(tmp_path):
    folder = checkpoint(tmp_path, preprocessor_config={"rule": "rows", "pad": "x", "placeholder": "y", "start": "z"})
    assert media_tokens(VL, height=28, width=28, numbers=folder).text == "<|image_pad|>" * 4
    with pytest.raises(SourceError, match="is no directory"):
        media_tokens(VL, height=28, width=28, numbers=tmp_path / "missing")


# What templates state.


def test_media_are_a_fact_that_does_not_change():
    template = lect.template("chatml").but(name="acme", media={"image": GRID})
    assert template.media["image"]["patch_size"] == 14
    with pytest.raises(TypeError):
        template.media["image"]["patch_size"] = 1
    with pytest.raises(AttributeError):
        template.media = {}
    assert template.but(name="other").media == template.media
    assert template.but(media={}).media == {}
    assert Facts("acme").media == {}
    assert pickle.loads(pickle.dumps(template)).media == template.media


def test_a_rule_or_a_number_that_is_missing_is_an_error_of_the_plugin():
    item = [Item("image", (10, 10))]
    with pytest.raises(PluginError, match="image has the rule 'gird'\n  did you mean 'grid'"):
        expand({"image": {"rule": "gird"}}, item, where="template 'acme'")
    with pytest.raises(PluginError, match="template 'acme', image: longest_edge is None"):
        expand({"image": {**GRID, "size": {"shortest_edge": 1}}}, item, where="template 'acme'")
    with pytest.raises(MessageError, match="the kind 'smell'"):
        expand({}, [Item("smell", (1,))])


@pytest.mark.parametrize("place", SEEING, ids=":".join)
def test_every_template_counts_what_it_states_and_writes_its_placeholder(place):
    template = lect.template(":".join(place))
    for kind, stated in template.media.items():
        counted = media_tokens(template, **dict(zip(NAMES[kind], SIZES[kind], strict=True)))
        assert counted.pads > 0
        assert stated["rule"] in RULES
        if kind in template.capabilities or f"{kind}s" in template.capabilities:
            message = {"role": "user", "content": [{"type": kind}, {"type": "text", "text": "?"}]}
            assert template.text([message]).count(stated["placeholder"]) == 1


NAMES = {"image": ("height", "width"), "video": ("frames", "height", "width"), "audio": ("samples",)}
SIDES = st.one_of(st.integers(1, 100), st.integers(1, 5_000), st.integers(1, 100_000))


@given(st.sampled_from(SEEING), SIDES, SIDES, st.integers(1, 50), st.integers(1, 10_000_000))
def test_any_size_is_counted_or_refused(place, height, width, frames, samples):
    sizes = {"image": (height, width), "video": (frames, height, width), "audio": (samples,)}
    for kind, stated in media_of(place).items():
        with suppress(RefusedError):
            (made,) = expand({kind: stated}, [Item(kind, sizes[kind])])
            assert 0 <= made.pads <= made.tokens
            assert made.tokens == sum(run.times for run in made.runs if run.is_control)


@pytest.mark.parametrize("place", SEEING, ids=":".join)
@pytest.mark.parametrize("size", [(1, 1), (1, 100_000), (100_000, 1), (100_000, 100_000)], ids=str)
def test_the_work_for_any_size_is_bounded(place, size):
    stated = media_of(place).get("image")

    if stated is not None:
        assert lines_run(tried, {"image": stated}, Item("image", size)) < MOST_LINES


@pytest.mark.parametrize("number", [1, 2**20, 2**39])
@pytest.mark.parametrize("place", SEEING, ids=":".join)
def test_the_work_for_any_numbers_is_bounded(place, number):
    for kind, stated in media_of(place).items():
        for name in (name for name, value in stated.items() if type(value) is int):
            assert lines_run(tried, {kind: {**stated, name: number}}, Item(kind, SIZES[kind])) < MOST_LINES


@pytest.mark.parametrize("number", [2**23, 2**39])
def test_numbers_that_would_fill_the_memory_are_refused(tmp_path, number):
    model = model_at(tmp_path / "gemma-3-4b-it", processor_config={"image_seq_length": number})
    with pytest.raises(LimitError, match="the most is 4,194,304"):
        media_tokens(model, height=10, width=10)
    prompt = lect.render(model, CHAT)
    with pytest.raises(LimitError, match="the most is 4,194,304"):
        prompt.expand([(10, 10)])
    with pytest.raises(LimitError, match="the most is 67,108,864"):
        prompt.expand(lambda items: [number])


def test_many_large_images_are_refused_together():
    template = lect.get_template("google/gemma-3-4b-it")
    media = {"image": {**template.media["image"], "image_seq_length": 2**21}}
    prompt = template.but(media=media).render([{"role": "user", "content": [{"type": "image"}] * 100}])
    with pytest.raises(LimitError, match="the images, videos and sounds of one prompt would be"):
        prompt.expand([(10, 10)] * 100)
