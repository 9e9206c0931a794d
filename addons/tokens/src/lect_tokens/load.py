"""A tokenizer from disk."""

from __future__ import annotations

import os
from typing import Any

from lect.errors import TokenizerError, saferepr
from lect.plugin import boundary

TOKENIZER = "tokenizer.json"


@boundary
def load_tokenizer(path: str) -> Any:
    """Return the `tokenizers.Tokenizer` of a model's directory, or of a `tokenizer.json`.

    Raises:
        TokenizerError: If there is none, it cannot be read, or the package `tokenizers` is not installed.
    """
    path = os.path.expanduser(path)
    file = os.path.join(path, TOKENIZER) if os.path.isdir(path) else path
    if not os.path.isfile(file):
        raise TokenizerError(
            f"there is no file or directory {saferepr(path)}\n"
            f"  try: --tokenizer with the directory of a downloaded model, which contains a {TOKENIZER}"
            if file == path
            else f"{saferepr(path)} holds no {TOKENIZER}\n"
            "  try: the directory of a downloaded model; of a tokenizer of transformers, save_pretrained writes one"
        )
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        msg = f"reading {saferepr(file)} needs the package tokenizers\n  try: pip install tokenizers"
        raise TokenizerError(msg) from error
    try:
        return Tokenizer.from_file(file)
    except Exception as error:  # tokenizers raises nothing more precise
        msg = f"{saferepr(file)} holds no tokenizer that can be read: {error}"
        raise TokenizerError(f"{msg}\n  try: the tokenizer.json of a downloaded model") from error
