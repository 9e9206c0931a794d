"""TeleChat, by TeleAI, the institute of China Telecom."""

from lect.plugin import Chat, Family, Rule, Template, Writer

__lect_api__ = "~=1.0"


def telechat(chat: Chat, out: Writer) -> None:
    """Write TeleChat: the last system text comes first, bare, and a question is closed by the marker of the answer."""
    for system in [message for message in chat.messages if message.role == "system"][-1:]:
        out.turn(system)
        out.append(system.content.strip())
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<_user>", message.content, "<_bot>"
        elif message.role == "assistant":
            out += message.content, "<_end>"


TELECHAT = Template(
    "telechat",
    telechat,
    # The 7B and the 12B have different vocabularies: no ids are right for both.
    stop=["<_end>"],
    markers=["<_start>", "<_end>", "<_user>", "<_bot>", "<_pad>"],
    source="Tele-AI/telechat-7B, tokenizer_config.json; README.md of Tele-AI/Telechat at 9faf3bc",
)

adapter = Family(
    "telechat",
    Rule("telechat 7|12 b ?v ?2 .", TELECHAT),
    Rule("telechat 2|2.5|3", None, note="the templates of TeleChat2 and later were not seen"),
    Rule("telechat", None, note="only the formats of TeleChat 7B and 12B were seen"),
)
