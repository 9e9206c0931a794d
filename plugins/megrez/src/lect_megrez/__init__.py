"""Megrez, by Infinigence."""

from lect.plugin import Family, Rule, Turn, TurnTemplate

__lect_api__ = "~=1.0"

MEGREZ = TurnTemplate(
    "megrez-3b",
    system=Turn("<|role_start|>system<|role_end|>", "<|turn_end|>"),
    user=Turn("<|role_start|>user<|role_end|>", "<|turn_end|>"),
    assistant=Turn("<|role_start|>assistant<|role_end|>", "<|turn_end|>"),
    other=Turn("<|role_start|>{role}<|role_end|>", "<|turn_end|>"),
    empty="generation",
    default_system="你是Megrez-3B-Instruct，将针对用户的问题给出详细的、积极的回答。",
    stop=["<|turn_end|>"],
    markers=["<|role_start|>", "<|role_end|>", "<|turn_end|>"],
    source="Infinigence/Megrez-3B-Instruct, tokenizer_config.json, as ggml-org/llama.cpp at b21e4de has it",
)

adapter = Family("megrez", Rule("megrez 3 b instruct .", MEGREZ))
