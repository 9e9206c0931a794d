"""Tokenizers beside a model's format: `lect tokens`, and what `lect doctor MODEL` says of a tokenizer and of token ids.

Core encodes prompts; whether a tokenizer is the right one is asked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect_tokens.checks import Result, check_tokenizer
from lect_tokens.ids import check_ids, read_ids

if TYPE_CHECKING:
    from lect import Template

__all__ = ["Result", "check_ids", "check_tokenizer", "check_tokens"]


def check_tokens(template: Template, tokenizer: str | None = None, ids: str | None = None) -> list[Result]:
    """Return what the checks of a tokenizer, or of token ids in a JSON file, find.

    Args:
        template: The format of the model.
        tokenizer: The directory of a `tokenizer.json`, or that file.
        ids: A JSON file with a list of token ids, or `-` for standard input; with a tokenizer, they are read back.

    Raises:
        LectError: If a file cannot be read.
    """
    from lect.cli.sources import load_tokenizer

    loaded = None if tokenizer is None else load_tokenizer(tokenizer)
    return check_tokenizer(template, loaded) if ids is None else check_ids(template, read_ids(ids), loaded)
