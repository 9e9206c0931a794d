"""Real tokenizers of models, which are not ours to redistribute: they are looked for in `../shared/tokenizers`."""

import gzip
import json
import random
from fnmatch import fnmatchcase
from functools import cache

import hostile
from shared import SHARED

ROOT = SHARED / "tokenizers"
ABSENT = "the makers' tokenizers are not here: ../shared/tokenizers is missing"

SPEAK = {
    "qwen2_5": "lect:chatml qwen:qwen-7b-chat qwen:qwen1.5* qwen:qwen2* qwen:qwq yi:* internlm:internlm3-instruct",
    "qwen3": "qwen:qwen3*",
    "llama2": "llama:llama-2-chat llama:codellama* vicuna:* lect:default zephyr:zephyr mistral:mistral-v1 phi:phi-3-mini",
    "llama3": "llama:llama-3*",
    "mistral_nemo": "mistral:*",
    "deepseek_v3": "deepseek:*",
    "internlm2": "internlm:internlm*",
    "chatglm3": "chatglm:chatglm*",
}
"""The tokenizers, and the templates whose prompts they encode."""
LATER = {
    "internlm2": ["<s>", "</s>", "<|plugin|>", "<|interpreter|>", "<|action_end|>", "<|action_start|>", "<|im_end|>", "<|im_start|>"],
    "chatglm3": ["[gMASK]", "sop", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"],
}  # fmt: skip
"""Chat tokens that a tokenizer's file lacks."""


def names():
    """Return the names of the tokenizers that are here."""
    return sorted(path.name for path in ROOT.iterdir()) if ROOT.exists() else []


@cache
def tokenizer(name):
    """Return a `tokenizers.Tokenizer` with its chat tokens. It is shared: do not change it."""
    from tokenizers import AddedToken, Tokenizer

    with gzip.open(ROOT / name / "tokenizer.json.gz", "rt", encoding="utf-8") as file:
        made = Tokenizer.from_str(file.read())
    made.add_special_tokens([AddedToken(text, normalized=False, special=True) for text in LATER.get(name, ())])
    return made


@cache
def config(name):
    """Return a tokenizer's configuration."""
    return json.loads((ROOT / name / "tokenizer_config.json").read_text("utf-8"))


@cache
def templates(name):
    """Return the templates whose prompts a tokenizer encodes, by their names."""
    patterns = SPEAK[name].split()
    return {
        each: template
        for each, template in hostile.installed().items()
        if any(fnmatchcase(each, pattern) for pattern in patterns)
    }


WORDS = [
    "Hello!", "there,", "what", "is", "2+2", "?", "it's", "3.14159", "1000000", "def f(x):\n\treturn x * 2", "you", "é", "e\u0301",
    "你好，世界", "安装", "こんにちは", "안녕", "Привет", "שלום", "مرحبا", "ไทย", "naïve", "ﬁ", "👋", "👩‍👩‍👧‍👦", "🇩🇪", "\u0301", "\u200b", "\ufeff", "\x00",
    "½", "https://example.org/?a=b&c=d", '{"a":[1,2]}', "a<b", "x|y", "[1]", "<p>", "###", "--",
]  # fmt: skip
EDGES = ["", "", "", " ", "\n", "  ", "\n\n", "\t", " \n ", "\u00a0", "\u3000"]


def text(rng):
    """Return a text without any control token, perhaps empty or with white space at its edges."""
    if rng.random() < 0.04:
        return rng.choice(EDGES)
    words = "".join(rng.choice(WORDS) + rng.choice([" ", " ", " ", "\n", "  ", ""]) for _ in range(rng.randint(1, 12)))
    return rng.choice(EDGES) + words.strip() + rng.choice(EDGES)


def chat(rng):
    """Return a random clean conversation, with a system text or without."""
    messages = [{"role": "system", "content": text(rng)}] if rng.random() < 0.3 else []
    turns = [{"role": ("user", "assistant")[index % 2], "content": text(rng)} for index in range(rng.randint(1, 6))]
    return messages + turns


def chats(name, count=200):
    """Yield the same random conversations every time."""
    rng = random.Random(name)
    for _ in range(count):
        yield chat(rng)


def has_marks(name, template):
    """Return whether the markers of a template are tokens: another model's tokenizer may lack them."""
    from lect_tokens import check_tokenizer

    results = check_tokenizer(template, tokenizer(name))
    return not any(result.status == "wrong" for result in results if result.name == "markers")
