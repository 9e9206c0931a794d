"""Prompts and encodings: who wrote which character, turn by turn, and what a reader must know about it."""

from __future__ import annotations

from bisect import bisect_right
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from lect import Origin
from lect.addon import spell
from lect.errors import MaskError
from lect_view.blocks import Block, anchors, beside, blocks, counted, findings
from lect_view.media import media_notes
from lect_view.page import View
from lect_view.runs import Note, layered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import lect

LEGEND = ("template", "input", "unknown", "tokenizer", "loss", "media", "forged", "differs")


def show_prompt(prompt: lect.Prompt, most: int | None = None) -> View:
    """Return the view of a prompt."""
    controls = control_notes(prompt, prompt.controls)
    seen = media_notes(prompt, most=most)
    layers = [segment_notes(prompt), *layered(controls), loss_notes(prompt), seen.notes]
    body = blocks(prompt.text, turn_blocks(prompt), layers, most)
    found = [(len(prompt.turns), "turn"), (len(controls), "forged control text"), (len(prompt.unused), "unused field")]
    counts = (counted(*each) for each in found if each[0])
    summary = ", ".join([f"{len(prompt.text):,} characters", *counts, *seen.summary])
    aside = control_findings(prompt, controls, more=prompt.more_controls) + unused_findings(prompt)
    title = f"{prompt.template.name}: the prompt"
    return View(title, summary, beside(body, aside), legend(layers), images=seen.has_images)


def show_encoded(encoded: lect.Encoded, most: int | None = None) -> View | None:
    """Return the view of an encoding; None if it was made in another process, where the text stayed."""
    prompt: Any = getattr(encoded, "_prompt", None)
    if prompt is None:
        return None
    tokens, labels, end = token_notes(encoded)
    text, report = prompt.text, encoded.report
    controls = control_notes(prompt, report.controls, frozenset(encoded.offsets))
    cut = [Note(end, len(text), "cut", "cut off by max_length", "cut-begins")] if report.truncated else []
    seen = media_notes(prompt, encoded, most)
    layers = [segment_notes(prompt), *layered(controls), tokens, labels, seen.notes, cut]
    trained = sum("loss" in note.about for note in tokens)
    counts = (counted(len(tokens), "token"), f"{trained:,} with loss", f"{len(text):,} characters")
    summary = ", ".join([*counts, *seen.summary])
    aside = control_findings(prompt, controls) + findings("The encoding", _report(encoded)) + unused_findings(prompt)
    body = beside(blocks(text, turn_blocks(prompt), layers, most), aside)
    title = f"{prompt.template.name}: the tokens"
    return View(title, summary, body, legend(layers), ("spaces", "ids"), images=seen.has_images)


def legend(layers: Sequence[Sequence[Note]]) -> tuple[str, ...]:
    """Return what the classes in use are called."""
    used = {name for layer in layers for note in layer for name in note.classes.split()}
    return tuple(name for name in LEGEND if name in used)


def segment_notes(prompt: lect.Prompt) -> list[Note]:
    """Return who wrote what, from which field and where in it."""
    notes = []
    for segment, (start, end) in zip(prompt.segments, pairwise(prompt.layout.starts), strict=True):
        about = f"prompt {start:,}–{end:,}"
        if segment.path:
            inside = f" {segment.start:,}–{segment.start + end - start:,}" if segment.start >= 0 else " (transformed)"
            about = f"{spell(segment.path)}{inside} · {about}"
        else:
            about = f"{segment.origin.value} · {about}"
        outside = segment.origin is not Origin.TEMPLATE
        notes.append(Note(start, end, segment.origin.value, about, isolates=outside))
    return notes


def turn_blocks(prompt: lect.Prompt) -> list[Block]:
    """Return the turns, and what is before, between and after them."""
    parts, position, last = [], 0, len(prompt.segments) - 1
    roles = prompt.roles
    for turn, group in groupby(enumerate(prompt.segments), key=lambda each: each[1].turn):
        each = list(group)
        start, position = position, position + sum(len(segment.text) for _, segment in each)
        if turn is not None:
            role = roles[turn] if turn < len(roles) else "turn"
            parts.append(Block(start, role or "turn", f"messages[{turn}] · {counted(position - start, 'character')}"))
        elif start and each[-1][0] == last and not _is_answered(prompt):
            parts.append(Block(start, "the model continues here", "generation prompt"))
        elif start and each[-1][0] == last:
            parts.append(Block(start, "after the last answer"))
        else:
            parts.append(Block(start, "between turns" if start else "before the turns"))
    return parts or [Block(0, "empty")]


def _is_answered(prompt: lect.Prompt) -> bool:
    """Return whether a prompt ends with an answer, and with nothing after it but what ends a text."""
    return prompt.roles[-1:] == ["assistant"] and prompt.text.rstrip().endswith(tuple(prompt.template.stop))


def loss_notes(prompt: lect.Prompt) -> list[Note]:
    """Return what carries loss by the default policy; nothing if the messages state it in a wrong way."""
    try:
        spans = prompt.loss_spans()
    except MaskError:
        return []
    return [Note(span.start, span.end, "loss", f"loss {span.weight:g} ({span.kind})") for span in spans]


def token_notes(encoded: lect.Encoded) -> tuple[list[Note], list[Note], int]:
    """Return the tokens, what is trained of them, and where the last one ends."""
    tokens, trained, position = [], [], 0
    for number, piece in enumerate(encoded.pieces()):
        start, position = position, position + len(piece.text)
        about = f"token {number:,}, id {piece.id}" + (f", loss {piece.weight:g}" if piece.weight else "")
        kind = "token tokenizer" if piece.origin == "tokenizer" else "token"
        tokens.append(Note(start, position, kind, about, "token-begins", more=f'data-id="{piece.id}"'))
        trained.append((start, position, bool(piece.weight)))
    labels = []
    for is_trained, group in groupby(trained, key=lambda each: each[2]):
        each = list(group)
        if is_trained and each[0][0] < each[-1][1]:
            labels.append(Note(each[0][0], each[-1][1], "loss", "", "labels-begin", "labels-end"))
    return tokens, labels, position


def control_notes(
    prompt: lect.Prompt, controls: Sequence[lect.Control], tokens: frozenset[tuple[int, int]] = frozenset()
) -> list[Note]:
    """Return the control text from outside, with what it would have been."""
    prefix, notes = anchors(prompt.text), []
    for number, control in enumerate(controls):
        start, end = control.position, control.position + len(control.marker)
        verb = "is" if (start, end) in tokens else "would have been"
        about = f"⚠ not the template's: {control.marker} {verb} {_meaning(control.marker, prompt.template)}"
        notes.append(Note(start, end, "forged", about, "forged-begins", anchor=f"{prefix}-{number}", tag="mark"))
    return notes


def _meaning(marker: str, template: Any) -> str:
    known = template.markers.get(marker)
    number = f" {known}" if isinstance(known, int) else ""
    if template.text_separators and not number:
        return "a separator of turns, and nothing can tell it from a real one"
    if marker in template.stop:
        return f"the control token{number}, which ends a turn"
    if marker == template.bos:
        return f"the control token{number}, which opens a prompt"
    return f"the control token{number}"


def control_findings(prompt: lect.Prompt, notes: Sequence[Note], *, more: bool = False) -> str:
    """Return the list of control text from outside."""
    rows = [(prompt.text[note.start : note.end], _place(prompt, note), note.anchor) for note in notes]
    rows += [("...", "and more than is listed", "")] if more else []
    return findings("Control text from outside", rows, kind="bad") or (
        '<section class="finding good"><h2>No control text from outside</h2></section>'
    )


def _place(prompt: lect.Prompt, note: Note) -> str:
    segment = prompt.segments[bisect_right(prompt.layout.starts, note.start) - 1]
    where = f"in {spell(segment.path)}" if segment.path else f"at {note.start:,}"
    return f"{where}: {note.about.rpartition(f'{prompt.text[note.start : note.end]} ')[2]}"


def unused_findings(prompt: lect.Prompt) -> str:
    """Return the list of what was given and did not reach the prompt."""
    rows = []
    for each in prompt.unused:
        is_unknown = each.path[0] == "options" and each.why == "dropped"
        why = "the format reads no such option" if is_unknown else each.meaning
        rows.append((spell(each.path), why + (f"; did you mean {each.meant}?" if each.meant else ""), ""))
    return findings("Not in the prompt", rows, kind="odd") or (
        '<section class="finding good"><h2>All that was given is in the prompt</h2></section>'
    )


def _report(encoded: lect.Encoded) -> Iterator[tuple[str, str, str]]:
    report = encoded.report
    yield "BOS", f"written by the {report.bos}" if report.bos else "there is none", ""
    if report.unprotectable:
        yield "turns", "are separated by plain text, which no tokenizer can protect", ""
    if report.truncated:
        yield "max_length", f"cuts off {counted(report.truncated, 'token')}", ""
    for cut in report.cuts:
        yield f"{cut:,}", "the text is cut here: a token would have reached into what is trained", ""
    for message in report.stops_lost:
        yield f"messages[{message}]", "is trained without a stop: there is none after it", ""
    for deviation in report.deviations:
        yield f"messages[{deviation.message}]", deviation.reason, ""
