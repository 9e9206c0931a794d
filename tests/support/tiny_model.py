"""A random model of 6,000 parameters that speaks the format of Qwen3, and its tokenizer."""

import tokenizers
import torch
import transformers

MODEL = "Qwen/Qwen3-0.6B"
CONTROLS = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>",
    "<tool_response>", "</tool_response>",
]  # fmt: skip
TEXT = 'weather temperature in a city Ulm Oslo 13 °C 4 °C\n{"name": "weather", "arguments": {"city": "Ulm"}}\n'


def tiny_tokenizer():
    """Bytes, a few words, and the control tokens of Qwen3."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    words = tokenizers.trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    made.train_from_iterator([TEXT, TEXT], words)
    made.add_special_tokens([tokenizers.AddedToken(text, normalized=False, special=True) for text in CONTROLS])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )


def tiny_model(tokenizer):
    torch.manual_seed(7)
    config = transformers.Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=4,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = transformers.Qwen3ForCausalLM(config)
    model.name_or_path = MODEL
    return model
