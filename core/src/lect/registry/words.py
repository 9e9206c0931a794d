"""The words that mean the same in the names of all makers' models."""

from functools import cache
from typing import Literal

Meaning = Literal["size", "packaging", "adapter", "version", "chat", "base", "no chat", "tag"]

WORDS: dict[Meaning, frozenset[str]] = {
    "size": frozenset({"b", "e", "a", "m", "k", "s", "l", "xl", "xs", "xxs", "nl", "h"}),
    # How a model was stored. `base` is here too: it does not make another model of a base model.
    "packaging": frozenset({
        "base", "pt", "original", "v", "hf", "safetensors", "gguf", "ggml", "onnx", "ov", "mlx", "mlc", "unsloth", "of",
        "quantized", "dynamic", "ud", "gptq", "awq", "exl", "bnb", "hqq", "int", "bit", "bits", "bpw", "f", "fp",
        "tq", "nvfp", "mxfp", "bf", "nf", "q", "i", "iq", "w", "g",
    }),
    # A small adapter on top of a model, which seldom changes the format.
    "adapter": frozenset({"adapter", "dora", "lora", "peft", "qlora"}),
    # What makers and servers add to the names of their own chat models.
    "version": frozenset({"exp", "experimental", "fast", "free", "high", "low", "preview", "turbo"}),
    "chat": frozenset({"chat", "instruct", "it"}),
    "base": frozenset({"base", "pretrain", "pretrained"}),
    # It returns vectors, scores or drafts, although the rest of the name may be a chat model's.
    "no chat": frozenset({
        "accelerator", "classifier", "cls", "dflash", "draft", "dspark", "eagle", "embed", "embedding", "embeddings",
        "guard", "medusa", "mtp", "orm", "peagle", "prm", "rerank", "reranker", "reward", "rm", "speculator",
        "speculators",
    }),
    # A tag that begins with one says how a model is stored or served.
    "tag": frozenset({"q", "iq", "tq", "ud", "i", "f", "fp", "bf", "int", "mxfp", "nvfp", "free"}),
}  # fmt: skip


@cache
def meaning(*meanings: Meaning) -> frozenset[str]:
    """Return the words with any of these meanings."""
    return frozenset().union(*(WORDS[each] for each in meanings))
