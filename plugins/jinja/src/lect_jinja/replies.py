"""How a model's own template writes answers, and which reply format reads them back.

The template is asked: it writes answers with reasoning, content and calls, and the formats whose marks are in them read
these. One that gives every answer back is proven. What the files of the model suggest is only where to start.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

import lect
from lect.errors import LectError, LimitError
from lect.plugin import install_command
from lect_jinja.knowledge import AT_THE_START, READERS, REPLIES, ReplyRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lect import Reply
    from lect.plugin import Template
    from lect.plugin.grammar import Grammar
    from lect_jinja.sources.found import ModelFiles

NOTHING_SAYS = "nothing says how calls or reasoning are written"
READS_BACK = "it reads back what the template writes"
UNPROVEN = "unproven: no installed format reads back the calls that the template writes"


class Guess(NamedTuple):
    """What the files of a model suggest about its replies, before its template was asked.

    Attributes:
        format: The name of a reply format; empty if nothing suggests one.
        how: What suggests it.
        package: A package that has it.
    """

    format: str = ""
    how: str = ""
    package: str = ""


class Choice(NamedTuple):
    """The format of replies that was chosen for a template.

    Attributes:
        grammar: The grammar; None for plain text.
        how: How it was chosen, in one line.
        is_unread: Whether the template writes calls, and nothing was chosen to read them.
    """

    grammar: Grammar | None
    how: str
    is_unread: bool = False


class Turn(NamedTuple):
    """An answer as a template writes it.

    Attributes:
        message: What it says.
        prompt: What comes before it.
        text: What the model would write.
    """

    message: dict[str, Any]
    prompt: str
    text: str


def guess(found: ModelFiles) -> Guess:
    """Return what the model type, the special tokens and the marks in the template suggest, in this order."""

    def suggested(rule: ReplyRule, how: str) -> Guess:
        return Guess(rule.format, how, rule.package)

    for rule in REPLIES:
        if found.model_type in rule.model_types:
            return suggested(rule, f"the model_type {found.model_type!r}")
    for rule in REPLIES:
        tokens = [mark for mark in rule.marks if mark in found.added]
        if tokens and all(mark in found.added or mark in found.source for mark in rule.marks):
            return suggested(rule, f"the special token {tokens[0]!r}")
    for rule in REPLIES:
        if all(mark in found.source for mark in rule.marks):
            return suggested(rule, f"the marker {rule.marks[0]!r} in the template")
    return Guess()


def choose(template: Template, guessed: Guess) -> Choice:
    """Return the format that reads back what a template writes; what was guessed if it is one, or if none is."""
    by = f", by {guessed.how}" if guessed.how else ""
    installed = guessed.format in lect.reply_formats()
    readers, writes_calls = _readers(template, [guessed.format] if installed else [])
    if readers:
        name = guessed.format if guessed.format in readers else readers[0]
        why = f"{by}; {READS_BACK}" if name == guessed.format else f": {READS_BACK}"
        return Choice(_grammar(name), f"{name!r}{why}")
    unproven = f"; {UNPROVEN}" if writes_calls else ""
    if installed:
        return Choice(_grammar(guessed.format), f"{guessed.format!r}{by}{unproven}")
    if guessed.format:
        missing = f"{guessed.format!r} would apply{by}, but is missing\n  try: {install_command(guessed.package)}"
        return Choice(None, f"plain text: {missing}", is_unread=writes_calls)
    return Choice(None, f"plain text: {NOTHING_SAYS}{unproven}", is_unread=writes_calls)


def _grammar(name: str) -> Grammar:
    from lect.plugin.grammar import reply_format

    return reply_format(name).grammar


def _readers(template: Template, first: Sequence[str]) -> tuple[list[str], bool]:
    """Return the formats that read all answers which any of them reads, and whether the template writes calls."""
    readers: list[str] | None = None
    writes_calls = False
    # A template that exceeds the limits is not asked again.
    with suppress(LimitError):
        asked = Asked(template)
        for message in MESSAGES:
            for turn in asked.turns(message):
                writes_calls = True
                names = _possible(turn.text, first) if readers is None else readers
                reading = [name for name in names if _reads_back(template, turn, name)]
                if reading:
                    readers = reading
                    break
    return readers or [], writes_calls


def _possible(text: str, first: Iterable[str]) -> list[str]:
    """Return the installed formats whose marks are in an answer; packages with other formats are not imported."""
    marked = [name for mark, names in READERS.items() if mark in text for name in names]
    bare = [name for mark, names in AT_THE_START.items() if text.lstrip().startswith(mark) for name in names]
    installed = lect.reply_formats()
    return [name for name in dict.fromkeys((*first, *marked, *bare)) if name in installed]


def _reads_back(template: Template, turn: Turn, name: str) -> bool:
    try:
        reply = template.parse(turn.text, tools=TOOLS, prompt=turn.prompt, grammar=_grammar(name))
    except LectError:
        return False
    message = turn.message
    calls = [(call["function"]["name"], call["function"]["arguments"]) for call in message["tool_calls"]]
    said = (reply.content, reply.reasoning, [(call.name, call.arguments) for call in reply.tool_calls])
    return said == (message["content"], message.get("reasoning_content"), calls) and not _problems(reply)


def _problems(reply: Reply) -> list[Any]:
    """Return the problems of a reply, without a mark at its very end: that ends the turn, whatever the format."""
    end = len(reply.raw.rstrip())
    return [each for each in reply.problems if each.code != "stray_mark" or each.span[1] != end]


# What the template is asked to write

_QUESTION = {"role": "user", "content": "What is the weather like?"}
PLAIN = "Xplainx"
_PLAIN = {"role": "assistant", "content": PLAIN}
_PLACE = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
TOOLS = [
    {"type": "function", "function": {"name": name, "description": "Look it up.", "parameters": _PLACE}}
    for name in ("get_weather", "get_time")
]
_CALLS = (("get_weather", {"city": "Bergen", "days": 3}), ("get_time", {"city": "Oslo"}))
WORK, OUTPUT = 100_000, 1 << 16
LONGEST_END = 200
ID_STYLES = ("callnumb{index}", "functions.{name}:{index}")
"""Some makers take only nine letters and digits as an id, others write it in place of the name."""


def _message(content: str, reasoning: str, calls: int) -> dict[str, Any]:
    listed = [{"type": "function", "function": {"name": name, "arguments": given}} for name, given in _CALLS[:calls]]
    thought = {"reasoning_content": reasoning} if reasoning else {}
    return {"role": "assistant", "content": content, **thought, "tool_calls": listed}


MESSAGES = [
    _message(content, reasoning, calls)
    for calls in (2, 1)
    for content, reasoning in (("Let me look.", "They ask."), ("Let me look.", ""), ("", "They ask."), ("", ""))
]
"""What an answer may hold. Few templates write all of them."""


class Asked:
    """A template that is asked to write answers: a fraction of the limits is enough for them.

    Args:
        template: The template.
    """

    def __init__(self, template: Template):
        limits = template.stated()["limits"]
        fewer = limits._replace(work=min(limits.work, WORK), output=min(limits.output, OUTPUT))
        self._template = template.but(limits=fewer, accepts=template.accepts, reply=None)
        self._marks = [mark for mark in (*template.markers, "<think>", "</think>") if len(mark) <= LONGEST_END]
        self._prompt = self._text(_QUESTION, ask=True)
        self._before = self._text(_QUESTION, _PLAIN).partition(PLAIN)[0]
        self._after = self._text(_QUESTION, _PLAIN, _QUESTION).partition(PLAIN)[2][:LONGEST_END]

    def turns(self, message: dict[str, Any]) -> Iterator[Turn]:
        """Yield a message as the template writes all of it, in the ways in which it may have to be given or cut."""
        for style in ID_STYLES:
            calls = [
                {"id": style.format(name=call["function"]["name"], index=index), **call}
                for index, call in enumerate(message["tool_calls"])
            ]
            results = [
                {"role": "tool", "tool_call_id": call["id"], "name": call["function"]["name"], "content": "Done."}
                for call in calls
            ]
            for content in (message["content"],) if message["content"] else ("", None):
                given = {**message, "content": content, "tool_calls": calls}
                # Some write the last message differently from those before it.
                for later in ([], results):
                    whole = self._text(_QUESTION, given, *later)
                    for prompt, text in dict.fromkeys(self._answers(whole)):
                        if all(each in text for each in _said(message)):
                            yield Turn(message, prompt, text)

    def _text(self, *messages: dict[str, Any], ask: bool = False) -> str:
        """Return a prompt; nothing if the template fails."""
        try:
            return self._template.text(messages, tools=TOOLS, add_generation_prompt=ask)
        except LimitError:
            raise
        except LectError:
            return ""

    def _answers(self, whole: str) -> Iterator[tuple[str, str]]:
        """Yield the answer at the end of a prompt, with what comes before it, in the ways in which it may be cut."""
        yield self._cut(whole, self._prompt)
        # What surrounds any answer in the history is not part of this one, even if the prompt does not begin it.
        prompt, text = self._cut(whole, self._before)
        ends = (length for length in range(len(self._after), 0, -1) if text.endswith(self._after[:length]))
        yield prompt, text[: len(text) - next(ends, 0)]

    def _cut(self, whole: str, before: str) -> tuple[str, str]:
        """Cut a prompt where it begins to differ from what comes before another answer, but not within a mark."""
        pairs = enumerate(zip_longest(before, whole))
        start = next((at for at, (one, other) in pairs if one != other), len(before))
        within = [
            length
            for mark in self._marks
            for length in range(1, min(len(mark), start + 1))
            if whole.startswith(mark, start - length)
        ]
        start -= max(within, default=0)
        return whole[:start], whole[start:]


def _said(message: dict[str, Any]) -> Iterator[str]:
    yield message["content"]
    yield message.get("reasoning_content", "")
    for call in message["tool_calls"]:
        yield call["function"]["name"]
        yield call["function"]["arguments"]["city"]
