"""Training examples as PaddleNLP has them: a system text, then the user's and the bot's part of every round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lect import MessageError
from lect_paddlenlp.conversations import Round


class Span(NamedTuple):
    """A piece of a training example, and whether the model is to learn it."""

    text: str
    loss: bool


def spans_of(encoded: Mapping[str, Any]) -> list[Span]:
    """Return a training example as texts in order, each with whether it carries loss."""
    spans = [Span(encoded["system"], False)] if "system" in encoded else []
    for user, bot in encoded["conversations"]:
        spans += Span(user, False), Span(bot, True)
    return spans


def ids(text: str, tokenizer: Any) -> Any:
    """Return the ids of a text; without a tokenizer, the text."""
    return text if tokenizer is None else tokenizer.encode(text, add_special_tokens=False)


def need_answer(each: Round, index: int) -> None:
    """Refuse a round that cannot be used for training.

    Raises:
        MessageError: If it is not a question and an answer.
    """
    if len(each) != 2:
        raise MessageError(f"round {index} is {list(each)!r}; training needs a question and an answer")


def refuse_tensors(return_tensors: Any) -> None:
    """Refuse to create tensors.

    Raises:
        MessageError: If they are requested.
    """
    if return_tensors is not None:
        raise MessageError(f"return_tensors is {return_tensors!r}; no tensors are made\n  try: ids, with a tokenizer")
