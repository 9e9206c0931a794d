"""SmolLM2: ChatML, with its own default system text."""

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
