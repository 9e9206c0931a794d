"""Tokenizers beside a model's format: `lect tokens`, and what `lect doctor MODEL` says of a tokenizer and of token ids.

Core encodes prompts; whether a tokenizer is the right one is asked here.
"""

from lect_tokens.checks import Result, check_tokenizer
from lect_tokens.ids import check_ids
from lect_tokens.load import load_tokenizer as load_tokenizer  # for other packages' commands
from lect_tokens.report import check_tokens
from lect_tokens.report import doctor_tokens as doctor_tokens  # for `lect doctor`

__all__ = ["Result", "check_ids", "check_tokenizer", "check_tokens"]
