"""ChatGLM and GLM, by Zhipu AI and Tsinghua University."""

from lect.plugin import DEFAULT, Family, Rule
from lect_chatglm.chatglm import CHATGLM, CHATGLM2, CHATGLM3
from lect_chatglm.glm4 import GLM4, GLM4_HF
from lect_chatglm.glm4_5 import GLM4_5, GLM4_6, GLM5, GLM5_1

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "chatglm",
    Rule("chatglm 3 6 b base", CHATGLM3, kind="base", note="a base model that was trained on the chat format too"),
    Rule("chatglm 3", CHATGLM3),
    Rule("chatglm 2", CHATGLM2),
    Rule("chatglm 6 b", CHATGLM),
    Rule("glm 4 # b ?base|chat 0414", None, note="the models of April 2025 speak another format"),
    Rule("glm 4 # b chat * hf", GLM4_HF),
    Rule("glm 4 # b chat", GLM4),
    Rule("glm 4 9 b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("glm 4.1|4.5|4.6|4.7|5|5.1 v", None, note="the models that see speak another format"),
    Rule("glm 4.5 ?air base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("glm 4.5 ?air .", GLM4_5),
    Rule("glm 4.6 .", GLM4_6),
    Rule("glm 4.7 ?flash .", GLM5),
    Rule("glm 5 .", GLM5),
    Rule("glm 5.1 .", GLM5_1),
)
