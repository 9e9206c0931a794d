"""A repair is never silent: whatever a model does to the marks of a call that its template does not, is a problem."""

import notations
import pytest
import replies

from lect.reply.engine.compiled import marks_of
from lect.reply.reader.lookahead import as_row


def marks(section, call):
    """Return the marks round a call, each once."""
    rows = [*(section.open + section.close if section else ()), *call.open, *call.close]
    return dict.fromkeys(mark for row in rows for mark in as_row(row) if "{" not in mark)


def changed(mark):
    """Yield what becomes of a mark by mistake, and how."""
    yield "missing", ""
    yield "twice", mark * 2
    if mark[0] == "<":
        yield "spelt almost right", mark[0] + " " + mark[1:]


CASES = [
    (f"{name}-{number}-{mark}-{how}", reply_format, text.replace(mark, made))
    for name, reply_format in notations.grammars().items()
    for number, section, call, text in notations.places(reply_format.grammar)
    # What is around the content may be opened by the prompt.
    for mark in marks(section, call).keys() - set(marks_of(reply_format.grammar.wrappers))
    for how, made in changed(mark)
    # Words and fences are ordinary text.
    if text.count(mark) == 1 and not mark.strip()[0].isalpha() and mark.strip()[0] != "`"
]


@pytest.mark.parametrize(("name", "reply_format", "made"), CASES, ids=[case[0] for case in CASES])
def test_a_call_whose_marks_are_not_as_they_should_be_is_a_problem(name, reply_format, made):
    reply = replies.heard(made, format=reply_format, tools=notations.TOOLS)
    # Without one of its marks, a call may be as another of the format's notations has it, or nothing is read.
    ways = {text for _, _, call, text in notations.places(reply_format.grammar) if not call.foreign}
    assert reply.problems or made in ways or not reply.tool_calls, reply
