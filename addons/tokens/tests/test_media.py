"""`lect tokens --image`: how many tokens images, videos and sounds are."""

import json

import pytest
import small_images

from lect.cli import main

VL = "Qwen/Qwen2.5-VL-7B-Instruct"


@pytest.fixture
def cat(tmp_path):
    path = tmp_path / "cat.png"
    path.write_bytes(small_images.png(640, 480))
    return str(path)


def printed_by(capsys, *arguments):
    assert main(["tokens", *arguments]) == 0
    return capsys.readouterr()


def test_images_are_counted_in_their_order(capsys, cat):
    printed = printed_by(capsys, VL, "--size", "1920x1080", "--image", cat)
    rows = [line.split() for line in printed.out.splitlines()]
    assert [row[1:6] for row in rows[1:3]] == [["1920", "×", "1080", "2691", "2691"], ["640", "×", "480", "391", "391"]]
    assert rows[-1] == ["3082", "tokens"]
    assert printed.err == ""


def test_json_has_every_run(capsys, cat):
    (item,) = json.loads(printed_by(capsys, VL, "--image", cat, "--json").out)["items"]
    assert item == {
        "kind": "image",
        "size": [480, 640],
        "tokens": 391,
        "pads": 391,
        "rule": "grid",
        "runs": [["<|image_pad|>", 391, True]],
    }


def test_videos_and_sounds_are_counted(capsys):
    printed = printed_by(capsys, "Qwen/Qwen3-VL-8B-Instruct", "--size", "64x64", "--frames", "4", "--fps", "1")
    assert "4 × 64 × 64" in printed.out
    assert "<0.5 seconds>" in printed.out
    assert printed.err.startswith("note: plain text between the tokens")
    sound = printed_by(capsys, "Qwen/Qwen2.5-Omni-7B", "--samples", "441000", "--sampling-rate", "44100")
    assert "250 tokens" in sound.out


def test_a_checkpoint_decides(capsys, tmp_path):
    (tmp_path / "preprocessor_config.json").write_text('{"min_pixels": 200704, "max_pixels": 1003520}', "utf-8")
    assert "256 tokens" in printed_by(capsys, VL, "--size", "28x28", "--numbers", str(tmp_path)).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([VL, "Hello!"], "need a tokenizer"),
        ([VL, "Hello!", "--size", "9x9"], "counted by themselves, without a text"),
        ([VL, "--tokenizer", ".", "--size", "9x9"], "counted by themselves, without --tokenizer"),
        ([VL, "--image", "missing.png"], "cannot read 'missing.png'"),
        (["Qwen/Qwen3-8B", "--size", "9x9"], "it knows no media at all"),
    ],
)
def test_what_cannot_be_counted_is_refused(capsys, arguments, said):
    assert main(["tokens", *arguments]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--size", "9"], ["--samples", "-1"], ["--size", "9x9x9"]])
def test_a_size_that_is_none_is_a_wrong_argument(capsys, arguments):
    assert main(["tokens", VL, *arguments]) == 2
    assert "such as" in capsys.readouterr().err
