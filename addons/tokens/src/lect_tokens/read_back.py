"""Token ids read back: turns are found by the template's own marks, rendered again, and compared."""

from __future__ import annotations

from itertools import combinations_with_replacement, islice, pairwise, product
from typing import TYPE_CHECKING, Any

from lect.addon import alike, encoder_of, probes
from lect.errors import saferepr
from lect_tokens.checks import Result, joined, quoted
from lect_tokens.frames import ANSWER, ANSWERED, MADE, OPENED, SYSTEM, UNANSWERED, Frame, days_in, frames_for, is_within
from lect_tokens.reader import ENDS, MODEL, REPLY, UNSTOPPED, Reader, Step, Stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lect import Template

    Written = tuple[int, str, str]
    """Where the template began to write, what it wrote, and what follows."""

BY_LECT = "prompt.encode(tokenizer) of the same messages"
SHOWN = 40
MOST_EXPECTED = 3
RESULT = {"role": "tool", "content": "zqrs", "name": probes.CALLS[0][0], "tool_call_id": "call_0"}


def turns(template: Template, ids: Sequence[int], tokenizer: Any) -> list[Result]:
    """Check that ids, without what the tokenizer itself puts before them, are turns as the template writes them."""
    return ReadBack(template, ids, tokenizer).results()


class ReadBack:
    """Token ids and what they say.

    Args:
        template: The template.
        ids: The ids.
        tokenizer: The tokenizer.
    """

    def __init__(self, template: Template, ids: Sequence[int], tokenizer: Any):
        self._template, self._ids = template, ids
        encoder = encoder_of(tokenizer)
        self._stream = Stream(ids, tokenizer)
        days = days_in(self._stream.text) if "date" in template.options else ()
        self._frames = frames_for(template, encoder, days)
        self._alphabet = self._frames.alphabet
        self._reader = Reader(template, self._frames, self._stream.text)
        self._usual = {*Stream(self._alphabet.ids(self._stream.text), tokenizer).pieces()}
        """The pieces of the same text as the tokenizer encodes it."""

    def results(self) -> list[Result]:
        """Return what is said of the turns."""
        whole = sorted(self._reader.readings(OPENED, ANSWERED), key=_told, reverse=True)
        # Where plain text separates the turns, a reading that takes it for somebody's words explains less.
        reading = max([*whole[:1], *islice(self._reader.readings(UNANSWERED), 1)], key=_told, default=None)
        reading = reading or next(self._reader.readings(UNSTOPPED), None)
        if reading is None:
            return [self._unreadable()]
        how = reading[-1].frame.after
        if how == UNANSWERED:
            return [self._unasked(reading)]
        if how == UNSTOPPED:
            return [self._unstopped(reading)]
        return [self._rendered(whole), *self._respelled(reading), *self._held(reading)]

    # What is wrong

    def _unreadable(self) -> Result:
        at, expected = self._reader.miss()
        text = self._stream.text
        found = saferepr(self._alphabet.read(text[at : at + SHOWN])) if at < len(text) else "the end"
        place = f"token {self._stream.token(at)}" if at < len(text) else f"the end, behind token {len(self._ids) - 1}"
        before = saferepr(self._alphabet.read(text[max(at - SHOWN, 0) : at]))
        words = [saferepr(self._alphabet.read(each[:SHOWN])) for each in expected[:MOST_EXPECTED]]
        wanted = " or ".join(words) or "a text"
        what = f"cannot be read back at {place}: after {before} the template writes {wanted}, and there is {found}"
        return Result("turns", "wrong", what, BY_LECT)

    def _unasked(self, reading: list[Step]) -> Result:
        last = reading[-1]
        kind = last.state.kind
        openings = [frame.literal for frame in self._reader.frames if frame.before == kind and frame.after == OPENED]
        missing = next(
            (each[len(last.frame.literal) :] for each in openings if each.startswith(last.frame.literal)), ""
        )
        what = f"the ids end in the turn of the {kind}, without {saferepr(self._alphabet.read(missing))}"
        return Result("generation prompt", "wrong", what, "add_generation_prompt=True, unless an answer is to follow")

    def _unstopped(self, reading: list[Step]) -> Result:
        last = reading[-1]
        answer = self._alphabet.read(self._stream.text[last.state.at : last.end]).strip()
        what = f"none after {saferepr(answer, SHOWN)}: a model that is trained on this never learns to stop"
        stops = list(self._template.stop_ids)
        return Result(
            "stop", "wrong", what, f"end every answer with one of {stops}, unless the model is to continue it"
        )

    # What is right

    def _rendered(self, readings: list[list[Step]]) -> Result:
        """Compare the turns with what the template writes for them."""
        places = []
        for reading in readings:
            place = self._difference(reading)
            if place is None:
                names = turn_names(reading)
                equal = sum(len(ids) for at, ids in self._stream.pieces() if (at, ids) in self._usual)
                of_all = "" if equal == len(self._ids) else f" of {len(self._ids)}"
                what = f"{len(names)} read back ({joined(names)}), {equal}{of_all} ids equal"
                return Result("turns", "ok", what)
            places.append(place)
        names = turn_names(readings[0])
        at, written = max(places)
        token, text = self._stream.token(at), self._stream.text[at : at + SHOWN]
        writes, found = (saferepr(self._alphabet.read(each)) for each in (written[:SHOWN], text))
        what = f"{len(names)} read back ({joined(names)}), but rendered again they differ at token {token}: the "
        what += f"template writes {writes}, and there is {found}; both occur, by options or by what was said"
        return Result("turns", "note", what)

    def _respelled(self, reading: list[Step]) -> Iterator[Result]:
        """Yield whether what the template writes is in other tokens than the tokenizer's."""
        pieces = self._stream.pieces()
        ends = [at for at, _ in pieces[1:]]
        # At its edges, what the template writes may have been encoded together with a text, or apart from it.
        inner = [(step.end + 1, step.end + len(step.frame.literal) - 1) for step in reading]
        for (at, ids), end in zip(pieces, ends, strict=False):
            if (at, ids) not in self._usual and any(start <= at and end <= behind for start, behind in inner):
                text = saferepr(self._alphabet.read(self._stream.text[at:end]))
                what = f"token {self._stream.token(at)} is {list(ids)} for {text}, as the tokenizer does not encode it"
                yield Result("tokens", "wrong", what, BY_LECT)
                return

    def _held(self, reading: list[Step]) -> Iterator[Result]:
        """Yield whether a text contains a mark of the format as a control token."""
        texts = (self._stream.text[step.state.at : step.end] for step in reading)
        held = dict.fromkeys(each for text in texts for each in text if each in self._frames.hard)
        if held:
            what = f"a text contains {quoted(map(self._alphabet.read, held))}, as if the template had written it"
            yield Result("control tokens", "note", what, "prompt.encode(tokenizer), which spells it with ordinary ones")

    def _difference(self, reading: list[Step]) -> tuple[int, str] | None:
        """Return where a reading ceases to be what the template writes for its turns, and what it writes there."""
        found = [*_written(reading)]
        messages, tools = self._messages(reading)
        last = reading[-1]
        is_open = last.frame.after == OPENED or last.state.kind == REPLY
        places = [(0, "")]
        pairs = combinations_with_replacement(self._frames.settings, 2)
        for given, (one, other) in product([tools] if tools else [None, probes.TOOLS], [*pairs]):
            frames = self._frames.one(messages, given, {**one, **other}, add_generation_prompt=is_open)
            place = _unlike(found, [frame for frame in frames if not is_within(frame)])
            if place is None:
                return None
            places.append(place)
        return max(places)

    def _messages(self, reading: list[Step]) -> tuple[list[Any], Any]:
        """Return messages, with stand-ins for their texts, and tools."""
        edges = self._template.edges({})
        system: list[Any] = []
        spoken: list[dict[str, Any]] = []
        tools = None
        for before, step in pairwise(reading):
            kind, is_said = step.state.kind, step.end > step.state.at
            if kind == "tools":
                tools = probes.TOOLS
            elif kind == SYSTEM["role"]:
                system = [SYSTEM if is_said else {**SYSTEM, "content": ""}]
            elif kind in ("user", "tool"):
                spoken.append({"role": kind, "is_said": is_said})
            elif kind in ANSWER:
                if before.frame.is_new or not spoken or spoken[-1]["role"] != "assistant":
                    spoken.append({"role": "assistant"})
                spoken[-1][kind] = is_said
        messages: list[Any] = []
        results: list[Any] = []
        for at, each in enumerate(spoken):
            if each["role"] == "assistant":
                following = [other["role"] == "tool" for other in spoken[at + 1 :]]
                count = following.index(False) if False in following else len(following)
                calls = (
                    [probes.CALLS[number % len(probes.CALLS)] for number in range(max(count, 1))]
                    if "calls" in each
                    else ()
                )
                answer = edges.answer(text=each.get("assistant", False), thought="reasoning" in each, calls=calls)
                results = edges.results(answer)
                messages.append(answer)
            else:
                message = edges.question if each["role"] == "user" else results.pop(0) if results else RESULT
                messages.append(message if each["is_said"] else {**message, "content": ""})
        return system + messages, tools


def _told(reading: list[Step]) -> int:
    """Return how many characters of a text are the template's, if it is read so."""
    return sum(len(step.frame.literal) for step in reading)


def turn_names(reading: list[Step]) -> list[str]:
    """Return whose turns were read, in order."""
    names: list[str] = []
    for before, step in pairwise(reading):
        kind = step.state.kind
        name = "assistant" if kind in MODEL else "system" if kind in ("tools", "options") else kind
        if before.frame.is_new or names[-1] != name:
            names.append(name)
    return [*names, OPENED] if reading[-1].frame.after == OPENED else names


def _written(reading: list[Step]) -> Iterator[Written]:
    """Yield what the template wrote; an empty text is none."""
    reading = [step for step in reading if not is_within(step.frame)]
    literal, at = "", 0
    for step, following in zip(reading, [*reading[1:], None], strict=True):
        at = at if literal else step.end
        literal += step.frame.literal
        if following is None or following.end > following.state.at:
            yield at, literal, OPENED if step.frame.after == REPLY else step.frame.after
            literal = ""


def _unlike(found: list[Written], frames: list[Frame]) -> tuple[int, str] | None:
    """Return where something else was written than by the template, and what it writes there; None if nowhere."""
    for (at, literal, after), frame in zip(found, frames, strict=False):
        is_open = frame.before in MADE or after in MADE or after == ANSWERED
        if frame.after != after or not (literal == frame.literal or is_open):
            agree = alike(literal, frame.literal)
            return at + agree, frame.literal[agree:]
        if after in ENDS:
            return None
    return (found[len(frames) - 1][0], "") if 0 < len(frames) <= len(found) else (0, "")
