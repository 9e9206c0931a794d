"""Which first-party package speaks for which names: only for advice in messages, never to decide anything."""

from __future__ import annotations

FAMILIES: dict[str, tuple[str, ...]] = {
    "llama": ("llama", "codellama"),
    "vicuna": ("vicuna", "longchat"),
    "qwen": ("qwen", "qwq", "codeqwen"),
    "internlm": ("internlm",),
    "chatglm": ("chatglm", "glm"),
    "baichuan": ("baichuan",),
    "mistral": ("mistral", "mixtral"),
    "deepseek": ("deepseek",),
    "gemma": ("gemma", "codegemma"),
    "yi": ("yi",),
    "zephyr": ("zephyr",),
    "phi": ("phi",),
    "gptoss": ("oss",),
    "kimi": ("kimi",),
    "cohere": ("command", "aya"),
    "granite": ("granite",),
    "fastchat": (
        "hermes",
        "openhermes",
        "dolphin",
        "openchat",
        "starling",
        "alpaca",
        "koala",
        "wizardlm",
        "mpt",
        "falcon",
        "openorca",
    ),
}
"""The families of this project, and the words by which the models are known that they speak for: not everything that
their makers have made, because advice to install a package that does not know the model either is worse than none.
`fastchat` keeps the long tail of 2023."""

OWNERS = (
    "01-ai", "baichuan-inc", "codellama", "cohereforai", "coherelabs", "deepseek-ai", "google", "huggingfaceh4",
    "ibm-granite", "internlm", "lmsys", "meta-llama", "microsoft", "mistralai", "moonshotai", "openai", "qwen",
    "stabilityai", "thudm", "zai-org",
)  # fmt: skip
"""Owners whose names are worth imitating."""

_LOOK_ALIKES = str.maketrans({
    "I": "l", "1": "l", "|": "l", "0": "o", "İ": "i", "ı": "i", "а": "a", "с": "c", "е": "e", "і": "i", "о": "o",
    "р": "p", "х": "x", "у": "y", "ѕ": "s", "ԁ": "d", "ո": "n", "α": "a", "ο": "o", "‐": "-", "‑": "-", "–": "-",
    "−": "-",
})  # fmt: skip


def look_alike(text: str) -> str:
    """Return what `text` looks like: letters that people take for others become those."""
    return text.translate(_LOOK_ALIKES).lower()


def imitated_owner(owner: str) -> str | None:
    """Return the well-known owner whose name `owner` looks like without being it."""
    if owner.lower() in OWNERS:
        return None
    seen = look_alike(owner)
    return next((known for known in OWNERS if look_alike(known) == seen), None)


def package_for(words: tuple[str, ...]) -> str | None:
    """Return the first-party package that speaks for a name made of `words`.

    That of the first word that any family has.
    """
    for word in words:
        for family, names in FAMILIES.items():
            if word in names:
                return f"lect-{family}"
    return None


def install_command(package: str) -> str:
    """Return what to type for a package, also from a checkout, where nothing is published."""
    return f"pip install {package}  (from a checkout: pip install ./plugins/{package.removeprefix('lect-')})"
