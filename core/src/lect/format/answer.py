"""An assistant's message as the model itself writes it after the prompt that a server sends.

History is not what a model writes: formats drop reasoning from it, move the system text, or leave out what the
generation prompt has opened. So where a conversation with the message in last place begins with the served prompt, the
rest of it is the answer. Where it does not, the answer is put together from the same facts: content and calls as the
format writes them in history, reasoning as a rendering shows it or as the grammar states it, and the stop.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from lect.computed import computed
from lect.errors import LectError, MessageError, saferepr
from lect.format.prompt import Prompt
from lect.prompt.message import REASONING_NAMES
from lect.reply.engine.opening import starts_in
from lect.reply.events import CONTENT
from lect.tokens.edges import Edges, around_reasoning
from lect.tokens.turns import TurnSpan, call_marks, cut, first_mark, is_own, last_mark, missing_fields
from lect.values import TRANSFORMED, Origin, Segment

Messages = Sequence[Mapping[str, Any]]
Render = Callable[..., Prompt]


class WrittenAnswer(NamedTuple):
    """An answer as the model writes it."""

    segments: list[Segment]
    """What the model writes, the stop included."""
    stop: int
    """The length of the stop."""
    note: str = ""
    """What a trainer should know about it; empty if there is nothing."""


class AnswerWriter:
    """Writes the last message of a conversation, which must be an assistant's, as the model does.

    `edges` are those of the template with the conversation's options; `render` writes messages with these and its
    tools; `whole` is all of it, if known.
    """

    def __init__(self, edges: Edges, render: Render, messages: Messages, whole: Prompt | None = None):
        last = messages[-1] if messages else None
        if last is None or last.get("role") != "assistant":
            raise MessageError(
                f"the last message is {saferepr(last)}; expected an assistant's\n"
                "  try: end the messages with {'role': 'assistant', 'content': ...}"
            )
        self._edges, self._facts = edges, edges.facts
        self._render = render
        self._before, self._last, self._index = list(messages[:-1]), last, len(messages) - 1
        self.whole = whole or render(messages)
        self.turn = self._turn(self.whole)
        self._grammar, self._marks = edges.grammar, edges.marks
        self._thought = next((name for name in REASONING_NAMES if last.get(name)), None)

    @computed
    def served(self) -> Prompt:
        """The prompt that a server sends."""
        return self._render(self._before, add_generation_prompt=True)

    def answer(self) -> WrittenAnswer:
        """Return the answer; one that the model has no way of writing is refused."""
        whole, turn = self.whole, self.turn
        if turn is not None and turn.is_served and not whole.fault_in(turn):
            return self._ended(whole, turn, self._last, cut(whole.layout, turn.start, turn.stop))
        return self._built(whole)

    def _turn(self, prompt: Prompt) -> TurnSpan | None:
        turn = prompt.last_turn
        return turn if turn is not None and turn.message == self._index else None

    def _built(self, whole: Prompt) -> WrittenAnswer:
        """Return the answer, put together from what renderings show."""
        if not self._thought:
            self._take_reasoning_out()
        bare, shown = self._last, whole
        if self._thought:
            bare = {name: value for name, value in self._last.items() if name not in REASONING_NAMES}
            shown = self._render([*self._before, bare])
        turn = self._turn(shown)
        lost = missing_fields(bare, (segment for segment in shown.segments if is_own(segment, self._index)))
        if lost or turn is None:
            self.refuse(f"the format does not write its {' and '.join(lost) or 'text'}", "the message without that")
        pieces = cut(shown.layout, self._body(shown, turn), turn.stop)
        if self._thought or self._is_open:
            pieces = [*self._reasoning(whole), *pieces]
        answer = self._ended(shown, turn, bare, pieces)
        if self._thought or not self._is_open:
            return answer
        return answer._replace(note="the prompt opens reasoning, but none is given: an empty one is trained")

    def _take_reasoning_out(self) -> None:
        """Take reasoning out of the content, if it was stored there as the model wrote it."""
        content = self._last.get("content")
        if isinstance(content, str) and any(mark in content for mark in self._marks.close):
            reply = self._edges.parse(content, prompt="")
            if reply.reasoning:
                self._thought = REASONING_NAMES[0]
                self._last = {**self._last, "content": reply.content, self._thought: reply.reasoning}

    def _body(self, shown: Prompt, turn: TurnSpan) -> int:
        """Return where content and calls begin in a rendering without reasoning."""
        layout = shown.layout
        own = next((at for at, each in enumerate(layout.segments) if is_own(each, self._index)), None)
        first = turn.stop if own is None else layout.starts[own]
        begin = turn.start
        if turn.start - turn.begin < len(self._header.rstrip()):
            # History has another header than the prompt, or none after a result. What opens a call is no part of that.
            begin = first_mark(shown.text, call_marks(self._facts, "open"), begin, first)
        # An empty block of reasoning, or its end, is the format's own.
        for mark in self._marks.close:
            at = shown.text.rfind(mark, begin, first)
            if at >= 0:
                begin = first - len(shown.text[at + len(mark) : first].lstrip())
        return begin

    def _ended(self, shown: Prompt, turn: TurnSpan, message: Mapping[str, Any], pieces: list[Segment]) -> WrittenAnswer:
        """Return an answer with the stop at its end."""
        stop = shown.text[turn.stop : turn.end] or self._edges.stop_after(message)
        if not stop:
            return WrittenAnswer(pieces, 0, "no stop is known for it")
        return WrittenAnswer([*pieces, self._literal(stop)], len(stop))

    @property
    def header_end(self) -> int:
        """Where the header of the turn ends in it, without what it says on the model's behalf."""
        return len(self.served.text) - len(self._opening) + len(self._header)

    @computed
    def _opening(self) -> str:
        """The generation prompt."""
        try:
            complete = self._render(self._before).text
        except LectError:
            complete = ""
        served = self.served.text
        if served != complete:
            return served[len(complete) :] if served.startswith(complete) else ""
        # Some formats always end as if they asked. What they say on the model's behalf is in their last words.
        last = self.served.segments[-1:]
        return last[0].text[self._first_mark(last[0].text) :] if last and last[0].origin is Origin.TEMPLATE else ""

    @computed
    def _header(self) -> str:
        """The part of it before any mark of reasoning."""
        return self._opening[: self._first_mark(self._opening)]

    def _first_mark(self, text: str) -> int:
        return first_mark(text, (*self._marks.open, *self._marks.close))

    @computed
    def _is_open(self) -> bool:
        """Whether it has opened reasoning and not closed it."""
        return last_mark(self._opening, self._marks.open) > last_mark(self._opening, self._marks.close)

    def _reasoning(self, whole: Prompt) -> list[Segment]:
        """Return reasoning as the model writes it after the generation prompt, up to the content."""
        if not self._is_open:
            self._refuse_unless_it_may_reason()
        around = around_reasoning(self._marks, whole.layout, self._index) or self._edges.around_reasoning
        if around is None:
            self.refuse(
                "how the model writes reasoning is not known: no rendering shows it, and the grammar does not state it",
                "template.but(reply=...) with Reasoning.written, if you know what the model writes",
            )
        opened = self._opening[last_mark(self._opening, self._marks.open) :] if self._is_open else ""
        before = around.before[len(opened) :] if around.before.startswith(opened) else ""
        name = self._thought or REASONING_NAMES[0]
        text = str(self._last.get(name) or "").lstrip(self._marks.lead).rstrip(self._marks.trail)
        thought = Segment(text, Origin.INPUT, ("messages", self._index, name), TRANSFORMED, self._index)
        return [piece for piece in (self._literal(before), thought, self._literal(around.after)) if piece.text]

    def _refuse_unless_it_may_reason(self) -> None:
        is_closed = any(mark in self._opening for mark in self._marks.close)
        stops, markers = [*self._facts.stop], self._facts.markers
        if is_closed or (self._grammar and starts_in(self._grammar, self.served.text, stops, markers) == CONTENT):
            self.refuse("the prompt tells the model not to reason", self._thinking_option())
        if "reasoning" not in self._facts.capabilities:
            self.refuse("the format has no place for reasoning", "the message without its reasoning")

    def _thinking_option(self) -> str:
        """Return the option with which the prompt lets the model reason; empty if there is none."""
        for name in self._facts.options:
            for value in (True, False):
                try:
                    text = self._render(self._before, add_generation_prompt=True, **{name: value}).text
                except (LectError, TypeError):
                    continue
                opening = text[len(self.served.text) - len(self._opening) :]
                closed = last_mark(opening, self._marks.close)
                if text != self.served.text and (closed < 0 or last_mark(opening, self._marks.open) > closed):
                    return f"{name}={value}"
        return ""

    def _literal(self, text: str) -> Segment:
        return Segment(text, Origin.TEMPLATE, (), TRANSFORMED, self._index)

    def refuse(self, why: str, instead: str = "") -> NoReturn:
        msg = f"{self._facts.name}: the model cannot write messages[{self._index}]: {why}"
        raise MessageError(f"{msg}\n  try: {instead}" if instead else msg)
