"""What becomes of the images, videos and sounds of a request in its prompt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lect.errors import (
    LectError,
    LimitError,
    PluginError,
    RefusedError,
    SourceError,
    did_you_mean,
    near_names,
    saferepr,
)
from lect.plugin import boundary
from lect_media.checkpoint import READ, UNREADABLE
from lect_media.items import Beside, Item, expect_items
from lect_media.numbers import Numbers
from lect_media.rules import RULES
from lect_media.texts import Runs, joined

MOST_TOKENS = 1 << 22
"""Of one item: no model takes as many, but a file may state any number."""


class Expansion(NamedTuple):
    """The text that replaces the placeholder of an image, a video or a sound."""

    tokens: int
    """How many control tokens it has; plain text between them, such as times, is the tokenizer's to count."""
    pads: int
    """How many of them stand for features."""
    runs: Runs
    """The text in runs."""
    rule: str
    """The name of the rule."""
    item: Item
    """What it is the text of."""

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(run.text * run.times for run in self.runs)


@boundary
def expand(
    media: Mapping[str, Mapping[str, Any]],
    items: Sequence[Item],
    *,
    where: str = "media",
    error: type[LectError] = PluginError,
) -> list[Expansion]:
    """Return what becomes of each item of a request: of all at once, because some depend on what is beside them.

    Args:
        media: What a template states: the rule and the numbers of each kind, as `template.media`.
        items: The images, videos and sounds of a request, in the order of its prompt.
        where: Who states them, for errors.
        error: The class of errors about what is stated.

    Raises:
        RefusedError: If the model's maker refuses an item, or the model takes none of its kind.
        MessageError: If an item has an impossible size.
        PluginError: If a rule is unknown, or a number is missing or impossible; or another `error`.
        LimitError: If the numbers would make more of an item than is counted.
    """
    expect_items(items)
    for kind in dict.fromkeys(item.kind for item in items):
        if kind not in media:
            known = ", ".join(media) or "no media at all"
            msg = f"{where} states nothing for {kind}; it knows {known}"
            advice = "template.but(media=lect.get_template(NAME).media), with a model that sees in the same way"
            raise RefusedError(f"{msg}\n  try: {advice}")
    # A sound is resampled to what the model takes.
    heard = [_resampled(item, media[item.kind]) for item in items]
    alike = {kind: [item for item in heard if item.kind == kind] for kind in {item.kind for item in items}}
    longest = max((item.size[0] for item in alike.get("audio", ())), default=0)
    index = dict.fromkeys(alike, 0)
    made = []
    for item in heard:
        beside = Beside(index[item.kind], len(alike[item.kind]), longest)
        index[item.kind] += 1
        made.append(_expanded(item, media[item.kind], beside, where, error))
    return made


def _expanded(item: Item, stated: Mapping[str, Any], beside: Beside, where: str, error: type[LectError]) -> Expansion:
    if UNREADABLE in stated:
        raise SourceError(str(stated[UNREADABLE]))
    if stated.get(READ):
        where, error = f"{where} with the numbers of {', '.join(stated[READ])}", SourceError
    name = stated.get("rule")
    rule = RULES.get(name) if isinstance(name, str) else None
    if rule is None:
        hint = did_you_mean(near_names(name, RULES), f"try: one of {', '.join(RULES)}")
        raise PluginError(f"{where}: {item.kind} has the rule {saferepr(name)}\n  {hint}")
    # A pad is what the template itself writes, if nothing else is stated.
    numbers = Numbers({"pad": stated.get("placeholder", ""), **stated}, f"{where}, {item.kind}", error)
    runs, pad = joined(rule(item, numbers, beside)), numbers.text("pad")
    tokens = sum(run.times for run in runs if run.is_control)
    if tokens > MOST_TOKENS:
        msg = f"{where}: {item.kind} of the size {item.size} would be {tokens:,} tokens; the most is {MOST_TOKENS:,}"
        raise LimitError(f"{msg}\n  try: the numbers of the maker's own processor, or a smaller one")
    return Expansion(tokens, sum(run.times for run in runs if run.text == pad), runs, rule.__name__, item)


def _resampled(item: Item, stated: Mapping[str, Any]) -> Item:
    rate = stated.get("sampling_rate")
    if item.kind != "audio" or item.sampling_rate is None or not isinstance(rate, int) or rate == item.sampling_rate:
        return item
    return item._replace(size=(math.ceil(item.size[0] * rate / item.sampling_rate),), sampling_rate=None)
