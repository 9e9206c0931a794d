"""Write small GGUF files, by the format's own description: a header, keys with typed values, a table of tensors."""

import struct

STRING, ARRAY, U32, I32, F32 = 8, 9, 4, 5, 6
SCALARS = {U32: "<I", I32: "<i", F32: "<f"}


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def typed(kind, value):
    if kind == STRING:
        return text(value)
    if kind == ARRAY:
        inner, values = value
        return struct.pack("<IQ", inner, len(values)) + b"".join(typed(inner, each) for each in values)
    return struct.pack(SCALARS[kind], value)


def header(pairs, tensors=0, version=3):
    """Return the beginning of a file; `pairs` are (key, type, value)."""
    keys = b"".join(text(key) + struct.pack("<I", kind) + typed(kind, value) for key, kind, value in pairs)
    return b"GGUF" + struct.pack("<IQQ", version, tensors, len(pairs)) + keys


def tensor(name, offset, shape=(4, 8)):
    dimensions = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
    return text(name) + dimensions + struct.pack("<IQ", 0, offset)


def file(pairs, tensors=("token_embd.weight", "output.weight")):
    """Return a whole file with small tensors."""
    table = b"".join(tensor(name, 128 * at) for at, name in enumerate(tensors))
    data = header(pairs, len(tensors)) + table
    return data + b"\0" * (-len(data) % 32) + b"\x07" * 128 * len(tensors)


def model(template, tokens=("<unk>", "<s>", "</s>", "<|im_end|>", "hello"), architecture="qwen2"):
    """Return a file as converters write it: architecture, tokens with their types, ids, template, tensors."""
    return file(
        [
            ("general.architecture", STRING, architecture),
            ("tokenizer.ggml.model", STRING, "gpt2"),
            ("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
            ("tokenizer.ggml.token_type", ARRAY, (I32, [2, 3, 3, 3, 1])),
            ("tokenizer.ggml.scores", ARRAY, (F32, [0.0] * len(tokens))),
            ("tokenizer.ggml.bos_token_id", U32, 1),
            ("tokenizer.ggml.eos_token_id", U32, 3),
            ("tokenizer.chat_template", STRING, template),
        ]
    )
