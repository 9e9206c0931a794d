"""OpenChat, Starling, by Berkeley, which is tuned from it, and TenyxChat, by Tenyx."""

from lect.plugin import Chat, Family, Rule, Template, Turn, TurnTemplate, Writer

__lect_api__ = "~=1.0"


def openchat(chat: Chat, out: Writer) -> None:
    """Write OpenChat 3.5: every role in title case, labelled as GPT-4's."""
    out.append(chat.bos)
    for message in out.turns(chat.messages):
        role = chat.transformed(message.role, str.title, "messages", message.index, "role")
        out += "GPT4 Correct ", role, ": ", message.content, "<|end_of_turn|>"
    if chat.add_generation_prompt:
        out.append("GPT4 Correct Assistant:")


def tenyxchat(chat: Chat, out: Writer) -> None:
    """Write TenyxChat: a line for each turn, and no generation prompt without messages."""
    names = {"system": "System:", "user": "User:", "assistant": "Assistant:"}
    out += chat.bos, " "
    for message in out.turns(chat.messages):
        if message.role in names:
            out += names[message.role], message.content, chat.eos, "\n"
    if chat.messages and chat.add_generation_prompt:
        out.append("Assistant:")


OPENCHAT3_5 = Template(
    "openchat-3.5",
    openchat,
    capabilities=["system"],
    bos="<s>",
    eos="<|end_of_turn|>",
    stop={"<|end_of_turn|>": 32000},
    markers=[
        "<unk>", "<s>", "</s>", "<|end_of_turn|>", "<|pad_0|>",
        "GPT4 Correct System:", "GPT4 Correct User:", "GPT4 Correct Assistant:",
    ],
    control_tokens=["<unk>", "<s>", "</s>"],
    text_separators=True,
    source="openchat/openchat-3.5-0106, tokenizer_config.json",
)  # fmt: skip
OPENCHAT3_6 = TurnTemplate(
    "openchat-3.6",
    system=Turn("<|start_header_id|>System<|end_header_id|>\n\n", "<|eot_id|>"),
    user=Turn("<|start_header_id|>GPT4 Correct User<|end_header_id|>\n\n", "<|eot_id|>"),
    assistant=Turn("<|start_header_id|>GPT4 Correct Assistant<|end_header_id|>\n\n", "<|eot_id|>"),
    trim=True,
    refuses=True,
    bos="<|begin_of_text|>",
    stop={"<|eot_id|>": 128009, "<|end_of_text|>": 128001},
    markers=["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
    source="openchat/openchat-3.6-8b-20240522, tokenizer_config.json",
)
TENYXCHAT = Template(
    "tenyxchat",
    tenyxchat,
    capabilities=["system"],
    bos="<s>",
    eos="<|end_of_turn|>",
    stop={"<|end_of_turn|>": 32000},
    markers=["<unk>", "<s>", "</s>", "<|end_of_turn|>", "<|pad_0|>", "System:", "User:", "Assistant:"],
    control_tokens=["<unk>", "<s>", "</s>"],
    text_separators=True,
    source="tenyx/TenyxChat-7B-v1, tokenizer_config.json",
)

adapter = Family(
    "openchat",
    Rule("openchat 3.5 ?0106|1210 .", OPENCHAT3_5),
    Rule("openchat 3.6 8 b ?20240522 .", OPENCHAT3_6),
    Rule("starling lm 7 b alpha|beta .", OPENCHAT3_5),
    Rule("tenyxchat 7 b v 1 .", TENYXCHAT),
)
