"""Replies for servers that read them in two stages: one parser takes reasoning away, another reads what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import lect
from lect.plugin import boundary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Delta(NamedTuple):
    """What some events say.

    Attributes:
        reasoning: The new reasoning.
        content: The new content.
        calls: One dictionary for each call, with its `index`, its `id` and `name` if it is new, and new `arguments`.
    """

    reasoning: str
    content: str
    calls: list[dict[str, Any]]


@boundary
def add_up(events: Iterable[Any]) -> Delta:
    """Return what events say together."""
    texts: dict[str, list[str]] = {"reasoning": [], "content": []}
    calls: dict[int, dict[str, Any]] = {}
    for event in events:
        if event.kind in texts:
            texts[event.kind].append(event.text)
        elif event.kind in ("call_start", "call_args"):
            call = calls.setdefault(event.index or 0, {"index": event.index or 0, "arguments": ""})
            if event.kind == "call_start":
                call.update(id=event.id, name=event.text)
            else:
                call["arguments"] += event.text
    return Delta("".join(texts["reasoning"]), "".join(texts["content"]), list(calls.values()))


class Stages:
    """How a server reads the replies of one model if one parser takes reasoning away, and another reads the calls.

    Args:
        model: The model, as a path, or its template.
    """

    def __init__(self, model: Any):
        self.template = model if isinstance(model, lect.Template) else lect.get_template(model)
        self.grammar = self.template.reply
        reasoning = self.grammar.reasoning if self.grammar else None
        self.opens = tuple(mark.strip() for mark in reasoning.open) if reasoning else ()
        self.closes = tuple(mark.strip() for mark in reasoning.close) if reasoning else ()
        own = {*self.opens, *self.closes}
        self._foreign = [mark for mark in (*self.template.markers, *self.template.stop) if mark.strip() not in own]
        # Where reasoning may open again, whoever reads the rest must know it too.
        self._reasons_again = bool(self.grammar and (self.grammar.channels or (reasoning and reasoning.special)))

    @property
    def reasons(self) -> bool:
        """Whether replies can contain reasoning."""
        return bool(self.grammar and (self.grammar.reasoning or self.grammar.channels))

    @boundary
    def prompt(self, options: Mapping[str, Any]) -> str | None:
        """Return the prompt that the template writes with the options of a request; what matters is its end."""
        return self.template.edges(options).prompt  # None: the server has rendered the request, by whatever template.

    @boundary
    def after_reasoning(self) -> dict[str, Any]:
        """Return the arguments of a constraint that begins where reasoning is over."""
        prompt = self.prompt({})
        if prompt is not None and self.opens and prompt.rstrip().endswith(self.opens):
            return {"prompt": prompt + self.closes[0]}
        return {"prompt": prompt} if prompt is None or self.ended(prompt) else {"prompt": prompt, "reasoning": False}

    @boundary
    def reasoning_stream(self, **arguments: Any) -> Any:
        """Return a stream that takes reasoning away, and leaves calls in the content as they are written."""
        return self.template.stream(extract=("reasoning",), **arguments)

    @boundary
    def tool_stream(self, tools: Sequence[Mapping[str, Any]] | None, *, reasoning: bool = False) -> Any:
        """Return a stream for what the other one calls content.

        Args:
            tools: The tools of the request.
            reasoning: Whether the other one has stopped where content began: then this one takes away reasoning that
                opens later, in formats where it can.
        """
        extract = ("reasoning", "tools") if reasoning and self._reasons_again else ("tools",)
        return self.template.stream(extract=extract, tools=tools, starts_in_reasoning=False)

    @boundary
    def ended(self, text: str) -> bool:
        """Return whether the last turn of a text has had its reasoning, so that content follows."""
        if not self.reasons:
            return True
        begin = max((text.rfind(mark) + len(mark) for mark in self._foreign if mark in text), default=0)
        turn = text[begin:]
        closed = max((turn.rfind(mark) for mark in self.closes), default=-1)
        return closed >= 0 and closed > max((turn.rfind(mark) for mark in self.opens), default=-1)

    @boundary
    def ends_within(self, text: str) -> bool:
        """Return whether reasoning ends within the end of a text."""
        return any(mark in text for mark in self.closes)
