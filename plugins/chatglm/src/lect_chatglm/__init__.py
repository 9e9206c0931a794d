"""ChatGLM and GLM, by Zhipu AI and Tsinghua University."""

from lect.plugin import DEFAULT, Family, Rule
from lect_chatglm.chatglm import CHATGLM, CHATGLM2, CHATGLM3
from lect_chatglm.glm4 import GLM4, GLM4_0414, GLM4_HF, GLM_EDGE
from lect_chatglm.glm4_5 import GLM4_5, GLM4_6, GLM5, GLM5_1
from lect_chatglm.glm4v import GLM4_1V, GLM4_5V
from lect_chatglm.glm5_2 import GLM5_2, GLM5_3, GLM5_3_FLASH

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "chatglm",
    Rule("chatglm 3 6 b base", CHATGLM3, kind="base", note="a base model that was trained on the chat format too"),
    Rule("chatglm 3", CHATGLM3),
    Rule("chatglm 2", CHATGLM2),
    Rule("chatglm 6 b", CHATGLM),
    Rule("glm 4 # b base 0414", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("glm 4 # b ?chat 0414", GLM4_0414),
    Rule("glm z 1", None, note="GLM-Z1 opens a thought for every answer; its template was not seen"),
    Rule("glm edge # b chat", GLM_EDGE),
    Rule("glm 4 # b chat * hf", GLM4_HF),
    Rule("glm 4 # b chat", GLM4),
    Rule("glm 4 9 b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("glm 4.1 v # b base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("glm 4.1 v # b thinking", GLM4_1V),
    Rule("glm 4.5 v .", GLM4_5V),
    Rule(
        "glm 4.1|4.5|4.6|4.7|5|5.1 v",
        None,
        note="of the templates of models that see, only those of GLM-4.1V and GLM-4.5V were seen",
    ),
    Rule("glm 4.5 ?air base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("glm 4.5 ?air .", GLM4_5),
    Rule("glm 4.6 .", GLM4_6),
    Rule("glm 4.7 ?flash .", GLM5),
    Rule("glm 5 .", GLM5),
    Rule("glm 5.1 .", GLM5_1),
    Rule("glm 5.2 .", GLM5_2),
    Rule("glm 5.3 flash .", GLM5_3_FLASH),
    Rule("glm 5.3 .", GLM5_3),
)
