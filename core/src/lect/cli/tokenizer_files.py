"""The tokenizer of a model, from its files."""

import os
from typing import Any

from lect.errors import TokenizerError, saferepr

FILE = "tokenizer.json"


def load_tokenizer(path: str) -> Any:
    """Return the `tokenizers.Tokenizer` of a model's directory, or of a `tokenizer.json`."""
    path = os.path.expanduser(path)
    file = os.path.join(path, FILE) if os.path.isdir(path) else path
    if not os.path.isfile(file):
        msg = (
            f"there is no file or directory {saferepr(path)}\n"
            f"  try: --tokenizer with the directory of a downloaded model, which contains a {FILE}"
            if file == path
            else f"{saferepr(path)} holds no {FILE}\n"
            "  try: transformers.AutoTokenizer.from_pretrained(...).save_pretrained(...), which writes one"
        )
        raise TokenizerError(msg)
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        msg = f"reading {saferepr(file)} needs the package tokenizers\n  try: pip install tokenizers"
        raise TokenizerError(msg) from error
    try:
        return Tokenizer.from_file(file)
    except Exception as error:  # tokenizers raises nothing more precise
        msg = f"{saferepr(file)} holds no tokenizer that can be read: {error}"
        raise TokenizerError(msg) from error
