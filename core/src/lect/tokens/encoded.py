"""A prompt as token ids, with what each token is and whether it carries loss."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from lect.apart import picture
from lect.boundaries import boundary
from lect.computed import computed
from lect.errors import MaskError, TokenizerError, expect_one_of
from lect.facts import Facts
from lect.prompt.fields import spell
from lect.prompt.limits import DEFAULT
from lect.prompt.segments import Layout
from lect.reports import Control
from lect.tokens.fragments import Fragment, tokens_of
from lect.tokens.policy import DEFAULT_POLICY, LossPolicy
from lect.tokens.safe import Trusted, as_control, controls_in
from lect.tokens.served import Deviation, refuse_or_warn
from lect.tokens.spans import LossSpan
from lect.tokens.tokenizer import Encoder, Offsets, Tokens, encoder_of
from lect.tokens.turns import TurnSpan
from lect.tokens.weigh import Run, first_token, fitting_turns, weighed

if TYPE_CHECKING:
    from typing import Protocol

    class Prompt(Protocol):
        """What is encoded."""

        text: str
        template: Facts
        trains: frozenset[int] | None

        @property
        def layout(self) -> Layout: ...
        @property
        def deviations(self) -> Sequence[Deviation]: ...
        @property
        def media(self) -> Sequence[Any]: ...
        @property
        def turns(self) -> Sequence[TurnSpan]: ...
        def loss_spans(self, policy: LossPolicy | None = None) -> list[LossSpan]: ...


Truncate = Literal["tokens", "turns"]
TRUNCATE = get_args(Truncate)
UNTRAINED = -100
"""The label that the cross entropy of PyTorch leaves out."""


class Report(NamedTuple):
    """What to know about an encoding."""

    bos: Literal["template", "tokenizer"] | None
    """Who writes the BOS, the `template` or the `tokenizer`; None if neither does."""
    controls: tuple[Control, ...]
    """Control markers in text from outside, the first 1,000. With `safe`, they are ordinary tokens."""
    unprotectable: bool
    """Whether the format separates turns by plain text, which cannot be told apart from a user's."""
    cuts: tuple[int, ...]
    """Offsets at which the text was cut, because a token would have reached into the trained part."""
    truncated: int
    """How many tokens `max_length` cut off."""
    stops_lost: tuple[int, ...]
    """Trained messages without a stop: the template writes none after them, or it was cut off."""
    deviations: tuple[Deviation, ...] = ()
    """Answers that are not trained as the model would write them on a server, or left out, with reasons."""


class Encoded:
    """A prompt as token ids. Offsets, weights and fields are computed when they are first read.

    Attributes:
        ids: The token ids.
        report: What to know about the encoding: a `Report`.
    """

    def __init__(self, prompt: Prompt, tokens: Tokens, opening: Sequence[int], policy: LossPolicy, report: Report):
        ids = [*opening, *tokens.ids] if opening else tokens.ids
        self.ids = ids[: len(ids) - report.truncated] if report.truncated else ids
        self.report = report
        self._opening = len(opening)
        self._prompt, self._tokens, self._policy = prompt, tokens, policy

    _repr_html_ = picture

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<Encoded: {len(self.ids)} tokens>"

    def pieces(self) -> list[Fragment]:
        """Return the tokens with their texts, origins, fields and weights.

        Raises:
            TokenizerError: If it was encoded in another process.
        """
        if not hasattr(self, "_prompt"):
            msg = "the texts of tokens are known only in the process that encoded them\n  try: pieces() there"
            raise TokenizerError(msg)
        try:
            weights = self.weights
        except MaskError:
            weights = [0.0] * len(self.ids)
        return tokens_of(zip(self.ids, self.offsets, weights, strict=True), self._prompt.layout, self._opening)

    def __getstate__(self) -> dict[str, Any]:
        # The views, not what they are computed from. If there is no mask, asking for it fails after unpickling too.
        views = {name: getattr(self, name) for name in ("ids", "report", "offsets", "media", "_fields")}
        try:
            return views | {"_runs": self._runs}
        except MaskError:
            return views | {name: getattr(self, name) for name in ("_prompt", "_tokens", "_opening", "_policy")}

    @computed
    def offsets(self) -> Offsets:
        """The start and end of each token in the text of the prompt."""
        return [*[(0, 0)] * self._opening, *self._tokens.offsets()][: len(self.ids)]

    @computed
    def media(self) -> tuple[Any, ...]:
        """Which tokens stand for the images, sounds and videos of the prompt, in order; none carries loss."""

        def behind(position: int) -> int:
            return first_token(self._tokens, position) + self._opening

        places = (each._replace(start=behind(each.start), end=behind(each.end)) for each in self._prompt.media)
        return tuple(place for place in places if place.end <= len(self.ids))

    @computed
    def weights(self) -> list[float]:
        """How much loss each token carries.

        Raises:
            MaskError: If no token carries loss, perhaps because of `max_length`, or all do, and it is not allowed.
        """
        weights = [0.0] * len(self.ids)
        for first, behind, weight in self._runs:
            weights[first:behind] = [weight] * (behind - first)
        return weights

    @computed
    def _runs(self) -> list[Run]:
        return self._kept(weighed(self._tokens, self._prompt.loss_spans(self._policy))[0])

    def _kept(self, runs: Sequence[Run]) -> list[Run]:
        """Return the tokens that carry loss, counted with the opening, as far as they were kept."""
        opening, count = self._opening, len(self.ids) - self._opening
        kept = [(first + opening, min(behind, count) + opening, each) for first, behind, each in runs if first < count]
        if not self._policy.allow_uniform:
            _refuse_uniform(runs, len(self._tokens.ids), self._policy, self._prompt)
            if not kept:
                raise MaskError(
                    f"no token carries loss: all that is trained is beyond the {len(self.ids)} tokens of max_length\n"
                    "  try: a larger max_length, or LossPolicy(allow_uniform=True)"
                )
        return kept

    @property
    def labels(self) -> list[int]:
        """The ids, and -100 where the weight is 0."""
        labels = [UNTRAINED] * len(self.ids)
        for first, behind, _ in self._runs:
            labels[first:behind] = self.ids[first:behind]
        return labels

    @property
    def message_index(self) -> list[int | None]:
        """The index of the message that each token belongs to; None for text outside all turns."""
        return self._fields[0]

    @property
    def field(self) -> list[str]:
        """The field that each token begins in, such as `messages[1].content`; empty for text of the template."""
        return self._fields[1]

    def to_dict(self) -> dict[str, list[int] | list[float]]:
        """Return the columns that trainers expect: `input_ids`, `attention_mask` and `labels`.

        Labels say only what is trained. If a weight is neither 0 nor 1, the column `weights` says how much.
        """
        columns: dict[str, list[int] | list[float]] = {
            "input_ids": self.ids,
            "attention_mask": [1] * len(self.ids),
            "labels": self.labels,
        }
        return columns if {0.0, 1.0}.issuperset(self.weights) else {**columns, "weights": self.weights}

    @computed
    def _fields(self) -> tuple[list[int | None], list[str]]:
        layout = self._prompt.layout
        known: list[tuple[int | None, str]] = []
        for segment in layout.segments:
            path = segment.path
            message = path[1] if path[:1] == ("messages",) and isinstance(path[1], int) else segment.turn
            known.append((message, spell(path) if path else ""))
        known.append((None, ""))
        each = [known[bisect_right(layout.starts, start) - 1] for start, _ in self.offsets[self._opening :]]
        each = [known[-1]] * (len(self.ids) - len(each)) + each
        return [message for message, _ in each], [field for _, field in each]


def encode(
    prompt: Prompt,
    tokenizer: Any,
    *,
    safe: bool = True,
    policy: object = None,
    max_length: object = None,
    truncate: object = "tokens",
    strict: bool | None = False,
    opens: bool = True,
) -> Encoded:
    """Return a prompt as token ids; see `Prompt.encode`. `opens`: with the ids that the tokenizer puts first."""
    if policy is not None and not isinstance(policy, LossPolicy):
        raise MaskError(f"policy is {policy!r}; expected a LossPolicy\n  try: policy=lect.LossPolicy(last=True)")
    if max_length is not None and (type(max_length) is not int or max_length < 1):
        raise MaskError(f"max_length is {max_length!r}; expected a positive number of tokens")
    expect_one_of(TRUNCATE, "truncate", truncate)
    encoder = encoder_of(tokenizer)
    text, layout = prompt.text, prompt.layout
    controls, own, foreign = controls_in(layout, encoder)
    tokens = encoder.between(text, own, is_clean=not foreign) if safe else encoder.whole(text)
    spans = [] if policy is None else prompt.loss_spans(policy)
    trained = {span.message for span in spans}
    turns = [turn for turn in prompt.turns if turn.message in trained] if trained else []
    # A server encodes the prompt alone, also where the first of what follows carries no loss.
    starts = set() if policy is None or policy.train_prefill else {turn.start for turn in turns}
    runs, crossed = weighed(tokens, spans, starts) if spans else ([], ())
    cuts = crossed if policy is not None and policy.boundary == "cut" else ()
    if cuts:
        tokens = encoder.between(text, own if safe else controls, cuts)
        runs, _ = weighed(tokens, spans)
    bos = _opened_by(prompt, tokens, encoder)
    opening = encoder.opening if bos == "tokenizer" and opens else ()
    truncated = 0 if max_length is None else max(0, len(opening) + len(tokens.ids) - max_length)
    if truncated and truncate == "turns":
        kept = fitting_turns(tokens, prompt.turns, len(tokens.ids) - truncated)
        if not kept:
            msg = f"no whole turn fits into max_length, {max_length}\n  try: a larger one, or truncate='tokens'"
            raise MaskError(msg)
        truncated = len(tokens.ids) - kept
    kept = len(tokens.ids) - truncated
    if truncated:
        # Half an image is none.
        cut = (each.start for each in prompt.media if each.start < tokens.span(kept)[0] < each.end)
        kept = next((first_token(tokens, start) for start in cut), kept)
        truncated = len(tokens.ids) - kept
    reached = tokens.span(kept - 1)[1] if kept > 0 else 0
    marked = ((start, end, encoder.control_ids[each]) for start, end, each in islice(foreign, DEFAULT.controls))
    reported = tuple(as_control(layout, *each) for each in marked)
    report = Report(
        bos=bos,
        controls=reported,
        unprotectable=prompt.template.text_separators,
        cuts=cuts,
        truncated=truncated,
        stops_lost=tuple(turn.message for turn in turns if turn.stop == turn.end or turn.end > reached),
        deviations=tuple(_deviations(prompt, trained, reported)) if policy and (prompt.deviations or reported) else (),
    )
    encoded = Encoded(prompt, tokens, opening, policy or DEFAULT_POLICY, report)
    if policy is not None:
        # A policy is given for the mask, so its faults are reported now.
        encoded._runs = encoded._kept(runs)
    if report.deviations and strict is not False:
        refuse_or_warn(report.deviations, strict=strict is not None)
    return encoded


@boundary
def split_at_controls(prompt: Prompt, tokenizer: Any) -> list[tuple[str, int | None]] | None:
    """Return the text of a prompt in pieces: each control token with its id, and what is between them with None.

    The ids of a piece do not depend on what is around it, so a package that encodes many prompts can encode each
    distinct piece once, without control tokens: those that text from outside spells out stay in their pieces.

    Returns:
        The pieces; None if the tokens of a piece depend on what precedes it, as in a few tokenizers.

    Raises:
        TokenizerError: If it is not a tokenizer.
    """
    encoder = encoder_of(tokenizer)
    if encoder.depends_on_neighbours:
        return None
    text = prompt.text
    _, own, _ = controls_in(prompt.layout, encoder)
    ids = {start: control for start, _, control in own}
    edges = pairwise((0, *(edge for start, end, _ in own for edge in (start, end)), len(text)))
    return [(text[start:end], ids.get(start)) for start, end in edges if start < end]


def _opened_by(prompt: Prompt, tokens: Tokens, encoder: Encoder) -> Literal["template", "tokenizer"] | None:
    bos, opening, text = prompt.template.bos, encoder.opening, prompt.text
    start = len(text) - len(text.lstrip())  # DeepSeek-V2.5's template writes blanks before it.
    is_written = bool(bos) and text.startswith(bos, start) and (start, start + len(bos)) in Trusted(prompt.layout)
    if is_written or (opening and tokens.ids[: len(opening)] == opening):
        return "template"
    return "tokenizer" if opening else None


def _refuse_uniform(runs: Sequence[Run], count: int, policy: LossPolicy, prompt: Prompt) -> None:
    if 0 < sum(behind - first for first, behind, _ in runs) < count:
        return
    what = "every token carries loss: everything" if runs else "no token carries loss: nothing"
    roles = f"for the roles {', '.join(policy.roles) or '(none)'}"
    msg = (
        f"{what} in this prompt is trained "
        f"by a policy {roles if policy.marks == 'lect' else 'that follows the marks of the template'}\n"
        "  try: a conversation with an answer in it, another policy, or LossPolicy(allow_uniform=True)"
    )
    if prompt.trains is not None:
        msg += "".join(f"\n  messages[{each.message}]: {each.reason}" for each in prompt.deviations)
    raise MaskError(msg)


def _deviations(prompt: Prompt, trained: set[int], controls: Sequence[Control]) -> Iterator[Deviation]:
    """Yield what differs between what is trained and what is served, by message."""
    # What was left out while a conversation was unrolled is reported too.
    yield from (each for each in prompt.deviations if each.message in trained or prompt.trains is not None)
    for path, _, marker, _ in controls:
        if path[:1] == ("messages",) and path[1] in trained:
            reason = (
                f"{spell(path)} spells out {marker!r}, which is trained as ordinary text\n"
                "  try: lect.messages(row, parse_assistant=True), if the data was stored as the model wrote it"
            )
            yield Deviation(int(path[1]), reason, "noted")
