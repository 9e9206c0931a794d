"""DeepSeek. A model that was distilled from R1 speaks R1's format, whatever it was made of."""

from idiolect.plugin import DEFAULT, Family, Rule
from idiolect_deepseek.plain import CODER_INSTRUCT, LLM_CHAT
from idiolect_deepseek.v3 import R1, R1_DISTILL, V3
from idiolect_deepseek.v3_1 import V3_1

__idiolect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: no chat format was trained on"

adapter = Family(
    "deepseek",
    Rule("deepseek r 1 distill", R1_DISTILL),
    Rule("deepseek r 1", R1),
    Rule("deepseek v 3.1 * base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("deepseek v 3.1", V3_1),
    Rule("deepseek v 3 * base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("deepseek v 3", V3),
    Rule("deepseek coder * instruct", CODER_INSTRUCT),
    Rule("deepseek coder * base", CODER_INSTRUCT, kind="base", note="a base model, but the markers are plain text, as XTuner's table has it"),
    Rule("deepseek llm * chat", LLM_CHAT),
    Rule("deepseek moe * chat", LLM_CHAT),
    Rule("deepseek math * instruct|rl", LLM_CHAT),
    Rule("deepseek moe|llm|math * base", DEFAULT, kind="base", note=NEVER_CHATTED),
)
