"""Tokens on the page: a tokenizer in Python alone gives the ids of the one that is native."""

import gzip
import json
import re

import pytest
import real_tokenizers
from hypothesis import given
from hypothesis import strategies as st
from together import together

import lect
from lect.errors import SourceError, TokenizerError
from lect_view.site import live, patterns
from lect_view.site.tokenizer import FILE, BytePairs, _letters, load

LETTERS = dict(zip(_letters(), range(256), strict=True))
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
WRITTEN = [
    "Hello, world! It's 12345 times 67.\n\n  x",
    "Olá, 世界! 😀👩‍👩‍👧 naïve",
    "def f(x):\n\treturn x**2  # ²½ ٣\r\n",
    "a" * 300 + "  " * 40,
    "I'LL don't WE'VE _under_ ʰ ⅻ",
    "\u200b\u00a0 \u3000x\x1c\x85",
]


def made(vocabulary=(), merges=(), **parts):
    vocabulary = {**LETTERS, **{text: 256 + at for at, text in enumerate(vocabulary)}}
    return {"model": {"type": "BPE", "vocab": vocabulary, "merges": [*merges]}, "pre_tokenizer": BYTES, **parts}


def native(data):
    tokenizers = pytest.importorskip("tokenizers")
    return tokenizers.Tokenizer.from_str(json.dumps({"version": "1.0", "added_tokens": [], **data}))


def test_the_pair_that_was_learnt_first_is_joined_first():
    tokenizer = BytePairs(made(["bc", "ab", "abc"], ["b c", "a b", "a bc"]))
    assert tokenizer.encode_ordinary("abc abab") == (
        [258, LETTERS["Ġ"], 257, 257],
        [(0, 3), (3, 4), (4, 6), (6, 8)],
    )


def test_a_character_of_several_tokens_is_each_ones():
    ids, offsets = BytePairs(made()).encode_ordinary("é!")
    assert ids == [*"é".encode(), ord("!")]
    assert offsets == [(0, 1), (0, 1), (1, 2)]


@given(st.text(max_size=40))
def test_the_ids_are_those_of_the_native_one_and_tokens_cover_the_text(text):
    data = made(["Ġa", "th", "the", "12"], ["Ġ a", "t h", "th e", "1 2"])
    ids, offsets = BytePairs(data).encode_ordinary(text)
    assert ids == native(data).encode(text).ids
    assert "".join(text[start:end] for start, end in dict.fromkeys(offsets)) == text


@pytest.mark.skipif(not real_tokenizers.names(), reason=real_tokenizers.ABSENT)
@together("name", ["qwen2_5", "qwen3", "llama3", "mistral_nemo", "deepseek_v3"])
def test_makers_tokenizers_give_the_same_ids(name, tmp_path):
    data = gzip.decompress((real_tokenizers.ROOT / name / f"{FILE}.gz").read_bytes())
    folder = tmp_path / name
    folder.mkdir()
    (folder / FILE).write_bytes(data)
    kept = json.loads(data)
    kept["added_tokens"] = [each for each in kept["added_tokens"] if not each["content"].strip()]
    ours, theirs = load(str(folder)), native(kept)
    for text in WRITTEN:
        assert ours.encode_ordinary(text)[0] == theirs.encode(text, add_special_tokens=False).ids


@pytest.mark.skipif(not real_tokenizers.names(), reason=real_tokenizers.ABSENT)
@pytest.mark.parametrize("name", ["llama2", "internlm2", "chatglm3"])
def test_other_kinds_are_refused(name, tmp_path):
    (tmp_path / FILE).write_bytes(gzip.decompress((real_tokenizers.ROOT / name / f"{FILE}.gz").read_bytes()))
    with pytest.raises(TokenizerError, match="is of another kind"):
        load(str(tmp_path))


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        {"model": 3},
        made(pre_tokenizer=None),
        made(pre_tokenizer={"type": "Whitespace"}),
        made(pre_tokenizer={"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated", "invert": False}),
        made(normalizer={"type": "Lowercase"}),
        {**made(), "model": {"type": "WordLevel", "vocab": {}, "merges": []}},
    ],
    ids=str,
)
def test_what_is_no_such_tokenizer_is_refused(data, tmp_path):
    (tmp_path / FILE).write_text(json.dumps(data), "utf-8")
    with pytest.raises(TokenizerError):
        load(str(tmp_path))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    (tmp_path / FILE).write_text("{", "utf-8")
    with pytest.raises(SourceError, match=f"cannot read {FILE}"):
        load(str(tmp_path))


def test_a_text_that_normalizing_would_change_is_refused():
    with pytest.raises(TokenizerError, match="changes when it is normalized"):
        BytePairs(made(normalizer={"type": "NFC"})).encode_ordinary("e\u0301")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"\p{L}+", ["Hé", "ʰ"]), (r"[^\s\p{L}]+", ["12", "²½_"]), (r"\p{N}", ["1", "2", "²", "½"]),
        (r"\P{L}+", [" 12 ²½_ "]), (r"[\p{Lu}[]", ["H"]), (r"(?i:h)\S", ["Hé"]), (r"\s+(?!\S)|\s", [" ", " ", " "]),
    ],
)  # fmt: skip
def test_patterns_mean_what_they_mean_to_makers(pattern, found):
    assert re.findall(patterns.translated(pattern), "Hé 12 ²½_ ʰ") == found


def test_the_page_shows_tokens(tmp_path):
    (tmp_path / FILE).write_text(json.dumps(made()), "utf-8")
    chat = json.dumps([{"role": "user", "content": "Hé"}])
    shown = live.answered(live.Fields("tokens", "lect:default", chat, tokenizer=str(tmp_path)))
    ids = lect.render("lect:default", json.loads(chat), add_generation_prompt=True).encode(BytePairs(made())).ids
    assert shown.text == " ".join(map(str, ids))
    assert all(f'data-id="{each}"' in shown.html for each in ids)
