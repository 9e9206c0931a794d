"""The first generation, whose turns are plain text: DeepSeek-LLM, -MoE, -Math and -Coder."""

from lect.plugin import Chat, Template, Writer

BOS = "<｜begin▁of▁sentence｜>"
EOS = "<｜end▁of▁sentence｜>"
CODER = (
    "You are an AI programming assistant, utilizing the Deepseek Coder model, developed by Deepseek Company, and you "
    "only answer questions related to computer science. For politically sensitive questions, security and privacy "
    "issues, and other non-computer science questions, you will refuse to answer\n"
)


def llm_chat(chat: Chat, out: Writer) -> None:
    """Write DeepSeek-LLM, -MoE and -Math."""
    out.append(chat.bos)
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "User: ", message.content, "\n\n"
        elif message.role == "assistant":
            out += "Assistant: ", message.content, chat.eos
        elif message.role == "system":
            out += message.content, "\n\n"
    if chat.add_generation_prompt:
        out.append("Assistant:")


def coder(chat: Chat, out: Writer) -> None:
    """Write DeepSeek-Coder: instructions and responses; whoever is neither system nor user responds."""
    out.append(chat.bos)
    if all(message.role != "system" for message in chat.messages):
        out.append(CODER)
    for message in out.turns(chat.messages):
        if message.role == "system":
            out.append(chat.shown(message))
        elif message.role == "user":
            out += "### Instruction:\n", message.content, "\n"
        else:
            out += "### Response:\n", message.content, "\n<|EOT|>\n"
    if chat.add_generation_prompt:
        out.append("### Response:\n")


LLM_CHAT = Template(
    "deepseek-llm-chat",
    llm_chat,
    bos=BOS,
    eos=EOS,
    stop=[EOS],
    stop_token_ids=[100001],
    markers=["User:", "Assistant:", BOS, EOS],
    text_separators=True,
    looks_for=(),
    source="deepseek-ai/deepseek-llm-7b-chat and deepseek-math-7b-rl, tokenizer_config.json",
)
CODER_INSTRUCT = Template(
    "deepseek-coder",
    coder,
    bos=BOS,
    default_system=CODER,
    stop=["<|EOT|>"],
    stop_token_ids=[32021],
    markers=["### Instruction:", "### Response:", "<|EOT|>", BOS, EOS],
    text_separators=True,
    looks_for=(),
    source="deepseek-ai/deepseek-coder-6.7b-instruct, tokenizer_config.json",
)
