"""What a template writes between the texts of a conversation: found out by having it write some.

Each render is taken apart into texts from outside and what stands between two of them. All that was seen together tells
which prompts the template can write, whatever the texts are.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.addon import REASONING_NAMES, alike, probes
from lect.errors import LectError
from lect_tokens.checks import is_own

if TYPE_CHECKING:
    from lect import Prompt, Template
    from lect.addon import Encoder

    Message = Mapping[str, Any]

START, OPENED, ANSWERED, UNANSWERED = "start", "generation prompt", "answered", "unasked"
SYSTEM: Message = {"role": "system", "content": "zqsy"}
INSTRUCTIONS = (SYSTEM, {**SYSTEM, "content": ""}, {**SYSTEM, "role": "developer"})
OPTION = "zqop"
DOCUMENT = {"title": OPTION, "text": OPTION}
NO_PARAMETERS = {"type": "function", "function": {"name": probes.NAMES[0], "description": "zqde"}}
WORD = re.compile(r"[A-Za-z_]{2,32}")
"""What the value of an option may be."""
DAY = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]+ \d{4}|[A-Z][a-z]+ \d{1,2}, \d{4}")
DAY_FORMS = ("%Y-%m-%d", "%d %b %Y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y")
MOST_DAYS = 4
MOST_KEPT = 4
"""Templates whose frames are remembered."""
NUMBER = re.compile(r"(?<!\d)\d{1,3}(?!\d)")
"""Of a round."""
LONGEST_VARIED, LONGEST_FIRST = 4, 3
"""Messages of a conversation that is tried with options, other tools and a system message too, and of one that is tried
with all `INSTRUCTIONS`."""
ANSWER = ("assistant", "reasoning", "calls")
"""The texts that a model writes."""
MADE = ("tools", "calls")
"""Texts that the template composes itself from what it is given."""
JSON_START = re.compile(r'[\[{][\[{\s\w":,]*$')
JSON_END = re.compile(r'^[\s"]*[\]})](?:[\s"]*[\]})])*')
FIRST_CONTROL = 0xF0000
"""A control token is one character of a private area, to tell it from ordinary tokens that spell the same."""
TWICE = re.compile(f"([{chr(FIRST_CONTROL)}-{chr(0x10FFFF)}].*?)\\1", re.DOTALL)


class Frame(NamedTuple):
    """What a template writes between two texts from outside."""

    before: str
    """What the text before it is: a role, or a part of an answer."""
    literal: str
    after: str
    """What the text behind it is, or how the prompt ends."""
    is_new: bool
    """Whether another turn begins in it."""


class Alphabet:
    """Texts in which each control token of a tokenizer is one character."""

    def __init__(self, encoder: Encoder):
        self._encoder = encoder
        self._characters = {each: chr(FIRST_CONTROL + at) for at, each in enumerate(sorted(encoder.control_ids))}
        self._texts = {self._characters[each]: text for each, text in encoder.control_ids.items()}

    def character(self, control: int) -> str:
        """Return the character of a control token."""
        return self._characters[control]

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text of this alphabet."""
        controls, at = [], 0
        for character in text:
            control = self._texts.get(character, "")
            if control:
                controls.append((at, at + len(control), self._encoder.controls[control]))
            at += len(control) or 1
        return self._encoder.between(self.read(text), controls).ids

    def is_control(self, character: str) -> bool:
        """Return whether a character stands for a control token."""
        return character in self._texts

    def read(self, text: str) -> str:
        """Return a text of this alphabet as people write it."""
        return "".join(self._texts.get(character, character) for character in text)

    def of(self, text: str) -> str:
        """Return a text with its control tokens as characters."""
        return "".join(self.parts(text))

    def parts(self, text: str) -> list[str]:
        """Return for each character of a text what stands for it: nothing, if it is within a control token."""
        parts = list(text)
        for start, end, each in self._encoder.found(text):
            parts[start:end] = [self._characters[each], *[""] * (end - start - 1)]
        return parts


def frames_of(prompt: Prompt, messages: Sequence[Message], alphabet: Alphabet, end: str) -> Iterator[Frame]:
    """Yield what a template writes in a prompt, from text to text."""
    parts = alphabet.parts(prompt.text)
    kind, turn, literal, at = START, None, "", 0
    for segment in prompt.segments:
        behind = at + len(segment.text)
        if is_own(segment):
            literal += "".join(parts[at:behind])
        else:
            after = kind_of(segment.path, segment.turn, messages)
            is_within = (after, segment.turn) == (kind, turn)
            if not is_within or any(map(alphabet.is_control, literal)):
                yield _trimmed(Frame(kind, literal, after, segment.turn != turn or kind == START))
            kind, turn, literal = after, segment.turn, ""
        at = behind
    # A result that is not shown is none.
    end = ANSWERED if end == UNANSWERED and kind in ANSWER else end
    yield _trimmed(Frame(kind, literal, end, end == OPENED))


def is_within(frame: Frame) -> bool:
    """Return whether a frame is within what the template composes as one text."""
    return frame.before == frame.after and not frame.is_new


def _trimmed(frame: Frame) -> Frame:
    """Return a frame without the JSON around tools and calls, which depends on what they are."""
    literal = frame.literal
    if frame.before in MADE:
        literal = JSON_END.sub("", literal)
    if frame.after in MADE:
        literal = JSON_START.sub("", literal)
    return frame._replace(literal=literal)


def common(one: Frame, other: Frame) -> Frame | None:
    """Return what two frames around different tools have in common; None if they are equal, or not alike."""
    if one == other or one._replace(literal="") != other._replace(literal=""):
        return None
    if one.before in MADE:
        agree = alike(one.literal[::-1], other.literal[::-1])
        return one._replace(literal=one.literal[len(one.literal) - agree :])
    return one._replace(literal=one.literal[: alike(one.literal, other.literal)]) if one.after in MADE else None


def kind_of(path: tuple[str | int, ...], turn: int | None, messages: Sequence[Message]) -> str:
    """Return what a text from outside is."""
    if path[:1] != ("messages",):
        return str(path[0]) if path else "unknown"
    owner, field = int(path[1]), path[2] if len(path) > 2 else ""
    role = str(messages[owner if field == "content" or turn is None else turn]["role"])
    if role != "assistant" or field == "content":
        return role
    return "reasoning" if field in REASONING_NAMES else "calls"


class Frames:
    """All that a template writes around texts.

    Args:
        template: The template.
        encoder: The tokenizer.
        days: The days that it may write, if it writes one.
    """

    def __init__(self, template: Template, encoder: Encoder, days: Sequence[datetime.date] = ()):
        self._template = template
        self.alphabet = alphabet = Alphabet(encoder)
        self._rounds = [*rounds(template)]
        self.settings = self._settings(days)
        plain: dict[Frame, None] = {}
        composed: dict[Frame, None] = {}
        asked = [*conversations(template, self._rounds)]
        for options, (messages, tools, is_plain) in product(self.settings, asked):
            if options is not self.settings[0] and len(messages) > LONGEST_VARIED:
                continue
            written = self.written(messages, tools, options)
            (plain if is_plain else composed).update(dict.fromkeys(written))
            if tools and len(messages) <= LONGEST_VARIED:
                other = self.written(messages, [NO_PARAMETERS], options)
                composed.update(dict.fromkeys(filter(None, map(common, written, other))))
        marks = {alphabet.of(mark.strip()) for mark in template.edges().turn_marks.own}
        self.hard = {each for frame in plain for each in frame.literal if alphabet.is_control(each)} - marks
        """The control tokens that stand between turns."""
        seen = plain | composed
        # An answer that is not shown is none.
        self.all = [frame for frame in seen if frame.after != ANSWERED or frame._replace(after=UNANSWERED) not in seen]

    def written(self, messages: Sequence[Message], tools: Any, options: Mapping[str, Any]) -> list[Frame]:
        """Return the frames of a conversation, with a generation prompt and without."""
        opened = self.one(messages, tools, options, add_generation_prompt=True)
        ended = self.one(messages, tools, options, add_generation_prompt=False)
        # Where nothing is added, no generation prompt can be missing.
        is_same = (
            bool(ended) and ended[-1].after == UNANSWERED and ended[-1]._replace(after=OPENED, is_new=True) in opened
        )
        return opened + (ended[:-1] if is_same else ended)

    def one(
        self, messages: Sequence[Message], tools: Any, options: Mapping[str, Any], *, add_generation_prompt: bool
    ) -> list[Frame]:
        """Return the frames of one prompt in order; none if the template refuses it."""
        end = OPENED if add_generation_prompt else ANSWERED if messages[-1]["role"] == "assistant" else UNANSWERED
        try:
            prompt = self._template.render(
                messages, tools=tools, add_generation_prompt=add_generation_prompt, on_control="allow", **options
            )
        except LectError:
            return []
        return [*frames_of(prompt, messages, self.alphabet, end)]

    def _settings(self, days: Sequence[datetime.date]) -> list[dict[str, Any]]:
        """Return the options that make a difference, each with a value that does."""
        kinds = self._template.options
        dates = [{"date": day} for day in days]
        tried: list[dict[str, Any]] = [
            {name: value} for name in kinds if kinds[name] is bool for value in (True, False)
        ]
        texts = [name for name in kinds if kinds[name] is str and not name.endswith("_token")]
        tried += [dict.fromkeys(texts, OPTION)] if texts else []
        others = [name for name in kinds if kinds[name] is None and name != "date"]
        tried += [{name: value} for name, value in product(others, ([OPTION], [DOCUMENT, DOCUMENT]))]
        words = [word for word in self._template.edges().words if WORD.fullmatch(word)] if texts else ()
        tried += [{name: value} for name, value in product(texts, words)]
        answered = next(each for each in self._rounds if each[0][-1]["role"] == "assistant")
        samples = [self._rounds[0], answered, max(self._rounds, key=lambda each: len(each[0]))]
        settings, known = [], []
        for day, options in product(dates or [{}], [{}, *tried]):
            shown = [self.written(messages, None, day | options) for messages, _ in samples]
            if any(shown) and shown not in known:
                settings.append(day | options)
                known.append(shown)
        return settings


@lru_cache(maxsize=MOST_KEPT)
def frames_for(template: Template, encoder: Encoder, days: Sequence[datetime.date]) -> Frames:
    """Return what a template writes, remembered: whoever checks one list of ids may check a thousand."""
    return Frames(template, encoder, days)


def numbered(frames: Iterable[Frame], text: str) -> Iterator[Frame]:
    """Yield frames; those that differ in nothing but the number of a round, with each number in a text."""
    by_words: dict[Frame, list[Frame]] = {}
    for frame in frames:
        by_words.setdefault(frame._replace(literal=NUMBER.sub("#", frame.literal)), []).append(frame)
    numbers = dict.fromkeys(NUMBER.findall(text))
    for same in by_words.values():
        yield from same
        if len(same) > 1:
            yield from (same[0]._replace(literal=NUMBER.sub(number, same[0].literal)) for number in numbers)


def repeated(frames: Iterable[Frame], text: str) -> Iterator[Frame]:
    """Yield frames; those that say something once or twice in a row, such as an image, as often as a text says it."""
    known = dict.fromkeys(frames)
    for frame in known:
        yield frame
        for match in TWICE.finditer(frame.literal):
            before, rest = frame.literal[: match.start()], frame.literal[match.end() :]
            if frame._replace(literal=before + match[1] + rest) in known:
                runs = re.finditer(f"(?:{re.escape(match[1])}){{3,}}", text)
                yield from (frame._replace(literal=before + run + rest) for run in {each[0]: None for each in runs})


def days_in(text: str) -> tuple[datetime.date, ...]:
    """Return the first days that a text names, and today."""
    days = []
    for match in [*DAY.finditer(text)][:MOST_DAYS]:
        for form in DAY_FORMS:
            with suppress(ValueError):
                days.append(datetime.datetime.strptime(match[0], form).date())
    return (*dict.fromkeys([*days, datetime.date.today()]),)


def conversations(
    template: Template, rounds: Sequence[tuple[list[Message], bool]]
) -> Iterator[tuple[list[Message], Any, bool]]:
    """Yield conversations that show all that the template writes, with tools, and whether they are plain talk."""
    has_tools = "tools" in template.capabilities
    for messages, is_plain in rounds:
        is_short = len(messages) <= LONGEST_FIRST
        called = any("tool_calls" in message for message in messages)
        given = (None, probes.TOOLS) if is_short and has_tools else (probes.TOOLS,) if called and has_tools else (None,)
        many = INSTRUCTIONS if is_short else INSTRUCTIONS[: len(messages) <= LONGEST_VARIED]
        systems = [[], *([each] for each in many)]
        for tools, system in product(given, systems):
            yield [*system, *messages], tools, is_plain and tools is None


def rounds(template: Template) -> Iterator[tuple[list[Message], bool]]:
    """Yield conversations, and whether they are plain talk."""
    edges = template.edges({})
    question = edges.question
    thoughts = (False, True) if "reasoning" in template.capabilities else (False,)
    calls: tuple[Any, ...] = ((), probes.CALLS[:1], probes.CALLS[:2], probes.CALLS[3:])
    called = edges.answer(calls=probes.CALLS[:1])
    if "tools" not in template.capabilities and edges.shown(question, called, *edges.results(called)) is None:
        calls = calls[:1]
    blocks: list[tuple[list[Message], bool]] = []
    usual = []
    for called, text, thought in product(calls, (True, False), thoughts):
        if text or called:
            answer = edges.answer(text=text, thought=thought, calls=called)
            blocks.append(([answer, *edges.results(answer)], text and not thought and not called))
            usual += blocks[-1:] if called in calls[:2] and not (called and text) else []
    yield [question], True
    yield [question, question], True
    nothing, plain = {**question, "content": ""}, blocks[0][0][0]
    yield [nothing], True
    yield [nothing, plain, question], True
    yield [question, {**plain, "content": ""}, question], True
    parts = [{"type": "image"}, {"type": "text", "text": question["content"]}]
    if "images" in template.capabilities:
        several = (parts[:1] + parts, parts[::-1] + parts[:1])
        for content, more in product((parts, parts[::-1], *several), ([], [plain], [plain, question])):
            yield [{**question, "content": content}, *more], False
    yield [plain, question], True
    yield [question, plain, question, plain, question], True
    for first, is_plain in blocks:
        yield [question, *first], is_plain
        yield [question, *first, question], is_plain
        yield [question, first[0]], is_plain
        for second, too in usual:
            yield [question, *first, *second], is_plain and too
            yield [question, *first, question, *second], is_plain and too
            yield [question, *first, *second, question], is_plain and too
