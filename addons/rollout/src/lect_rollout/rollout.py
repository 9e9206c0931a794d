"""A conversation that is sampled turn by turn, as token ids: what was sampled is never encoded again."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from functools import partial
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.addon import Decoder, encoder_of, spell
from lect.errors import LectError, MessageError, RefusedError, saferepr
from lect.plugin import boundary
from lect_rollout.bridge import (
    breaks_off,
    continued_at,
    encoded_after,
    is_shown,
    segments_from,
    turn_end,
    unwritten,
    written,
)
from lect_rollout.media import read_messages, shown
from lect_rollout.past import Confidence, Past
from lect_rollout.sample import INCOMPLETE, Sample
from lect_rollout.trajectory import Stretch, trajectory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lect import Encoded, Prompt
    from lect.plugin import Reply, Template
    from lect.plugin.grammar import Grammar
    from lect_media import Item
    from lect_rollout.bridge import TurnEnd
    from lect_rollout.media import Media, Shown
    from lect_rollout.trajectory import Trajectory

    Messages = Sequence[Mapping[str, Any]]

INSTRUCTIONS = ("system", "developer")
"""The roles that may have their text moved to the last user's turn."""
FEW = 2
"""How many times as many messages a conversation must have as would be rendered to continue it."""


class Drift(NamedTuple):
    """Where a rollout and its conversation, rendered anew, begin to differ."""

    token: int
    """The first token that differs."""
    message: int | None
    """The message that it belongs to in the rollout; None outside all turns."""
    reason: str
    """Why, for people."""


class Rollout:
    """A conversation that is sampled turn by turn: `lect.rollout` returns one for a model path.

    Sampled ids stay as they are, whatever a tokenizer would make of their text; only what the template writes between
    two samples is encoded. A pickle includes the tokenizer; where that is too large, or cannot be pickled, set
    `tokenizer` to None before, and to the tokenizer afterwards.

    Args:
        template: The template.
        messages: OpenAI-shaped messages, up to the first that is to be sampled.
        tokenizer: As in `Prompt.encode`; an object with the methods of `lect.plugin.Tokenizer` needs `decode` too.
        tools: OpenAI tool schemas: what the model may call.
        media: How many tokens images, sounds and videos are, as in `Prompt.expand`: `parts`, if the messages tell their
            sizes, or a function, which is given every item of the conversation so far.
        options: The other arguments of `Template.render`.

    Attributes:
        template: The template.
        tokenizer: The tokenizer.
        tools: The tools that the model may call.

    Raises:
        TokenizerError: If the tokenizer cannot be used.
        RefusedError: If it is not known how many tokens an image is.
    """

    @boundary
    def __init__(
        self,
        template: Template,
        messages: Messages,
        tokenizer: Any,
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        media: Media = "parts",
        **options: Any,
    ):
        self.template = template
        self._history = read_messages(messages, 0)
        self.tokenizer = tokenizer
        self.tools = tools
        self._options = options
        Decoder(tokenizer)  # One that cannot decode is refused now.
        prompt = self._rendered(self._history, tools, add_generation_prompt=True)
        self._media: Media = media
        seen, _, items = self._shown(prompt, self._history)
        self._items: Sequence[Item] = items
        self._opening: Encoded = seen.encode(tokenizer)
        self._unexpanded = prompt.encode(tokenizer).ids if self._items else self._opening.ids
        self._added: list[Stretch] = []
        self._texts = [prompt.text]
        self._calls = _calls_in(self._history)
        self._confidence = Confidence(template)
        self._past = Past().followed_by(self._history, self._confidence.words)
        self._begin(prompt.text, next(reversed(self._opening.ids), None))

    def _begin(self, prompt: str, before: int | None) -> None:
        """Wait for a sample that follows an id."""
        template = self.template
        controls = encoder_of(self.tokenizer).control_ids
        nameless = set(template.stop_ids).difference(template.stop.values())
        parse = partial(
            _reply_of,
            template,
            prompt=prompt,
            tools=self.tools,
            # A stop of which only the id is known has the text that the tokenizer gives it.
            stop=[controls[each] for each in nameless & controls.keys()],
            # Some templates look up the call of a result by its id: no other in the conversation may have it.
            call_id=partial(_id_of, template.reply, self._calls) if template.reply else None,
        )
        self._sample = Sample(before, parse)

    def __repr__(self) -> str:
        return f"<Rollout: {len(self.messages)} messages, {len(self.ids)} tokens>"

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        """The conversation so far, with the parsed replies."""
        return [*self._history, *([self.reply.to_message()] if self.reply is not None else ())]

    @property
    def reply(self) -> Reply | None:
        """The reply that was sampled last; None if the ids end with a generation prompt."""
        return self._sample.reply

    @property
    def ids(self) -> list[int]:
        """All token ids so far. After `add`, this is the prompt to send."""
        return [*self._opening.ids, *(each for stretch in self._added for each in stretch.ids)]

    @property
    def unexpanded(self) -> list[int]:
        """The same with one placeholder for each image, sound and video: the prompt for engines, which expand it."""
        return [*self._unexpanded, *(each for stretch in self._added for each in stretch.unexpanded or stretch.ids)]

    @property
    def encoded(self) -> Trajectory:
        """The ids, with which of them were sampled, their log probabilities, and the tokens of each message."""
        opening = self._opening
        return trajectory([Stretch(opening.ids, opening.message_index, media=opening.media), *self._added])

    @boundary
    def feed(self, ids: Iterable[int], logprobs: Iterable[float | None] | None = None) -> Reply:
        """Append sampled ids, exactly these, and return the reply that they make.

        A turn may come in several pieces: each call returns the reply up to there, which is parsed when it is first
        read. A character of which only some bytes were sampled is not in the reply until the rest has come.

        Args:
            ids: The ids, with that of the stop if it was sampled.
            logprobs: The log probability of each, for `encoded`.

        Raises:
            MessageError: If these are not ids, or there are more or fewer log probabilities.
        """
        sampled = _checked(ids)
        known = [None] * len(sampled) if logprobs is None else list(logprobs)
        if len(known) != len(sampled):
            raise MessageError(f"there are {len(sampled)} ids and {len(known)} logprobs; expected one for each id")
        reply = self._sample.extend(sampled, self.tokenizer)
        self._added.append(Stretch(sampled, [len(self._history)] * len(sampled), known))
        return reply

    def add(self, messages: Messages, *, close: bool = False) -> None:
        """End the sampled turn, and append messages and the next generation prompt, as the template writes them.

        If the stop was not sampled, it comes first. Where a format moves the system text, or the tools, to the last
        user's turn, they are not repeated there: the ids have them where the first sample had them.

        Args:
            messages: All that comes before the next sample: results of tools, and what a user or the system says.
            close: Whether to end a turn that breaks off inside a character, in reasoning, which is closed as the model
                closes it, or in a call, which stays as it is.

        Raises:
            RefusedError: If what was sampled cannot be continued. The rollout stays as it is.
            MessageError: If nothing was sampled, or these are not messages.
        """
        reply, sampled = self.reply, self._sample.text
        added = read_messages(messages, len(self._history) + (reply is not None))
        if reply is None or not added:
            what = "nothing was sampled since the last prompt" if reply is None else "there are no messages to add"
            msg = f"{what}\n  try: feed(ids) with a sample, then add([...]) with all that comes before the next one"
            raise MessageError(msg)
        broken = "a character" if sampled.endswith(INCOMPLETE) else breaks_off(reply)
        if broken and not close:
            msg = f"the sample breaks off in {broken}\n  try: feed(ids) with the rest of it, or add(..., close=True)"
            raise RefusedError(msg)
        conversation = [*self.messages, *added]
        past = self._past.followed_by(conversation[len(self._history) :], self._confidence.words)
        prompt, end, indices = self._as_history(conversation, past)
        last = indices.index(len(self._history))
        position = continued_at(prompt.layout, end, reply)
        later = {("messages", index) for index in range(last + 1, len(indices))}
        for start, segment in zip(prompt.layout.starts, prompt.segments, strict=False):
            if start < position and segment.path[:2] in later and segment.path[2:] != ("role",):
                path = ("messages", indices[int(segment.path[1])], *segment.path[2:])
                msg = f"template {prompt.template.label!r} writes {spell(path)} before the end of the reply"
                raise RefusedError(msg)
        # Where history drops reasoning, it does not show how to close it either.
        is_open = broken == "reasoning" and not is_shown(end, reply)
        closing = self._closing() if is_open else ""
        seen = shown(
            prompt, [conversation[index] for index in indices], indices, position, len(conversation) - len(added),
            self._media, self._items,
        )  # fmt: skip

        def encoded(made: Prompt, *places: Any) -> Stretch:
            segments = [written(closing, last), *segments_from(made.layout, position)]
            return encoded_after(self._sample.last, segments, self.tokenizer, places, position - len(closing))

        stretch = encoded(seen.prompt, *seen.places)
        turns = [None if turn is None else indices[turn] for turn in stretch.messages]
        unexpanded = encoded(prompt).ids if seen.places else None
        self._added.append(stretch._replace(messages=turns, unexpanded=unexpanded))
        self._items = [*self._items, *seen.items]
        self._texts += (sampled, closing, prompt.text[position:])
        self._calls += _calls_in(conversation[len(self._history) :])
        self._history, self._past = conversation, past
        self._begin(prompt.text, stretch.ids[-1] if stretch.ids else self._sample.last)

    def fork(self) -> Rollout:
        """Return another rollout that begins like this one, and goes on by itself. The ids so far are shared."""
        other = copy(self)
        other._added, other._texts, other._sample = [*self._added], [*self._texts], self._sample.fork()
        return other

    @property
    def drift(self) -> Drift | None:
        """From which token on a server would have other ids that is sent the messages; None if it would have these.

        To tell, the whole conversation is rendered and encoded.
        """
        fresh = self._rendered(self.messages, self.tools, add_generation_prompt=self.reply is None)
        anew, here = self._shown(fresh, self.messages).prompt.encode(self.tokenizer).ids, self.encoded
        pairs = zip(count(), here.ids, anew, strict=False)
        token = next((at for at, one, other in pairs if one != other), len(anew))
        if token >= len(here.ids):
            return None
        message = next((span.message for span in here.spans if span.start <= token < span.end), None)
        if fresh.text.startswith(self._text + self._sample.text):
            return Drift(token, message, "a tokenizer splits the same text otherwise")
        missing = [spell(unused.path) for unused in fresh.unused if unused.path[:2] == ("messages", message)]
        why = f", without {', '.join(missing)}" if missing else ""
        return Drift(token, message, f"in history, the template writes this otherwise{why}")

    @property
    def _text(self) -> str:
        """The text of the ids before the sample; the prompt differs from it where the format changes its history."""
        return "".join(self._texts)

    def _rendered(self, messages: Messages, tools: Any, *, add_generation_prompt: bool) -> Prompt:
        return self.template.render(messages, tools=tools, add_generation_prompt=add_generation_prompt, **self._options)

    def _shown(self, prompt: Prompt, messages: Messages) -> Shown:
        return shown(prompt, messages, range(len(messages)), 0, 0, self._media, ())

    def _closing(self) -> str:
        """Return what the model would still write to close its reasoning; where that is not known, the mark alone."""
        marks = self.template.reply and self.template.reply.reasoning
        if not marks:
            return ""
        around = self.template.edges(self._options).around_reasoning
        return unwritten(self._sample.text, around.after if around else marks.close[0])

    def _as_history(self, conversation: Messages, past: Past) -> tuple[Prompt, TurnEnd, list[int]]:
        """Return a prompt in which the reply is history, how its turn ends there, and the messages that are in it.

        Of a long conversation, only the end of the prompt is needed: a few messages are rendered with it. Unless it is
        known that those before make no difference, all are written too, and the text has to end in the same way.
        """
        last = len(self._history)
        everything = range(len(conversation))
        instructions = [*takewhile(lambda index: conversation[index].get("role") in INSTRUCTIONS, everything)]
        few = sorted({*instructions, self._past.question, *range(last, len(conversation))})
        if len(few) * FEW < len(conversation):
            with suppress(LectError):
                prompt, end, indices, tools = self._in_history(conversation, few)
                if self._confidence.suffices(past, [conversation[index] for index in indices]):
                    return prompt, end, indices
                left_out = set(few).difference(indices)
                others = [message for index, message in enumerate(conversation) if index not in left_out]
                whole = self.template.text(others, tools=tools, add_generation_prompt=True, **self._options)
                if whole.endswith(prompt.text[end.begin :]):
                    return prompt, end, indices
                self._confidence.is_lost = True
        return self._in_history(conversation, everything)[:3]

    def _in_history(
        self, conversation: Messages, wanted: Sequence[int]
    ) -> tuple[Prompt, TurnEnd, list[int], Sequence[Mapping[str, Any]] | None]:
        """Return the same for some messages of the conversation, and the tools that are in the prompt.

        The system text and tools are left out if they come after the reply: they are in the ids already.
        """
        last = len(self._history)
        indices, tools = list(wanted), self.tools
        while True:
            messages = [conversation[index] for index in indices]
            prompt = self._rendered(messages, tools, add_generation_prompt=True)
            end = turn_end(prompt.layout, self.template, indices.index(last))
            repeated = {segment.path[:2] for segment in segments_from(prompt.layout, end.stop)}
            kept = [
                index
                for at, index in enumerate(indices)
                if index >= last or messages[at].get("role") not in INSTRUCTIONS or ("messages", at) not in repeated
            ]
            has_tools = any(path[:1] == ("tools",) for path in repeated)
            if kept == indices and not has_tools:
                return prompt, end, indices, tools
            indices, tools = kept, None if has_tools else tools


def _reply_of(template: Template, ids: list[int], tokenizer: Any, **options: Any) -> Reply:
    """Return the reply that ids make: what ordinary tokens spell is text, and ends nothing."""
    stream = template.stream(tokenizer=tokenizer, **options)
    stream.feed_ids(ids)
    return stream.close()


def _id_of(grammar: Grammar, calls: int, index: int) -> str:
    return grammar.id_of("", calls + index)


def _calls_in(messages: Messages) -> int:
    return sum(len(message.get("tool_calls") or ()) for message in messages)


def _checked(ids: Any) -> list[int]:
    try:
        checked = [operator.index(each) for each in ids]
    except TypeError:
        checked = [-1]
    if not all(0 <= each < 1 << 32 for each in checked):
        raise MessageError(f"ids is {saferepr(ids)}; expected a list of token ids")
    return checked
