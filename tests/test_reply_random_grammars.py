"""Every grammar the check accepts keeps the promises: any chunking, nothing lost, nothing raised, no endless loop."""

import os

import pytest
import replies
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from lect import PluginError
from lect.plugin.grammar import (
    KEY,
    NAME,
    QUOTED_KEY,
    QUOTED_NAME,
    CallSyntax,
    Channels,
    Code,
    Grammar,
    Head,
    Json,
    JsonMap,
    Literals,
    NamedJson,
    Params,
    Reasoning,
    ReplyFormat,
    Section,
    Wrapper,
)
from lect.reply.check import check
from lect.reply.engine.compiled import marks_of

# Few and similar, so that one often occurs where another is expected.
MARKS = ["<a>", "</a>", "<b>", "</b>", "<a", "<", ">", "[", "]", "{", "}", "(", ")", "|", "||", "\nA:", "A:", ",", "```", "<|x|>", "<|x|>y", " <a>", "<b>\n", "\n\n]", "<mark>", "</mark>", "<|the_mark|>"]  # fmt: skip
SPACES = [" ", "\n", "\n\n"]
"""Marks that are white space: they can only end a head, or start a body."""
mark = st.sampled_from(MARKS)
marks = st.lists(mark, min_size=1, max_size=3).map(tuple)
ends = st.lists(mark | st.sampled_from(SPACES), min_size=1, max_size=3).map(tuple)
few_marks = st.lists(mark, max_size=2).map(tuple)
rows = st.lists(mark | st.tuples(mark, mark), max_size=2).map(tuple)
some_rows = st.lists(mark | st.tuples(mark, mark), min_size=1, max_size=2).map(tuple)
space = st.sampled_from(["", "\n", " \n"])
heads = st.builds(Head, ends, st.sampled_from([NAME, QUOTED_NAME, r"(?P<name>\w*)"]), st.booleans())
keys = st.builds(Head, ends, st.sampled_from([KEY, QUOTED_KEY, r"(?P<key>\w*)"]))
arguments = st.one_of(
    st.just(Json()),
    st.just(JsonMap()),
    st.builds(NamedJson, st.sampled_from(["", "text"])),
    st.builds(
        Params,
        mark,
        keys,
        st.sampled_from([*MARKS, "</{key}>"]),
        value=st.sampled_from(["", "="]),
        trim=st.sampled_from(["", "\n", " "]),
        nested=st.booleans(),
        cdata=st.booleans(),
    ),
    st.builds(
        Literals,
        st.sampled_from("=:"),
        mark,
        quotes=st.sampled_from([(), ("'",), ("<|q|>",)]),
        bare=st.booleans(),
    ),
    st.just(Code("run")),
)
calls = st.builds(
    CallSyntax,
    arguments,
    rows,
    st.none() | heads,
    st.lists(mark | st.just("</{name}>"), max_size=2).map(tuple),
    counter=st.sampled_from(["", r"\d+"]),
    known=st.booleans(),
)
sections = st.builds(
    Section,
    st.lists(calls, min_size=1, max_size=2).map(tuple),
    rows,
    rows,
    between=st.sampled_from(["", ",", ";"]),
    before=st.sampled_from([(), ("\n",), ("\n\n", "\n")]),
    after=space,
    gap=space,
    start=st.booleans(),
    special=st.booleans(),
)
reasonings = st.builds(
    Reasoning, few_marks, marks, few_marks, space, space, space, special=st.booleans(), starts=st.booleans()
)
wrappers = st.builds(Wrapper, few_marks, few_marks, st.booleans(), st.sampled_from(["", ">"]))
channels = st.builds(
    Channels,
    marks,
    st.lists(
        st.tuples(mark | st.sampled_from(SPACES), st.sampled_from(["content", "reasoning", "call", ""])),
        min_size=1,
        max_size=2,
    ).map(tuple),
    few_marks,
    few_marks,
    shape=st.sampled_from([r"[^\n]*", r"\w*", r".*"]),
    to=st.sampled_from(["", r"to=(\w+)"]),
    channel=st.sampled_from(["", r"(\w+)"]),
    opening=few_marks,
    reasoning=st.sampled_from([(), ("think",)]),
    content=st.sampled_from([(), ("say",)]),
    call=st.none() | calls,
    restart=st.booleans(),
    keep=st.booleans(),
)
grammars = st.builds(
    Grammar,
    st.just("random"),
    st.none() | reasonings,
    st.lists(wrappers, max_size=2).map(tuple),
    st.lists(sections, max_size=2).map(tuple),
    st.none() | st.none() | channels,
    tokens=few_marks,
)
SHARDS = [
    *MARKS, *SPACES, '{"name": "f", "arguments": {"x": 1}}', '{"f": {"x": 1}}', '{"x": 1}', "f", "x", "f(", "x=", "x:", "1", "'a'", '"', "'", "name=", "to=f",
    "think", "say", "text", "\\n", "=", ";", "&&", "<![CDATA[", "]]>", "</x>", "</f>", "2", " ", "\n", "`",
    "< mark>", "</ mark", "‹mark›", "|themark|>", "<‖the_mark", "<<mark>",
]  # fmt: skip
TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}]


def valid(grammar):
    try:
        check(grammar)
    except PluginError:
        return False
    return True


@st.composite
def replies_by_a_grammar(draw):
    """Draw a grammar, a reply made of its own marks and other pieces, and how to read it."""
    grammar = draw(grammars.filter(valid))
    parts = (grammar.reasoning, *grammar.wrappers, *grammar.sections, grammar.channels)
    own = sorted({each for part in parts if part for each in marks_of(part)}) or MARKS
    text = "".join(draw(st.lists(st.sampled_from(own) | st.sampled_from(own) | st.sampled_from(SHARDS), max_size=14)))
    return (
        text,
        {
            "format": ReplyFormat(grammar, stop=draw(few_marks)),
            "tools": draw(st.sampled_from([None, TOOLS])),
            "extract": draw(st.sampled_from([("reasoning", "tools"), ("tools",), ("reasoning",), ()])),
            "starts_in_reasoning": draw(st.sampled_from([None, True])),
        },
    )


random = settings(
    max_examples=int(os.environ.get("LECT_EXAMPLES", "300")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    deadline=None,
)


@random
@given(case=replies_by_a_grammar(), sizes=st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_a_random_grammar_keeps_every_promise(case, sizes):
    text, how = case
    note(f"{text!r} {how} {sizes}")
    reply, events = replies.read(text, **how)
    again, others = replies.read(text, sizes, **how)
    assert replies.fold(others) == replies.fold(events)
    assert again == reply
    assert replies.folded_deltas(events) == reply.to_openai()
    assert "".join(text[piece.start : piece.end] for piece in reply.pieces) == text == reply.raw
    grammar = how["format"].grammar
    if grammar.channels is None:
        said = "".join(text[piece.start : piece.end] for piece in reply.pieces if piece.kind == "content")
        assert said == reply.content


# Bugs that random grammars found.

TWO_CODES = Grammar(
    "two-codes",
    sections=(
        Section((CallSyntax(Code("one")),), ("<a>",), ("<b>",)),
        Section((CallSyntax(Code("two")),), ("<b>",), ("<a>",)),
    ),
)
LONG_CLOSE = Grammar("long-close", sections=(Section((CallSyntax(Literals(close="/>"), ("<call ",), Head((" ",))),)),))
BEFORE_A_LINE_END = Grammar("line-end", sections=(Section((CallSyntax(Json(), open=("<call>",)),)),))


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        (TWO_CODES, "<a>x<b>y<a>z<b>"),
        (TWO_CODES, "<a><b><a><b><a>"),
        (LONG_CLOSE, "<call f x=1, y='a/'/>Done."),
        (LONG_CLOSE, "<call f x=1/y/>"),
        (BEFORE_A_LINE_END, '<call>\n\n{"name": "f", "arguments": {}}\n<call>\n'),
        (BEFORE_A_LINE_END, "<call>\n"),
    ],
)
def test_grammars_that_hung_or_depended_on_the_chunks_no_longer_do(grammar, text):
    reply, events = replies.read(text, format=ReplyFormat(grammar))
    for size in range(1, len(text)):
        again, others = replies.read(text, [size], format=ReplyFormat(grammar))
        assert (again, replies.fold(others)) == (reply, replies.fold(events))
    assert "".join(text[piece.start : piece.end] for piece in reply.pieces) == text


def test_a_close_may_have_several_characters():
    reply, _ = replies.read("<call f x=1, y='a/'/>Done.", format=ReplyFormat(LONG_CLOSE))
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("f", {"x": 1, "y": "a/"})]
    assert reply.content == "Done."
