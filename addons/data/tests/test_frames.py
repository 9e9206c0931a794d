"""Texts in columns are those of `template.text`: a frame is used only where nothing else could be written."""

import contextlib
import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import BARE, CHATML, DATED, FOLDING, TEMPLATES, THE_DAY, THINKING, alternating, plain_chats
from sampling import few
from together import together

from lect import LectError
from lect.errors import TemplateWarning
from lect.plugin import Template
from lect_data import Formatter
from lect_data.columnar import plain_chats as columns_of
from lect_data.columnar import write_prompts
from lect_data.frames import Frames, frame_of, frames_for
from lect_data.watched import MARK, SPACE, Watch

WATCHED = Watch().text(0)
FOLLOWED = frozenset({
    "__add__", "__class__", "__dir__", "__doc__", "__format__", "__getattribute__", "__getnewargs__", "__getstate__",
    "__init__", "__init_subclass__", "__mod__", "__new__", "__reduce__", "__reduce_ex__", "__repr__", "__rmod__",
    "__setattr__", "__delattr__", "__sizeof__", "__str__", "__subclasshook__", "format", "format_map", "join",
    "lstrip", "rstrip", "strip", "maketrans",
})  # fmt: skip
"""Methods that may be used unnoticed: those that leave a text as it is, strip it, or are refused."""
TAKES_WORD = (
    "__contains__", "__eq__", "__ne__", "count", "endswith", "find", "index", "partition", "removeprefix",
    "removesuffix", "replace", "rfind", "rindex", "rpartition", "rsplit", "split", "startswith",
)  # fmt: skip


def user(content):
    return {"role": "user", "content": content}


def texts(template, *conversations, **options):
    """Return the texts of conversations, each of which is one, written in one batch."""
    formatter = Formatter(template, unroll="never", **options)
    batch = pa.RecordBatch.from_pylist([{"messages": messages} for messages in conversations])
    result = formatter(batch)
    assert result.column("error").null_count == len(conversations)
    return result.column("text").to_pylist()


def in_columns(template, *conversations):
    """Return which of some conversations are written in columns."""
    batch = pa.RecordBatch.from_pylist([{"messages": messages} for messages in conversations])
    return write_prompts(columns_of(batch), Frames(template, {}).of).rows


def look(name, text, word):
    """Call a method of a text, with a word or with whatever it takes."""
    arguments = {"__getitem__": (0,), "__mul__": (2,), "__rmul__": (2,), "translate": ({},), "replace": (word, "")}
    wide = dict.fromkeys(("center", "ljust", "rjust", "zfill"), (9,))
    compared = dict.fromkeys(("__lt__", "__le__", "__gt__", "__ge__"), ("other",))
    with contextlib.suppress(ValueError):
        getattr(text, name)(*(arguments | wide | compared).get(name, (word,) if name in TAKES_WORD else ()))


@pytest.mark.parametrize("name", sorted(set(dir(str)) - FOLLOWED))
def test_every_look_at_a_stand_in_is_noticed(name):
    watch = WATCHED.watch
    watch.forget()
    look(name, WATCHED, "other")
    assert not watch.looks if name in TAKES_WORD else watch.looks
    if name in TAKES_WORD:
        assert watch.words == {"other"}


@together("name", TAKES_WORD)
@together("word", ["\n", "\n\n", " ", SPACE, MARK])
def test_a_word_that_the_stand_in_itself_contains_gives_no_frame(name, word):
    watch = WATCHED.watch
    watch.forget()
    look(name, WATCHED, word)
    assert watch.looks


def test_a_word_in_what_is_made_of_a_text_says_nothing_of_the_text():
    def program(chat, out):
        text = chat.json(chat.messages[0].content, "messages", 0, "content")
        out += "quoted:" if "\\u" in text else "plain:", text

    assert frame_of(Template("quoting", program), ["user"]) is None


@settings(max_examples=few(200), deadline=None)
@given(st.sampled_from(TEMPLATES), st.lists(st.one_of(alternating(), plain_chats()), min_size=1, max_size=4))
def test_what_is_written_in_columns_is_what_the_template_writes(template, conversations):
    batch = pa.RecordBatch.from_pylist([{"messages": messages} for messages in conversations])
    chats = columns_of(batch)
    if chats is not None:
        prompts = write_prompts(chats, Frames(template, {}).of)
        for row, text in zip(prompts.rows, prompts.texts.to_pylist(), strict=True):
            assert text == template.text(conversations[row])


@pytest.mark.parametrize("template", [template for template in TEMPLATES if template is not DATED], ids=repr)
def test_plain_chats_in_which_answers_are_as_served_are_written_in_columns(template):
    messages = [user("\0"), {"role": "assistant", "content": "<|im_start|>"}, user(" x ")]
    is_true = not template.render(messages).deviations
    assert is_true == (template is not THINKING)
    assert in_columns(template, messages) == [0] * is_true


def test_a_frame_says_what_is_around_the_texts_and_when_it_holds():
    frame = frame_of(CHATML, ["user"], add_generation_prompt=True)
    assert frame.literals == ["<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"]
    assert (frame.order, frame.edits, frame.never, frame.never_empty) == ([0], [None], frozenset(), False)
    assert frame_of(THINKING, ["user", "assistant"]).never == {"</think>"}
    assert frame_of(BARE, ["user"]).never_empty
    assert frame_of(DATED, ["user"]) is None
    assert frame_of(DATED, ["user"], date=THE_DAY) is not None
    assert frame_of(CHATML, ["nobody"]) is None
    assert frame_of(FOLDING, ["assistant"]) is None


@pytest.mark.parametrize(
    ("template", "messages"),
    [
        (BARE, [user("")]),
        (BARE, [user("x"), {"role": "assistant", "content": ""}]),
        (THINKING, [user("x"), {"role": "assistant", "content": "a</think>b"}]),
    ],
    ids=repr,
)
def test_rows_for_which_the_frame_does_not_hold_are_written_by_the_template(template, messages):
    assert in_columns(template, messages, [user("x")]) == [1]
    assert texts(template, messages, [user("x")]) == [template.text(messages), template.text([user("x")])]


def by_length(chat, out):
    out += [message.content if len(message.content) < 3 else "long" for message in chat.messages]


def by_change(chat, out):
    out += [message.content.upper() for message in chat.messages]


def by_last(chat, out):
    last = chat.messages[-1].content
    out += ["[last]" if message.content == last else message.content for message in chat.messages]


def unwritten(chat, out):
    out.append("long" if len(chat.messages[0].content) > 2 else "short")


@pytest.mark.parametrize("program", [by_length, by_change, by_last, unwritten])
def test_a_program_that_looks_at_texts_has_no_frames(program):
    template = Template("looking", program)
    conversations = [[user(text), user("c")] for text in ("a", "abcd", "c", "c")]
    assert in_columns(template, *conversations) == []
    assert texts(template, *conversations) == [template.text(messages) for messages in conversations]


@pytest.mark.filterwarnings("ignore::lect.errors.TemplateWarning")
def test_a_text_that_was_joined_with_others_is_not_taken_for_the_templates():
    def program(chat, out):
        out.append("".join(["<", chat.messages[0].content, ">"]))

    assert texts(Template("joined", program), [user("one")], [user("two")]) == ["<one>", "<two>"]


def test_a_word_of_the_code_that_is_looked_for_in_a_copy_of_a_text_is_found():
    def program(chat, out):
        for message in chat.messages:
            out += "[thought]" if "</think>" in "".join([message.content]) else "", message.content

    template = Template("copying", program)
    assert Frames(template, {}).of(("user",)).never == {"</think>"}
    assert in_columns(template, [user("a</think>")], [user("a")]) == [1]


def by_pattern(chat, out):
    # What a regular expression reads goes unnoticed.
    for message in chat.messages:
        out += "[digits]" if re.search(r"\d", message.content) else "", message.content


def refusing(chat, out):
    if re.search(r"\d", chat.messages[0].content):
        chat.refuse("no digits")
    out.append(chat.messages[0].content)


def test_what_goes_unnoticed_is_found_by_comparing_and_the_whole_batch_is_written_by_the_template():
    template = Template("pattern", by_pattern)
    formatter = Formatter(template)
    conversations = [[user(text)] for text in ("a", "b", "c", "4", "e")]
    batch = pa.RecordBatch.from_pylist([{"messages": messages} for messages in conversations])
    expected = [template.text(messages) for messages in conversations]
    with pytest.warns(TemplateWarning, match="'pattern' cannot be written in columns") as caught:
        assert formatter(batch).column("text").to_pylist() == expected
    assert len(caught) == 1
    # Once: from then on there are no frames.
    assert formatter(batch).column("text").to_pylist() == expected


def test_a_refusal_that_goes_unnoticed_is_a_difference():
    template = Template("refusing", refusing)
    batch = pa.RecordBatch.from_pylist([{"messages": [user("1")]}, {"messages": [user("a")]}])
    with pytest.warns(TemplateWarning):
        result = Formatter(template)(batch)
    assert result.column("text").to_pylist() == [None, "a"]
    with pytest.raises(LectError, match="no digits"):
        template.text([user("1")])


def test_the_first_second_fourth_and_eighth_prompt_of_a_frame_are_compared_over_all_batches():
    runs = []

    def program(chat, out):
        runs.append(chat.tracked)
        out.append(chat.messages[0].content)

    formatter = Formatter(Template("counted", program))
    batch = pa.RecordBatch.from_pylist([{"messages": [user("x")]}] * 3)
    formatter(batch)
    runs.clear()
    for compared in (1, 1, 0, 0, 1, 0):  # The 4th, the 8th and the 16th.
        formatter(batch)
        assert runs == [False] * compared
        runs.clear()


def test_formatters_of_one_template_share_frames_unless_their_options_differ():
    shared = frames_for(CHATML, {"a": 1, "b": "x"}, "auto")
    assert frames_for(CHATML, {"b": "x", "a": 1}, "auto") is shared
    others = [({"a": True, "b": "x"}, "auto"), ({"a": 1}, "auto"), ({"a": 1, "b": "x"}, "never")]
    assert all(frames_for(CHATML, options, unroll) is not shared for options, unroll in others)
    assert frames_for(CHATML, {"a": ["x"]}, "auto") is not frames_for(CHATML, {"a": ["x"]}, "auto")
