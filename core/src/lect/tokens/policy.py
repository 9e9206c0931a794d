"""Which parts of a conversation a model is trained on."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar, Literal, NoReturn

from lect.errors import MaskError, expect_one_of, saferepr

Span = tuple[int, int, float]
"""The start and end of characters in a message's content, and their weight."""

CHOICES = {"stop": ("turn", "last", "none"), "marks": ("lect", "template"), "boundary": ("cut", "whole")}


@dataclass(frozen=True, slots=True, kw_only=True)
class LossPolicy:
    """Which parts of a conversation carry loss, and how much.

    A message is trained if its role is, or if it says so itself: `loss`, `train`, `training` and `trainable` are true,
    `masked` is false, or `weight` is a number. What the message says overrides its role. Weights multiply.

    Args:
        roles: The roles whose messages are trained.
        last: Train only the last of them.
        stop: Where the string that ends a turn is trained: in every trained `turn`, in the `last` one, or in `none`.
            Where only the next turn writes it, `Prompt.encode` adds it after a last answer that is trained.
        content: The weight of what an assistant says.
        reasoning: The weight of its reasoning, with the markup round it.
        tool_calls: The weight of its tool calls, with the markup round them.
        patterns: Regular expressions, and the weight of what they find in a trained turn.
        spans: Spans of the content of messages as it was given, by the index of the message; they override the rest.
        train_prefill: Train what the generation prompt writes on the model's behalf, such as an empty `<think>` block.
        train_separator: Train what the template writes after the stop, such as a newline.
        marks: Who says what is trained: `lect`, or the `{% generation %}` marks of the `template` itself, as in
            transformers. Then `roles`, `stop`, `train_prefill` and `train_separator` play no part; weights, patterns
            and spans count inside the marks, where the template's text weighs as much as what it stands beside.
        boundary: What to do if a token would reach from the prompt into the trained part: `cut` the text there, as on
            a server, where the model begins at that point, or leave the token `whole` and untrained.
        allow_uniform: Accept a mask that is zero everywhere, or nowhere.

    Raises:
        MaskError: If an argument has a wrong type or value.
    """

    roles: Sequence[str] = ("assistant",)
    last: bool = False
    stop: Literal["turn", "last", "none"] = "turn"
    content: float = 1.0
    reasoning: float = 1.0
    tool_calls: float = 1.0
    patterns: Mapping[str, float] = field(default_factory=dict)
    spans: Mapping[int, Sequence[Span]] = field(default_factory=dict)
    train_prefill: bool = False
    train_separator: bool = False
    marks: Literal["lect", "template"] = "lect"
    boundary: Literal["cut", "whole"] = "cut"
    allow_uniform: bool = False

    _usual: ClassVar[object] = None

    def __post_init__(self) -> None:
        if self == LossPolicy._usual:
            return  # By far the most frequent, and checked once.
        if isinstance(self.roles, str) or not _is_listed(self.roles, str):
            _wrong("roles", self.roles, "a list of roles, such as ['assistant']")
        for name, allowed in CHOICES.items():
            expect_one_of(allowed, f"LossPolicy: {name}", getattr(self, name))
        for name in ("content", "reasoning", "tool_calls"):
            if not is_weight(getattr(self, name)):
                _wrong(name, getattr(self, name), "a number that is not negative")
        for name in ("patterns", "spans"):
            if not isinstance(getattr(self, name), Mapping):
                _wrong(name, getattr(self, name), "a dictionary")
        for pattern, weight in self.patterns.items():
            try:
                re.compile(pattern)
            except (re.error, TypeError) as error:
                _wrong("patterns", pattern, f"a regular expression ({error})")
            if not is_weight(weight):
                _wrong(f"patterns[{pattern!r}]", weight, "a number that is not negative")
        for message, spans in self.spans.items():
            if not _is_listed(spans, tuple | list) or not all(map(_is_span, spans)):
                _wrong(f"spans[{message}]", spans, "a list of (start, end, weight), with start before end")

    def kind_weight(self, kind: str) -> float:
        """Return the weight of a kind of text; other kinds count as content."""
        return self.reasoning if kind == "reasoning" else self.tool_calls if kind == "tool_calls" else self.content


def is_weight(value: Any) -> bool:
    """Return whether `value` can be a weight."""
    return isinstance(value, (int, float)) and 0 <= value < inf


def _is_listed(values: Any, kind: Any) -> bool:
    return isinstance(values, Iterable) and all(isinstance(value, kind) for value in values)


def _is_span(span: Sequence[Any]) -> bool:
    if len(span) != 3 or not all(isinstance(place, int) for place in span[:2]):
        return False
    return 0 <= span[0] < span[1] and is_weight(span[2])


def _wrong(name: str, value: object, wanted: str) -> NoReturn:
    raise MaskError(f"LossPolicy: {name} is {saferepr(value)}; expected {wanted}")


SAYS = ("loss", "train", "training", "trainable")
"""The keys with which a message says that it is trained; `masked` says that it is not."""
STATES = frozenset((*SAYS, "weight", "masked"))
"""All keys with which a message may state its weight."""


def own_weight(message: Mapping[str, Any], index: int) -> float | None:
    """Return the weight that a message gives itself, or None; it must be a truth value or a number."""
    weight: float | None = None
    for name in (*SAYS, "weight", "masked") if not STATES.isdisjoint(message) else ():
        value = message.get(name)
        if value is None:
            continue
        if not is_weight(value) or (name == "masked" and value not in (0, 1)):
            wanted = "true, false or a number that is not negative"
            raise MaskError(f"messages[{index}].{name} is {saferepr(value)}; expected {wanted}")
        stated = float(not value) if name == "masked" else float(value)
        weight = stated if weight is None else weight * stated
    return weight


def said_of_loss(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a message that decides its loss."""
    return {name: value for name, value in message.items() if name == "role" or name in STATES}


DEFAULT_POLICY = LossPolicy._usual = LossPolicy()
