"""The first generations: DeepSeek-LLM, -MoE, -Math, -Coder and V2, whose turns are plain text, and V2 of June 2024."""

from lect.plugin import Chat, Turn, TurnTemplate, Writer

BOS = "<｜begin▁of▁sentence｜>"
EOS = "<｜end▁of▁sentence｜>"


def coder(chat: Chat, out: Writer) -> None:
    """Write DeepSeek-Coder: instructions and responses; every role but system and user responds."""
    out.append(chat.bos)
    if "system" not in {message.role for message in chat.messages}:
        out.append(chat.default_system)
    for message in out.turns(chat.messages):
        if message.role == "system":
            out.append(message.content)
        elif message.role == "user":
            out += "### Instruction:\n", message.content, "\n"
        else:
            out += "### Response:\n", message.content, "\n<|EOT|>\n"
    if chat.add_generation_prompt:
        out.append("### Response:\n")


LLM_CHAT = TurnTemplate(
    "deepseek-llm-chat",
    system=Turn("", "\n\n"),
    user=Turn("User: ", "\n\n"),
    assistant=Turn("Assistant: ", "{eos}"),
    generation="Assistant:",
    bos=BOS,
    eos=EOS,
    stop={EOS: 100001},
    markers=["User:", "Assistant:", BOS, EOS],
    text_separators=True,
    source="deepseek-ai/deepseek-llm-7b-chat and deepseek-math-7b-rl, tokenizer_config.json",
)
# The same turns, between markers.
V2_CHAT_0628 = LLM_CHAT.but(
    name="deepseek-v2-chat-0628",
    user=Turn("<｜User｜>"),
    assistant=Turn("<｜Assistant｜>", "{eos}"),
    generation="<｜Assistant｜>",
    markers=["<｜User｜>", "<｜Assistant｜>", BOS, EOS],
    text_separators=False,
    source="deepseek-ai/DeepSeek-V2-Chat-0628, tokenizer_config.json",
)
# A program beside the table: a system text anywhere, not only at the beginning, replaces the default.
CODER_INSTRUCT = TurnTemplate(
    "deepseek-coder",
    system=Turn(),
    user=Turn("### Instruction:\n", "\n"),
    assistant=Turn("### Response:\n", "\n<|EOT|>\n"),
    program=coder,
    bos=BOS,
    default_system=(
        "You are an AI programming assistant, utilizing the Deepseek Coder model, developed by Deepseek Company, and "
        "you only answer questions related to computer science. For politically sensitive questions, security and "
        "privacy issues, and other non-computer science questions, you will refuse to answer\n"
    ),
    stop={"<|EOT|>": 32021},
    markers=["### Instruction:", "### Response:", "<|EOT|>", BOS, EOS],
    text_separators=True,
    source="deepseek-ai/deepseek-coder-6.7b-instruct, tokenizer_config.json",
)
