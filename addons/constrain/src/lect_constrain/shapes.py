"""How a template writes replies, from its own renderings; where it writes no calls, from the example of its format."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lect.addon import probes
from lect.plugin.grammar import Grammar, Params
from lect_constrain.examples import example_form
from lect_constrain.pairs import finder, paired_syntax, pairs_of
from lect_constrain.probes import (
    CONTENT,
    COUNT,
    LABEL,
    REASONING,
    CallShape,
    Form,
    Pairs,
    Parts,
    Pieces,
    Prober,
    Shape,
    counted,
    cut_arguments,
    placed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lect import Template


def shape_of(template: Template, grammar: Grammar, options: Mapping[str, Any]) -> Shape:
    """Return how a template writes replies."""
    prober = Prober(template, grammar, options)
    cut = Cutter(grammar)
    answers = [prober.reply(text=True), prober.reply(text=True, thought=True)]
    plain = [prober.without_stop(each) for each in answers if each is not None]
    shape = Shape(prober.header, prober.opening, [cut.pieces(text) for text, _ in plain if prober.reads(text)], [])
    called = [
        prober.without_stop(found)
        for thought, text in ((False, False), (True, False), (False, True), (True, True))
        if (found := prober.reply(probes.CALLS[:1], thought=thought, text=text)) is not None
    ]
    shape.stops = tuple({stop for _, stop in called} - {stop for _, stop in plain} - {""})
    well = [text for text, _ in called if prober.reads(text)]
    probed = _probed_call(prober, cut, well) if well else None
    if probed:
        shape.forms.append(probed)
        shape.content_follows = any(probes.TEXT in text[text.find(probes.NAMES[0]) :] for text, _ in called)
    # The example of a format with headers is a form that the maker documents beside the template's own.
    if not probed or grammar.channels is not None:
        form = example_form(grammar)
        if form is not None and (not probed or form.call.first != probed.call.first):
            opened = "" if cut.opens_reasoning(prober.opening) else prober.opening
            starts = grammar.channels.start if grammar.channels is not None else ()
            if starts and not any(mark in prober.header for mark in starts):
                # The model begins its messages itself.
                opened += starts[0]
            form.call.is_sorted = bool(probed and probed.call.is_sorted)
            form.before = [(("", opened + pieces[0][1]), *pieces[1:]) for pieces in form.before]
            shape.forms.append(form)
    complete(shape, cut)
    return shape


def format_shape(grammar: Grammar) -> Shape:
    """Return how replies in a format are written, from its example alone."""
    form = example_form(grammar)
    reasoning = grammar.reasoning
    opening = reasoning.open[0] if reasoning and reasoning.starts else ""
    shape = Shape("", opening, [], [form] if form else [])
    complete(shape, Cutter(grammar))
    if opening:
        for found in (shape.answers, *(each.before for each in shape.forms)):
            found[:] = [pieces for pieces in found if (REASONING, "") in pieces]
    return shape


def complete(shape: Shape, cut: Cutter) -> None:
    """Add what no rendering shows: a plain answer, and reasoning before each kind of reply."""
    if not any((CONTENT, "") in pieces for pieces in shape.answers):
        opened = shape.opening if not cut.opens_reasoning(shape.opening) else ""
        shape.answers.append((("", opened), (CONTENT, "")))
    around = cut.around(shape)
    replies = [shape.answers, *(form.before for form in shape.forms)]
    if around:
        for found in replies:
            if found and not any((REASONING, "") in pieces for pieces in found):
                bare = [pieces for pieces in found if not cut.opens_reasoning(pieces[0][1])]
                found += [
                    (("", around[0]), (REASONING, ""), ("", around[1] + cut.unclosed(pieces[0][1])), *pieces[1:])
                    for pieces in bare
                ]
    for found in replies:
        found[:] = dict.fromkeys(found)


class Cutter:
    """Cuts replies into literals, reasoning and content."""

    def __init__(self, grammar: Grammar):
        reasoning = grammar.reasoning
        self.grammar = grammar
        self.opens = reasoning.open if reasoning else ()
        self.closes = reasoning.close if reasoning else ()

    def opens_reasoning(self, text: str) -> bool:
        """Return whether a text opens reasoning, and perhaps closes it again."""
        return any(mark in text for mark in self.opens)

    def unclosed(self, text: str) -> str:
        """Return a text without what closes reasoning at its beginning: some prompts begin answers with that."""
        text = text.lstrip()
        return next((text[len(close) :] for close in self.closes if text.startswith(close)), text)

    def pieces(self, text: str) -> Pieces:
        """Return a reply as pieces. A block of reasoning that is empty counts as reasoning."""
        found: list[tuple[str, str]] = []
        at = 0
        for match in LABEL.finditer(text):
            found += [("", text[at : match.start()]), (REASONING if match[0] == probes.THOUGHT else CONTENT, "")]
            at = match.end()
        found.append(("", text[at:]))
        if not any(kind == REASONING for kind, _ in found):
            found[:1] = self._empty_block(found[0][1])
        return tuple(found)

    def _empty_block(self, text: str) -> list[tuple[str, str]]:
        for opened in self.opens:
            start = text.find(opened)
            for close in self.closes:
                end = text.find(close, start) if start >= 0 else -1
                if end >= 0 and not text[start + len(opened) : end].strip():
                    return [("", text[: start + len(opened)]), (REASONING, ""), ("", text[end:])]
        return [("", text)]

    def around(self, shape: Shape) -> tuple[str, str] | None:
        """Return what is before reasoning, and from there to what follows."""
        for pieces in (*shape.answers, *(each for form in shape.forms for each in form.before)):
            if (REASONING, "") in pieces:
                at = pieces.index((REASONING, ""))
                after = pieces[at + 1][1]
                ends = [after.find(close) + len(close) for close in self.closes if close in after]
                if ends:
                    end = max(ends)
                    space = len(after) - len(after[end:].lstrip()) if after[end:].strip() else len(after)
                    return pieces[at - 1][1], after[: max(end, space)]
        if not self.closes or self.grammar.channels is not None:
            return None
        opened = shape.opening if self.opens_reasoning(shape.opening) else (*self.opens, "")[0]
        return opened.rstrip(), (self.grammar.reasoning.written or ("", ""))[1] or self.closes[0]  # type: ignore[union-attr]


def _probed_call(prober: Prober, cut: Cutter, texts: list[str]) -> Form | None:
    """Return how a template writes calls, and what it writes before them; None if they are not found."""
    grammar = prober.grammar
    ids = [grammar.id_of(name, index) for index, name in enumerate(probes.NAMES)]
    find = finder(grammar, texts[0], probes.NAMES[0], probes.ONE)
    spans = [find(text, probes.NAMES[0], probes.ONE, 0) for text in texts]
    if any(span is None for span in spans):
        return None
    heads = [text[: span[0]] for text, span in zip(texts, spans, strict=True) if span]
    open_text = _call_open(heads, cut)
    befores = [cut.pieces(head[: len(head) - len(open_text)]) for head in heads]
    first_span = spans[0]
    assert first_span is not None
    shape = CallShape(
        placed(open_text, probes.NAMES[0], ids), None, placed(_after(texts[0][first_span[1] :]), probes.NAMES[0], ids)
    )
    text = prober.reply(probes.CALLS) or ""
    bodies: list[str] = []
    further: list[Parts] = []
    at = 0
    for name, arguments in probes.CALLS[:3]:
        span = find(text, name, arguments, at)
        if span is None:
            break
        further += [placed(text[at : span[0]], name, ids)] * bool(bodies)
        bodies.append(text[slice(*span)])
        at = span[1]
    if further:
        shape.further = counted(*further) if len(further) > 1 else further[0]
        shape.first = _counted_first(shape.first, shape.further)
    if find is cut_arguments:
        # The second call has an argument of every type.
        every = bodies[1] if len(bodies) > 1 else ""
        shape.is_sorted = 0 <= every.find(probes.KEY) < every.find(probes.LAST_KEY)
    else:
        shape.pairs = _pairs(prober, texts[0], first_span, open_text, bodies, text[at:])
    return Form(shape, befores)


def _pairs(
    prober: Prober, text: str, span: tuple[int, int], open_text: str, bodies: list[str], rest: str
) -> Pairs | None:
    """Return how arguments are written one by one.

    `text` is a reply with one call whose arguments are at `span`. `bodies` are the arguments of several calls, and
    `rest` is what follows them, a call without arguments; they are empty if the template writes only one call.
    """
    kind, close_mark = paired_syntax(prober.grammar, text)
    assert kind is not None

    def written(reply: str | None, name: str) -> str:
        """Return the arguments of a call in a reply."""
        rest = (reply or "").partition(name + open_text.rpartition(probes.NAMES[0])[2])[2]
        end = rest.find(close_mark) if isinstance(kind, Params) else rest.rfind(close_mark)
        return rest[: max(end, 0)]

    if len(bodies) < len(probes.CALLS) - 1:
        bodies = ["", written(prober.reply([(probes.NAMES[0], probes.EVERY_TYPE)]), probes.NAMES[0])]
        rest = prober.reply([(probes.NAMES[-1], {})]) or ""
    return pairs_of(kind, text[slice(*span)], bodies[1], written(rest, probes.NAMES[-1]))


def _counted_first(first: Parts, further: Parts) -> Parts:
    """Return what is before the first arguments with a number in the place where later calls have theirs."""
    if COUNT not in further:
        return first
    at = further.index(COUNT)
    found = list(first)
    follows = further[at + 1] if at + 1 < len(further) and isinstance(further[at + 1], str) else ""
    for index, part in enumerate(found):
        if isinstance(part, str):
            match = re.search(rf"\d+(?={re.escape(follows)}$)", part) or re.search(
                rf"\d+(?={re.escape(follows)})", part
            )
            if match:
                found[index : index + 1] = [part[: match.start()], COUNT, part[match.end() :]]
                break
    return tuple(part for part in found if part != "")


def _after(text: str) -> str:
    """Return what follows the arguments, without content."""
    return text[: text.find(probes.TEXT)] if probes.TEXT in text else text


def _call_open(heads: list[str], cut: Cutter) -> str:
    """Return what all renderings have before the arguments: what opens a call."""
    tails = []
    for head in heads:
        tail = cut.pieces(head)[-1][1]
        end = max((tail.rfind(close) + len(close) for close in cut.closes if close in tail), default=0)
        tails.append(tail[end:])
    shared = tails[0]
    for tail in tails[1:]:
        while not tail.endswith(shared):
            shared = shared[1:]
    # A header has its white space; what else precedes calls may have any.
    return shared if cut.grammar.channels else shared.lstrip()
