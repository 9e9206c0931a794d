"""Zephyr, by the H4 team of Hugging Face; StableLM Zephyr, by Stability AI, and TinyLlama Chat, tuned the same way."""

from lect.plugin import DEFAULT, Chat, Family, Rule, Turn, TurnTemplate, Writer

__lect_api__ = "~=1.0"


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


# Any role that is neither user nor assistant gets the system's tag.
ZEPHYR = TurnTemplate(
    "zephyr",
    system=Turn("<|system|>\n", "{eos}\n"),
    user=Turn("<|user|>\n", "{eos}\n"),
    assistant=Turn("<|assistant|>\n", "{eos}\n"),
    other=Turn("<|system|>\n", "{eos}\n"),
    eos="</s>",
    stop={"</s>": 2},
    markers=["<|system|>", "<|user|>", "<|assistant|>", "<unk>", "<s>", "</s>"],
    control_tokens=["<unk>", "<s>"],
    text_separators=True,
    source="HuggingFaceH4/zephyr-7b-beta, tokenizer_config.json",
)
STABLELM_ZEPHYR = ZEPHYR.but(
    name="stablelm-zephyr",
    system=Turn("<|{role}|>\n", "{eos}\n"),
    user=Turn("<|{role}|>\n", "{eos}\n"),
    assistant=Turn("<|{role}|>\n", "{eos}\n"),
    other=None,
    empty="nothing",
    eos="<|endoftext|>",
    stop={"<|endoftext|>": 0},
    markers=["<|system|>", "<|user|>", "<|assistant|>", "<|endoftext|>"],
    source="stabilityai/stablelm-zephyr-3b, tokenizer_config.json",
)
TINYLLAMA = STABLELM_ZEPHYR.but(
    name="tinyllama-chat",
    eos="</s>",
    stop={"</s>": 2},
    markers=["<|system|>", "<|user|>", "<|assistant|>", "<unk>", "<s>", "</s>"],
    control_tokens=["<unk>", "<s>"],
    source="TinyLlama/TinyLlama-1.1B-Chat-v1.0, tokenizer_config.json",
)
ZEPHYR_GEMMA = TurnTemplate(
    "zephyr-gemma",
    system=Turn("<|im_start|>{role}\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>{role}\n", "<|im_end|>\n"),
    assistant=Turn("<|im_start|>{role}\n", "<|im_end|>\n"),
    closing="{eos}",
    program=zephyr_gemma,
    bos="<bos>",
    eos="<eos>",
    stop=["<|im_end|>", "<eos>"],
    markers=["<|im_start|>", "<|im_end|>", "<bos>", "<eos>"],
    source="HuggingFaceH4/zephyr-7b-gemma-sft-v0.1, tokenizer_config.json",
)

NO_FORMAT = "a base model: its maker gave it no chat format"

adapter = Family(
    "zephyr",
    Rule("zephyr 7 b gemma", ZEPHYR_GEMMA),
    Rule("zephyr 7 b alpha|beta|sft|dpo", ZEPHYR),
    Rule("zephyr 7 b .", ZEPHYR),
    Rule("stablelm zephyr 3 b", STABLELM_ZEPHYR),
    Rule("stablelm base alpha # b ?v ?2", DEFAULT, kind="base", note=NO_FORMAT),
    Rule("stablelm 3 b 4 e 1 t", DEFAULT, kind="base", note=NO_FORMAT),
    Rule("tinyllama 1.1 b chat v 1.0 .", TINYLLAMA),
)
