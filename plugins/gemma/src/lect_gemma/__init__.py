"""Gemma, by Google."""

from lect.plugin import DEFAULT, Family, Rule
from lect_gemma.gemma3 import GEMMA, GEMMA3, GEMMA3_1B, GEMMA3N
from lect_gemma.gemma4 import GEMMA4, GEMMA4_LARGE
from lect_gemma.gemma4_earlier import GEMMA4_EARLIER

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a pretrained model: no chat format was trained on"

adapter = Family(
    "gemma",
    Rule("gemma 4 e # b it assistant", None, note="it drafts for another model"),
    Rule("gemma 4 e # b it", GEMMA4),
    Rule("gemma 4 31 b it", GEMMA4_LARGE),
    Rule("gemma 4 12 b it", GEMMA4_LARGE, note="as the 31B, which Ollama and ms-swift state"),
    Rule("gemma 4 26 b a 4 b it", GEMMA4_LARGE, note="as the 31B, which Ollama and ms-swift state"),
    Rule("gemma 4 # b ?a ?# ?b it", None, note="its template was not seen"),
    Rule("gemma 3 n e # b it", GEMMA3N),
    Rule("gemma 3 1 b it", GEMMA3_1B),
    Rule("gemma 3 270 m it", GEMMA3_1B, note="it reads text only, as the 1B"),
    Rule("gemma 3 # b it", GEMMA3),
    Rule("medgemma # b it", GEMMA3, note="Gemma 3, tuned by its maker on medical texts and images"),
    Rule("medgemma # b pt", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("gemma ?1.1 2|7 b it", GEMMA),
    Rule("gemma 2 # b it", GEMMA),
    Rule("codegemma ?1.1 # b it", GEMMA),
    Rule("gemma 3|4 # b pt", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("gemma 3 270 m", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("gemma 3|4 ?n e # b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("gemma 4 # b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("gemma ?1.1|2 2|7|9|27 b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("codegemma 1.1 7 b", None, note="its maker has published no such model, only codegemma-1.1-7b-it"),
    Rule("codegemma ?1.1 # b", DEFAULT, kind="base", note=NEVER_CHATTED),
    templates=GEMMA4_EARLIER,
)
