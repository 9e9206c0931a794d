"""How a model's own template writes answers, and which reply format reads them back.

The template is asked: it writes answers with reasoning, content and calls, and the formats whose marks are in them read
these. One that gives every answer back is proven. What the files of the model suggest is only where to start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import lect
from lect.errors import LectError, saferepr
from lect.plugin import install_command
from lect_jinja.replies.formats import CORE, formats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lect import Reply
    from lect.plugin import Template
    from lect.plugin.grammar import Grammar
    from lect_jinja.files.found import ModelFiles
    from lect_jinja.replies.responses.grammar import Response

NOTHING_SAYS = "nothing says how calls or reasoning are written"
READS_BACK = "it reads back what the template writes"
UNPROVEN = "unproven: no installed format reads back the calls that the template writes"
UNREAD = "writes calls, but no installed reply format reads them: they stay in the content"
BY_RESPONSE_TEMPLATE = "by its response_template in tokenizer_config.json"
SEVERAL = 3
"""How many texts of a format do not occur in a template by chance."""


class Guess(NamedTuple):
    """What the files of a model say about its replies, before its template was asked.

    Attributes:
        model_type: The `model_type` of `config.json`; empty if it is not stated.
        response: What the model's response template says; if it cannot be read, why; None if there is none.
    """

    model_type: str = ""
    response: Response | str | None = None


class Suggestion(NamedTuple):
    """The format that the model type, the special tokens or the marks in a template suggest.

    Attributes:
        format: The name of a reply format; empty if nothing suggests one.
        how: What suggests it.
        package: A package that has it.
        certain: Whether more than a mark speaks for it, such as where replies end, or it has no calls to be read.
        others: The other formats, from the one for which most speaks to the one for which nothing does.
    """

    format: str = ""
    how: str = ""
    package: str = ""
    certain: bool = True
    others: tuple[str, ...] = ()


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
    """Return what the files of a model say about its replies."""
    response = None if found.response_template is None else _response(found.response_template)
    return Guess(found.model_type, response)


def suggested(template: Template, model_type: str = "") -> Suggestion:
    """Return what the model type, or else the special tokens and the marks in the template suggest.

    Of several formats, the one of whose calls most texts are there comes first; then those whose replies end as the
    model's do; then the one of which the greater part is there; and core's before those of families.
    """
    source, stop, known = getattr(template, "jinja", ""), list(template.stop), formats()
    tokens = "\0".join(template.control_tokens)
    text = f"{source}\0{tokens}"
    seen = {name: each.seen(text) for name, each in known.items()}
    ends = {name: each.ends(source, stop) for name, each in known.items()}

    def rank(name: str) -> tuple[Any, ...]:
        example, whole = known[name].shares(text)
        return (
            -len(seen[name]),
            not known[name].calls,
            not ends[name],
            -example,
            -whole,
            known[name].package != CORE,
            name,
        )

    ranked = sorted(known, key=rank)
    by_type = [name for name in ranked if model_type in known[name].model_types]
    first = next(iter(by_type), ranked[0] if seen[ranked[0]] else "")
    if not first:
        return Suggestion(others=tuple(ranked))
    how = f"the model_type {model_type!r}"
    if not by_type:
        mark = next((mark for mark in seen[first] if mark in tokens), "")
        how = f"the special token {mark!r}" if mark else f"the marker {seen[first][0]!r} in the template"
    certain = bool(by_type) or ends[first] or not known[first].calls or len(seen[first]) >= SEVERAL
    return Suggestion(first, how, known[first].package, certain, tuple(ranked))


def _response(spec: Any) -> Response | str:
    from lect_jinja.replies.responses.grammar import read_response_template
    from lect_jinja.replies.responses.patterns import UnreadableError

    try:
        return read_response_template(spec)
    except UnreadableError as error:
        return str(error)


def choose(template: Template, guessed: Guess) -> Choice:
    """Return the format that reads back what a template writes; what is suggested if it is one.

    If none does, the model's response template says how replies are written, and without one what is suggested.
    """
    first = suggested(template, guessed.model_type)
    by = f", by {first.how}" if first.how else ""
    installed = first.format in lect.reply_formats()
    readers, writes_calls = _readers(template, first)
    if readers:
        name = first.format if first.format in readers else readers[0]
        why = f"{by}; {READS_BACK}" if name == first.format else f": {READS_BACK}"
        return Choice(_grammar(name), f"{name!r}{why}")
    if writes_calls and not first.certain:
        # It reads none of the calls, and its replies end otherwise: that its mark occurs is chance.
        first, by, installed = Suggestion(), "", False
    response, problem = guessed.response, UNREAD if writes_calls else ""
    if isinstance(response, tuple):
        if _reads_example(template, response):
            return Choice(response.grammar, f"{response.grammar.name!r}, {BY_RESPONSE_TEMPLATE}")
        response = f"lect reads its marks otherwise, as in {saferepr(response.example)}"
    if response is not None:
        problem = f"has a response_template that cannot be read ({response}): what it marks stays in the content"
    unproven = f"; {UNPROVEN}" if writes_calls else ""
    if installed:
        return Choice(_grammar(first.format), f"{first.format!r}{by}{unproven}", problem if response else "")
    if first.format:
        missing = f"{first.format!r} would apply{by}, but is missing\n  try: {install_command(first.package)}"
        return Choice(None, f"plain text: {missing}", problem)
    return Choice(None, f"plain text: {NOTHING_SAYS}{unproven}", problem)


def _grammar(name: str) -> Grammar:
    from lect.plugin.grammar import reply_format

    return reply_format(name).grammar


def _readers(template: Template, first: Suggestion) -> tuple[list[str], bool]:
    """Return the formats that read all answers which any of them reads, and whether the template writes calls."""
    readers: list[str] | None = None
    writes_calls = False
    answers = Answers(template)
    for calls, text, thought in ANSWERS:
        for turn in answers.turns(calls, text=text, thought=thought):
            writes_calls = True
            names = _possible(turn, first) if readers is None else readers
            reading = [name for name in names if _reads_back(template, turn, name)]
            if reading:
                readers = reading
                break
    return readers or [], writes_calls


def _possible(turn: Turn, first: Suggestion) -> list[str]:
    """Return the installed formats in which calls are opened as in an answer; no other package is imported."""
    known, installed = formats(), lect.reply_formats()
    may = [name for name in first.others if name in installed and known[name].may_read(turn.prompt, turn.text)]
    may.sort(key=lambda name: known[name].shares(turn.text)[0], reverse=True)
    return list(dict.fromkeys([*([first.format] if first.format in installed else ()), *may]))


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


class Answers:
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
