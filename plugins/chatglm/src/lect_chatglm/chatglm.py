"""ChatGLM-6B, ChatGLM2 and ChatGLM3."""

from lect.plugin import Chat, Template, Turn, TurnTemplate, Writer


def chatglm(chat: Chat, out: Writer) -> None:
    """Write ChatGLM-6B: a single question is bare; with a history, rounds are counted from 0."""
    turns = [message for message in chat.messages if message.role in ("user", "assistant")]
    if any(message.role == "system" for message in chat.messages):
        chat.refuse("there is no system role", instead="put the system text in front of the first user message")
    alone = len(turns) == 1
    rounds = -1
    for message in out.turns(turns):
        if message.role == "user" and alone:
            out.append(message.content)
        elif message.role == "user":
            rounds += 1
            out += f"[Round {rounds}]\n问：", message.content, "\n"
        else:
            out += "答：", message.content, "\n"
    if chat.add_generation_prompt and not alone:
        out.append("答：")


CHATGLM = Template(
    "chatglm-6b",
    chatglm,
    roles=["user", "assistant"],
    capabilities=[],
    stop={"<eop>": 130005},
    markers=["问：", "答：", "<eop>"],
    text_separators=True,
    source="THUDM/ChatGLM-6B, modeling_chatglm.py: chat, and ptuning/main.py",
)
CHATGLM2 = TurnTemplate(
    "chatglm2-6b",
    user=Turn("[Round {round}]\n\n问：", "\n\n"),
    assistant=Turn("答：", "\n\n"),
    stop={"</s>": 2},
    markers=["问：", "答：", "</s>"],
    text_separators=True,
    source="THUDM/ChatGLM2-6B, modeling_chatglm.py: build_prompt",
)
# A tag for every role, and the text on its own line after a space.
EVERY_ROLE = Turn("<|{role}|>\n ")
CHATGLM3 = TurnTemplate(
    "chatglm3-6b",
    opening="[gMASK]sop",
    system=EVERY_ROLE,
    user=EVERY_ROLE,
    assistant=EVERY_ROLE,
    other=EVERY_ROLE,
    generation="<|assistant|>",
    empty="generation",
    roles=["system", "user", "assistant", "observation"],
    stop={"<|user|>": 64795, "<|observation|>": 64797, "</s>": 2},
    # `sop` and `eop`, 64792 and 64793, are tokens too, but occur in ordinary words, such as philosophy.
    markers={
        "<unk>": 0, "<s>": 1, "</s>": 2, "[MASK]": 64789, "[gMASK]": 64790, "[sMASK]": 64791, "<|system|>": 64794,
        "<|user|>": 64795, "<|assistant|>": 64796, "<|observation|>": 64797,
    },
    source="THUDM/chatglm3-6b, tokenizer_config.json; PROMPT.md of THUDM/ChatGLM3",
)  # fmt: skip
