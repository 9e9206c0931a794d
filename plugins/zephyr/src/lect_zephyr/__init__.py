"""Zephyr, by the H4 team of Hugging Face, and StableLM Zephyr, by Stability AI."""

from lect.plugin import Chat, Family, Rule, Template, Writer

__lect_api__ = "~=1.0"

WORDS = ("<|system|>", "<|user|>", "<|assistant|>")


def zephyr(chat: Chat, out: Writer) -> None:
    """Write Zephyr 7B: whoever is neither user nor assistant is the system."""
    for message in out.turns(chat.messages):
        opening = {"user": "<|user|>\n", "assistant": "<|assistant|>\n"}.get(message.role, "<|system|>\n")
        out += opening, message.content, chat.eos, "\n"
    if chat.add_generation_prompt:
        out.append("<|assistant|>\n")


def zephyr_gemma(chat: Chat, out: Writer) -> None:
    """Write Zephyr 7B Gemma: ChatML, with the eos after a conversation that ends with an answer."""
    messages = chat.messages
    if messages and messages[0].role in ("user", "system"):
        out.append(chat.bos)
    for message in out.turns(messages):
        out += "<|im_start|>", message.role, "\n", message.content, "<|im_end|>\n"
    if chat.add_generation_prompt:
        out.append("<|im_start|>assistant\n")
    elif messages and messages[-1].role == "assistant":
        out.append(chat.eos)


def stablelm_zephyr(chat: Chat, out: Writer) -> None:
    """Write StableLM Zephyr: as Zephyr, but nothing follows the opening of the answer."""
    messages = chat.messages
    for message in out.turns(messages):
        if message.role in ("system", "user", "assistant"):
            out += "<|", message.role, "|>\n", message.content, chat.eos, "\n"
    if messages and chat.add_generation_prompt:
        out.append("<|assistant|>\n")


ZEPHYR = Template(
    "zephyr",
    zephyr,
    eos="</s>",
    stop=["</s>"],
    stop_token_ids=[2],
    markers=[*WORDS, "<s>", "</s>"],
    text_separators=True,
    looks_for=(),
    source="HuggingFaceH4/zephyr-7b-beta, tokenizer_config.json",
)
ZEPHYR_GEMMA = Template(
    "zephyr-gemma",
    zephyr_gemma,
    bos="<bos>",
    eos="<eos>",
    stop=["<|im_end|>", "<eos>"],
    markers=["<|im_start|>", "<|im_end|>", "<bos>", "<eos>"],
    looks_for=(),
    source="HuggingFaceH4/zephyr-7b-gemma-sft-v0.1, tokenizer_config.json",
)
STABLELM_ZEPHYR = Template(
    "stablelm-zephyr",
    stablelm_zephyr,
    eos="<|endoftext|>",
    stop=["<|endoftext|>"],
    stop_token_ids=[0],
    markers=[*WORDS, "<|endoftext|>"],
    text_separators=True,
    looks_for=(),
    source="stabilityai/stablelm-zephyr-3b, tokenizer_config.json",
)

adapter = Family(
    "zephyr",
    Rule("zephyr 7 b gemma", ZEPHYR_GEMMA),
    Rule("zephyr 7 b alpha|beta|sft|dpo", ZEPHYR),
    Rule("zephyr 7 b .", ZEPHYR),
    Rule("stablelm zephyr 3 b", STABLELM_ZEPHYR),
)
