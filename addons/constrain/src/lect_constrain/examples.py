"""How calls are written by the example of a format, or by its facts: for formats whose template shows none."""

from __future__ import annotations

from typing import Any

from lect import LectError, parse
from lect.addon import probes
from lect.plugin.grammar import Grammar, Json, Literals, NamedJson, reply_format
from lect_constrain.pairs import cut_pair, finder, paired_syntax
from lect_constrain.probes import (
    COUNT,
    REASONING,
    CallShape,
    Form,
    Pairs,
    Parts,
    Pieces,
    cut_arguments,
    in_row,
    placed,
    split,
)

ROLE = "assistant"


def example_form(grammar: Grammar) -> Form | None:
    """Return how calls are written by an example, with what comes before them; None if no example has one."""
    for text in _examples(grammar):
        for inside in (None, True):
            reply = parse(None, text, format=grammar, starts_in_reasoning=inside)
            if len(reply.tool_calls) == 1 and not reply.problems and len(reply.tool_calls[0].arguments or ()) == 1:
                form = _Example(grammar, text, reply).form()
                if form is not None and not is_in_words(form):
                    return form
    return None


def is_in_words(form: Form) -> bool:
    """Return whether calls begin with plain words, which any text may contain."""
    opened = form.call.first[0] if form.call.first else ""
    return isinstance(opened, str) and opened.replace(":", "").replace(" ", "").strip().isalpha() and ":" in opened


def _examples(grammar: Grammar) -> list[str]:
    """Return the example of a format, without a stop at its end, and what its facts alone say."""
    found = []
    try:
        registered = reply_format(grammar.name)
        if registered.grammar == grammar:
            text = registered.example
            for stop in registered.stop:
                text = text.removesuffix(stop)
            found.append(text)
    except LectError:
        pass
    arguments = f'{{"{probes.KEY}": "{probes.VALUE}"}}'
    for section in grammar.sections:
        for call in (each for each in section.calls if not each.foreign):
            opened, closed = _joined(section.open) + _joined(call.open), _joined(call.close) + _joined(section.close)
            end = call.head.end[0] if call.head and not call.head.keep else ""
            kind = call.arguments
            if isinstance(kind, Json):
                found.append(f'{opened}{{"name": "{probes.NAMES[0]}", "arguments": {arguments}}}{closed}')
            elif isinstance(kind, NamedJson) and call.head:
                found.append(f"{opened}{probes.NAMES[0]}{end}{arguments}{closed}")
            elif isinstance(kind, Literals):
                quote = (*kind.quotes, '"')[0]
                pair = f"{probes.KEY}{kind.assign}{quote}{probes.VALUE}{quote}"
                found.append(f"{opened}{probes.NAMES[0]}{end}{pair}{kind.close}{closed}")
    return found


def _joined(marks: Any) -> str:
    return "".join(in_row(marks[0])) if marks else ""


class _Example:
    """An example with one call, cut into its parts."""

    def __init__(self, grammar: Grammar, text: str, reply: Any):
        self.grammar, self.text, self.thought = grammar, text, reply.reasoning
        self.call = reply.tool_calls[0]
        self.name, self.arguments = self.call.name, self.call.arguments

    def form(self) -> Form | None:
        find = finder(self.grammar, self.text, self.name, self.arguments)
        span = find(self.text, self.name, self.arguments, 0)
        again = self.text[slice(*span)] if span else ""
        pairs = None if find is cut_arguments else self.paired(again)
        if span is None or (pairs is None and find is not cut_arguments):
            return None
        begin = self.block_start(span[0])
        first, last = self.text[begin : span[0]], self.text[span[1] :]
        shape = CallShape(self.numbered(first), None, placed(last, self.name), pairs)
        for further in self.furthers(first, last, begin):
            two = f"{first}{again}{further}{again}{last}"
            reply = parse(None, two, format=self.grammar, starts_in_reasoning=False)
            if [call.arguments for call in reply.tool_calls] == [self.arguments] * 2 and not reply.problems:
                shape.further = self.numbered(further)
                break
        return Form(shape, self.before(self.text[:begin]))

    def paired(self, text: str) -> Pairs | None:
        """Return how arguments are written one by one; None if their values are not found."""
        kind, _ = paired_syntax(self.grammar, self.text)
        key, value = next(iter(self.arguments.items()))
        found = cut_pair(kind, text, key, value, (str(value),)) if kind else None
        if kind is None or found is None:
            return None
        before, equals, close = found
        separator = "" if not isinstance(kind, Literals) else "," if kind.bare else ", "
        typed = {"string": equals}
        for field in ('type="string"', 'string="true"'):
            if field in equals:
                names = ("integer", "number", "boolean", "null", "array", "object")
                other = {name: field.replace("true", "false").replace('string"', f'{name}"') for name in names}
                typed |= {name: equals.replace(field, each) for name, each in other.items()}
        return Pairs(kind, before, close, separator, "", typed)

    def block_start(self, end: int) -> int:
        """Return where calls begin: at a mark, or where a header begins."""
        text, channels = self.text, self.grammar.channels
        if channels is not None:
            starts = [at + len(mark) for mark in channels.start if (at := text.rfind(mark, 0, end)) >= 0]
            start = max(starts, default=0)
            return start + len(ROLE) if text.startswith(ROLE, start) else start
        parts: list[Any] = [part for section in self.grammar.sections for part in (section, *section.calls)]
        marks = [in_row(row)[0] for part in parts for row in part.open]
        return min((at for mark in marks if (at := text.find(mark, 0, end)) >= 0), default=0)

    def before(self, text: str) -> list[Pieces]:
        """Return what comes before calls: white space, and reasoning where a header says that it is."""
        found: list[Pieces] = [
            (("", text[len(text.rstrip()) :] if not text.strip() or self.grammar.channels is None else ""),)
        ]
        if self.grammar.channels is not None and self.thought and self.thought in text:
            at = text.find(self.thought)
            found.append((("", text[:at]), (REASONING, ""), ("", text[at + len(self.thought) :])))
        return found

    def numbered(self, text: str) -> Parts:
        """Return a text with the places of the name, the id, and a number that stands alone."""
        number = self.call.id if self.call.id and self.name not in self.call.id and len(self.call.id) > 4 else ""
        parts = placed(text, self.name, [number])
        found = [each for part in parts for each in split(part, r'(?<=[":])\d+(?=["<])', COUNT)]
        return tuple(part for part in found if part != "")

    def furthers(self, first: str, last: str, begin: int) -> list[str]:
        """Return what may be between two calls, the likeliest first."""
        found = []
        channels = self.grammar.channels
        bare = [section for section in self.grammar.sections if not section.open]
        marks = [in_row(row)[0] for section in bare for call in section.calls for row in call.open]
        found += [f"{last}{first[first.find(mark) :]}" for mark in marks if mark in first]
        found += [f"{last}{section.between} {first}" for section in bare if section.between]
        if channels is not None:
            role = ROLE if self.text[:begin].endswith(ROLE) else ""
            # At a stop the reply is over: no further message follows.
            return [*found, *(f"{last}{mark}{role}{first}" for mark in channels.start if last)]
        for section in self.grammar.sections:
            for row in section.open:
                at = _end_of(first, in_row(row))
                if at < 0:
                    continue
                closes = [in_row(each)[0] for each in section.close]
                inner = last[: min((last.find(mark) for mark in closes if mark in last), default=len(last))].rstrip()
                kind = section.calls[0].arguments
                if section.between or section.calls[0].open or (isinstance(kind, Literals) and not kind.bare):
                    gaps = [f"{section.between} ", section.between] if section.between else ["\n", ""]
                    found += [f"{inner}{gap}{first[at:].lstrip()}" for gap in gaps]
        return [*found, f"{last}{first}", f"{last}\n{first}"] if not last.endswith("\n") else [*found, f"{last}{first}"]


def _end_of(text: str, marks: tuple[str, ...]) -> int:
    """Return where marks in a row end in a text; -1 if they are not there."""
    at = 0
    for mark in marks:
        start = text.find(mark, at)
        if start < 0:
            return -1
        at = start + len(mark)
    return at
