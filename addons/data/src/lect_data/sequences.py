"""A row as sequences: texts, ids with weights, or two answers to one prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lect import LossPolicy
from lect.addon import spell
from lect.errors import MaskError, MessageError
from lect_data import media
from lect_data.deviations import in_ids, in_side, in_text, left_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lect import Encoded, Prompt, Row, Template
    from lect_data.deviations import Deviation
    from lect_media import Spliced

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
    media: str = "parts"
    """What an image is: as many tokens as the model gets, or `one`."""


class Made(NamedTuple):
    """A sequence that was made from a row: the values of its columns, except for labels."""

    values: Mapping[str, Any]
    length: int
    turns: int
    is_cut: bool = False
    controls: int = 0
    """How many control tokens, or markers, texts from outside spell."""
    deviations: Sequence[Deviation] = ()
    """The answers that are not trained as served; those of a row that are not trained at all are in its last one."""


def prompts_of(template: Template, row: Row, settings: Settings) -> list[Prompt]:
    """Return the prompts of a row: for a preference, that of the chosen answer and that of the rejected one.

    Raises:
        LectError: If the row cannot be used.
    """
    if not settings.preference:
        if row.chosen or row.rejected:
            raise MessageError("the row has two answers, chosen and rejected\n  try: Formatter(..., preference=True)")
        if settings.unroll == "never":
            return [template.render(row.messages, tools=row.tools, **settings.options)]
        return template.unroll(row.messages, settings.unroll, tools=row.tools, **settings.options)
    if not row.chosen or not row.rejected:
        raise MessageError(f"the row has no {' and no '.join(name for name in PAIR if not getattr(row, name))}")
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
    made = [each for prompt in _trained(prompts, row, settings) for each in _sequences(prompt, row, settings)]
    yield from made[:-1]
    for last in made[-1:]:
        yield last._replace(deviations=(*last.deviations, *left_out(prompts, row)))


def _trained(prompts: Sequence[Prompt], row: Row, settings: Settings) -> Sequence[Prompt]:
    """Return the prompts in which something is trained; all of them for texts, which do not say what is."""
    policy = settings.policy
    if settings.tokenizer is None or prompts[0].trains is None:
        return prompts
    if policy.last:
        # Each sequence has a last answer, and one of them is that of the conversation.
        last = max(index for index, message in enumerate(row.messages) if message.get("role") == "assistant")
        for prompt in prompts:
            for each in prompt.deviations:
                if each.message == last and each.kind == "left_out":
                    msg = f"no token carries loss: the last answer is left out\n  messages[{last}]: {each.reason}"
                    raise MaskError(msg)
        return prompts[-1:]
    return prompts if len(prompts) == 1 else [each for each in prompts if each.loss_spans(policy)] or prompts[:1]


def _sequences(prompt: Prompt, row: Row, settings: Settings) -> Iterator[Made]:
    if settings.tokenizer is not None:
        yield from _encoded(prompt, row.messages, settings)
        return
    turns = max(prompt.trains) + 1 if prompt.trains else len(row.messages)
    controls = len(prompt.controls)
    yield Made(
        {"text": prompt.text}, len(prompt.text), turns, controls=controls, deviations=in_text(prompt, row.messages)
    )


def _encoded(prompt: Prompt, messages: Sequence[Mapping[str, Any]], settings: Settings) -> Iterator[Made]:
    most, how = settings.max_length, settings.truncate
    limits: dict[str, Any] = {"max_length": most, "truncate": "turns"} if how == "turns" and most is not None else {}
    encoded = media.encoded(prompt, messages, settings.tokenizer, settings.policy, settings.media, **limits)
    ids, weights, report = encoded.ids, encoded.weights, encoded.report
    if settings.options.get("strict") and report.deviations:
        listed = "\n".join(f"  messages[{each.message}]: {each.reason}" for each in report.deviations)
        raise MaskError(f"what would be trained is not what a server makes the model write\n{listed}")
    turns, controls = _last_message(prompt, encoded) + 1, len(report.controls)
    deviations = in_ids(prompt, encoded)
    if most is None or len(ids) <= most:
        values = {"input_ids": ids, "weights": weights}
        is_cut = report.truncated > 0
        yield Made(values, len(ids), turns, is_cut=is_cut, controls=controls, deviations=deviations)
        return
    if how == "drop":
        raise MaskError(_too_long(len(ids), most))
    for start, end in _windows(encoded, most):
        window, weighed = ids[start:end], weights[start:end]
        if any(weighed):
            values = {"input_ids": window, "weights": weighed}
            yield Made(values, len(window), turns, is_cut=True, controls=controls, deviations=deviations)
            deviations = []


def _windows(encoded: Encoded | Spliced, most: int) -> Iterator[tuple[int, int]]:
    """Yield where windows of at most so many tokens begin and end: an image is in one of them."""
    start, length = 0, len(encoded.ids)
    while start < length:
        end = min(start + most, length)
        cut = next((each for each in encoded.media if each.start < end < each.end), None)
        if cut is not None and cut.start <= start:
            raise MaskError(f"{spell(cut.path)} has {cut.end - cut.start:,} tokens, more than max_length, {most:,}")
        end = end if cut is None else cut.start
        yield start, end
        start = end


def _too_long(length: int, most: int) -> str:
    return f"it has {length:,} tokens, more than max_length, {most:,}\n  try: a larger one, or truncate='turns'"


def _last_message(prompt: Prompt, encoded: Encoded | Spliced) -> int:
    """Return the index of the last message that is in a sequence."""
    turns, end = prompt.turns, media.reached(encoded)
    if end is not None:
        turns = [turn for turn in turns if turn.end <= end]
    return turns[-1].message if turns else -1


def _pair(prompts: Sequence[Prompt], row: Row, settings: Settings) -> Made:
    answers = (row.chosen or [], row.rejected or [])
    sides = [
        _text_side(each) if settings.tokenizer is None else _ids_side(each, [*row.messages, *answer], settings)
        for each, answer in zip(prompts, answers, strict=True)
    ]
    (prompt, chosen, controls), (other, rejected, others) = sides
    if prompt != other:
        msg = "chosen and rejected do not follow the same prompt: the format writes what is before them otherwise"
        raise MessageError(msg)
    length = len(prompt) + max(len(chosen), len(rejected))
    if settings.max_length is not None and length > settings.max_length:
        raise MaskError(_too_long(length, settings.max_length))
    suffix = "" if settings.tokenizer is None else "_ids"
    values = {f"prompt{suffix}": prompt, f"chosen{suffix}": chosen, f"rejected{suffix}": rejected}
    before = len(row.messages)
    turns = before + max(len(row.chosen or ()), len(row.rejected or ()))
    deviations = [each for prompt in prompts for each in in_side(prompt, before)]
    return Made(values, length, turns, controls=controls + others, deviations=deviations)


def _text_side(prompt: Prompt) -> tuple[str, str, int]:
    spans = prompt.loss_spans()
    if not spans:
        raise MaskError("no text of an answer is trained\n  try: an assistant's message in chosen and in rejected")
    start, end = spans[0].start, spans[-1].end
    return prompt.text[:start], prompt.text[start:end], len(prompt.controls)


def _ids_side(
    prompt: Prompt, messages: Sequence[Mapping[str, Any]], settings: Settings
) -> tuple[list[int], list[int], int]:
    encoded = media.encoded(prompt, messages, settings.tokenizer, LossPolicy(), settings.media)
    trained = [place for place, weight in enumerate(encoded.weights) if weight]
    start, end = trained[0], trained[-1] + 1
    return encoded.ids[:start], encoded.ids[start:end], len(encoded.report.controls)
