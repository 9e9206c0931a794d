"""Conversations as PaddleNLP takes them: a text, rounds, or messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from lect import MessageError

Round = tuple[Any, ...]
"""A question and an answer, or a question alone."""
EXAMPLE = "[['user', 'bot'], ['user']]"


class Unnumbered(tuple[Any, ...]):
    """A round given as a mapping, which PaddleNLP accepts too: it has no number."""

    __slots__ = ()


def read_rounds(query: Any) -> tuple[str | None, list[Round]]:
    """Return the system text, if messages have one, and the rounds of a conversation; only the last may lack an answer.

    Raises:
        MessageError: If it is not a conversation.
    """
    if isinstance(query, str):
        return None, [(query,)]
    if not isinstance(query, Sequence) or isinstance(query, bytes | bytearray):
        _refuse(f"query is {query!r} ({type(query).__name__}); expected text, rounds or messages")
    if not query:
        _refuse("the conversation is empty")
    if isinstance(query[0], Mapping) and "role" in query[0]:
        return _rounds_of_messages(query)
    rounds = [_round(each, index) for index, each in enumerate(query)]
    for index, each in enumerate(rounds[:-1]):
        if len(each) != 2:
            _refuse(f"round {index} is {list(each)!r}; expected a question and an answer")
    return None, rounds


def _round(value: Any, index: int) -> Round:
    if isinstance(value, Mapping) and value.keys() == {"user", "bot"}:
        return Unnumbered((value["user"], value["bot"]))
    if isinstance(value, str):
        _refuse(f"round {index} is the text {value!r}; several conversations cannot be applied at once")
    if not isinstance(value, Sequence) or not value:
        _refuse(f"round {index} is {value!r}; expected a question and an answer, or a last question")
    return tuple(value)


def _rounds_of_messages(messages: Sequence[Mapping[str, Any]]) -> tuple[str | None, list[Round]]:
    system: str | None = None
    rounds: list[Round] = []
    for index, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if not isinstance(content, str):
            _refuse(f"messages[{index}].content is {content!r} ({type(content).__name__}); expected text")
        if role == "system" and index == 0:
            system = content
        elif role == "user" and (not rounds or len(rounds[-1]) == 2):
            rounds.append((content,))
        elif role == "assistant" and rounds and len(rounds[-1]) == 1:
            rounds[-1] = (*rounds[-1], content)
        else:
            _refuse(f"messages[{index}] is {role!r}; a system text may come first, then user and assistant take turns")
    if not rounds:
        _refuse("the conversation has no question")
    return system, rounds


def _refuse(what: str) -> NoReturn:
    raise MessageError(f"{what}\n  try: {EXAMPLE}")
