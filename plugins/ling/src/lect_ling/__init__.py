"""Ling, by inclusionAI."""

from lect.plugin import DEFAULT, Chat, Family, Rule, Template, Writer
from lect_ling.ling2 import LING2
from lect_ling.ling3 import LING3, LING3_REPLIES

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"
UNSEEN = "it has another template, of which no public copy has been seen"


def ling(chat: Chat, out: Writer) -> None:
    """Write the first Ling: every role in capitals, a user as HUMAN, and nothing after a turn."""
    for message in out.turns(chat.messages):
        role = message.role
        name = "HUMAN" if role == "user" else chat.transformed(role, str.upper, "messages", message.index, "role")
        out += "<role>", name, "</role>", message.content
    if chat.add_generation_prompt:
        out.append("<role>ASSISTANT</role>")


LING = Template(
    "ling",
    ling,
    capabilities=["system"],
    stop=["<|endoftext|>", "<|role_end|>"],
    markers=["<role>", "</role>", "<|startoftext|>", "<|endoftext|>", "<|role_end|>"],
    control_tokens=["<role>", "</role>"],
    source="inclusionAI/Ling-lite, tokenizer_config.json",
)

adapter = Family(
    "ling",
    Rule("ling 3.0 flash|tiny base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("ling 3.0 flash|tiny .", LING3),
    Rule("ling 3", LING3_REPLIES),
    Rule("ling lite|plus base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("ling mini|flash base 2.0", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("ling 1 t base", DEFAULT, kind="base", note=NEVER_CHATTED),
    Rule("ling mini|flash 2.0 .", LING2),
    Rule("ling 1 t .", LING2),
    Rule("ling v 2 .", LING2, note="the maker's name for all of Ling 2.0"),
    Rule("ling lite 1.5", None, note=UNSEEN),
    Rule("ling lite|plus .", LING),
    Rule("ling|ring mini|flash|lite|1|2.5|2.6", None, note=UNSEEN),
)
