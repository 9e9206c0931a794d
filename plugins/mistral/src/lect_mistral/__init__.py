"""Mistral, Mixtral and related models, by Mistral AI."""

from lect.plugin import DEFAULT, Family, Rule
from lect_mistral.instruct import LARGE_2411, NEMO, PIXTRAL, V1, V3
from lect_mistral.library import MAGISTRAL_2509, MINISTRAL_3, SMALL_2501
from lect_mistral.small import DEVSTRAL_2505, SMALL_3_1, SMALL_3_2
from lect_mistral.tools_first import DEVSTRAL, MINISTRAL_3_REASONING

__lect_api__ = "~=1.0"

PLAIN_TEXT = "a base model, but the markers are plain text, as XTuner's table has it"
CONTROL_TOKENS = "a base model: the markers are control tokens, which only the instruct models were trained on"
NOT_SEEN = "a model with a template of its own, which was not seen"

adapter = Family(
    "mistral",
    Rule("mistral small 3.2 # b instruct ?2506", SMALL_3_2),
    Rule("mistral small 3.1 # b instruct ?2503", SMALL_3_1),
    Rule("mistral small 24 b instruct 2501", SMALL_2501),
    Rule("mistral small ?3.1 # b base ?2501|2503", DEFAULT, kind="base", note=CONTROL_TOKENS),
    Rule("ministral 3 # b instruct 2512", MINISTRAL_3),
    Rule("ministral 3 # b reasoning 2512", MINISTRAL_3_REASONING),
    Rule("ministral 3 # b base 2512", DEFAULT, kind="base", note=CONTROL_TOKENS),
    Rule("mistral small instruct 2409", None, note="its maker's documents disagree on the tokenizer that it has"),
    Rule("magistral small 2509", MAGISTRAL_2509),
    Rule("devstral small 2505", DEVSTRAL_2505),
    Rule("devstral small 2507", DEVSTRAL),
    Rule("magistral|devstral small", None, note=NOT_SEEN),
    Rule("pixtral 12 b ?2409", PIXTRAL),
    Rule("mistral nemo instruct 2407", NEMO),
    Rule("mistral nemo # b instruct ?2407", NEMO),
    Rule("ministral 8 b instruct 2410", NEMO, note="its tokenizer is that of Mistral Nemo"),
    Rule("mistral nemo wissenschaft 12 b", NEMO, note="a third party's model, with the template of Mistral Nemo"),
    Rule("mistral nemo ?# ?b base ?2407", DEFAULT, kind="base", note=CONTROL_TOKENS),
    Rule("mistral large ?instruct 2411", LARGE_2411),
    Rule("mistral large 3 # b base 2512", DEFAULT, kind="base", note=CONTROL_TOKENS),
    Rule("mistral large 3", None, note=NOT_SEEN),
    Rule("mistral large ?instruct 2407", V3),
    Rule("CISCai/Mistral-7B-Instruct-v0.3-SOTA-GGUF", None, note="it was repackaged with a different template"),
    Rule("mistral 7 b instruct v 0.3", V3),
    Rule("codestral 22 b v 0.1", V3, note="it has the third version of the tokenizer"),
    Rule("mistral 7 b instruct v 0.1|0.2", V1),
    Rule("mistral 7 b instruct v", None, note="a version that was not seen"),
    Rule("mistral 7 b instruct", None, note="v0.1 and v0.2 have 'mistral:mistral-v1', v0.3 has 'mistral:mistral-v3'"),
    Rule("mixtral 8 x 7 b instruct", V1),
    Rule("mixtral 8 x 22 b instruct", V3, note="it has the third version of the tokenizer"),
    Rule("mistral 7 b v 0.1|0.2", V1, kind="base", note=PLAIN_TEXT),
    Rule("mistral 7 b v 0.3", DEFAULT, kind="base", note=CONTROL_TOKENS),
    Rule("mixtral 8 x 7 b v 0.1", V1, kind="base", note=PLAIN_TEXT),
    Rule("mixtral 8 x 7 b aqlm # bit # x #", V1, kind="base", note=PLAIN_TEXT),
    Rule("mixtral 8 x 22 b v 0.1", DEFAULT, kind="base", note="a base model: no chat format was trained on"),
)
