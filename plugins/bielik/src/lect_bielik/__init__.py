"""Bielik, by SpeakLeash and Cyfronet."""

from lect.plugin import DEFAULT, Chat, Family, Rule, Template, Writer
from lect_bielik.bielik3 import BIELIK3

__lect_api__ = "~=1.0"

NEVER_CHATTED = "a base model: the chat markers were never trained on"


def bielik(chat: Chat, out: Writer) -> None:
    """Write Bielik 7B: like Llama 2, with a single bos."""
    system, messages = chat.system, chat.without_system
    chat.require_alternation(messages)
    out.append(chat.bos)
    for message in out.turns(messages):
        if message.role == "assistant":
            out += " ", message.content.strip(), chat.eos
        elif message.role == "user":
            out.append("[INST] ")
            if system is not None and message is messages[0]:
                # The maker strips the two texts as one: inner white space is kept.
                out.turn(system)
                out += "<<SYS>>\n", system.content, "\n<</SYS>>"
                out.turn(message)
                question = message.content.rstrip()
                if question:
                    out += "\n\n", question
            else:
                out.append(message.content.strip())
            out.append(" [/INST]")


BIELIK = Template(
    "bielik",
    bielik,
    capabilities=["system"],
    bos="<s>",
    eos="</s>",
    stop={"</s>": 2},
    markers=["<unk>", "<s>", "</s>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>"],
    control_tokens=["<unk>"],
    text_separators=True,
    source="speakleash/Bielik-7B-Instruct-v0.1, tokenizer_config.json",
)

adapter = Family(
    "bielik",
    Rule("bielik 11 b v 3.0 instruct .", BIELIK3),
    Rule("bielik 7 b instruct v 0.1 .", BIELIK),
    Rule("bielik 7 b v 0.1 .", DEFAULT, kind="base", note=NEVER_CHATTED),
)
