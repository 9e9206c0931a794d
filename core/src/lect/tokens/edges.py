"""What a template writes around an answer: found out once, from one set of probes, and kept with the template.

A grammar says how a reply is read. How a prompt opens the answer, what stands around reasoning and calls, and what ends
a turn is known to the template alone, so it is asked to write conversations of its own (see `tokens/probes.py`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from marshal import dumps
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lect.computed import computed
from lect.errors import LectError, LimitError
from lect.facts import Facts
from lect.prompt.message import REASONING_NAMES, Request
from lect.prompt.segments import Layout
from lect.reply.blocks import NO_REASONING
from lect.reply.grammar import Grammar, Reasoning
from lect.tokens.probes import CALLS, QUESTION, RESULT, TEXT, THOUGHT, TOOLS, VALUE
from lect.tokens.turns import TurnMarks, TurnSpan, Write, first_mark, is_own, last_mark, turns_of
from lect.values import EQUAL_BYTES

if TYPE_CHECKING:
    from lect.reply.reply import Reply

Messages = Sequence[Mapping[str, Any]]
IdOf = Callable[[str, int], str]
"""Makes the id of a call from the name of the tool and the number of the call in its answer."""
LONGEST_KEPT = 64 * 1024
"""Characters of a rendered probe that is kept; a longer one has a very long system text."""


class Around(NamedTuple):
    """What is around reasoning: from the mark that opens it to its text, and from there to what follows it."""

    before: str
    after: str


class Edges:
    """What a template writes around an answer, with some options."""

    question, tools, calls = QUESTION, TOOLS, CALLS

    def __init__(self, template: Any, options: Mapping[str, Any]):
        self.facts: Facts = template
        self._template, self._options = template, options
        self._rendered: dict[bytes, Any] = {}
        self._texts: dict[bytes, str | None] = {}
        self._exceeded: LimitError | None = None
        self.parse: Callable[..., Reply] = template.parse
        self.read: dict[Any, bool] = {}
        """Whether an answer is read as it is meant, by what is around its texts."""
        self.grows: bool | None = None
        """Whether a further turn only adds to what the model wrote, once `Template.prefix_stable` was read."""
        self.carries: Any = None
        """What the format carries of a request, once `Template.fit` has asked."""

    @computed
    def grammar(self) -> Grammar | None:
        """The grammar of the template; of a model's own template it is found by asking."""
        grammar: Grammar | None = self._template.reply
        return grammar

    @computed
    def marks(self) -> Reasoning:
        """What marks reasoning."""
        return (self.grammar and self.grammar.reasoning) or NO_REASONING

    @computed
    def turn_marks(self) -> TurnMarks:
        """What is written around what the model says."""
        return TurnMarks(self.facts)

    @computed
    def words(self) -> Iterable[str]:
        """The words that the template may look for in texts."""
        words: Iterable[str] = self._template._sought()
        return words

    @computed
    def loses_origins(self) -> bool:
        """Whether text from outside loses its origin: then the template does more with it than write it."""
        return bool(self._template._is_leaky())

    def turns_of(self, layout: Layout, request: Request, write: Write, wanted: slice) -> list[TurnSpan]:
        """Return the turns of a prompt that are wanted."""
        return turns_of(layout, self.turn_marks, request, write, wanted)

    # Probes: each is written only once

    def render(self, messages: Messages, *, tools: Any = None, add_generation_prompt: bool = False) -> Any:
        """Return a probe as the template renders it, or raise the error with which it refuses it."""
        key = _key(messages, tools, add_generation_prompt)
        if key not in self._rendered:
            try:
                prompt = self._ask(self._template.render, messages, tools, add_generation_prompt)
            except LectError as error:
                self._rendered[key] = error
                raise
            # Its turns ask for prompts that are known here too.
            prompt.write = self.text
            if len(prompt.text) > LONGEST_KEPT:
                return prompt
            self._rendered[key] = prompt
        if isinstance(self._rendered[key], LectError):
            raise self._rendered[key]
        return self._rendered[key]

    def text(self, messages: Messages, *, tools: Any = None, add_generation_prompt: bool = False, **_: Any) -> str:
        """Return the text of a probe as it is rendered; the options are those of the edges."""
        text: str = self.render(messages, tools=tools, add_generation_prompt=add_generation_prompt).text
        return text

    def shown(self, *messages: Mapping[str, Any], tools: Any = None, add_generation_prompt: bool = False) -> str | None:
        """Return the text of a probe without rendering it; None if the template refuses it."""
        key = _key(messages, tools, add_generation_prompt)
        if key in self._rendered:
            return getattr(self._rendered[key], "text", None)
        if key not in self._texts:
            try:
                text: str | None = self._ask(self._template.text, messages, tools, add_generation_prompt)
            except Exception:  # a subclass of Template may raise anything, and no reply may be lost by it
                text = None
            self._texts[key] = text
        return self._texts[key]

    def _ask(self, write: Callable[..., Any], messages: Messages, tools: Any, add_generation_prompt: bool) -> Any:
        if self._exceeded is not None:
            raise self._exceeded
        try:
            return write(messages, tools=tools, add_generation_prompt=add_generation_prompt, **self._options)
        except LimitError as error:
            # A hostile template would use up its limits in each probe.
            self._exceeded = error
            raise

    def reply_text(self, messages: Messages, *, tools: Any = None) -> str:
        """Return the last message of a probe as the model itself writes it: see `Template.reply_text`."""
        text: str = self._template._reply_text(self, partial(self.render, tools=tools), messages).text
        return text

    def answer(
        self, id_of: IdOf | None = None, *, text: bool = False, thought: bool = False, calls: Sequence[Any] = ()
    ) -> dict[str, Any]:
        """Return an answer that has a text, reasoning or calls; by default with ids as the model spells them."""
        id_of = id_of or self._id_of
        message: dict[str, Any] = {"role": "assistant", "content": TEXT if text else ""}
        if thought:
            message["reasoning_content"] = THOUGHT
        if calls:
            message["tool_calls"] = [
                {"id": id_of(name, at), "type": "function", "function": {"name": name, "arguments": arguments}}
                for at, (name, arguments) in enumerate(calls)
            ]
        return message

    @staticmethod
    def results(message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the results of the calls of an answer."""
        return [
            {"role": "tool", "content": RESULT, "name": call["function"]["name"], "tool_call_id": call["id"]}
            for call in message.get("tool_calls", ())
        ]

    def _id_of(self, name: str, number: int) -> str:
        return self.grammar.id_of(name, number) if self.grammar else f"call_{number}"

    def cut(self, text: str, prompt: str) -> tuple[str, str]:
        """Cut a text where it ceases to agree with a prompt: before that is the prompt of the answer that follows."""
        at = len(prompt) if text.startswith(prompt) else self.turn_marks.agreement(text, prompt, 0, len(text))
        return text[:at], text[at:]

    @computed
    def prompt(self) -> str | None:
        """The prompt for a plain question; None if the template refuses it."""
        return self.shown(QUESTION, add_generation_prompt=True)

    @computed
    def opening(self) -> tuple[str, str]:
        """What follows a question in a prompt with tools: the header, and what is said on the model's behalf."""
        try:
            prompt = self.text([QUESTION], tools=TOOLS, add_generation_prompt=True)
        except LectError:
            prompt = self.text([QUESTION], add_generation_prompt=True)
        tail = prompt.rpartition(QUESTION["content"])[2]
        at = first_mark(tail, (*self.marks.open, *self.marks.close))
        return tail[:at], tail[at:]

    @computed
    def around_answer(self) -> tuple[str, str]:
        """What is between a question and its answer, and what follows a last answer; empty if it is not shown."""
        before, found, after = (self.shown(QUESTION, self.answer(text=True)) or "").partition(TEXT)
        _, question, between = before.rpartition(QUESTION["content"])
        return (between if question else before, after) if found else ("", "")

    @computed
    def spaces(self) -> tuple[str, str]:
        """The end of an answer's header from its last word on, and the white space before the stop, as in history.

        A model that was trained on the white space around an answer writes it too, but it is not part of the answer.
        What is before the last word depends on the turn before it, which need not be a question.
        """
        before, after = self.around_answer
        header = before[before.rfind(before.split()[-1]) :] if before.strip() else before
        tail = after[: first_mark(after, self.facts.stop)]
        return header, tail if tail.isspace() else ""

    @computed
    def _session(self) -> Any:
        """A conversation that goes on after an answer, and after a call; without the call if that is refused."""
        question, called = [QUESTION, self.answer(text=True), QUESTION], self.answer(thought=True, calls=CALLS[:1])
        for messages, tools in (([*question, called, *self.results(called)], TOOLS), (question, None)):
            with suppress(LectError):
                return self.render(messages, tools=tools)
        return None

    @computed
    def results_told_by(self) -> Literal["id", "name", "place"]:
        """What tells which call a result answers."""
        one, other = CALLS[:2]
        shown = self._with_ids_swapped(one, one)
        if None in shown and len(shown) == 1:
            # Some formats refuse two calls at once.
            shown = self._with_ids_swapped(one)
        if len(shown) > 1:
            return "id"
        return "name" if len(self._with_ids_swapped(one, other)) > 1 else "place"

    def _with_ids_swapped(self, *calls: tuple[str, Any]) -> set[str | None]:
        """Return the prompts for calls and results with the ids of the calls, and with these exchanged."""
        called, prompts = self.answer(calls=calls), set()
        ids = [self._id_of(name, at) for at, (name, _) in enumerate((calls * 2)[:2])]
        for order in (ids, ids[::-1]):
            found = [
                {"role": "tool", "content": f"{RESULT}{at}", "tool_call_id": each}
                for at, each in enumerate(order[: len(calls)])
            ]
            prompts.add(self.shown(QUESTION, called, *found, tools=TOOLS))
        return prompts

    def stop_after(self, message: Mapping[str, Any]) -> str:
        """Return the stop that only the next turn writes after an answer, or else the only one; empty if none."""
        session = self._session.text if self._session else ""
        calls = message.get("tool_calls") and VALUE in session
        said, follower = (VALUE, RESULT) if calls else (TEXT, QUESTION["content"])
        between = session.partition(said)[2].partition(follower)[0]
        stops = self.turn_marks.stops
        at, end = self.turn_marks.stop_in(between, 0, len(between))
        return between[at:end] or (stops[0] if len(stops) == 1 else "")

    @computed
    def around_reasoning(self) -> Around | None:
        """What the model writes around reasoning, by its grammar or as a probe shows it; None if neither tells."""
        if written := self.marks.written:
            return Around(self.marks.open[0] + written[0], written[1])
        with suppress(LectError):
            answered = self.render([QUESTION, self.answer(text=True, thought=True)])
            if around := around_reasoning(self.marks, answered.layout, 1):
                return around
        return around_reasoning(self.marks, self._session.layout, 3) if self._session else None


def _key(messages: Messages, tools: Any, add_generation_prompt: bool) -> bytes:
    return dumps((list(messages), bool(tools), add_generation_prompt), EQUAL_BYTES)


def around_reasoning(marks: Reasoning, layout: Layout, message: int) -> Around | None:
    """Return what is around the reasoning of a message in a rendering; None if it is not there."""
    text, segments, starts = layout.text, layout.segments, layout.starts
    own = [at for at, each in enumerate(segments) if is_own(each, message) and each.path[2] in REASONING_NAMES]
    if not own or own[0] == 0:
        return None
    begin, end = starts[own[0]], starts[own[-1] + 1]
    opened = last_mark(text, marks.open, starts[own[0] - 1], begin)
    closes = [at + len(mark) for mark in marks.close if (at := text.find(mark, end)) >= 0]
    if opened < 0 or not closes:
        return None
    rest = text[min(closes) :]
    return Around(text[opened:begin], text[end : len(text) - len(rest.lstrip())])
