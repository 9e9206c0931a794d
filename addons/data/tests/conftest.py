"""A tokenizer for the formats of Qwen, made on the spot: bytes, some words, and the model's control tokens."""

import pytest

tokenizers = pytest.importorskip("tokenizers")

CONTROLS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
OTHERS = ["<tool_call>", "</tool_call>", "<think>", "</think>"]
TEXT = 'It is warm in Paris and cold in Oslo, said the user to the assistant.\n\n{"name": "weather", "city": "Ulm"}\n\n'


@pytest.fixture(scope="session")
def tokenizer():
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    words = tokenizers.trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    made.train_from_iterator([TEXT, TEXT], words)
    texts = [*CONTROLS, *OTHERS]
    made.add_special_tokens([tokenizers.AddedToken(text, normalized=False, special=True) for text in texts])
    return made


@pytest.fixture(scope="session")
def directory(tokenizer, tmp_path_factory):
    """The directory of a model with this tokenizer."""
    path = tmp_path_factory.mktemp("model")
    tokenizer.save(str(path / "tokenizer.json"))
    return path
