"""A row as sequences: texts, ids with weights, or two answers to one prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lect import LossPolicy
from lect.errors import MaskError, MessageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lect import Encoded, Prompt, Row, Template

PAIR = ("chosen", "rejected")


class Settings(NamedTuple):
    """What a row is made into."""

    tokenizer: Any
    """None for texts."""
    policy: LossPolicy
    max_length: int | None
    truncate: str
    unroll: Any
    preference: bool
    options: Mapping[str, Any]
    prompts: bool = False
    """Whether only what is before an answer is wanted."""


class Made(NamedTuple):
    """A sequence that was made from a row: the values of its columns, except for labels."""

    values: Mapping[str, Any]
    length: int
    turns: int
    is_cut: bool = False
    controls: int = 0
    """How many control tokens, or markers, texts from outside spell."""


def prompts_of(template: Template, row: Row, settings: Settings) -> list[Prompt]:
    """Return the prompts of a row: for a preference, that of the chosen answer and that of the rejected one.

    Raises:
        LectError: If the row cannot be used.
    """
    if not settings.preference:
        if row.chosen or row.rejected:
            msg = "the row has two answers, chosen and rejected\n  try: Formatter(..., preference=True)"
            raise MessageError(msg)
        if settings.unroll == "never":
            return [template.render(row.messages, tools=row.tools, **settings.options)]
        return template.unroll(row.messages, settings.unroll, tools=row.tools, **settings.options)
    if not row.chosen or not row.rejected:
        msg = f"the row has no {' and no '.join(name for name in PAIR if not getattr(row, name))}"
        raise MessageError(msg)
    # The policy trains what differs, so that both answers begin where they would on a server.
    shared = [{**each, "weight": 0} if each.get("role") == "assistant" else each for each in row.messages]
    return [
        template.unroll([*shared, *_unweighed(side)], "auto", tools=row.tools, **settings.options)[-1]
        for side in (row.chosen, row.rejected)
    ]


def _unweighed(messages: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for message in messages:
        yield {name: value for name, value in message.items() if name != "weight"}


def made_of(prompts: Sequence[Prompt], row: Row, settings: Settings) -> Iterator[Made]:
    """Yield the sequences of prompts.

    Raises:
        LectError: If the row cannot be used.
    """
    if settings.preference:
        yield _pair(prompts, row, settings)
        return
    for prompt in prompts:
        if settings.tokenizer is None:
            yield Made({"text": prompt.text}, len(prompt.text), len(row.messages), controls=len(prompt.controls))
        else:
            yield from _encoded(prompt, settings)


def _encoded(prompt: Prompt, settings: Settings) -> Iterator[Made]:
    most, how = settings.max_length, settings.truncate
    limits: dict[str, Any] = {"max_length": most, "truncate": "turns"} if how == "turns" else {}
    encoded = prompt.encode(settings.tokenizer, policy=settings.policy, strict=False, **limits)
    ids, weights, report = encoded.ids, encoded.weights, encoded.report
    if settings.options.get("strict") and report.deviations:
        listed = "\n".join(f"  messages[{each.message}]: {each.reason}" for each in report.deviations)
        msg = f"what would be trained is not what a server makes the model write\n{listed}"
        raise MaskError(msg)
    turns = _last_message(prompt, encoded) + 1
    if most is None or len(ids) <= most:
        values = {"input_ids": ids, "weights": weights}
        yield Made(values, len(ids), turns, is_cut=report.truncated > 0, controls=len(report.controls))
        return
    if how == "drop":
        raise MaskError(_too_long(len(ids), most))
    for start in range(0, len(ids), most):
        window, weighed = ids[start : start + most], weights[start : start + most]
        if any(weighed):
            values = {"input_ids": window, "weights": weighed}
            yield Made(values, len(window), turns, is_cut=True, controls=len(report.controls))


def _too_long(length: int, most: int) -> str:
    return f"it has {length:,} tokens, more than max_length, {most:,}\n  try: a larger one, or truncate='turns'"


def _last_message(prompt: Prompt, encoded: Encoded) -> int:
    """Return the index of the last message that is in a sequence."""
    turns = prompt.turns
    if encoded.report.truncated:
        reached = encoded.offsets[-1][1]
        turns = [turn for turn in turns if turn.end <= reached]
    return turns[-1].message if turns else -1


def _pair(prompts: Sequence[Prompt], row: Row, settings: Settings) -> Made:
    sides = [_text_side(prompt) if settings.tokenizer is None else _ids_side(prompt, settings) for prompt in prompts]
    (before, chosen, controls), (other, rejected, others) = sides
    if before != other:
        msg = "chosen and rejected do not follow the same prompt: the format writes what is before them otherwise"
        raise MessageError(msg)
    length = len(before) + max(len(chosen), len(rejected))
    if settings.max_length is not None and length > settings.max_length:
        raise MaskError(_too_long(length, settings.max_length))
    suffix = "" if settings.tokenizer is None else "_ids"
    values = {f"prompt{suffix}": before, f"chosen{suffix}": chosen, f"rejected{suffix}": rejected}
    answers = max(len(row.chosen or ()), len(row.rejected or ()))
    return Made(values, length, len(row.messages) + answers, controls=controls + others)


def _text_side(prompt: Prompt) -> tuple[str, str, int]:
    spans = prompt.loss_spans()
    if not spans:
        msg = "no text of an answer is trained\n  try: an assistant's message in chosen and in rejected"
        raise MaskError(msg)
    start, end = spans[0].start, spans[-1].end
    return prompt.text[:start], prompt.text[start:end], len(prompt.controls)


def _ids_side(prompt: Prompt, settings: Settings) -> tuple[list[int], list[int], int]:
    encoded = prompt.encode(settings.tokenizer, policy=LossPolicy(), strict=False)
    trained = [place for place, weight in enumerate(encoded.weights) if weight]
    start, end = trained[0], trained[-1] + 1
    return encoded.ids[:start], encoded.ids[start:end], len(encoded.report.controls)
