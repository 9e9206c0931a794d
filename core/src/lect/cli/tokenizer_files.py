"""The tokenizer of a model, from its files."""

import os
from typing import Any

from lect.errors import TokenizerError, shown

FILE = "tokenizer.json"


def load_tokenizer(path: str) -> Any:
    """Return the `tokenizers.Tokenizer` of a model's directory, or of a `tokenizer.json`."""
    file = _file(os.path.expanduser(path))
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        msg = f"reading {shown(file)} needs the package tokenizers\n  try: pip install tokenizers"
        raise TokenizerError(msg) from error
    try:
        return Tokenizer.from_file(file)
    except Exception as error:  # tokenizers raises nothing more precise
        msg = f"{shown(file)} holds no tokenizer that can be read: {error}"
        raise TokenizerError(msg) from error


def _file(path: str) -> str:
    if not os.path.isdir(path):
        if os.path.isfile(path):
            return path
        msg = (
            f"there is no file or directory {shown(path)}\n"
            f"  try: --tokenizer with the directory of a downloaded model, which contains a {FILE}"
        )
        raise TokenizerError(msg)
    file = os.path.join(path, FILE)
    if os.path.isfile(file):
        return file
    msg = (
        f"{shown(path)} holds no {FILE}\n"
        "  try: transformers.AutoTokenizer.from_pretrained(...).save_pretrained(...), which writes one"
    )
    raise TokenizerError(msg)
