"""No control token of a real tokenizer passes unnoticed in user text, and what only looks like one is text."""

import json
import re
import warnings

import pytest
from goldens import REPOSITORY
from hostile import installed
from shared import SHARED

import lect
from lect import ControlTextError
from lect.facts import is_tag

ORACLES = SHARED / "oracles/index.json"

TOKENIZERS = json.loads((REPOSITORY / "tests/data/control_tokens.json").read_text("utf-8"))["tokenizers"]
TEMPLATES = {
    "chatglm3": ["chatglm:chatglm3-6b"],
    "deepseek_v3": ["deepseek:deepseek-v3", "deepseek:deepseek-r1", "deepseek:deepseek-v3.1"],
    "internlm2": ["internlm:internlm2-chat"],
    "llama2": ["llama:llama-2-chat", "llama:codellama-instruct", "llama:codellama-70b-instruct", "vicuna:vicuna_v1.1",
               "vicuna:one_shot"],
    "llama3": ["llama:llama-3", "llama:llama-3.1", "llama:llama-3.2", "llama:llama-3.2-vision"],
    "mistral_nemo": ["mistral:mistral-nemo"],
    "qwen2_5": ["qwen:qwen2.5", "qwen:qwen2-vl", "qwen:qwq"],
    "qwen3": ["qwen:qwen3", "qwen:qwen3-4b", "qwen:qwen3-thinking", "qwen:qwen3-instruct", "qwen:qwen3-vl",
              "qwen:qwen3-coder"],
}  # fmt: skip
"""The templates of each tokenizer: first its own, then those of models that have the same tokens, or more."""
NO_MARKERS = {"sop": "occurs in ordinary words, such as philosophy"}
"""Tokens that no template can refuse, and why."""
LOOK_ALIKES = {
    "<": "＜‹〈˂", ">": "＞›〉˃", "|": "｜ǀ∣¦", "｜": "|ǀ", "[": "［⁅", "]": "］⁆", "/": "／∕", "_": "＿", "▁": "_ ",
    "a": "аａ", "e": "еｅ", "i": "іｉ", "o": "оｏ", "s": "ѕｓ", "I": "ІＩ", "S": "ЅＳ", "T": "ТＴ", "1": "１١", "7": "７٧",
}  # fmt: skip
"""Characters, and others that look like them."""

every_pair = pytest.mark.parametrize(
    ("tokenizer", "name"), [(tokenizer, name) for tokenizer, names in TEMPLATES.items() for name in names]
)


def tokens(tokenizer):
    return {token: index for token, index in TOKENIZERS[tokenizer].items() if token not in NO_MARKERS}


def said(text):
    return [{"role": "user", "content": f"before{text}after"}]


def look_alikes(token):
    """Yield variants of a token with one character replaced by a similar one, or with an invisible one inserted."""
    for index, character in enumerate(token):
        for other in LOOK_ALIKES.get(character, ""):
            yield f"{token[:index]}{other}{token[index + 1 :]}"
    for unseen in ("\u200b", "\u00ad", "\u2060"):
        yield f"{token[:2]}{unseen}{token[2:]}"


def test_every_tokenizer_has_a_template():
    assert sorted(TEMPLATES) == sorted(TOKENIZERS)


@every_pair
def test_no_control_token_of_the_tokenizer_passes(tokenizer, name):
    template = installed()[name]
    passed = []
    for token in tokens(tokenizer):
        found = template.render(said(token)).controls
        if [(each.path, each.start, each.marker) for each in found] != [(("messages", 0, "content"), 6, token)]:
            passed.append(token)
        with pytest.raises(ControlTextError):
            template.text(said(token), on_control="raise")
    assert passed == []


@every_pair
def test_a_control_token_has_the_id_that_the_tokenizer_gives_it(tokenizer, name):
    markers = installed()[name].markers
    own = name == TEMPLATES[tokenizer][0]
    for token, index in tokens(tokenizer).items():
        assert markers[token] == index or (markers[token] is None and not own), token


@every_pair
def test_a_tag_is_a_token_where_the_tokenizer_has_it(tokenizer, name):
    template = installed()[name]
    tags = {*filter(is_tag, template.markers)}
    stated, known = tags & {*template.control_tokens}, tags & tokens(tokenizer).keys()
    assert known == stated if name == TEMPLATES[tokenizer][0] else known <= stated


@pytest.mark.skipif(not ORACLES.exists(), reason="the makers' configs are not here: ../shared/oracles is missing")
def test_a_tag_is_a_token_where_the_config_of_a_model_names_it():
    wrong = {}
    for oracle in json.loads(ORACLES.read_text("utf-8")) if ORACLES.exists() else ():
        with warnings.catch_warnings(action="ignore"):
            template = lect.get_template(oracle["id"], default="chatml")
        words = {*template.markers} - {*template.control_tokens}
        if named := words & {*oracle["special_tokens"].values()}:
            wrong[oracle["slug"]] = named
    assert wrong == {}


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_what_only_looks_like_a_control_token_is_text(tokenizer):
    template = installed()[TEMPLATES[tokenizer][0]]
    # Of tokens that differ only in a number, one is enough.
    for token in {re.sub("[0-9]+", "{}", token): token for token in tokens(tokenizer)}.values():
        for text in look_alikes(token):
            assert template.render(said(text), on_control="raise").controls == (), ascii(text)
