"""DeepSeek. A model that was distilled from R1 speaks R1's format, whatever it was made of."""

from lect.plugin import DEFAULT, Family, Rule
from lect_deepseek.plain import CODER_INSTRUCT, LLM_CHAT
from lect_deepseek.v3 import R1, R1_DISTILL, V3
from lect_deepseek.v3_1 import V3_1

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: no chat format was trained on"
PLAIN_TEXT = "a base model, but the chat markers are plain text, as XTuner's table has it"

adapter = Family(
    "deepseek",
    Rule("deepseek r 1 distill", R1_DISTILL),
    Rule(
        "deepseek r 1 0528", None, note="since May 2025 the template does not open a thought, and there are tools in it"
    ),
    Rule("deepseek r 1 .", R1),
    Rule("deepseek v 3.1 base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("deepseek v 3.1 .", V3_1),
    Rule("deepseek v 3 base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("deepseek v 3 0324", None, note="the template of March 2025 is another one"),
    Rule("deepseek v 3 .", V3),
    Rule(
        "deepseek coder # b instruct|base v",
        None,
        note="v1.5 has another vocabulary: its answers end with another token",
    ),
    Rule("deepseek coder # b instruct", CODER_INSTRUCT),
    Rule("deepseek coder # b base", CODER_INSTRUCT, kind="base", note=PLAIN_TEXT),
    Rule("deepseek llm # b chat", LLM_CHAT),
    Rule("deepseek moe # b chat", LLM_CHAT),
    Rule("deepseek math # b instruct|rl", LLM_CHAT),
    Rule("deepseek moe # b base", LLM_CHAT, kind="base", note=PLAIN_TEXT),
    Rule("deepseek llm|math # b base", LLM_CHAT, kind="base", note="a base model, but the chat markers are plain text"),
)
