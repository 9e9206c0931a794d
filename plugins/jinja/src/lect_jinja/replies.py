"""How a model's own template writes answers, and which reply format reads them back.

The template is asked: it writes answers with reasoning, content and calls, and the formats whose marks are in them read
these. One that gives every answer back is proven. What the files of the model suggest is only where to start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import lect
from lect.errors import LectError, saferepr
from lect.plugin import install_command
from lect_jinja.knowledge import AT_THE_START, READERS, REPLIES, ReplyRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lect import Reply
    from lect.plugin import Template
    from lect.plugin.grammar import Grammar
    from lect_jinja.responses.grammar import Response
    from lect_jinja.sources.found import ModelFiles

NOTHING_SAYS = "nothing says how calls or reasoning are written"
READS_BACK = "it reads back what the template writes"
UNPROVEN = "unproven: no installed format reads back the calls that the template writes"
UNREAD = "writes calls, but no installed reply format reads them: they stay in the content"
BY_RESPONSE_TEMPLATE = "by its response_template in tokenizer_config.json"


class Guess(NamedTuple):
    """What the files of a model suggest about its replies, before its template was asked.

    Attributes:
        format: The name of a reply format; empty if nothing suggests one.
        how: What suggests it.
        package: A package that has it.
        response: What the model's response template says; if it cannot be read, why; None if there is none.
    """

    format: str = ""
    how: str = ""
    package: str = ""
    response: Response | str | None = None


class Choice(NamedTuple):
    """The format of replies that was chosen for a template.

    Attributes:
        grammar: The grammar; None for plain text.
        how: How it was chosen, in one line.
        problem: What is not read, and stays in the content.
    """

    grammar: Grammar | None
    how: str
    problem: str = ""


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
    response = None if found.response_template is None else _response(found.response_template)

    def suggested(rule: ReplyRule, how: str) -> Guess:
        return Guess(rule.format, how, rule.package, response)

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
    return Guess(response=response)


def _response(spec: Any) -> Response | str:
    from lect_jinja.responses.grammar import read_response_template
    from lect_jinja.responses.patterns import UnreadableError

    try:
        return read_response_template(spec)
    except UnreadableError as error:
        return str(error)


def choose(template: Template, guessed: Guess) -> Choice:
    """Return the format that reads back what a template writes; what was guessed if it is one.

    If none does, the model's response template says how replies are written, and without one what was guessed.
    """
    by = f", by {guessed.how}" if guessed.how else ""
    installed = guessed.format in lect.reply_formats()
    readers, writes_calls = _readers(template, [guessed.format] if installed else [])
    if readers:
        name = guessed.format if guessed.format in readers else readers[0]
        why = f"{by}; {READS_BACK}" if name == guessed.format else f": {READS_BACK}"
        return Choice(_grammar(name), f"{name!r}{why}")
    response, problem = guessed.response, UNREAD if writes_calls else ""
    if isinstance(response, tuple):
        if _reads_example(template, response):
            return Choice(response.grammar, f"{response.grammar.name!r}, {BY_RESPONSE_TEMPLATE}")
        response = f"lect reads its marks otherwise, as in {saferepr(response.example)}"
    if response is not None:
        problem = f"has a response_template that cannot be read ({response}): what it marks stays in the content"
    unproven = f"; {UNPROVEN}" if writes_calls else ""
    if installed:
        return Choice(_grammar(guessed.format), f"{guessed.format!r}{by}{unproven}", problem if response else "")
    if guessed.format:
        missing = f"{guessed.format!r} would apply{by}, but is missing\n  try: {install_command(guessed.package)}"
        return Choice(None, f"plain text: {missing}", problem)
    return Choice(None, f"plain text: {NOTHING_SAYS}{unproven}", problem)


def _grammar(name: str) -> Grammar:
    from lect.plugin.grammar import reply_format

    return reply_format(name).grammar


def _readers(template: Template, first: Sequence[str]) -> tuple[list[str], bool]:
    """Return the formats that read all answers which any of them reads, and whether the template writes calls."""
    readers: list[str] | None = None
    writes_calls = False
    asked = Asked(template)
    for calls, text, thought in ANSWERS:
        for turn in asked.turns(calls, text=text, thought=thought):
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
        reply = template.parse(turn.text, tools=template.edges().tools, prompt=turn.prompt, grammar=_grammar(name))
    except LectError:
        return False
    message = turn.message
    calls = [(call["function"]["name"], call["function"]["arguments"]) for call in message["tool_calls"]]
    said = (reply.content, reply.reasoning, [(call.name, call.arguments) for call in reply.tool_calls])
    return said == (message["content"], message.get("reasoning_content"), calls) and not _problems(reply)


def _reads_example(template: Template, response: Response) -> bool:
    try:
        reply = template.parse(response.example, grammar=response.grammar, starts_in_reasoning=False)
    except LectError:
        return False
    said = (reply.reasoning, reply.content, [(call.name, call.arguments) for call in reply.tool_calls])
    return said == response.said and not reply.problems


def _problems(reply: Reply) -> list[Any]:
    """Return the problems of a reply, without a mark at its very end: that ends the turn, whatever the format."""
    end = len(reply.raw.rstrip())
    return [each for each in reply.problems if each.code != "stray_mark" or each.span[1] != end]


# What the template is asked to write

WORK, OUTPUT = 100_000, 1 << 16
LONGEST_END = 200
ID_STYLES = ("callnumb{1}", "functions.{0}:{1}")
"""Some makers take only nine letters and digits as an id, others write it in place of the name."""
ANSWERS = [(calls, text, thought) for calls in (2, 1) for text in (True, False) for thought in (True, False)]
"""What an answer may hold: calls, a text, reasoning. Few templates write all of them."""


class Asked:
    """A template that is asked to write answers: a fraction of the limits is enough for them.

    Args:
        template: The template.
    """

    def __init__(self, template: Template):
        limits = template.stated()["limits"]
        fewer = limits._replace(work=min(limits.work, WORK), output=min(limits.output, OUTPUT))
        self.edges = template.but(limits=fewer, accepts=template.accepts, reply=None).edges()
        question, plain = self.edges.question, self.edges.answer(text=True)
        self._prompt = self._text(question, add_generation_prompt=True)
        self._before = self._text(question, plain).partition(plain["content"])[0]
        self._after = self._text(question, plain, question).partition(plain["content"])[2][:LONGEST_END]

    def turns(self, calls: int, *, text: bool, thought: bool) -> Iterator[Turn]:
        """Yield an answer as the template writes all of it, in the ways in which it may have to be given or cut."""
        edges = self.edges
        for style in ID_STYLES:
            message = edges.answer(style.format, text=text, thought=thought, calls=edges.calls[2::-2][:calls])
            for content in (message["content"],) if text else ("", None):
                given = {**message, "content": content}
                # Some write the last message differently from those before it.
                for later in ([], edges.results(given)):
                    whole = self._text(edges.question, given, *later)
                    for prompt, written in dict.fromkeys(self._answers(whole)):
                        if all(each in written for each in _said(message)):
                            yield Turn(message, prompt, written)

    def _text(self, *messages: Mapping[str, Any], add_generation_prompt: bool = False) -> str:
        """Return a prompt; nothing if the template fails."""
        text = self.edges.shown(*messages, tools=self.edges.tools, add_generation_prompt=add_generation_prompt)
        return text or ""

    def _answers(self, whole: str) -> Iterator[tuple[str, str]]:
        """Yield the answer at the end of a prompt, with what comes before it, in the ways in which it may be cut."""
        yield self.edges.cut(whole, self._prompt)
        # What surrounds any answer in the history is not part of this one, even if the prompt does not begin it.
        prompt, text = self.edges.cut(whole, self._before)
        ends = (length for length in range(len(self._after), 0, -1) if text.endswith(self._after[:length]))
        yield prompt, text[: len(text) - next(ends, 0)]


def _said(message: dict[str, Any]) -> Iterator[str]:
    yield message["content"]
    yield message.get("reasoning_content", "")
    for call in message["tool_calls"]:
        yield call["function"]["name"]
        yield next(iter(call["function"]["arguments"].values()))
