"""ChatGLM-6B, ChatGLM2 and ChatGLM3."""

from lect.plugin import Chat, Template, Turn, TurnTemplate, Writer


def chatglm(chat: Chat, out: Writer) -> None:
    """Write ChatGLM-6B: a first question is bare; with a history, rounds are counted from 0."""
    spoken = [message for message in chat.messages if message.role in ("user", "assistant")]
    if any(message.role == "system" for message in chat.messages):
        chat.refuse("there is no system role", instead="put the system text in front of the first user message")
    alone = len(spoken) == 1
    rounds = -1
    for message in out.turns(spoken):
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
    stop=["<eop>"],
    stop_token_ids=[130005],
    markers=["问：", "答：", "<eop>"],
    text_separators=True,
    looks_for=(),
    source="THUDM/ChatGLM-6B, modeling_chatglm.py: chat, and ptuning/main.py",
)
CHATGLM2 = TurnTemplate(
    "chatglm2-6b",
    user=Turn("[Round {round}]\n\n问：", "\n\n"),
    assistant=Turn("答：", "\n\n"),
    stop=["</s>"],
    stop_token_ids=[2],
    markers=["问：", "答：", "</s>"],
    text_separators=True,
    source="THUDM/ChatGLM2-6B, modeling_chatglm.py: build_prompt",
)


def chatglm3(chat: Chat, out: Writer) -> None:
    """Write ChatGLM3: a tag for every role, and the text on a line of its own after a space."""
    for message in out.turns(chat.messages):
        if message is chat.messages[0]:
            out.append("[gMASK]sop")
        out += "<|", message.role, "|>\n ", chat.shown(message)
    if chat.add_generation_prompt:
        out.append("<|assistant|>")


CHATGLM3 = Template(
    "chatglm3-6b",
    chatglm3,
    roles=["system", "user", "assistant", "observation"],
    stop=["<|user|>", "<|observation|>", "</s>"],
    stop_token_ids=[64795, 64797, 2],
    markers=["[gMASK]", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>", "</s>"],
    looks_for=(),
    source="THUDM/chatglm3-6b, tokenizer_config.json; PROMPT.md of THUDM/ChatGLM3",
)
