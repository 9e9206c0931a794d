"""DeepSeek. A model that was distilled from R1 uses R1's format, whatever model it is based on."""

from lect.plugin import DEFAULT, Family, Rule
from lect_deepseek.dsml import V3_2
from lect_deepseek.plain import CODER_INSTRUCT, LLM_CHAT, V2_CHAT_0628
from lect_deepseek.recipe import V4_1_FLASH, V4_PRO_0813
from lect_deepseek.v3 import R1, R1_0528, R1_0528_QWEN3, R1_DISTILL, V2_5, V3, V3_0324
from lect_deepseek.v3_1 import V3_1, V3_1_TERMINUS, V3_2_EXP
from lect_deepseek.v4 import V4, V4_FLASH_0731
from lect_deepseek.vl import DEEPSEEK_VL, DEEPSEEK_VL2, JANUS_PRO

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: no chat format was trained on"
PLAIN_TEXT = "a base model, but the chat markers are plain text, as XTuner's table has it"
PLAIN_TEXT_TOO = "a base model, but the chat markers are plain text"

adapter = Family(
    "deepseek",
    Rule("deepseek r 1 distill qwen|llama # b", R1_DISTILL),
    Rule("deepseek r 1 # b qwen|llama distill", R1_DISTILL),
    Rule("qwenlong l 1 32 b .", R1_DISTILL, note="trained further from R1-Distill-Qwen-32B, with its template"),
    Rule("deepseek r 1 0528 qwen 3 8 b", R1_0528_QWEN3),
    Rule("deepseek r 1 8 b 0528 qwen 3", R1_0528_QWEN3),
    Rule("deepseek r 1 ?671 ?b 0528 .", R1_0528),
    Rule("deepseek r 1 8|671 b .", None, note="a name of R1's and of R1-0528's models, whose templates differ"),
    Rule("deepseek r 1 1.5|7|14|32|70 b .", R1_DISTILL, note="R1 itself is larger: this is a distilled model"),
    Rule("deepseek r 1 .", R1),
    Rule("deepseek v 4 flash|pro base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("deepseek v 4.1 flash .", V4_1_FLASH),
    Rule("deepseek v 4 pro 0813 .", V4_PRO_0813),
    Rule("deepseek v 4 flash 0731 .", V4_FLASH_0731),
    Rule("deepseek v 4 ?flash|pro .", V4),
    Rule("deepseek v 3.2 exp base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("deepseek v 3.2 exp .", V3_2_EXP),
    Rule("deepseek v 3.2 ?speciale .", V3_2),
    Rule("deepseek v 3.1 terminus .", V3_1_TERMINUS),
    Rule("deepseek v 3.1 base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("deepseek v 3.1 .", V3_1),
    Rule("deepseek v 3 base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("deepseek v 3 0324 .", V3_0324),
    Rule("deepseek v 3 .", V3),
    Rule("deepseek prover v 2 671 b", V3_0324, note="the large prover has the template of DeepSeek-V3-0324"),
    Rule("deepseek v 2.5 ?1210 .", V2_5),
    Rule("deepseek v 2 chat 0628", V2_CHAT_0628),
    Rule("deepseek ?coder v 2 ?lite chat|instruct .", LLM_CHAT),
    Rule("deepseek ?coder v 2 ?lite base", LLM_CHAT, kind="base", note=PLAIN_TEXT_TOO),
    Rule("deepseek v 2 ?lite .", LLM_CHAT, kind="base", note=PLAIN_TEXT_TOO),
    Rule(
        "deepseek coder # b instruct|base v",
        None,
        note="v1.5 has a different vocabulary: its answers end with a different token",
    ),
    Rule("deepseek coder # b instruct", CODER_INSTRUCT),
    Rule("deepseek coder # b base", CODER_INSTRUCT, kind="base", note=PLAIN_TEXT),
    Rule("deepseek vl 1.3|7 b chat .", DEEPSEEK_VL),
    Rule("deepseek vl 2 ?tiny|small .", DEEPSEEK_VL2),
    Rule("janus 1.3 b .", DEEPSEEK_VL, note="deepseek-ai/Janus, README.md: it has the labels of DeepSeek-VL"),
    Rule("janus pro 1|7 b .", JANUS_PRO),
    Rule("deepseek llm # b chat", LLM_CHAT),
    Rule("deepseek moe # b chat", LLM_CHAT),
    Rule("deepseek math # b instruct|rl", LLM_CHAT),
    Rule("deepseek moe # b base", LLM_CHAT, kind="base", note=PLAIN_TEXT),
    Rule("deepseek llm|math # b base", LLM_CHAT, kind="base", note=PLAIN_TEXT_TOO),
)
