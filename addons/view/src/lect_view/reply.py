"""Replies: the raw text and how it was read, with its problems in their places; and streams, step by step."""

from __future__ import annotations

import json
from itertools import accumulate, pairwise, starmap
from typing import TYPE_CHECKING, NamedTuple

from lect.plugin import boundary
from lect_view.blocks import Block, anchors, blocks, counted, findings
from lect_view.characters import attribute, text
from lect_view.page import View
from lect_view.runs import Note, layered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import lect
    from lect.addon import Event, ReplyStream
    from lect.plugin import ToolCall

MOST_PROBLEMS = 200
CHUNK, MOST_CHUNKS = 4, 250
"""How many characters of a finished reply arrive at once, unless that makes too many chunks to step through."""
KINDS = ("reasoning", "content", "call", "mark", "after")
ENDS = {"stop": "the model stopped", "tool_calls": "it calls tools", "length": "it broke off", None: "reason unknown"}


class Step(NamedTuple):
    """A chunk of a reply, and the events that were certain after it."""

    chunk: str
    """What arrived; empty for the end of the reply."""
    events: tuple[Event, ...]
    """The events."""


class Recorded(NamedTuple):
    """A reply, and how it arrived."""

    reply: lect.Reply
    """The whole reply."""
    steps: tuple[Step, ...]
    """The chunks in order, then the end."""


def in_chunks(raw: str) -> list[str]:
    """Return a finished reply in chunks, as if it arrived again."""
    size = max(CHUNK, len(raw) // MOST_CHUNKS)
    return [raw[start : start + size] for start in range(0, len(raw), size)]


@boundary
def record(stream: ReplyStream, chunks: Iterable[str], finish: str | None = None) -> Recorded:
    """Feed chunks to a stream and close it; `html` shows the result as a reply that can be stepped through.

    Args:
        stream: From `lect.stream` or `Template.stream`; nothing was fed to it yet.
        chunks: The pieces of the reply, as they arrived.
        finish: The server's finish reason, if it gave one.
    """
    steps = [Step(chunk, tuple(stream.feed(chunk))) for chunk in chunks]
    steps.append(Step("", tuple(stream.finish(finish))))
    return Recorded(stream.close(), tuple(steps))


def show_reply(reply: lect.Reply, most: int | None = None) -> View:
    """Return the view of a reply."""
    said = (("reasoning", _said(reply.reasoning)), ("content", _said(reply.content)))
    parsed = [_part(kind, kind, "", content) for kind, content in said if content]
    parsed += [_part("call", *_heading(call), _said(_arguments(call))) for call in _calls(reply)]
    return _view(reply, parsed, [], most)


def show_recorded(recorded: Recorded) -> View:
    """Return the view of a stream, with everything that has arrived in the end."""
    reply, steps = recorded
    edges = pairwise(accumulate((len(step.chunk) for step in steps), initial=0))
    chunks = [
        Note(start, end, "chunk", f"step {number}", more=f'data-step="{number}"')
        for number, (start, end) in enumerate(edges, 1)
        if start < end <= len(reply.raw)
    ]
    view = _view(reply, list(_arrived(recorded)), chunks, None)
    return view._replace(body=_controls(len(steps)) + view.body + _log(steps), script=True)


def _view(reply: lect.Reply, parsed: list[str], chunks: list[Note], most: int | None) -> View:
    pieces = [Note(start, end, kind, f"{kind} · {start:,}–{end:,}", isolates=True) for kind, start, end in reply.pieces]
    prefix = anchors(reply.raw)
    problems = [
        Note(*span, "problem", f"⚠ {code}: {about}", "problem-begins", anchor=f"{prefix}-{number}", tag="mark")
        for number, (code, span, about) in enumerate(reply.problems[:MOST_PROBLEMS])
    ]
    layers = [pieces, *layered(problems), chunks]
    raw = blocks(reply.raw, [Block(0, "what the model wrote", f"{len(reply.raw):,} characters")], layers, most)
    rows = [(code, about, f"{prefix}-{number}") for number, (code, _, about) in enumerate(reply.problems)]
    parsed.append(findings("Problems", rows[:MOST_PROBLEMS], kind="bad"))
    end = ENDS.get(reply.finish, str(reply.finish)) + (f", at {reply.stop!r}" if reply.stop else "")
    body = (
        f'<main class="two"><section>{raw}</section><section>{"".join(parsed)}'
        f'<p class="end"><b>ended:</b> {attribute(end)}</p></section></main>'
    )
    counts = [(len(reply.raw), "character"), (len(reply.tool_calls), "tool call"), (len(reply.problems), "problem")]
    used = {note.classes for layer in layers for note in layer}
    legend = tuple(name for name in (*KINDS, "problem") if name in used)
    return View("A reply", ", ".join(starmap(counted, counts)), body, legend)


def _part(kind: str, title: str, detail: str, content: str) -> str:
    small = f" <small>{attribute(detail)}</small>" if detail else ""
    return (
        f'<section class="turn part-{kind}"><h2><b>{attribute(title)}</b>{small}</h2>'
        f'<pre dir="auto">{content}</pre></section>'
    )


def _said(given: str | None) -> str:
    return text(given, spaces=False) if given else ""


def _calls(reply: lect.Reply) -> list[ToolCall]:
    return sorted((*reply.tool_calls, *reply.incomplete), key=lambda call: call.index)


def _heading(call: ToolCall) -> tuple[str, str]:
    return call.name or "(no name)", f"{'call' if call.complete else 'incomplete call'} {call.index} · id {call.id}"


def _arguments(call: ToolCall) -> str:
    if not call.complete or isinstance(call.arguments, str):
        return call.arguments_text or str(call.arguments)
    return json.dumps(call.arguments, ensure_ascii=False, indent=2)


def _arrived(recorded: Recorded) -> Iterator[str]:
    """Yield the parts of a reply, each piece with the step in which it arrived."""
    calls = {call.index: call for call in _calls(recorded.reply)}
    texts: dict[tuple[str, int | None], list[str]] = {("reasoning", None): [], ("content", None): []}
    for number, step in enumerate(recorded.steps, 1):
        for event in step.events:
            if event.kind in ("content", "reasoning", "call_args"):
                key = ("call", event.index) if event.kind == "call_args" else (event.kind, None)
                texts.setdefault(key, []).append(f'<span data-step="{number}">{_said(event.text)}</span>')
            elif event.kind == "call_start":
                texts["call", event.index] = []
    for (kind, index), pieces in texts.items():
        if kind == "call" or pieces:
            heading = _heading(calls[index]) if index in calls else (kind, "")
            yield _part(kind, *heading, "".join(pieces))


def _controls(steps: int) -> str:
    return (
        '<form class="steps" aria-label="steps of the stream" hidden><button type="button" class="back">◀ back</button>'
        '<button type="button" class="on">on ▶</button><button type="button" class="play">play</button>'
        f'<input type="range" min="0" max="{steps}" value="{steps}" aria-label="step of the stream">'
        '<output aria-live="polite"></output></form>\n'
    )


def _log(steps: Iterable[Step]) -> str:
    rows = "".join(
        f'<tr data-step="{number}"><td>{number}</td>'
        f"<td><code>{attribute(repr(chunk)) if chunk else '(end)'}</code></td>"
        f"<td>{attribute(', '.join(map(_spoken, events)))}</td></tr>"
        for number, (chunk, events) in enumerate(steps, 1)
    )
    head = "<thead><tr><th>step</th><th>chunk</th><th>events</th></tr></thead>"
    return (
        '<section aria-label="how it arrived"><details class="log" open><summary>How it arrived</summary>'
        f'<div class="scroll" tabindex="0"><table>{head}<tbody>{rows}</tbody></table></div></details></section>'
    )


def _spoken(event: Event) -> str:
    return f"{event.kind} {event.text!r}" if event.text else event.kind
