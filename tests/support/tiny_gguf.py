"""A random model of one small layer as a GGUF file, with a vocabulary of bytes and control tokens."""

import random
import struct

from byte_letters import byte_letters
from gguf import ARRAY, F32, I32, STRING, U32, header, text

WIDTH = 32
NORMAL, CONTROL, USER_DEFINED = 1, 3, 4


def tiny_gguf(controls, stop, seed=0, words=()):
    """Return the file; generation ends at the control token `stop`, and `words` are tokens that are text."""
    letters = byte_letters()
    controls = [*dict.fromkeys([*controls, stop])]
    tokens = [letters[byte] for byte in range(256)] + [*controls, *words]
    count = len(tokens)
    pairs = [
        ("general.architecture", STRING, "llama"),
        ("llama.context_length", U32, 4096),
        ("llama.embedding_length", U32, WIDTH),
        ("llama.block_count", U32, 1),
        ("llama.feed_forward_length", U32, WIDTH),
        ("llama.attention.head_count", U32, 2),
        ("llama.attention.head_count_kv", U32, 2),
        ("llama.rope.dimension_count", U32, WIDTH // 2),
        ("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
        ("llama.vocab_size", U32, count),
        ("tokenizer.ggml.model", STRING, "gpt2"),
        ("tokenizer.ggml.pre", STRING, "default"),
        ("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
        (
            "tokenizer.ggml.token_type",
            ARRAY,
            (I32, [NORMAL] * 256 + [CONTROL] * len(controls) + [USER_DEFINED] * len(words)),
        ),
        ("tokenizer.ggml.merges", ARRAY, (STRING, [f"{letters[32]} {letters[32]}"])),
        ("tokenizer.ggml.bos_token_id", U32, tokens.index(stop)),
        ("tokenizer.ggml.eos_token_id", U32, tokens.index(stop)),
    ]
    square, table = (WIDTH, WIDTH), (WIDTH, count)
    shapes = {"token_embd": table, "output_norm": (WIDTH,), "output": table}
    shapes |= {f"blk.0.{name}_norm": (WIDTH,) for name in ("attn", "ffn")}
    shapes |= {f"blk.0.attn_{name}": square for name in ("q", "k", "v", "output")}
    shapes |= {f"blk.0.ffn_{name}": square for name in ("gate", "up", "down")}
    rng = random.Random(seed)
    infos, data = b"", b""
    for name, shape in shapes.items():
        size = shape[0] * (shape[1] if len(shape) > 1 else 1)
        infos += text(f"{name}.weight") + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        infos += struct.pack("<IQ", 0, len(data))
        values = [1.0] * size if name.endswith("norm") else [rng.gauss(0, 0.3) for _ in range(size)]
        data += struct.pack(f"<{size}f", *values)
        data += b"\0" * (-len(data) % 32)
    beginning = header(pairs, len(shapes)) + infos
    return beginning + b"\0" * (-len(beginning) % 32) + data
