"""InternLM, by Shanghai AI Laboratory."""

from lect.plugin import DEFAULT, Family, Rule
from lect_internlm.internlm import INTERNLM, INTERNLM_20B
from lect_internlm.internlm2 import INTERNLM2, INTERNLM3

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"
NO_TALKER = "a model that gives scores or proofs, not answers"

adapter = Family(
    "internlm",
    Rule("internlm xcomposer", None, note="the vision models have a format of their own"),
    Rule("internlm 3 # b instruct", INTERNLM3),
    Rule("internlm 2.5 # b chat", INTERNLM2),
    Rule("internlm 2 chat", INTERNLM2),
    Rule("internlm 2 math base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("internlm 2 math ?plus # b", INTERNLM2),
    Rule("internlm 2|2.5 # b reward", None, note=NO_TALKER),
    Rule("internlm 2|2.5 step prover", None, note=NO_TALKER),
    # A name without `chat` is that of a base model: the makers always use the word.
    Rule("internlm 2|2.5 base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("internlm 2|2.5 # b", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("internlm chat 7 b v 1.1", INTERNLM_20B),
    Rule("internlm chat 20 b", INTERNLM_20B),
    Rule("internlm chat 7 b", INTERNLM),
    Rule("internlm 7|20 b", DEFAULT, kind="base", note=NEVER_CHATTED),
)
