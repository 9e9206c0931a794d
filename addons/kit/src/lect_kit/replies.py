"""Checks of how replies are read."""

from __future__ import annotations

import warnings
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from lect.errors import PluginWarning
from lect.reply.stream import ReplyStream
from lect_kit.base import SuiteBase, check
from lect_kit.conversations import QUESTION, TOOLS
from lect_kit.raised import reading
from lect_kit.roundtrip import ANSWERS, answer, heard, meant, spellings
from lect_kit.subject import COUNTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lect.format.template import Template
    from lect.reply.events import Event
    from lect.reply.grammar import Grammar, ReplyFormat
    from lect.reply.reply import Reply
    from lect_kit.roundtrip import Meaning

    Open = Callable[[], ReplyStream]

SIZES = (1, 3, 17)
"""The sizes, in characters, of the chunks in which a reply arrives."""
ODD_REPLIES = (
    "", " ", "\0", "plain text", "<", "</", "<|", "{", '{"name": "f", "arguments": {', "[1, 2",
    "你好 🎉 \ud83d", "<think>",
)  # fmt: skip
FOREIGN = "Before.<no stop of anybody's>After."
TEXT_KINDS = ("content", "reasoning", "call_args")


class ReplyChecks(SuiteBase):
    """What a model writes is understood, however it arrives, and none of it is lost."""

    @check("let the grammar in `reply=` read what the template writes: see docs/how-to/write-a-grammar.md")
    def test_replies_round_trip(self) -> Iterator[str]:
        """An answer that the template can write, with reasoning and calls, is parsed as it was meant."""
        for name, template in self.templates.items():
            for case, message in ANSWERS.items():
                problems = list(self._misheard(template, message))
                if problems and all(problems):
                    yield f"{name}: {case}: {problems[0]}"

    def _misheard(self, template: Template, message: dict[str, Any]) -> Iterator[str]:
        """Yield how a message is misunderstood, for each way in which the template writes it; empty if it is not."""
        tools = TOOLS if message.get("tool_calls") else None
        for spelled, later in product(spellings(message), ((), (QUESTION,))):
            written = answer(template, [QUESTION], spelled, tools=tools, later=later)
            if written is None:
                continue
            with reading(written.text, template.reply, self.subject.packages):
                stream = self.subject.stream(template, prompt=written.prompt, tools=tools)
                stream.feed(written.text)
                reply = stream.close()
            if not template.stop:
                # It ends at a token that only the server knows.
                reply = reply._replace(content=reply.content[: len(message["content"])])
            if _same(heard(reply), meant(message)):
                yield ""
                return
            yield f"{written.text!r} is parsed as {heard(reply)}; expected {meant(message)}"

    @check("name in `stop` what the maker's generation config names, and in `markers` each that is a control token")
    def test_replies_end_at_the_stops(self) -> Iterator[str]:
        """A reply ends at each stop of the template, and nowhere else; in each stop there is a marker."""
        for name, template in self.templates.items():
            channels = template.reply.channels if template.reply else None
            # A stop that also ends a message may be followed by another message.
            stops = [stop for stop in template.stop if not channels or stop not in channels.stop]
            for stop in stops:
                reply = self._parsed(template, f"Before.{stop}After.")
                if (reply.content.strip(), reply.stop) != ("Before.", stop):
                    yield f"{name}: at the stop {stop!r} the reply is {reply.content!r}, and its stop {reply.stop!r}"
            if self._parsed(template, FOREIGN).content != FOREIGN:
                yield f"{name}: a reply ends within {FOREIGN!r}, which has no stop in it"
            pattern = template.markers.pattern
            typed = [stop for stop in template.stop if pattern is None or not pattern.search(stop)]
            if typed and not template.text_separators:
                yield f"{name}: {typed} are stops with no marker in them, which a user can type unseen"

    def _parsed(self, template: Template, text: str) -> Reply:
        with reading(text, template.reply, self.subject.packages):
            return template.parse(text, starts_in_reasoning=False)

    @check("raise nothing in `postprocess`, keep what the model wrote in `raw`, and decide by its arguments alone")
    def test_replies_arrive_in_any_chunks(self) -> Iterator[str]:
        """A reply is the same whether it arrives at once, or in chunks of any size; nothing is raised or lost."""
        for name, grammar, open_stream, text in self._replies():
            # Where `postprocess` fails, the reply is kept as it was, with a warning.
            with warnings.catch_warnings(record=True) as told, reading(text, grammar, self.subject.packages):
                warnings.simplefilter("always", PluginWarning)
                whole = _read(open_stream, text)
                differing = [size for size in SIZES if _read(open_stream, text, size) != whole]
            if told:
                yield f"{name}: {text!r}: {told[0].message}".partition("\n")[0]
            if whole[0].raw != text:
                yield f"{name}: of {text!r} only {whole[0].raw!r} is kept"
            if differing:
                again = _read(open_stream, text, differing[0])[0]
                yield f"{name}: {text!r} is {whole[0]} at once, and {again} in chunks of {differing[0]}"

    @check("state `names` and an `example`, as the model writes it, and correct the grammar until it reads that")
    def test_reply_formats_read_their_examples(self) -> Iterator[str]:
        """A reply format says which models write this way, with an example that it reads; it ends at its own stops."""
        if not self.subject.reply_formats:
            pytest.skip("it has no reply formats")
        for name, each in self.subject.reply_formats.items():
            if not each.names or not each.example:
                yield f"{name} states no {'names' if each.example else 'example'}"
            # The example may be one of a model whose prompt opens the reasoning.
            problems = [self._closed(each, each.example, starts).problems for starts in (None, True)]
            if all(problems):
                yield f"{name}: its example has {problems[0][0].code}: {each.example!r}"
            for stop in each.stop:
                found = self._closed(each, f"Before.{stop}", starts_in_reasoning=False).stop
                if found != stop:
                    yield f"{name}: at the stop {stop!r} a reply ends with {found!r}"

    def _closed(self, reply_format: ReplyFormat, text: str, starts_in_reasoning: bool | None) -> Reply:
        """Parse a whole reply in a format."""
        grammar = reply_format.grammar
        with reading(text, grammar, self.subject.packages):
            stream = ReplyStream(grammar, stop=reply_format.stop, starts_in_reasoning=starts_in_reasoning)
            stream.feed(text)
            return stream.close()

    def _replies(self) -> Iterator[tuple[str, Grammar | None, Open, str]]:
        """Yield a name, a grammar, a function that opens a stream, and a reply to feed it."""
        templates = self.subject.templates if self.subject.point else {}
        if not templates and not self.subject.reply_formats:
            pytest.skip("it has no templates and no reply formats")
        seen = set()
        for name, template in templates.items():
            written = [answer(template, [QUESTION], spellings(message)[0], tools=TOOLS) for message in ANSWERS.values()]
            texts = [*ODD_REPLIES, *(f"Before.{stop}After." for stop in template.stop)]
            for text in (*texts, *(each.text for each in written if each)):
                # Most templates of a plugin share a grammar.
                if (key := (template.reply, *template.stop, text)) not in seen:
                    seen.add(key)
                    yield name, template.reply, partial(self.subject.stream, template, tools=TOOLS), text
        for name, each in self.subject.reply_formats.items():
            for text in (*ODD_REPLIES, each.example):
                opening = partial(ReplyStream, each.grammar, stop=each.stop, tools=TOOLS, call_id=COUNTED)
                yield name, each.grammar, opening, text


def _same(one: Meaning, other: Meaning) -> bool:
    """Return whether two replies say the same, but for trailing white space; beside a call, text may be reasoning's."""
    (content, reasoning, calls), (their_content, their_reasoning, their_calls) = one, other
    if calls:
        content, reasoning = (reasoning or "") + content, None
        their_content, their_reasoning = (their_reasoning or "") + their_content, None
    return (content.rstrip(), reasoning, calls) == (their_content, their_reasoning, their_calls)


def _read(open_stream: Open, text: str, size: int = 0) -> tuple[Reply, list[Event]]:
    """Return the reply and the events of a text that arrives in chunks of a size; without one, at once."""
    stream, events = open_stream(), []
    step = size or len(text) or 1
    for start in range(0, len(text), step):
        events += stream.feed(text[start : start + step])
    events += stream.finish()
    return stream.close(), _folded(events)


def _folded(events: list[Event]) -> list[Event]:
    """Return events with adjacent pieces of one text joined: what is left does not depend on chunks.

    Where the raw text of a call is cut between pieces of its arguments and its end does.
    """
    folded: list[Event] = []
    for each in events:
        in_a_call = each.kind in ("call_args", "call_end")
        event = each._replace(start=None, end=None if each.kind == "call_args" else each.end) if in_a_call else each
        if folded and event.kind in TEXT_KINDS and folded[-1][0:3:2] == event[0:3:2]:
            folded[-1] = folded[-1]._replace(text=folded[-1].text + event.text, end=event.end)
        else:
            folded.append(event)
    return folded
