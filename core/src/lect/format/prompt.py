"""The result of a render: the prompt, and its views."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lect.apart import function, picture
from lect.boundaries import boundary
from lect.computed import computed
from lect.errors import MaskError, PluginError
from lect.facts import Facts
from lect.prompt.message import Request
from lect.prompt.normalize import misplaced_results
from lect.prompt.segments import Composed, Layout, ended
from lect.values import TEMPLATE, TRANSFORMED, Segment

if TYPE_CHECKING:
    from lect.reports import Control, Unused
    from lect.tokens.edges import Edges
    from lect.tokens.encoded import Encoded, Truncate
    from lect.tokens.policy import LossPolicy
    from lect.tokens.served import Deviation
    from lect.tokens.spans import LossSpan
    from lect.tokens.turns import TurnSpan, Write

FOREIGN_IDS = "the ids of its calls are not spelled as the model spells them\n  try: unroll='auto', which respells them"


@boundary
class Prompt:
    """What a render returns: the text of the prompt, and views that are computed when they are first read.

    Attributes:
        template: The template that wrote it.
        text: The text of the prompt.
        marked: The start and end of the texts that the template marks by `{% generation %}`; None without such marks.
        write: The method of the template that writes other conversations, such as the beginning of this one.
        trains: The indices of the messages that it trains, if a conversation was unrolled; None for all.
    """

    template: Facts
    text: str
    _repr_html_ = picture

    def __init__(self, template: Any, source: Composed, request: Request, *, most_controls: int):
        self.template, self._source, self._request = template, source, request
        self.text, self.marked = source.text, source.marked
        self.write: Write = template.text
        self._edges_with: Callable[[Mapping[str, Any]], Edges] = template.edges
        self.trains: frozenset[int] | None = None
        self._most_controls = most_controls

    def with_segments(self, segments: list[Segment], messages: Sequence[Mapping[str, Any]] | None = None) -> Prompt:
        """Return a prompt for other messages, or for its own, made of these segments."""
        request = self._request if messages is None else self._request._replace(messages=messages)
        prompt = Prompt(self.template, ended(self._source, segments), request, most_controls=self._most_controls)
        prompt.write = self.write
        prompt.marked = None  # The template's own marks are in another text.
        return prompt

    def expand(self, media: Any) -> Prompt:
        """Return the prompt with as many tokens for each image, sound and video as the model gets, by `lect-media`.

        `media` is their sizes, in order; `parts`, if the messages tell them; or a function of a list of
        `lect_media.Item`, which returns for each how many placeholders it is, or a text.
        """
        made: Prompt = function("expanded")(self, self._request.messages, media)
        return made

    def train(self, turns: Sequence[TurnSpan], deviations: Sequence[Deviation] = ()) -> None:
        """Set the turns that are trained in it, and what differs from serving."""
        self.turns = turns
        self.deviations = tuple(deviations)
        self.trains = frozenset(turn.message for turn in turns)

    def __getstate__(self) -> dict[str, Any]:
        # The views, but not their source, which holds the caller's messages.
        from lect.tokens.policy import said_of_loss

        views = "segments", "unused", "media", "_first_controls", "turns", "deviations", "_unwritten_stop"
        state = {name: getattr(self, name) for name in ("template", "text", "marked", "trains", *views)}
        return state | {"_messages": [*map(said_of_loss, self._messages)]}

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Prompt by {self.template.name!r}: {len(self.text)} characters>"

    @computed
    def segments(self) -> tuple[Segment, ...]:
        """The pieces of the prompt in order; joined, they are the text."""
        return tuple(self._source.segments())

    @computed
    def media(self) -> tuple[Any, ...]:
        """The images, sounds and videos in order, as `lect_media.Place`; without the package `lect-media`, none."""
        with suppress(PluginError):
            return tuple(function("media_places")(self, self._request.messages))
        return ()

    @computed
    def unused(self) -> tuple[Unused, ...]:
        """What was given but did not reach the prompt."""
        return (*self._source.unused(), *self._misplaced())

    def _misplaced(self) -> list[Unused]:
        """Return the ids of results that are not in the order of their calls, where the prompt does not tell whose."""
        messages = self._request.messages
        if not misplaced_results(messages):
            return []
        from lect.reports import Unused

        told_by = self._edges_with(self._request.options).results_told_by
        moved = [] if told_by == "id" else misplaced_results(messages, named=told_by == "name")
        return [Unused(("messages", at, "tool_call_id"), "order") for at in moved]

    @property
    def controls(self) -> tuple[Control, ...]:
        """The control markers of the model in text from outside; empty with `on_control="allow"`.

        At most the first 1,000, or as many as `limits` says; `more_controls` says whether there are more.
        """
        return self._first_controls[0]

    @property
    def more_controls(self) -> bool:
        """Whether text from outside contains more control markers than `controls` lists."""
        return self._first_controls[1]

    @computed
    def _first_controls(self) -> tuple[tuple[Control, ...], bool]:
        if not self._most_controls:
            return (), False
        from lect.tokens.safe import first_controls

        return first_controls(self.layout, self.template.markers.pattern, self._most_controls)

    @computed
    def _edges(self) -> Edges:
        return self._edges_with({})

    @computed
    def layout(self) -> Layout:
        """The segments, and the offset at which each begins."""
        return Layout(self.text, self.segments)

    @computed
    def turns(self) -> Sequence[TurnSpan]:
        """Where the turn of each message is, and which part of it its speaker writes."""
        return self._turns_of(slice(None))

    @property
    def last_turn(self) -> TurnSpan | None:
        """The last of the turns; the others need not be known."""
        turns = self.turns if "turns" in self.__dict__ else self._turns_of(slice(-1, None))
        return turns[-1] if turns else None

    def _turns_of(self, wanted: slice) -> Sequence[TurnSpan]:
        return self._edges.turns_of(self.layout, self._request, self.write, wanted)

    def fault_in(self, turn: TurnSpan) -> str:
        """Return why the answer of a turn is no reply of the model; empty if it is one."""
        from lect.tokens.served import fault_in

        return fault_in(self._edges, self.layout, turn, self._request)

    @computed
    def deviations(self) -> tuple[Deviation, ...]:
        """The answers that are not as the model would write them on a server, with reasons."""
        from lect.format.call_ids import respelled
        from lect.tokens.served import Deviation, deviations_in

        messages = self._request.messages
        spelled = zip(messages, respelled(messages, getattr(self.template, "reply", None)), strict=True)
        foreign = [index for index, (given, own) in enumerate(spelled) if given is not own and "tool_calls" in own]
        return (
            *deviations_in(self.layout, self.turns, self._request, self.write, self.fault_in),
            *(Deviation(index, FOREIGN_IDS) for index in foreign),
        )

    def loss_spans(self, policy: LossPolicy | None = None) -> list[LossSpan]:
        """Return the characters that carry loss, in order.

        Args:
            policy: Which parts are trained; by default all that assistants say, with the stops.

        Raises:
            MaskError: If the weight that a message states is invalid, or the policy does not fit the prompt.
        """
        from lect.tokens.spans import loss_spans, marked_spans

        if policy is not None and policy.marks == "template":
            if self.marked is None:
                raise MaskError(
                    f"template {self.template.label!r} has no {{% generation %}} marks, or has them inside a macro\n"
                    "  try: LossPolicy(marks='lect'), which needs none\n"
                    "   or: lect.load_template(path), if the template in the directory of the model has marks"
                )
            found = marked_spans(self.layout, self.marked, self._messages, policy)
            return [span for span in found if self.trains is None or span.message in self.trains]
        turns = [turn for turn in self.turns if self.trains is None or turn.message in self.trains]
        return loss_spans(self.layout, turns, self._messages, policy)

    @computed
    def _unwritten_stop(self) -> str:
        """The stop after the last turn, if that is an answer and only the next turn writes it; else empty."""
        messages, _, options, add_generation_prompt = self._request
        last = self.turns[-1] if self.turns and not add_generation_prompt else None
        if last is None or last.stop < last.end or messages[last.message].get("role") != "assistant":
            return ""
        return self._edges_with(options).stop_after(messages[last.message])

    def _stopped(self, policy: LossPolicy | None) -> Prompt:
        """Return the prompt with a stop after its last answer, if that is trained and has none."""
        stop, last = self._unwritten_stop, self.turns[-1] if self.turns else None
        if not stop or last is None or all(span.message != last.message for span in self.loss_spans(policy)):
            return self
        from lect.tokens.turns import cut

        prompt, end = object.__new__(Prompt), last.end + len(stop)
        literal = Segment(stop, TEMPLATE, (), TRANSFORMED, last.message)
        vars(prompt).update(vars(self), text=self.text[: last.end] + stop)
        vars(prompt).update(segments=(*cut(self.layout, 0, last.end), literal))
        vars(prompt).update(turns=[*self.turns[:-1], last._replace(end=end, close=end)])
        del prompt.layout
        return prompt

    @property
    def roles(self) -> list[str]:
        """The roles of the messages."""
        return [str(message.get("role", "")) for message in self._messages]

    @computed
    def _messages(self) -> Sequence[Mapping[str, Any]]:
        """The messages, or after unpickling, of each what decides about loss."""
        return self._request.messages

    def encode(
        self,
        tokenizer: Any,
        *,
        safe: bool = True,
        policy: LossPolicy | None = None,
        max_length: int | None = None,
        truncate: Truncate = "tokens",
        strict: bool | None = None,
        media: Any = None,
    ) -> Encoded:
        """Return the prompt as token ids, with exactly one BOS if the model has one.

        Args:
            tokenizer: A `tokenizers.Tokenizer`, a fast one of transformers, or one like `lect.plugin.Tokenizer`.
            safe: Let control tokens come from the template alone: a marker in text from outside becomes ordinary
                tokens. Otherwise the ids are those of the text, whoever wrote it.
            policy: Which parts are trained. Without one, those of the default policy, and the text is not cut there.
            max_length: The number of tokens to keep, from the beginning.
            truncate: What to cut off beyond that: `tokens`, or whole `turns`, so that the last one kept has its stop.
            strict: With a policy, refuse what is not trained as the model would write it on a server. By default, such
                an answer is a `ServedDifferentlyWarning`; with False, it is only in the report.
            media: As in `expand`; by default each image is one placeholder, as engines expect it.

        Raises:
            TokenizerError: If the tokenizer is none of these.
            MaskError: If the policy trains everything or nothing, or not even one turn is kept.
        """
        from lect.tokens.encoded import encode
        from lect.tokens.policy import LossPolicy

        prompt = self if media is None else self.expand(media)
        if isinstance(policy, LossPolicy) and policy.stop != "none" and policy.marks == "lect":
            prompt = prompt._stopped(policy)
        return encode(
            prompt, tokenizer, safe=safe, policy=policy, max_length=max_length, truncate=truncate, strict=strict
        )
