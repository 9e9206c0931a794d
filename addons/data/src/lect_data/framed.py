"""Ids and weights of prompts that were written in columns: which tokens are trained is known from the first alike.

A prompt is split at its control tokens. In prompts of the same roles, the same of the pieces between them are trained,
from the same character of a piece on, or up to the same from its end. So one is encoded by `Prompt.encode`, and gives
the plan for the others; of these, the second, fourth, eighth, ... are compared with what it gives for them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.addon import encoder_of
from lect.errors import LectError
from lect_data.pieces import TOGETHER, PieceTokenizer
from lect_data.sequences import Made, made_of, prompts_of
from lect_rows import row as read_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lect import LossPolicy, Prompt, Template
    from lect_data.columnar import PlainChats, Prompts
    from lect_data.deviations import Deviation
    from lect_data.pieces import Piece
    from lect_data.sequences import Settings
    from lect_data.turns import Turn
    from lect_media import Place

    Messages = Sequence[Mapping[str, Any]]

MOST_PLANS = 1000
"""Sequences of roles; when there are more plans, they are made anew."""


class Edge(NamedTuple):
    """A place in a prompt: in one of its parts, which are pieces and control tokens in turn."""

    part: int
    within: int = 0
    """How many characters of the part come before it; if negative, how many come after it."""


class Plan(NamedTuple):
    """What the prompts of some roles have in common."""

    controls: list[int]
    """The ids of the control tokens."""
    runs: list[tuple[Edge, Edge, float]]
    """From where to where they are trained, and how much."""
    edges: list[Edge]
    """Where tokens must begin and end: within pieces."""
    opening: list[int]
    """What the tokenizer puts before every text."""
    turns: int
    deviations: Sequence[Deviation]
    media: dict[int, Place]
    """The images, videos and sounds that take more than one token, by the control tokens that stand for them."""


class Framed:
    """Encodes prompts that were written in columns.

    Args:
        template: The template.
        settings: What is made of a row, with a tokenizer that `can_encode`.
    """

    def __init__(self, template: Template, settings: Settings):
        self._template, self._most = template, settings.max_length
        self._settings = settings._replace(max_length=None, truncate="drop")
        self._pieces: PieceTokenizer = settings.tokenizer
        self._encoder = encoder_of(settings.tokenizer)
        self._refuted = 0
        self._plans: dict[tuple[Turn, ...], Plan | None] = {}
        self._uses: Counter[tuple[Turn, ...]] = Counter()

    def encode(self, chats: PlainChats, prompts: Prompts) -> dict[int, Made]:
        """Return the sequences of prompts, by their places; those that have no plan, or are too long, are left out."""
        if len(self._plans) > MOST_PLANS:
            self._plans.clear()
        while True:
            refuted = self._refuted
            made: dict[int, Made] = {}
            for start in range(0, len(prompts.rows), TOGETHER):
                made |= self._together(chats, prompts, range(start, min(start + TOGETHER, len(prompts.rows))))
            if refuted == self._refuted:
                return {place: each for place, each in made.items() if each.length <= (self._most or each.length)}

    def _together(self, chats: PlainChats, prompts: Prompts, places: Iterable[int]) -> dict[int, Made]:
        """Return the sequences of some prompts. If a plan is refuted, they are not to be used."""
        split: dict[int, tuple[Plan, list[str]]] = {}
        instead: dict[int, dict[int, list[int]]] = {}
        compared: dict[int, tuple[tuple[Turn, ...], Made | None]] = {}
        for place in places:
            roles = chats.roles_of(prompts.rows[place])
            if self._plans.get(roles, ...) is None:
                continue
            text, messages = prompts.texts[place].as_py(), partial(chats.messages_of, prompts.rows[place])
            self._uses[roles] += 1
            if not self._uses[roles] & (self._uses[roles] - 1) or roles not in self._plans:
                prompt, alone = self._alone(messages())
                compared[place] = roles, alone
                if roles not in self._plans:
                    self._plans[roles] = None if alone is None else self._planned(prompt, alone, text, messages)
            if (plan := self._plans[roles]) is not None:
                controls = self._encoder.found(text)
                is_alike = [each.id for each in controls] == plan.controls
                if is_alike and (found := self._media_ids(plan.media, messages)) is not None:
                    split[place], instead[place] = (plan, _parts(text, controls)), found
        located = dict.fromkeys(parts[edge.part] for plan, parts in split.values() for edge in plan.edges)
        others = dict.fromkeys(text for _, parts in split.values() for text in parts[::2] if text not in located)
        pieces = self._pieces.pieces(located, others)
        made = {
            place: each
            for place, (plan, parts) in split.items()
            if (each := _made(plan, parts, pieces, instead[place]))
        }
        for place, (roles, alone) in compared.items():
            if place in made and not _is_same(made[place], alone):
                self._plans[roles] = None
                self._refuted += 1
        return made

    def _media_ids(self, media: dict[int, Place], messages: Callable[[], Messages]) -> dict[int, list[int]] | None:
        """Return the ids of images, videos and sounds, by the control tokens; None if a row must be encoded alone."""
        if not media:
            return {}
        from lect_media import expand, ids_instead, item_of

        try:
            items = [item_of(place, messages()) for place in media.values()]
            made = expand(self._template.media, items)
        except LectError:
            return None
        placeholders = (self._template.media[place.kind]["placeholder"] for place in media.values())
        ids = {}
        for part, placeholder, expansion in zip(media, placeholders, made, strict=True):
            instead = ids_instead(placeholder, expansion, self._pieces)
            if instead is None:
                return None
            ids[part] = instead
        return ids

    def _alone(self, messages: Messages) -> tuple[Prompt | None, Made | None]:
        """Return what `Prompt.encode` makes of a chat, if that is one sequence."""
        row = read_row({"messages": [*messages]})
        try:
            prompts = prompts_of(self._template, row, self._settings)
            made = list(made_of(prompts, row, self._settings))
        except LectError:
            return None, None
        return (prompts[0], made[0]) if len(prompts) == len(made) == 1 else (None, None)

    def _planned(self, prompt: Any, alone: Made, text: str, messages: Callable[[], Messages]) -> Plan | None:
        """Return the plan for prompts like one that was encoded; None if it does not lead to what that is."""
        controls = self._encoder.found(text)
        if prompt.text != text:
            return None
        parts = _parts(text, controls)
        starts = [0, *accumulate(map(len, parts))]
        policy = self._settings.policy
        media = {}
        if self._settings.media != "one":
            media = {bisect_right(starts, place.start) - 1: place for place in prompt.media}
        instead = self._media_ids(media, messages)
        if instead is None or any(not part % 2 or parts[part] != text[at.start : at.end] for part, at in media.items()):
            return None
        runs = [
            (_edge(starts, each.start), _edge(starts, each.end, from_end=True), each.weight)
            for each in prompt.loss_spans(policy)
        ]
        trained = {each.message for each in prompt.loss_spans(policy)}
        begins = [] if policy.train_prefill else [turn.start for turn in prompt.turns if turn.message in trained]
        edges = dict.fromkeys(edge for run in runs for edge in run[:2])
        edges |= dict.fromkeys(_edge(starts, begin) for begin in begins)
        plan = Plan(
            [each.id for each in controls],
            runs,
            [each for each in edges if each.within],
            [],
            alone.turns,
            alone.deviations,
            media,
        )
        if any(edge.part % 2 for edge in plan.edges):
            return None  # Inside a control token.
        located = [parts[edge.part] for edge in plan.edges]
        made = _made(plan, parts, self._pieces.pieces(located, parts[::2]), instead)
        if made is None or any(begin.part <= part < end.part for begin, end, _ in runs for part in media):
            return None
        before = len(alone.values["input_ids"]) - made.length
        return plan._replace(opening=list(alone.values["input_ids"][:before])) if before > 0 else plan


def can_encode(tokenizer: Any, policy: LossPolicy) -> bool:
    """Return whether prompts may be encoded by a plan: none where the weights depend on what the texts are."""
    is_split = isinstance(tokenizer, PieceTokenizer) and not encoder_of(tokenizer).depends_on_neighbours
    return is_split and policy.marks == "lect" and not policy.patterns and not policy.spans


def _parts(text: str, controls: Sequence[tuple[int, int, int]]) -> list[str]:
    """Return a text as pieces and control tokens in turn."""
    edges = [0, *(edge for start, end, _ in controls for edge in (start, end)), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


def _edge(starts: Sequence[int], position: int, *, from_end: bool = False) -> Edge:
    """Return a place as an edge, given where the parts begin."""
    part = bisect_left(starts, position)
    if starts[part] == position:
        return Edge(part)
    return Edge(part - 1, position - starts[part] if from_end else position - starts[part - 1])


def _made(plan: Plan, parts: Sequence[str], pieces: dict[str, Piece], instead: dict[int, list[int]]) -> Made | None:
    """Return a sequence; None if a token reaches across an edge: the text is cut there.

    `instead` has the ids that stand in the place of some control tokens.
    """
    ids, firsts = array("i", plan.opening), [0] * len(parts)
    for at, part in enumerate(parts):
        firsts[at] = len(ids)
        if at in instead:
            ids.fromlist(instead[at])
        elif at % 2:
            ids.append(plan.controls[at // 2])
        else:
            ids.extend(pieces[part].ids)
    firsts.append(len(ids))
    weights = array("d", bytes(8 * len(ids)))
    within: dict[Edge, int] = {}
    for edge in plan.edges:
        text = parts[edge.part]
        first = _token_at(pieces[text], edge.within if edge.within > 0 else len(text) + edge.within)
        if first is None:
            return None
        within[edge] = first
    for begin, end, weight in plan.runs:
        first, behind = firsts[begin.part] + within.get(begin, 0), firsts[end.part] + within.get(end, 0)
        weights[first:behind] = array("d", [weight]) * (behind - first)
    values = {"input_ids": ids, "weights": weights}
    return Made(values, len(ids), plan.turns, deviations=plan.deviations)


def _token_at(piece: Piece, position: int) -> int | None:
    """Return the token that begins at a character where the one before it ends; None if there is none."""
    token = piece.char_to_token(position)
    if token is None or piece.token_to_chars(token)[0] != position:
        return None
    begin, end = piece.token_to_chars(token - 1) if token else (-1, position)
    return token if begin < position == end else None


def _is_same(made: Made, alone: Made | None) -> bool:
    if alone is None:
        return False
    lists = ((each.values["input_ids"], each.values["weights"]) for each in (made, alone))
    (ids, weights), (own_ids, own_weights) = ((list(one), list(other)) for one, other in lists)
    rest = [(each.length, each.turns, each.is_cut, each.controls, [*each.deviations]) for each in (made, alone)]
    return ids == own_ids and weights == own_weights and rest[0] == rest[1]
