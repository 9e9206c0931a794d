"""SmolLM, which is ChatML, and SmolLM2, which has its own default system text."""

from lect.plugin import Turn, TurnTemplate

CHATML = Turn("<|im_start|>{role}\n", "<|im_end|>\n")

SMOLLM2 = TurnTemplate(
    "smollm2",
    system=CHATML,
    user=CHATML,
    assistant=CHATML,
    other=CHATML,
    generation="<|im_start|>assistant\n",
    empty="generation",
    default_system="You are a helpful AI assistant named SmolLM, trained by Hugging Face",
    stop=["<|im_end|>", "<|endoftext|>"],
    markers=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
    source="HuggingFaceTB/SmolLM2-1.7B-Instruct, tokenizer_config.json",
)
SMOLLM = SMOLLM2.but(
    name="smollm",
    default_system="",
    stop=["<|im_end|>"],
    markers=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
    evidence="attested",
    source=(
        "huggingface/alignment-handbook at 0213b5b, recipes/smollm/sft/config.yaml, and hiyouga/LLaMA-Factory at "
        "00577a8, src/llamafactory/data/template.py"
    ),
)
