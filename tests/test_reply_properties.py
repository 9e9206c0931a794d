"""The nine properties that every grammar has by construction: P1 to P9.

P6, which is about time, is in test_reply_hostile.py. P8 is here for what the grammars themselves can write; for the
templates it is in tests/test_round_trip.py.
"""

import json
import os
import re
import string

import pytest
import replies
import writing
from hypothesis import given, note, settings
from hypothesis import strategies as st
from sampling import few, in_turn

from lect.reply.calls.values import ValueReader
from lect.reply.grammar import GrammarPart, Json, JsonMap, NamedJson
from lect.reply.reader.reader import CUT, Reader

FORMATS = replies.formats()
TOOLS = [
    {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {
                "x": {"type": "integer"},
                "s": {"type": "string"},
                "u": {"type": ["string", "number"]},
                "o": {"type": "object"},
            },
        },
    },
    {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
]
SHARDS = [
    "{", "}", "[", "]", '"', "\\", "'", ",", ":", " ", "\n", "\n\n", "text", "<", ">", "</", "<|", "|>", "é", "你好", "\ud83d", "\x00", "```", "```json\n",
    "name", '"name": "f"', '"arguments": {', '"x": 1', '"s": "a\\"b"', "true", "None", "-1.5e3", "f(", "x=", "call:f{", "functions.f:0", "\\n", "\\u00e",
    "\\d", "assistant", " to=functions.f", " to=self", '{"name": "f", "arguments": {"x": [1, {"y": null}]}}', '{"x": "<tool_call>"}', "###",
]  # fmt: skip


def own_marks(reply_format):
    """Return the marks of a format: those of its grammar, and its stops."""
    return marks((reply_format.grammar.but(name="", ids="", stripped=""), reply_format.stop))


def marks(facts):
    """Return the texts among the facts of a grammar, except its patterns."""
    if isinstance(facts, GrammarPart):
        facts = tuple(facts.facts().values())
    if isinstance(facts, str):
        return [facts] if facts and "(?" not in facts else []
    return [mark for fact in facts for mark in marks(fact)] if isinstance(facts, tuple) else []


@st.composite
def pieces_of(draw, whole):
    """Draw a piece of one of several texts."""
    text = draw(st.sampled_from(whole))
    ends = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    return text[slice(*ends)]


@st.composite
def texts(draw, reply_format):
    """Draw a reply made of a grammar's own marks, pieces of real replies, and shards of anything."""
    whole = [
        reply_format.example,
        *(vector["input"] for vector in replies.vectors("parse") if vector["format"] == reply_format.name),
    ]
    own = st.sampled_from(own_marks(reply_format) or whole)
    pieces = st.one_of(own, own, pieces_of(whole), st.sampled_from(whole), st.sampled_from(SHARDS), st.text(max_size=5))
    return "".join(draw(st.lists(pieces, max_size=12)))


@st.composite
def replies_of(draw, name):
    """Draw a reply in a format, and how to read it."""
    return draw(texts(FORMATS[name])), {
        "format": name,
        "tools": draw(st.sampled_from([None, TOOLS])),
        "starts_in_reasoning": draw(st.sampled_from([None, True, False])),
        "extract": draw(st.sampled_from([("reasoning", "tools"), ("tools",), ("reasoning",), ()])),
        "stop": draw(st.sampled_from([(), ("###",)])),
        "edges": draw(st.sampled_from([("", ""), (" ", "\n")])),
        "unknown_tools": draw(st.sampled_from(["keep", "text", "drop"])),
    }


# There are many formats, so each gets a few; `LECT_EXAMPLES=10000` tries as many as a release should.
limited = settings(max_examples=int(os.environ.get("LECT_EXAMPLES", few(20))))


def every_format(test):
    return pytest.mark.parametrize("name", in_turn(sorted(FORMATS), 3))(limited(test))


sizes = st.lists(st.integers(1, 9), min_size=1, max_size=4)


def joined(events, kind, index=None):
    return "".join(event.text for event in events if event.kind == kind and event.index == index)


@every_format
@given(data=st.data())
def test_p1_every_chunking_gives_the_same_events_and_the_same_reply(name, data):
    text, how = data.draw(replies_of(name))
    cut = data.draw(sizes)
    reply, events = replies.read(text, **how)
    again, others = replies.read(text, cut, **how)
    note(f"{text!r} {how} {cut}")
    assert replies.fold(others) == replies.fold(events)
    assert again == reply


@every_format
@given(data=st.data())
def test_p2_and_p9_events_are_final_and_agree_with_the_reply(name, data):
    text, how = data.draw(replies_of(name))
    reply, events = replies.read(text, data.draw(sizes), **how)
    note(f"{text!r} {how}")
    assert joined(events, "content") == reply.content
    assert (joined(events, "reasoning") or None) == reply.reasoning
    ended = [event.call for event in events if event.kind == "call_end"]
    assert [call for call in ended if call.complete] == list(reply.tool_calls)
    assert [call for call in ended if not call.complete] == list(reply.incomplete)
    assert [event.text for event in events if event.kind == "call_start"] == [call.name for call in ended]
    assert [event.problem for event in events if event.kind == "problem"] == list(reply.problems)
    assert ([event.text for event in events if event.kind == "stop"][-1:] or [None]) == [reply.stop]


@every_format
@given(data=st.data())
def test_p4_events_come_from_separate_pieces_of_the_raw_text_in_order(name, data):
    text, how = data.draw(replies_of(name))
    reply, events = replies.read(text, data.draw(sizes), **how)
    note(f"{text!r} {how}")
    end, begun = 0, {}
    for event in events:
        if event.kind == "problem":
            assert (event.start, event.end) == (None, None)
            continue
        assert end <= event.start <= event.end <= len(text)
        if event.kind in ("content", "reasoning"):
            assert event.text == text[event.start : event.end] or event.start == event.end
        if event.kind == "stop":
            assert event.text == text[event.start : event.end] or event.start == event.end
        if event.kind == "call_start":
            begun[event.index] = event.start
        if event.kind in ("call_args", "call_end") and reply.stop is None:
            assert event.start == end
        if event.kind == "call_end":
            assert event.call.span == (begun[event.index], event.end)
        end = event.end


def unmistakable(reply_format):
    """Return the marks of a grammar that nobody writes by chance."""
    grammar = reply_format.grammar
    facts = [reply_format.stop]
    facts += [(fact.open, fact.close) for fact in (grammar.reasoning, *grammar.wrappers) if fact and fact.special]
    for section in grammar.sections:
        if section.special:
            facts += [(section.open, section.close, *((call.open, call.close) for call in section.calls))]
    return [mark for mark in marks(tuple(facts)) if any(map(str.isalpha, mark)) and not mark.isalpha()]


@every_format
@given(data=st.data())
def test_p2_no_mark_is_in_the_content_unless_a_problem_names_it(name, data):
    text, how = data.draw(replies_of(name))
    reply, _ = replies.read(text, **how | {"extract": ("reasoning", "tools")})
    note(f"{text!r} {how}")
    named = [problem.span for problem in reply.problems]
    for piece in reply.pieces:
        if piece.kind == "content":
            for mark in unmistakable(FORMATS[name]):
                for found in re.finditer(re.escape(mark), text[piece.start : piece.end]):
                    assert any(begin <= piece.start + found.start() < end for begin, end in named)


@every_format
@given(text=st.text(string.ascii_letters + " .,!?", max_size=200))
def test_p3_only_white_space_and_possible_marks_of_plain_text_are_held_back(name, text):
    text = f"Well, {text}"
    grammar = FORMATS[name].grammar
    longest = max(map(len, own_marks(FORMATS[name])), default=0)
    stream = replies.open_stream(name, starts_in_reasoning=False)
    said = 0
    for end, letter in enumerate(text, 1):
        said += sum(len(event.text) for event in stream.feed(letter))
        assert end - said + len(grammar.prefix) <= longest + end - len(text[:end].rstrip())
    assert stream.close().content == grammar.prefix + text


ARGUMENTS_OPEN = {
    "hermes_json": '<tool_call>{"name": "f", "arguments": {"s": "',
    "jamba": '<tool_calls>[{"name": "f", "arguments": {"s": "',
    "deepseek_v31": '<｜tool▁call▁begin｜>f<｜tool▁sep｜>{"s": "',
    "kimi_k2": '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"s": "',
    "harmony": '<|channel|>commentary to=functions.f<|message|>{"s": "',
}


@pytest.mark.parametrize("name", ARGUMENTS_OPEN)
@given(text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=200))
def test_p3_json_text_of_an_argument_comes_at_most_one_character_late(name, text):
    stream = replies.open_stream(name)
    stream.feed(ARGUMENTS_OPEN[name])
    sent = ""
    written = json.dumps(text, ensure_ascii=False)[1:-2]
    for end, letter in enumerate(written, 1):
        sent += joined(stream.feed(letter), "call_args", 0)
        assert end - len(sent) <= 1
    assert written.startswith(sent)


PARAMETER_OPEN = {
    "qwen3_coder_xml": ("<function=f><parameter=s>", "\n</parameter>"),
    "minimax_m2_xml": ('<minimax:tool_call><invoke name="f"><parameter name="s">', "</parameter>"),
    "glm4_xml": ("<tool_call>f\n<arg_key>s</arg_key><arg_value>", "</arg_value>"),
}


@pytest.mark.parametrize("name", PARAMETER_OPEN)
@given(text=st.text("abc <>/\n", max_size=100))
def test_p3_plain_text_of_a_parameter_lags_by_no_more_than_a_possible_close(name, text):
    opening, close = PARAMETER_OPEN[name]
    stream = replies.open_stream(name, tools=TOOLS)
    head = joined(stream.feed(opening + "x"), "call_args", 0)
    sent = ""
    for end, letter in enumerate(text, 1):
        sent += joined(stream.feed(letter), "call_args", 0)
        assert len(json.dumps(text[:end])) - 2 - len(sent) <= len(json.dumps(close)) + 1
    assert json.dumps({"s": "x" + text}).startswith(head + sent)


@every_format
@given(data=st.data())
def test_p4_every_character_belongs_to_exactly_one_piece(name, data):
    text, how = data.draw(replies_of(name))
    reply, _ = replies.read(text, **how)
    note(f"{text!r} {how}")
    assert "".join(text[piece.start : piece.end] for piece in reply.pieces) == text == reply.raw
    assert all(
        one.end == two.start and one.kind != two.kind for one, two in zip(reply.pieces, reply.pieces[1:], strict=False)
    )
    grammar = FORMATS[name].grammar
    if not grammar.prefix and grammar.channels is None:
        assert (
            "".join(text[piece.start : piece.end] for piece in reply.pieces if piece.kind == "content") == reply.content
        )
        assert (
            "".join(text[piece.start : piece.end] for piece in reply.pieces if piece.kind == "reasoning") or None
        ) == reply.reasoning


@every_format
@given(text=st.text(st.characters(exclude_categories=[]), max_size=60))
def test_p5_nothing_is_raised_for_any_text(name, text):
    reply, _ = replies.read(text, format=name)
    assert reply.raw == text


@every_format
@given(data=st.data())
def test_p7_arguments_are_valid_json_or_the_beginning_of_it(name, data):
    text, how = data.draw(replies_of(name))
    reply, events = replies.read(text, **how)
    note(f"{text!r} {how}")
    for call in (*reply.tool_calls, *reply.incomplete):
        assert joined(events, "call_args", call.index) == call.arguments_text
        if call.complete:
            assert json.loads(call.arguments_text) == call.arguments
        else:
            assert begins_json(call.arguments_text)


JSON_KINDS = (Json, JsonMap, NamedJson)


@st.composite
def messages_of(draw, grammar):
    """Draw what a message may say: content, reasoning, and calls as `(name, arguments)`."""
    words = st.text("abc .,!?é你\n", max_size=20).map(str.strip)
    texts = st.text("ab <>/\n\"'{}[]=:,|\\é你", max_size=12)
    if all(isinstance(call.arguments, JSON_KINDS) for section in grammar.sections for call in section.calls):
        # In a JSON string, a mark is just text.
        texts = st.lists(
            texts | st.sampled_from(marks(grammar.but(name="", ids="", stripped="")) or ["<"]), max_size=3
        ).map("".join)
    # A format whose quotes are marks cannot write those marks inside a text.
    quotes = [
        mark for section in grammar.sections for call in section.calls for mark in getattr(call.arguments, "quotes", ())
    ]
    texts = texts.filter(lambda text: not any(mark in text for mark in quotes))
    arguments = st.fixed_dictionaries(
        {"s": texts, "x": st.integers(-99, 99), "o": st.dictionaries(st.sampled_from("kl"), st.none() | st.booleans())}
    )
    # ReAct cannot write a second call: the reply stops where the result of the first belongs.
    calls = st.lists(st.tuples(st.just("f"), arguments), max_size=1 if grammar.name == "react" else 2)
    return draw(words), draw(st.none() | words.filter(bool)), draw(calls)


@every_format
@given(data=st.data())
def test_p8_a_grammar_reads_what_it_can_write(name, data):
    grammar = FORMATS[name].grammar
    content, reasoning, calls = data.draw(messages_of(grammar))
    text = writing.write(grammar, content, reasoning, calls)
    if text:
        reply, _ = replies.read(text, data.draw(sizes), format=name, tools=TOOLS, starts_in_reasoning=False)
        note(repr(text))
        assert (reply.content, reply.reasoning) == (grammar.prefix + content, reasoning)
        assert [(call.name, call.arguments) for call in reply.tool_calls] == calls
        assert reply.problems == ()


def test_p8_every_format_that_has_calls_can_write_them():
    silent = {name for name, each in FORMATS.items() if not writing.write(each.grammar, "", None, [("f", {"s": "x"})])}
    assert silent == {"plain", "think", "minimax_append_think", "kimi_vl_think"}


def begins_json(text):
    """Say whether a text can go on to be valid JSON."""
    reader = Reader()
    reader.buffer, reader.ended = text, True
    read = []
    steps = ValueReader(reader, read).read()
    try:
        while True:
            next(steps)
    except StopIteration as stop:
        return (stop.value == CUT and text.startswith("".join(read))) or "".join(read) == text
