"""`lect parse`."""

import io
import json
import sys

import pytest
from installs import install, registry_of

import lect
from lect.cli import main
from lect.plugin import Family, Rule, Turn, TurnTemplate
from lect.plugin.grammar import JSON_IN_TAGS, THINK, Grammar

TAGGED = Grammar("tagged", reasoning=THINK, sections=(JSON_IN_TAGS,))
ACME = TurnTemplate("acme", user=Turn("<u>", "</u>"), assistant=Turn("<a>", "</a>"), stop=["</a>"], reply=TAGGED)
FORMATS = """
from lect.plugin.grammar import JSON_IN_TAGS, Channels, Grammar, ReplyFormat

TAGGED = ReplyFormat(Grammar("tagged", sections=(JSON_IN_TAGS,)), stop=("<over>",))
HEADED = ReplyFormat(
    Grammar(
        "headed",
        channels=Channels(start=("<start>",), bodies=(("<message>", ""),), channel=r"(final)", content=("final",)),
    ),
    stop=("<return>",),
)
"""
REPLY = b'<think>\nLook.\n</think>\n\nHi\x1b!\n<tool_call>\n{"name": "f", "arguments": {"x": "\xc3\xa9"}}\n</tool_call></a>\n'


@pytest.fixture(autouse=True)
def family(site, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    install(site, "parse-formats", None, FORMATS, replies=["tagged", "headed"])
    monkeypatch.setattr(lect, "_registry", registry_of("parse-formats"))
    lect.register(Family("acme", Rule("acme", ACME)))


@pytest.fixture
def reply(tmp_path):
    file = tmp_path / "reply.txt"
    file.write_bytes(REPLY)
    return str(file)


def pipe(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="latin-1"))


def test_a_reply_is_shown_in_parts_and_without_control_characters(reply, capsys):
    assert main(["parse", "acme", reply]) == 0
    assert capsys.readouterr().out == (
        "reasoning\n  Look.\ncontent\n  Hi\\x1b!\ncall f\n" + '  {"x": "é"}\n' + "ended: tool_calls at '</a>'\n"
    )


def test_a_reply_may_come_from_standard_input(monkeypatch, capsys):
    pipe(monkeypatch, REPLY)
    assert main(["parse", "acme"]) == 0
    assert "call f" in capsys.readouterr().out


def test_a_format_needs_no_model(monkeypatch, capsys):
    pipe(monkeypatch, b"<start>final<message>Yes.<return>")
    assert main(["parse", "-", "--format", "headed"]) == 0
    assert capsys.readouterr().out == "content\n  Yes.\nended: stop at '<return>'\n"


def test_another_format_for_a_model_ends_at_the_stops_of_the_model_and_those_given(monkeypatch, capsys):
    pipe(monkeypatch, b"Yes.<over>No.</a>")
    assert main(["parse", "acme", "--format", "tagged"]) == 0
    assert capsys.readouterr().out == "content\n  Yes.<over>No.\nended: stop at '</a>'\n"
    pipe(monkeypatch, b"Yes.<over>No.</a>")
    assert main(["parse", "acme", "--stop", "<over>", "--stop", "x"]) == 0
    assert capsys.readouterr().out == "content\n  Yes.\nended: stop at '<over>'\n"


def test_an_adapter_or_a_default_can_be_named(monkeypatch, capsys):
    for words in (["--adapter", "acme"], ["--default", "chatml"]):
        pipe(monkeypatch, b"Yes.<|im_end|>No.</a>")
        assert main(["parse", "unheard-of", *words]) == 0
        content = "Yes.<|im_end|>No." if "acme" in words else "Yes."
        assert capsys.readouterr().out.startswith(f"content\n  {content}\n")


def test_for_programs_a_reply_is_json(reply, capsys):
    assert main(["parse", "acme", reply, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["content"], data["reasoning"], data["finish"], data["stop"]) == (
        "Hi\x1b!",
        "Look.",
        "tool_calls",
        "</a>",
    )
    assert data["tool_calls"][0]["arguments"] == {"x": "é"}
    assert [piece["kind"] for piece in data["pieces"]] == [
        "mark",
        "reasoning",
        "mark",
        "content",
        "mark",
        "call",
        "mark",
    ]


@pytest.mark.parametrize("source", ["file", "pipe"])
def test_a_reply_is_shown_while_it_arrives(source, reply, monkeypatch, capsys):
    pipe(monkeypatch, REPLY)
    assert main(["parse", "acme", reply if source == "file" else "-", "--follow"]) == 0
    assert capsys.readouterr().out == (
        "reasoning\n  Look.\ncontent\n  Hi\\x1b!\ncall f\n" + '  {"x": "é"}\n' + "ended: tool_calls at '</a>'\n"
    )


def test_for_programs_each_event_is_a_line(reply, capsys):
    assert main(["parse", "acme", reply, "--follow", "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["kind"] for event in events] == [
        "reasoning",
        "content",
        "call_start",
        "call_args",
        "call_end",
        "stop",
    ]
    assert events[4]["call"]["arguments"] == {"x": "é"}


def test_what_went_wrong_is_shown(monkeypatch, capsys):
    pipe(monkeypatch, b'<tool_call>{"name": "f", "arguments": {"x')
    assert main(["parse", "acme"]) == 0
    assert capsys.readouterr().out == (
        'call f\n  {"x\nproblem incomplete_call, at 11 to 41: the reply ends inside a call\nended: length\n'
    )
    pipe(monkeypatch, b'<tool_call>{"name": "f", "arguments": {"x')
    assert main(["parse", "acme", "--follow"]) == 0
    assert "problem incomplete_call, at 11 to 41: the reply ends inside a call\n" in capsys.readouterr().out


def test_tools_and_the_prompt_are_read_from_files(tmp_path, monkeypatch, capsys):
    (tmp_path / "tools.json").write_text('[{"name": "g"}]', "utf-8")
    (tmp_path / "prompt.txt").write_text("<a><think>\n", "utf-8")
    pipe(monkeypatch, b'Hm.</think><tool_call>{"name": "f"}</tool_call>')
    assert (
        main(["parse", "acme", "--tools", str(tmp_path / "tools.json"), "--prompt", str(tmp_path / "prompt.txt")]) == 0
    )
    out = capsys.readouterr().out
    assert out.startswith("reasoning\n  Hm.\n")
    assert "problem unknown_tool" in out


@pytest.mark.parametrize("more", [[], ["--follow"]])
def test_a_missing_file_is_an_error(more, tmp_path, capsys):
    assert main(["parse", "acme", str(tmp_path / "none"), *more]) == 1
    assert "cannot read" in capsys.readouterr().err


def test_an_unknown_format_is_an_error(monkeypatch, capsys):
    pipe(monkeypatch, b"")
    assert main(["parse", "-", "--format", "tag"]) == 1
    assert "did you mean 'tagged'" in capsys.readouterr().err


def test_a_replaced_standard_input_is_read(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("Hi</a>"))
    assert main(["parse", "acme", "--follow"]) == 0
    assert capsys.readouterr().out == "content\n  Hi\nended: stop at '</a>'\n"


def test_without_a_model_or_a_known_format_the_error_says_what_to_type(monkeypatch, capsys):
    pipe(monkeypatch, b"Hi")
    assert main(["parse", "-"]) == 1
    assert capsys.readouterr().err.endswith("try: the name of a model in place of -, or --format think\n")
    assert main(["parse", "-", "--format", "nope"]) == 1
    assert "; there are headed, hermes_json, plain, tagged, think\n  try: lect formats\n" in capsys.readouterr().err


def test_two_calls_of_one_function_and_problems_have_their_own_headings(monkeypatch, capsys, tmp_path):
    tools = tmp_path / "tools.json"
    tools.write_text('[{"name": "g"}]', "utf-8")
    pipe(
        monkeypatch,
        b'<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call><tool_call>{"name": "f", "arguments": {}}</tool_call>\r\n',
    )
    assert main(["parse", "-", "--format", "tagged", "--follow", "--tools", str(tools)]) == 0
    problems = [f"problem unknown_tool, at {span}: there is no tool 'f'\n" for span in ("11 to 23", "70 to 82")]
    assert capsys.readouterr().out == (
        f'call f\n{problems[0]}call f\n  {{"x": 1}}\ncall f\n{problems[1]}call f\n  {{}}\nended: tool_calls\n'
    )


def test_a_terminal_is_told_that_input_is_awaited(monkeypatch, capsys):
    terminal = io.StringIO("Hi!")
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stdin", terminal)
    assert main(["parse", "-", "--format", "plain"]) == 0
    printed = capsys.readouterr()
    assert "waiting for standard input; end it with Ctrl-D" in printed.err
    assert "Hi!" in printed.out
