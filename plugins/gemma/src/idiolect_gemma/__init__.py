"""Gemma, by Google."""

from idiolect.plugin import DEFAULT, Family, Rule
from idiolect_gemma.gemma3 import GEMMA, GEMMA3, GEMMA3_1B, GEMMA3N
from idiolect_gemma.gemma4 import GEMMA4

__idiolect_api__ = "~=1.0"

NEVER_CHATTED = "a pretrained model: no chat format was trained on"

adapter = Family(
    "gemma",
    Rule("gemma 4 * it", GEMMA4),
    Rule("gemma 3 n * it", GEMMA3N),
    Rule("gemma 3 1 b it", GEMMA3_1B),
    Rule("gemma 3 * it", GEMMA3),
    Rule("gemma ?1.1 2|7 b it", GEMMA),
    Rule("gemma 1.1|2 * it", GEMMA),
    Rule("codegemma * it", GEMMA),
    Rule("gemma 3|4 * pt", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("gemma ?1.1|2 2|7|9|27 b", DEFAULT, kind="base", note=NEVER_CHATTED),
)
