"""SeaLLM, by the DAMO Academy of Alibaba."""

from lect.plugin import DEFAULT, Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

# Any role is written as it is given, and the eos of the tokenizer closes every turn.
SEALLM2 = TurnTemplate(
    "seallm-v2",
    system=Turn("<|im_start|>{role}\n", "</s>"),
    user=Turn("<|im_start|>{role}\n", "</s>"),
    assistant=Turn("<|im_start|>{role}\n", "</s>"),
    other=Turn("<|im_start|>{role}\n", "</s>"),
    bos="<s>",
    stop={"</s>": 2},
    markers=["<unk>", "<s>", "</s>", "<|im_start|>"],
    control_tokens=["<unk>"],
    source="SeaLLMs/SeaLLM-7B-v2, tokenizer_config.json",
)
SEALLM2_5 = SEALLM2.but(
    name="seallm-v2.5",
    system=Turn("<|im_start|>{role}\n", "<eos>\n"),
    user=Turn("<|im_start|>{role}\n", "<eos>\n"),
    assistant=Turn("<|im_start|>{role}\n", "<eos>\n"),
    other=Turn("<|im_start|>{role}\n", "<eos>\n"),
    bos="<bos>",
    stop={"<eos>": 1},
    markers=["<pad>", "<eos>", "<bos>", "<unk>", "<|im_start|>"],
    control_tokens=["<pad>", "<unk>"],
    source="SeaLLMs/SeaLLM-7B-v2.5, tokenizer_config.json",
)
# The opening of an answer follows every question, requested or not.
SEALLM3 = TurnTemplate(
    "seallm-v3",
    system=Turn("<|im_start|>system\n", "<|im_end|>\n"),
    user=Turn("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"),
    assistant=Turn("", "<|im_end|>\n"),
    default_system="You are a helpful assistant.",
    system_first=True,
    stop={"<|im_end|>": None, "<|endoftext|>": None},
    markers=["<|im_start|>", "<|im_end|>", "<|endoftext|>"],
    source="SeaLLMs/SeaLLMs-v3-1.5B-Chat, tokenizer_config.json",
)

adapter = Family(
    "seallm",
    Rule("seallm 7 b v 2 .", SEALLM2),
    Rule("seallm 7 b v 2.5 .", SEALLM2_5),
    Rule("seallms v 3 1.5|7 b chat .", SEALLM3),
    Rule("seallms v 3 1.5|7 b .", DEFAULT, kind="base", note="a base model: its maker gave it no chat format"),
)
