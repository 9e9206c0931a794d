"""Sessions: which line a prompt continues, and in whose words; and why it continues none."""

from __future__ import annotations

import logging
from array import array
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from lect import LectError
from lect_explain import explain
from lect_rollout import Rollout
from lect_serve.lines import IDS, Line, Said, differs, dropped, shared
from lect_serve.prepare import encoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect import Reply
    from lect_explain import Step
    from lect_serve.model import Model
    from lect_serve.prepare import Rendered
    from lect_serve.record import Recorder
    from lect_serve.settings import Settings

LOG = logging.getLogger("lect_serve")
DATE = "date"
MOST_PINS = 10_000
MOST_TOKENS = 8_000_000
"""How many tokens all lines have together: a rollout of one takes some forty bytes for each."""


class Turn(NamedTuple):
    """A request in its session: the ids of its prompt, and which line it goes on with."""

    key: str
    ids: array[int]
    rendered: Rendered
    line: Line | None
    """The line that it extends; None if it begins one."""
    rollout: Rollout | None
    step: Step | None = None
    """How it follows from the line that it shares most with."""
    noted: str = ""

    @property
    def how(self) -> str:
        """How it follows, in one word."""
        return "extension" if self.line else "new" if self.step is None else self.step.kind


class Sample(NamedTuple):
    """What an engine sampled."""

    ids: Sequence[int]
    logprobs: Sequence[float | None]
    is_whole: bool
    """Whether all its ids are known."""
    reply: Reply
    finish: str | None


class Sessions:
    """The lines of all sessions, as many as are kept."""

    def __init__(self, model: Model, settings: Settings, recorder: Recorder | None = None) -> None:
        self._model, self._settings, self._recorder = model, settings, recorder
        self._lines: OrderedDict[Line, int] = OrderedDict()
        """All lines, the one that was used last at the end, and how many seconds each is idle."""
        self._of: dict[str, list[Line]] = {}
        self._tokens = 0
        self._pins: OrderedDict[str, date] = OrderedDict()
        self._ended: list[Line] = []

    def __iter__(self) -> Iterator[Line]:
        """Yield all lines, the one that was used last at the end."""
        return iter([*self._lines])

    def of(self, key: str) -> list[Line]:
        """Return the lines of a session."""
        return [*self._of.get(key, ())]

    def pinned(self, key: str) -> dict[str, Any]:
        """Return the options that stay what they were: at midnight, another date would begin every prompt anew."""
        if DATE not in self._model.template.options:
            return {}
        day = self._pins.setdefault(key, date.today())
        self._pins.move_to_end(key)
        while len(self._pins) > MOST_PINS:
            self._pins.popitem(last=False)
        return {DATE: day}

    # Before an engine is asked

    def begin(self, key: str, rendered: Rendered) -> Turn:
        """Return a request as a turn of its session. It may run in a thread, and changes nothing.

        Raises:
            RefusedRequestError: If the prompt cannot be encoded.
        """
        lines = self.of(key)
        if self._settings.words == "sampled" and not rendered.asked.continues:
            for line in reversed(lines):
                if turn := self._continued(key, line, rendered):
                    return turn
        # A rollout encodes the same prompt.
        rollout = self._rollout(rendered)
        ids = array(IDS, encoded(self._model, rendered.prompt) if rollout is None else rollout.ids)
        extended = next((line for line in reversed(lines) if line.is_begun_by(ids)), None)
        if extended is not None:
            return Turn(key, ids, rendered, extended, rollout)
        return Turn(key, ids, rendered, None, rollout, self._explained(lines, rendered, ids))

    def _continued(self, key: str, line: Line, rendered: Rendered) -> Turn | None:
        """Return a request as a turn that goes on with what was sampled in a line; None if it does not."""
        asked, size = rendered.asked, len(line.given)
        messages = asked.messages
        if line.rollout is None or len(messages) <= size + 1 or line.finish == "length":
            return None
        before = line.rendered
        if before.asked.tools != asked.tools or before.options != rendered.options or messages[:size] != line.given:
            return None
        noted = differs(messages[size], line.said)
        new = None if noted is None else self._added(line, rendered, size)
        if not new:
            return None
        rollout = line.rollout.fork()
        try:
            if not self._settings.keep_reasoning and self._drops(line, rollout, new):
                return None
            rollout.add(new, close=True)
        except LectError as error:
            LOG.info("session %s: what was sampled cannot be continued: %s", key, type(error).__name__)
            return None
        return Turn(key, array(IDS, rollout.ids), rendered, line, rollout, noted=noted or "")

    def _added(self, line: Line, rendered: Rendered, size: int) -> list[Mapping[str, Any]] | None:
        """Return the messages after an answer as the format carries them, with the ids that the calls have there."""
        fitted = rendered.fitted
        origins = [*range(len(rendered.messages))] if fitted is None else list(fitted.origins)
        at = [index for index, origin in enumerate(origins) if origin == size]
        if len(at) != 1 or any(origin is None or origin <= size for origin in origins[at[0] + 1 :]):
            return None
        assert line.rollout is not None
        assert line.rollout.reply is not None
        own = [call.id for call in line.rollout.reply.tool_calls]
        known = dict(zip((call_id for call_id, *_ in line.said.calls), own, strict=True))
        new = []
        for index in range(at[0] + 1, len(origins)):
            message, origin = rendered.messages[index], origins[index]
            if message["role"] == "assistant":
                return None
            given = rendered.asked.messages[origin or 0].get("tool_call_id")
            new.append({**message, "tool_call_id": known.get(given, given)} if given else message)
        return new

    def _drops(self, line: Line, rollout: Rollout, new: Sequence[Mapping[str, Any]]) -> bool:
        """Return whether the format leaves out reasoning now that is in the line: a new question often does that."""
        if not any(message["role"] == "user" for message in new):
            return False
        conversation = [*rollout.messages, *new]
        how: dict[str, Any] = {"tools": rollout.tools, "add_generation_prompt": True, **line.rendered.options}
        return bool(dropped(self._model.template.render(conversation, **how)) - line.dropped)

    def _rollout(self, rendered: Rendered) -> Rollout | None:
        if self._settings.words != "sampled" or rendered.asked.continues:
            return None
        template, tokenizer = self._model.template, self._model.tokenizer
        how: dict[str, Any] = {"tools": rendered.tools, **rendered.options}
        try:
            return Rollout(template, rendered.messages, tokenizer, **how)
        except LectError:
            return None

    def _explained(self, lines: Sequence[Line], rendered: Rendered, ids: array[int]) -> Step | None:
        """Return how a prompt follows from the line with which it shares most; None if there is none.

        One that is asked again, as for several answers to one question, begins a line, and loses nothing.
        """
        if not lines:
            return None
        kept, _, line = max((shared(line.ids, ids), at, line) for at, line in enumerate(lines))
        step = explain(line.rendered.prompt, rendered.prompt, sampled=line.reply.raw)
        if step.rule == "beginning":
            return None
        if step.extends:
            reason = "the text is the same, and what follows changes where its last tokens end"
            step = step._replace(rule="tokens", reason=reason)
        return step._replace(kept=kept, lost=len(line.ids) - kept, by_tokens=True, earlier=line.number)

    # After it has answered

    def end(self, turn: Turn, sample: Sample) -> Line:
        """Take what was sampled into the session, and return its line."""
        # Another request may have gone on with that line meanwhile: then this one begins a line, too.
        before = turn.line if turn.line in self._lines else None
        lines = self._of.setdefault(turn.key, [])
        number = before.number if before else lines[-1].number + 1 if lines else 0
        rollout, rendered = turn.rollout if sample.is_whole else None, turn.rendered
        if rollout is not None:
            rollout.feed(sample.ids)
        known = len(before.ids) if before else 0
        new = len(turn.ids) - known
        changes = (*(before.changes if before else ()), *rendered.changes, *filter(None, [turn.noted]))
        line = Line(
            key=turn.key,
            number=number,
            ids=turn.ids + array(IDS, sample.ids),
            sampled=(before.sampled if before else b"") + bytes(new) + b"\1" * len(sample.ids),
            is_whole=sample.is_whole and (before is None or before.is_whole),
            rendered=rendered,
            reply=sample.reply,
            said=Said.of(sample.reply),
            messages=rollout.messages if rollout else [*rendered.messages, sample.reply.to_message()],
            rollout=rollout,
            dropped=before.dropped if before else dropped(rendered.prompt),
            turns=before.turns + 1 if before else 1,
            finish=sample.finish,
            changes=tuple(dict.fromkeys(changes)),
            why=before.why if before else turn.step,
        )
        if self._recorder is not None:
            self._recorder.add(line, before, sample.logprobs)
        if before:
            del self._lines[before]
            lines[lines.index(before)] = line
        else:
            lines.append(line)
        self._lines[line] = 0
        self._tokens += len(line.ids) - known
        while len(self._lines) > 1 and (len(self._lines) > self._settings.lines or self._tokens > MOST_TOKENS):
            self._forget(next(iter(self._lines)))
        return line

    def _forget(self, line: Line) -> None:
        del self._lines[line]
        self._tokens -= len(line.ids)
        lines = self._of[line.key]
        lines.remove(line)
        if not lines:
            del self._of[line.key]
        self._ended.append(line)

    def tick(self) -> None:
        """Count a second for lines that nobody goes on with, and end those that are idle."""
        for line in self:
            self._lines[line] += 1
            if self._lines[line] > self._settings.idle:
                self._forget(line)

    def take_ended(self, *, all_of_them: bool = False) -> list[Line]:
        """Return the lines that have ended since this was asked last; or all, at the end."""
        if all_of_them:
            for line in self:
                self._forget(line)
        ended, self._ended = self._ended, []
        return ended
