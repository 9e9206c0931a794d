"""GigaChat 3 and 3.1, by Sber."""

from lect.plugin import DEFAULT, Family, Rule
from lect_gigachat.gigachat3 import GIGACHAT3, GIGACHAT_3, GIGACHAT_3_1

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"

adapter = Family(
    "gigachat",
    Rule("gigachat 3|3.1 10 b a 1.8 b base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("gigachat 3 10 b a 1.8 b .", GIGACHAT_3),
    Rule("gigachat 3.1 10 b a 1.8 b .", GIGACHAT_3_1),
    Rule("gigachat 3", GIGACHAT3),
)
