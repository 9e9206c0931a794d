"""Qwen, by Alibaba Cloud."""

from lect.plugin import DEFAULT, Family, Rule
from lect_qwen.coder import QWEN3_CODER, QWEN3_CODER_NEXT
from lect_qwen.omni import QWEN3_OMNI, QWEN3_OMNI_THINKING
from lect_qwen.qwen2 import (
    COGITO,
    QVQ,
    QWEN1,
    QWEN1_5,
    QWEN1_5_72B,
    QWEN2_5,
    QWEN2_5_1M,
    QWEN2_5_MATH,
    QWEN2_5_OMNI,
    QWEN2_VL,
    QWQ,
    QWQ_PREVIEW,
    SAILOR2,
    SMALLTHINKER,
)
from lect_qwen.qwen3 import QWEN3, QWEN3_FIRST, QWEN3_INSTRUCT, QWEN3_THINKING, QWEN3_VL, QWEN3_VL_THINKING
from lect_qwen.qwen3_5 import NEX_N2, ORNITH, QWEN3_5, QWEN3_5_SMALL, QWEN3_6, QWEN3_8, QWEN3_8_2_4T

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"
NOT_FOR_CHAT = "a base model, which its maker does not recommend for conversations"

adapter = Family(
    "qwen",
    Rule("PrimeIntellect/Qwen3-0.6B", None, note="a copy with another template, for training"),
    Rule("bd2lcco/Qwen3-0.6B-finetuned", None, note="it classifies tokens, and does not chat"),
    Rule("gte qwen", None, note="it returns vectors, and does not chat"),
    Rule("qwen 3|3.5|3.6|3.8 ?next # b ?a ?# ?b base", DEFAULT, kind="base", note=NOT_FOR_CHAT),
    Rule("qwen 3.8 # b", QWEN3_8),
    Rule("qwen 3.8 2.4 t a 95 b", QWEN3_8_2_4T),
    Rule("qwen 3.8 flash next", QWEN3_8),
    Rule("qwen 3.6 # b", QWEN3_6),
    Rule("qwen 3.5 0.8|2 b", QWEN3_5_SMALL, note="the smallest think only when they are asked to"),
    Rule("qwen 3.5 # b", QWEN3_5),
    Rule("qwen 3 coder # b a # b instruct", QWEN3_CODER),
    Rule("qwen 3 coder next base", DEFAULT, kind="base", note=NOT_FOR_CHAT),
    Rule("qwen 3 coder next .", QWEN3_CODER_NEXT),
    Rule("qwen 3 vl # b ?a ?# ?b instruct", QWEN3_VL),
    Rule("qwen 3 vl # b ?a ?# ?b thinking", QWEN3_VL_THINKING),
    Rule("qwen 3 omni # b a # b instruct", QWEN3_OMNI),
    Rule("qwen 3 omni # b a # b thinking", QWEN3_OMNI_THINKING),
    Rule("qwen 3 ?next # b ?a ?# ?b thinking ?2507", QWEN3_THINKING),
    Rule("qwen 3 ?next # b ?a ?# ?b instruct ?2507", QWEN3_INSTRUCT),
    Rule("qwen 3 4|30|235 b ?a ?# ?b 2507", QWEN3_INSTRUCT, note="servers' name for Qwen3-...-Instruct-2507"),
    Rule("qwen 3 4 b", QWEN3_FIRST, note="the 4B has the first template of Qwen3"),
    Rule("qwen 3 # b", QWEN3),
    Rule("qwq # b preview", QWQ_PREVIEW, note="Qwen2.5's format with another default system text"),
    Rule("qwq # b", QWQ),
    Rule("qwen 2|2.5 vl # b instruct", QWEN2_VL),
    Rule("qvq # b preview", QVQ),
    Rule("qwen 2.5 omni # b", QWEN2_5_OMNI),
    Rule("qwen 2.5 # b instruct 1 m", QWEN2_5_1M, note="the long-context models have another default system text"),
    Rule("qwen 2.5 math # b instruct", QWEN2_5_MATH),
    Rule("qwen 2.5 ?coder # b instruct|chat", QWEN2_5),
    Rule("qwen 2 math # b instruct", QWEN1_5, note="QwenLM/Qwen2.5-Math, evaluation: its prompts are Qwen2's"),
    Rule("qwen 2 # b ?a ?# ?b instruct", QWEN1_5),
    Rule("qwen 1.5 72 b chat", QWEN1_5_72B, note="the 72B has a template of its own"),
    Rule("qwen 1.5 # b chat", QWEN1_5),
    Rule("qwen 1.5 moe a # b chat", QWEN1_5),
    Rule("codeqwen 1.5 # b chat", QWEN1_5),
    Rule("qwen 1.8|7|14|72 b chat", QWEN1),
    Rule("ornith 1.0 35 b .", ORNITH),
    Rule("ornith 1.5 35 b a 3 b .", ORNITH),
    Rule("ornith 1.5 397 b .", ORNITH),
    Rule("nex n 2 mini|pro .", NEX_N2),
    Rule("cogito v 1 preview qwen 14 b .", COGITO),
    Rule("sailor 2 1 b chat .", SAILOR2),
    Rule("smallthinker 3 b preview .", SMALLTHINKER),
    Rule("qwen 1.8|7|14|72 b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("qwen 1.5 # b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("qwen 1.5 moe a # b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("codeqwen 1.5 # b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("qwen vl|audio", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("qwen 2|2.5 ?coder|math|vl|audio # b", DEFAULT, kind="base", note=NOT_FOR_CHAT),
)
