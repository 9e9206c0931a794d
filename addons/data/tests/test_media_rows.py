"""Rows with images: as many tokens as the model gets, or the row is refused."""

import json
from zlib import crc32

import pyarrow as pa
import pytest
import small_images
from counting import cpu_seconds
from hypothesis import given
from hypothesis import strategies as st

import lect
from lect.cli import main
from lect.plugin import Family, Rule
from lect_data import Formatter

tokenizers = pytest.importorskip("tokenizers")
MODEL = "Qwen/Qwen2.5-VL-7B-Instruct"
HEADER = b"IHDR" + bytes([0, 0, 0, 84, 0, 0, 0, 56, 8, 2, 0, 0, 0])
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\r" + HEADER + crc32(HEADER).to_bytes(4)
TOKENS = 6
"""Of an image of 84 × 56 pixels: one for each 28 × 28."""
ANSWER = {"role": "assistant", "content": "A cat."}


@pytest.fixture(scope="module")
def seeing(tokenizer):
    made = tokenizers.Tokenizer.from_str(tokenizer.to_str())
    made.add_special_tokens(["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"])
    return made


def batch(*rows):
    return pa.RecordBatch.from_pylist(list(rows))


def asked(content):
    return {"role": "user", "content": content}


ROW = {"messages": [asked("<image>What?"), ANSWER], "images": [{"bytes": PNG, "path": None}]}


def test_an_image_is_as_many_tokens_as_the_model_gets_and_none_is_trained(seeing):
    made = Formatter(MODEL, seeing).format(batch(ROW)).to_pylist()[0]
    pad = seeing.token_to_id("<|image_pad|>")
    assert made["error"] is None
    assert made["input_ids"].count(pad) == TOKENS
    assert pad not in made["labels"]
    assert (
        seeing.decode([each for each in made["labels"] if each >= 0], skip_special_tokens=False) == "A cat.<|im_end|>"
    )
    messages = lect.row(ROW).messages
    expected = lect.render(MODEL, messages).encode(seeing, media=[(56, 84)])
    assert (made["input_ids"], made["labels"]) == (expected.ids, expected.labels)


@pytest.mark.parametrize("how", [{"prompts": True}, {"preference": True}])
def test_prompts_and_preferences_have_them_too(seeing, how):
    row = {"prompt": "<image>What?", "chosen": "A cat.", "rejected": "A dog.", "images": [{"bytes": PNG, "path": None}]}
    made = Formatter(MODEL, seeing, **how).format(batch(row)).to_pylist()[0]
    assert made["error"] is None
    assert made["prompt_ids"].count(seeing.token_to_id("<|image_pad|>")) == TOKENS


def test_a_row_is_refused_if_the_size_of_an_image_is_not_known(seeing):
    row = {**ROW, "images": [{"bytes": None, "path": "nowhere.png"}]}
    made = Formatter(MODEL, seeing).format(batch(row, ROW)).to_pylist()
    assert made[0]["error"].startswith("cannot read 'nowhere.png'")
    assert made[1]["error"] is None
    one = Formatter(MODEL, seeing, media="one").format(batch(row)).to_pylist()[0]
    assert one["input_ids"].count(seeing.token_to_id("<|image_pad|>")) == 1


def test_a_row_is_refused_if_it_is_not_known_how_many_tokens_an_image_is(seeing):
    template = lect.get_template(MODEL).but(media={})
    made = Formatter(template, seeing).format(batch(ROW)).to_pylist()[0]
    assert made["error"].startswith("messages[0].content[0] is image, and how many tokens that is for 'qwen2-vl'")
    assert "try: media='one'" in made["error"]
    # A text has the placeholder that an engine expands.
    assert Formatter(template).format(batch(ROW)).to_pylist()[0]["text"].count("<|image_pad|>") == 1


def test_what_a_format_has_no_place_for_is_unused(tokenizer):
    made = Formatter("Qwen/Qwen2.5-7B-Instruct", tokenizer).format(batch(ROW)).to_pylist()[0]
    assert made["error"] is None
    assert (
        tokenizer.decode([each for each in made["labels"] if each >= 0], skip_special_tokens=False)
        == "A cat.<|im_end|>"
    )


def test_an_image_is_not_cut(seeing):
    whole = Formatter(MODEL, seeing).format(batch(ROW)).to_pylist()[0]
    two = {"messages": [*ROW["messages"], asked("<image>And this?"), ANSWER], "images": ROW["images"] * 2}
    cut = Formatter(MODEL, seeing, max_length=whole["length"] + 12, truncate="turns").format(batch(two)).to_pylist()[0]
    assert cut["input_ids"] == whole["input_ids"]


@given(length=st.integers(TOKENS, 60))
def test_a_window_does_not_split_an_image(seeing, length):
    many = {
        "messages": [asked("<image>What? <image>" * 2), {**ANSWER, "content": "A cat. " * 9}],
        "images": ROW["images"] * 4,
    }
    (whole,) = Formatter(MODEL, seeing).format(batch(many)).to_pylist()
    made = Formatter(MODEL, seeing, max_length=length, truncate="window").format(batch(many)).to_pylist()
    pad = seeing.token_to_id("<|image_pad|>")
    assert [each["error"] for each in made] == [None] * len(made)
    for each in made:
        assert len(each["input_ids"]) <= length
        assert each["input_ids"].count(pad) % TOKENS == 0
    assert [label for each in made for label in each["labels"] if label >= 0] == [
        each for each in whole["labels"] if each >= 0
    ]


def test_an_image_that_is_larger_than_a_window_is_refused(seeing):
    made = Formatter(MODEL, seeing, max_length=TOKENS - 1, truncate="window").format(batch(ROW)).to_pylist()
    assert made[0]["error"] == "messages[0].content[0] has 6 tokens, more than max_length, 5"


def test_media_is_one_of_two():
    with pytest.raises(lect.MaskError, match="media is 'two'; expected one of 'parts', 'one'"):
        Formatter(MODEL, media="two")


def test_the_command_line(seeing, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    seeing.save("tokenizer.json")
    (tmp_path / "cat.png").write_bytes(PNG)
    rows = [{"messages": [asked("<image>What?"), ANSWER], "images": [name]} for name in ("cat.png", "dog.png")]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    template = lect.get_template(MODEL)
    # The tokenizer of these tests has ids of its own.
    template = template.but(name="seeing", markers=[*template.markers], stop=[*template.stop], stop_ids=[])
    family = Family("seeing", Rule("seeing", template), templates=[template])
    with lect.register(family):
        _check_the_command(seeing, tmp_path, capsys)


def _check_the_command(seeing, tmp_path, capsys):
    words = ["dataset", "rows.jsonl", "--model", "seeing", "--tokenizer", "tokenizer.json", "-o", "out.jsonl"]
    assert main(words) == 1
    shown = capsys.readouterr().out
    assert "rows.jsonl:2: cannot read 'dog.png': No such file or directory" in shown
    (made,) = (json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines())
    assert made["input_ids"].count(seeing.token_to_id("<|image_pad|>")) == TOKENS
    assert main([*words, "--media", "one", "--restart"]) == 0


@pytest.mark.parametrize(
    ("image", "said"),
    [
        ({"bytes": PNG[:20]}, "ends before its header does"),
        ({"bytes": PNG.replace(b"T", b"U", 1)}, "damaged"),
        ({"bytes": b"GIF89a" + bytes(4)}, "0 × 0 pixels"),
        ({"bytes": b""}, "does not tell its height and width"),
        ({"bytes": small_images.png(1, 300)}, "one side is more than 200 times the other"),
        ({"path": "/dev/zero"}, "cannot read '/dev/zero'"),
        ({"path": "https://example.com/cat.png"}, "nothing is fetched"),
        ({"path": "data:image/png;base64," + "A" * 1_000_000}, "Pillow"),  # Where it is here, it does not know it.
        ({"path": "data:" + "x" * 1_000_000}, "no comma"),
    ],
)
def test_a_hostile_image_is_an_error_of_its_row(seeing, image, said):
    row = {**ROW, "images": [{"bytes": None, "path": None, **image}]}
    formatter = Formatter(MODEL, seeing)
    assert cpu_seconds(formatter.format, batch(row)) < 5
    bad, good = formatter.format(batch(row, ROW)).to_pylist()
    assert said in bad["error"]
    assert bad["input_ids"] is None
    assert good["error"] is None


@pytest.mark.parametrize(("width", "height"), [(1, 1), (100_000, 100_000), (65_535, 1_000)])
def test_the_size_that_a_header_states_is_counted_whatever_the_file_has(seeing, width, height):
    row = {**ROW, "images": [{"bytes": small_images.png(width, height), "path": None}]}
    (made,) = Formatter(MODEL, seeing).format(batch(row)).to_pylist()
    tokens = lect.media_tokens(MODEL, width=width, height=height).tokens
    assert (made["error"], made["input_ids"].count(seeing.token_to_id("<|image_pad|>"))) == (None, tokens)
