"""Tulu 2 and 3, and the first two generations of OLMo: a line for each role, and the eos after an answer."""

from functools import partial

from lect.plugin import Chat, Template, Turn, TurnTemplate, Writer


def olmo(chat: Chat, out: Writer) -> None:
    """Write the first OLMo: like Tulu 2, after the eos."""
    out.append(chat.eos)
    for message in out.turns(chat.messages):
        if message.role == "user":
            out += "<|user|>\n", message.content, "\n"
        elif message.role == "assistant":
            out += "<|assistant|>\n", message.content, chat.eos, "\n"
    if chat.messages and chat.add_generation_prompt:
        out.append("<|assistant|>\n")


def tulu3(chat: Chat, out: Writer, *, final: str = "") -> None:
    """Write Tulu 3 and OLMo 2: there is no newline, but `final`, after a final answer."""
    messages = chat.messages
    out.append(chat.bos)
    for position, message in enumerate(out.turns(messages), 1):
        if message.role in ("system", "user"):
            out += "<|", message.role, "|>\n", message.content, "\n"
        elif message.role == "assistant":
            out += "<|assistant|>\n", message.content, chat.eos, "\n" if position < len(messages) else final
    if messages and chat.add_generation_prompt:
        out.append("<|assistant|>\n")


TULU2 = TurnTemplate(
    "tulu-2",
    user=Turn("<|user|>\n", "\n"),
    assistant=Turn("<|assistant|>\n", "{eos}\n"),
    empty="nothing",
    eos="</s>",
    stop={"</s>": 2},
    markers=["<|user|>", "<|assistant|>", "<unk>", "<s>", "</s>"],
    control_tokens=["<unk>", "<s>"],
    text_separators=True,
    source="allenai/tulu-2-7b, tokenizer_config.json",
)
OLMO = Template(
    "olmo",
    olmo,
    roles=["user", "assistant"],
    capabilities=[],
    eos="<|endoftext|>",
    stop={"<|endoftext|>": 50279},
    markers=["<|user|>", "<|assistant|>", "<|endoftext|>", "<|padding|>"],
    text_separators=True,
    source="allenai/OLMo-7B-Instruct, tokenizer_config.json",
)
TULU3 = Template(
    "tulu-3",
    tulu3,
    eos="<|end_of_text|>",
    stop={"<|end_of_text|>": 128001},
    markers=[
        "<|system|>", "<|user|>", "<|assistant|>", "<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>",
        "<|start_header_id|>", "<|end_header_id|>", "<|python_tag|>", "<|finetune_right_pad_id|>",
        "<|reserved_special_token_{}|>",
    ],
    text_separators=True,
    source="allenai/open-instruct, dataset_transformation.py: the template tulu",
)  # fmt: skip
OLMO2 = TULU3.but(
    name="olmo-2",
    bos="<|endoftext|>",
    eos="<|endoftext|>",
    stop={"<|endoftext|>": 100257},
    markers=[
        "<|system|>", "<|user|>", "<|assistant|>", "<|endoftext|>", "<|pad|>", "<|im_start|>", "<|im_end|>",
        "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|endofprompt|>",
    ],
    source="allenai/OLMo-2-1124-13B-Instruct, tokenizer_config.json",
)  # fmt: skip
OLMOE = TULU3.but(
    name="olmoe-0924",
    program=partial(tulu3, final="\n"),
    bos="<|endoftext|>",
    eos="<|endoftext|>",
    stop={"<|endoftext|>": 50279},
    markers=["<|system|>", *OLMO.markers],
    source="allenai/OLMoE-1B-7B-0924-Instruct, as nomic-ai/gpt4all quotes the template of its GGUF file",
    evidence="second-hand",
)
# Another token opens the prompt and closes an answer.
OLMOE_0125 = TULU3.but(
    name="olmoe-0125",
    bos="|||IP_ADDRESS|||",
    eos="|||IP_ADDRESS|||",
    stop={"|||IP_ADDRESS|||": None, "<|endoftext|>": 50279},
    markers=[*OLMOE.markers, "|||IP_ADDRESS|||", "|||EMAIL_ADDRESS|||", "|||PHONE_NUMBER|||"],
    source=(
        "nomic-ai/gpt4all, gpt4all-chat/src/jinja_replacements.cpp: the template of its GGUF file; "
        "modelscope/ms-swift, swift/template/templates/llm.py: the template olmoe"
    ),
    evidence="attested",
)
