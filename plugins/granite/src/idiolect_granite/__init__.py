"""Granite, by IBM."""

from idiolect.plugin import DEFAULT, Family, Rule
from idiolect_granite.granite3 import GRANITE3_1, GRANITE3_3
from idiolect_granite.granite4 import GRANITE4

__idiolect_api__ = "~=1.0"

adapter = Family(
    "granite",
    Rule("granite 3.1|3.3|4|4.0 * base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
    Rule("granite 4|4.0", GRANITE4),
    Rule("granite 3.3 * instruct", GRANITE3_3),
    Rule("granite 3.1 * instruct", GRANITE3_1),
)
