"""What people and programs see."""

import io
import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lect.cli.screen import Painted, Progress, Screen, write_exactly, write_json


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.parametrize(
    ("stream", "environ", "coloured"),
    [
        (Terminal, {}, True),
        (io.StringIO, {}, False),
        (Terminal, {"NO_COLOR": "1"}, False),
        (Terminal, {"NO_COLOR": ""}, True),
        (Terminal, {"TERM": "dumb"}, False),
        (io.StringIO, {"FORCE_COLOR": "1"}, True),
        (io.StringIO, {"FORCE_COLOR": ""}, False),
        (Terminal, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_are_for_terminals_unless_a_variable_says_otherwise(stream, environ, coloured, monkeypatch):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert Screen(stream()).paint("x", "red") == ("\x1b[31mx\x1b[0m" if coloured else "x")


@given(st.text())
def test_no_control_character_reaches_a_terminal(text):
    shown = Screen.visible(text)
    assert not {letter for letter in shown if unicodedata.category(letter) == "Cc"} - {"\n", "\t"}
    assert not {
        letter
        for letter in shown
        if unicodedata.bidirectional(letter) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    }


@given(st.text())
def test_a_cell_is_one_line_of_printable_text(text):
    assert Screen.one_line(text).isprintable()


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["C", "Z"])))
def test_visible_text_stays_as_it_is(text):
    assert Screen.visible(text) == Screen.one_line(text) == text


def test_columns_are_aligned_whatever_the_width_of_characters():
    stream = io.StringIO()
    Screen(stream).table(
        [("a", "1", "end"), ("通义千问", "22", ""), ("e\u0301", "3", "end")], header=("name", "n", "last"), indent=1
    )
    assert stream.getvalue() == " name      n   last\n a         1   end\n 通义千问  22\n e\u0301         3   end\n"


def test_colours_do_not_count_as_width():
    stream = Terminal()
    Screen(stream).table([(Painted("a", "red"), "x"), ("bbb", "y")], indent=0)
    assert stream.getvalue() == "\x1b[31ma\x1b[0m    x\nbbb  y\n"


def test_a_long_last_column_is_wrapped_to_fit_a_terminal_and_left_alone_in_a_pipe(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    rows = [("owner", "one-name, another-name, and-a-third-name")]
    terminal, pipe = Terminal(), io.StringIO()
    Screen(terminal).table(rows, indent=0, wrap=True)
    Screen(pipe).table(rows, indent=0, wrap=True)
    assert terminal.getvalue() == "owner  one-name, another-name,\n       and-a-third-name\n"
    assert pipe.getvalue() == "owner  one-name, another-name, and-a-third-name\n"


def test_an_empty_table_prints_nothing():
    stream = io.StringIO()
    Screen(stream).table([])
    assert stream.getvalue() == ""


def test_characters_that_an_encoding_lacks_are_escaped():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    Screen(stream).line("é 通")
    stream.seek(0)
    assert stream.read() == "é \\u901a\n"


def test_exact_text_is_utf_8_whatever_the_stream_is(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1", newline="\r\n")
    monkeypatch.setattr(sys, "stdout", stream)
    write_exactly("通\n")
    assert stream.buffer.getvalue() == "通\n".encode()


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
@given(
    st.recursive(
        st.text() | st.none() | st.booleans() | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_reads_back_and_carries_no_control_character(stream, value):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", stream())
        write_json(value)
        written = sys.stdout.getvalue()
    assert json.loads(written) == value
    assert not {letter for letter in written if unicodedata.category(letter) == "Cc"} - {"\n"}


# Progress


@pytest.mark.parametrize(
    ("stream", "patience", "shown"), [(Terminal(), 0, True), (Terminal(), 60, False), (io.StringIO(), 0, False)]
)
def test_progress_is_shown_on_a_terminal_after_a_wait_and_leaves_nothing(stream, patience, shown, monkeypatch):
    monkeypatch.setattr(Progress, "DELAY", patience)
    monkeypatch.setattr(Progress, "STEP", 0)
    with Progress(Screen(stream)) as progress:
        progress.show("acme:one")
        progress.show("b")
    assert stream.getvalue() == ("\racme:one\rb       \r \r" if shown else "")


def test_progress_is_a_bar_where_the_end_is_known_and_is_erased_before_an_error(monkeypatch):
    monkeypatch.setattr(Progress, "DELAY", 0)
    monkeypatch.setattr(Progress, "STEP", 0)
    monkeypatch.setenv("COLUMNS", "50")
    stream = Terminal()

    def work():
        with Progress(Screen(stream)) as progress:
            progress.show("450 of 1,000", 450, 1000)
            progress.show("that is more than was said" * 9, 1000, 1000)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    first, second, *erased = stream.getvalue().split("\r")[1:]
    assert first == "[=========           ]  45%  450 of 1,000"
    assert second.startswith(f"[{'=' * 20}] 100%  that")
    assert len(second) == 49
    assert [each.strip() for each in erased] == ["", ""]


def test_progress_of_fast_work_is_written_seldom(monkeypatch):
    monkeypatch.setattr(Progress, "DELAY", 0)
    monkeypatch.setattr(Progress, "STEP", 60)
    stream = Terminal()
    with Progress(Screen(stream)) as progress:
        for count in range(1000):
            progress.show(f"{count}", count, 1000)
    assert stream.getvalue().count("%") == 1
