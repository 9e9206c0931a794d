"""Prompts without answers, as for reinforcement learning: what a server is sent, with the generation prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect.errors import MaskError, MessageError
from lect_data import media
from lect_data.sequences import Made

if TYPE_CHECKING:
    from lect import Prompt, Row
    from lect_data.sequences import Settings

LEFT_OUT = "the last answer"
"""What an answer that is left out is called among the unused fields of a row."""


def without_answer(row: Row) -> Row:
    """Return a row without the answer at its end, or the two answers of a preference.

    Raises:
        MessageError: If there is nothing else.
    """
    prompt = list(row.messages)
    while prompt and prompt[-1].get("role") == "assistant":
        prompt.pop()
    if not prompt:
        raise MessageError("nothing is asked: the row has only answers\n  try: a message of a user before them")
    is_left_out = len(prompt) < len(row.messages) or row.chosen or row.rejected
    rest = {**row.rest, LEFT_OUT: None} if is_left_out else row.rest
    return row._replace(messages=prompt, chosen=None, rejected=None, rest=rest)


def made_of_prompt(prompt: Prompt, row: Row, settings: Settings) -> Made:
    """Return a prompt as what it is in the result.

    Raises:
        MaskError: If it is too long.
    """
    if settings.tokenizer is None:
        return Made({"prompt": prompt.text}, len(prompt.text), len(row.messages), controls=len(prompt.controls))
    encoded = media.encoded(prompt, row.messages, settings.tokenizer, None, settings.media)
    length, most = len(encoded.ids), settings.max_length
    if most is not None and length > most:
        raise MaskError(f"the prompt has {length:,} tokens, more than max_length, {most:,}\n  try: a larger one")
    return Made({"prompt_ids": encoded.ids}, length, len(row.messages), controls=len(encoded.report.controls))
