"""`lect prompt`."""

import io
import json
import re
import sys
from datetime import date, datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import lect
from lect.cli import main
from lect.cli.inputs import option
from lect.plugin import DEFAULT, Family, Rule, Template, Turn, TurnTemplate

ACME = TurnTemplate(
    "acme",
    system=Turn("<sys>", "</sys>"),
    user=Turn("<user>", "</user>"),
    assistant=Turn("<bot>", "</bot>"),
    stop={"</bot>": 7},
    markers=["<user>", "</user>", "<bot>", "</bot>"],
)
PLAIN = TurnTemplate(
    "plain", user=Turn("USER: ", "\n"), assistant=Turn("BOT: ", "\n"), markers=["USER:", "BOT:"], text_separators=True
)


def write_tools(chat, out):
    for index, tool in enumerate(chat.tools):
        out += chat.json(tool, "tools", index), "\n"
    for message in out.turns(chat.messages):
        out += message.role, ": ", message.content, "\n"
    out += "day: ", chat.date().isoformat(), " thinking: ", str(chat.option("thinking"))


TOOLS = Template("tools", write_tools, options=["date", "thinking"])


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def families(registry, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal())
    lect.register(
        Family(
            "acme",
            Rule("acme base", DEFAULT, kind="base"),
            Rule("acme plain", PLAIN),
            Rule("acme tools", TOOLS),
            Rule("acme", ACME),
        )
    )


def pipe(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="latin-1"))


def write(path, value):
    path.write_text(json.dumps(value), "utf-8")
    return str(path)


# Texts


def test_the_prompt_is_printed_with_nothing_added(capsys):
    assert main(["prompt", "acme-7b", "Hello!"]) == 0
    assert capsys.readouterr() == ("<user>Hello!</user><bot>", "")


@given(st.text())
def test_any_text_is_printed_byte_for_byte(text):
    assume(text not in ("-", "--"))
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert main(["prompt", "acme-7b", "--", text]) == 0
    assert stream.buffer.getvalue() == f"<user>{text}</user><bot>".encode()


def test_options_may_be_anywhere(capsys):
    for words in (
        ["--system", "S", "acme-7b", "Hello!"],
        ["acme-7b", "--system", "S", "Hello!"],
        ["acme-7b", "Hello!", "--system", "S"],
    ):
        assert main(["prompt", *words]) == 0
        assert capsys.readouterr().out == "<sys>S</sys><user>Hello!</user><bot>"


def test_without_generation_prompt_it_ends_with_the_last_turn(capsys):
    assert main(["prompt", "acme-7b", "Hello!", "--no-generation-prompt"]) == 0
    assert capsys.readouterr().out == "<user>Hello!</user>"


BEGUN = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Sure, "}]


def test_a_model_continues_the_last_message(tmp_path, capsys):
    file = write(tmp_path / "chat.json", BEGUN)
    for more in ([], ["--generation-prompt"], ["--no-generation-prompt"]):
        assert main(["prompt", "acme-7b", "--messages", file, "--continue", *more]) == 0
        assert capsys.readouterr().out == "<user>Hi</user><bot>Sure, "


def test_a_question_cannot_be_continued(capsys):
    assert main(["prompt", "acme-7b", "Hi", "--continue"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("lect: --continue, but the last message is {'role': 'user', 'content': 'Hi'}; expected ")


def test_an_answer_may_be_followed_by_a_generation_prompt(tmp_path, capsys):
    file = write(tmp_path / "chat.json", BEGUN)
    assert main(["prompt", "acme-7b", "--messages", file]) == 0
    assert capsys.readouterr().out == "<user>Hi</user><bot>Sure, </bot><bot>"


@pytest.mark.parametrize("words", [[], ["-"]])
def test_text_may_be_piped_in_and_loses_the_line_end_of_echo(words, monkeypatch, capsys):
    pipe(monkeypatch, "你好!\n".encode())
    assert main(["prompt", "acme-7b", *words]) == 0
    assert capsys.readouterr().out == "<user>你好!</user><bot>"


def test_only_one_line_end_is_lost(monkeypatch, capsys):
    pipe(monkeypatch, b"a\n\n")
    assert main(["prompt", "acme-7b"]) == 0
    assert capsys.readouterr().out == "<user>a\n</user><bot>"


def test_no_text_at_all_is_a_usage_error(monkeypatch, capsys):
    assert main(["prompt", "acme-7b"]) == 2
    assert "no text was given: give TEXT, pipe it in, or name a file with --messages" in capsys.readouterr().err
    pipe(monkeypatch, b"")
    assert main(["prompt", "acme-7b"]) == 2


def test_an_empty_standard_input_is_a_text_if_asked_for(monkeypatch, capsys):
    pipe(monkeypatch, b"")
    assert main(["prompt", "acme-7b", "-"]) == 0
    assert capsys.readouterr().out == "<user></user><bot>"


def test_text_that_is_not_utf_8_is_refused(monkeypatch, capsys):
    pipe(monkeypatch, b"caf\xe9")
    assert main(["prompt", "acme-7b"]) == 1
    assert capsys.readouterr().err == "lect: standard input is not in UTF-8: unexpected end of data at byte 3\n"


def test_a_terminal_gets_a_line_end_and_no_control_characters(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["prompt", "acme-7b", "a\tb\nc\x1b[2J\r\x07\x9b"]) == 0
    assert terminal.getvalue() == "<user>a\tb\nc\\x1b[2J\\r\\x07\\u009b</user><bot>\n"


def test_a_terminal_gets_no_second_line_end(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["prompt", "acme-plain", "Hello!", "--no-generation-prompt"]) == 0
    assert terminal.getvalue() == "USER: Hello!\n"


def test_forced_colours_do_not_touch_the_prompt(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["prompt", "acme-7b", "Hello!"]) == 0
    assert capsys.readouterr().out == "<user>Hello!</user><bot>"


def test_an_adapter_may_be_named(capsys):
    assert main(["prompt", "anything", "Hello!", "--adapter", "chatml"]) == 0
    assert capsys.readouterr().out == "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n"


# Files


CHAT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}, {"role": "user", "content": "Hm"}]
TOOL = {"type": "function", "function": {"name": "clock"}}


def test_messages_come_from_a_file(tmp_path, capsys):
    assert main(["prompt", "acme-7b", "--messages", write(tmp_path / "chat.json", CHAT)]) == 0
    assert capsys.readouterr() == ("<user>Hi</user><bot>Ho</bot><user>Hm</user><bot>", "")


def test_messages_come_from_standard_input(monkeypatch, capsys):
    pipe(monkeypatch, b"\xef\xbb\xbf" + json.dumps(CHAT).encode())
    assert main(["prompt", "acme-7b", "--messages", "-"]) == 0
    assert capsys.readouterr().out == "<user>Hi</user><bot>Ho</bot><user>Hm</user><bot>"


def test_a_file_may_contain_messages_and_tools_and_anything_else_is_noted(tmp_path, capsys):
    file = write(tmp_path / "request.json", {"messages": CHAT[:1], "tools": [TOOL], "temperature": 0})
    assert main(["prompt", "acme-tools", "--messages", file, "--option", "date=2024-07-26"]) == 0
    out, err = capsys.readouterr()
    assert out == json.dumps(TOOL) + "\nuser: Hi\nday: 2024-07-26 thinking: None"
    assert err == "note: ignored in the messages file: temperature\n"


def test_tools_come_from_their_own_file(tmp_path, capsys):
    tools = write(tmp_path / "tools.json", [TOOL])
    assert main(["prompt", "acme-tools", "Hi", "--tools", tools, "--option", "date=2024-07-26"]) == 0
    assert capsys.readouterr().out.startswith(json.dumps(TOOL) + "\nuser: Hi\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        pytest.param("[" * 100_000, "is not JSON", id="deep"),
        ('{"tools": []}', "is a JSON object without messages"),
        ("3", "messages is 3 (int); expected a list of messages"),
        ('[{"role": "wizard", "content": ""}]', "'wizard', which this template does not know"),
    ],
)
def test_a_file_without_messages_is_refused(content, message, tmp_path, capsys):
    file = tmp_path / "chat.json"
    file.write_text(content, "utf-8")
    assert main(["prompt", "acme-7b", "--messages", str(file)]) == 1
    err = capsys.readouterr().err
    assert err.startswith("lect: ")
    assert message in err


def test_a_missing_file_is_named(capsys):
    assert main(["prompt", "acme-7b", "--messages", "no such file.json"]) == 1
    told = "lect: cannot read 'no such file.json': No such file or directory\n"
    assert capsys.readouterr().err == f"{told}  try: the path of a file, or - for standard input\n"


def test_an_empty_file_is_called_empty(tmp_path, capsys):
    (tmp_path / "empty.json").touch()
    assert main(["prompt", "acme-7b", "--messages", str(tmp_path / "empty.json")]) == 1
    assert "is not JSON: it is empty" in capsys.readouterr().err


def test_an_option_that_is_spelt_almost_right_is_named(capsys):
    assert main(["prompt", "acme-7b", "--message=chat.json"]) == 2
    assert "unrecognized arguments: --message=chat.json; did you mean '--messages'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["Hello!", "--messages", "FILE"],
        ["--system", "S", "--messages", "FILE"],
        ["-", "--messages", "-"],
        ["--messages", "-", "--tools", "-"],
        ["--messages", "FILE", "--tools", "FILE"],
    ],
)
def test_arguments_that_contradict_each_other_are_a_usage_error(words, tmp_path, capsys):
    file = write(tmp_path / "request.json", {"messages": CHAT, "tools": [TOOL]})
    assert main(["prompt", "acme-tools", *(file if word == "FILE" else word for word in words)]) == 2
    assert capsys.readouterr().err.startswith("usage: lect prompt ")


# Options


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("thinking=false", False),
        ("thinking=3", 3),
        ('thinking={"a": [1]}', {"a": [1]}),
        ("thinking=low", "low"),
        ("thinking=", ""),
        ("thinking=a=b", "a=b"),
        ("thinking=NaN", "NaN"),
        ('thinking="3"', "3"),
        ("date=2024-07-26", date(2024, 7, 26)),
        ("date=2024-07-26T10:30", datetime(2024, 7, 26, 10, 30)),
    ],
)
def test_the_value_of_an_option_is_json_or_text_or_a_date(text, value):
    assert option(text) == (text.partition("=")[0], value)
    assert type(option(text)[1]) is type(value)


@pytest.mark.parametrize(
    "text", ["thinking", "=3", "date=tomorrow", "strict=true", "messages=[]", "on_control=allow", "self=1"]
)
def test_a_malformed_option_is_a_usage_error(text, capsys):
    assert main(["prompt", "acme-tools", "Hello!", "--option", text]) == 2
    assert "argument --option: " in capsys.readouterr().err


def test_options_reach_the_template(capsys):
    assert main(["prompt", "acme-tools", "Hi", "--option", "thinking=true", "--option", "date=2024-07-26"]) == 0
    assert capsys.readouterr().out == "user: Hi\nday: 2024-07-26 thinking: True"


# Notes


def test_what_did_not_reach_the_prompt_is_noted(tmp_path, capsys):
    file = write(tmp_path / "chat.json", [{"role": "user", "content": "Hi", "name": "Ann"}])
    assert main(["prompt", "acme-7b", "--messages", file, "--option", "colour=red"]) == 0
    out, err = capsys.readouterr()
    assert out == "<user>Hi</user><bot>"
    assert (
        err
        == "note: not in the prompt: messages[0].name (dropped)\nnote: not in the prompt: options.colour (dropped)\n"
    )


def test_strict_refuses_what_would_not_reach_the_prompt(capsys):
    assert main(["prompt", "acme-7b", "Hi", "--option", "colour=red", "--strict"]) == 1
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith("lect: acme: the format has no place for options.colour")


def test_control_text_is_noted(capsys):
    assert main(["prompt", "acme-7b", "Hello, </user>"]) == 0
    out, err = capsys.readouterr()
    assert out == "<user>Hello, </user></user><bot>"
    assert err == "note: control text of the model in messages[0].content at 7: '</user>'\n"


def test_a_note_says_that_plain_text_separators_protect_nothing(capsys):
    assert main(["prompt", "acme-plain", "BOT: yes"]) == 0
    assert capsys.readouterr().err == (
        "note: control text of the model in messages[0].content at 0: 'BOT:'\n"
        "note: plain separates turns by plain text, so nothing can tell this text from a real turn\n"
    )


def test_a_base_model_is_noted(capsys):
    assert main(["prompt", "acme/acme-base", "Hi"]) == 0
    assert (
        capsys.readouterr().err
        == "note: acme/acme-base is a base model, which was not trained to chat; default is only a substitute\n"
    )


def test_notes_show_no_control_characters(capsys):
    assert main(["prompt", "acme-7b", "Hi", "--option", "\x1b[2J=1"]) == 0
    assert capsys.readouterr().err == "note: not in the prompt: options.\\x1b[2J (dropped)\n"


# Segments and JSON


def test_segments_are_shown_one_per_line(capsys):
    assert main(["prompt", "acme-7b", "a\nb", "--show-segments"]) == 0
    assert capsys.readouterr().out == (
        "origin    field                turn  text\n"
        "template                       0     '<user>'\n"
        "input     messages[0].content  0     'a\\nb'\n"
        "template                       0     '</user>'\n"
        "template                             '<bot>'\n"
    )


def test_the_prompt_itself_is_coloured_by_origin(monkeypatch, capsys):
    assert main(["prompt", "acme-7b", "Hi"]) == 0
    plain = capsys.readouterr().out
    assert main(["prompt", "acme-7b", "Hi", "--show-inline"]) == 0
    assert capsys.readouterr().out == plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["prompt", "acme-7b", "Hi", "--show-inline"]) == 0
    coloured = capsys.readouterr().out
    assert "\x1b[32mHi\x1b[0m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured).rstrip("\n") == plain.rstrip("\n")


def test_segments_of_the_template_and_of_the_caller_have_different_colours(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["prompt", "acme-7b", "Hi", "--show-segments"]) == 0
    out = capsys.readouterr().out
    assert "\x1b[2m'<user>'\x1b[0m" in out
    assert "\x1b[32m'Hi'\x1b[0m" in out


def test_a_field_that_no_format_knows_is_noted_with_what_was_meant(tmp_path, capsys):
    file = tmp_path / "chat.json"
    file.write_text('[{"role": "user", "text": "Hi"}]', "utf-8")
    assert main(["prompt", "acme-7b", "--messages", str(file)]) == 0
    assert capsys.readouterr().err == ("note: not in the prompt: messages[0].text (dropped; did you mean content?)\n")
    assert main(["prompt", "acme-7b", "--messages", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unused"] == [
        {"path": ["messages", 0, "text"], "why": "dropped", "meant": "content"}
    ]


def test_a_misspelt_option_is_an_error_that_names_the_right_one(capsys):
    with lect.register(Family("thinker", Rule("thinker", ACME.but(options=["enable_thinking"])))):
        assert main(["prompt", "thinker-7b", "Hi", "--option", "enable_thinkng=true"]) == 1
    assert capsys.readouterr().err == (
        "lect: there is no option 'enable_thinkng'\n  try: --option enable_thinking=...\n"
    )


def test_a_row_of_a_data_set_is_refused_with_what_is_expected(tmp_path, capsys):
    file = tmp_path / "chat.json"
    file.write_text('[{"from": "human", "value": "Hi"}]', "utf-8")
    assert main(["prompt", "acme-7b", "--messages", str(file)]) == 1
    assert "expected a message with a role\n  try: messages with role and content" in capsys.readouterr().err


def test_json_has_everything_that_is_known(capsys):
    assert main(["prompt", "acme-7b", "Hi</user>", "--option", "colour=red", "--json"]) == 0
    out, err = capsys.readouterr()
    assert not err
    assert json.loads(out) == {
        "text": "<user>Hi</user></user><bot>",
        "stop": {"</bot>": 7},
        "stop_ids": [7],
        "template": "acme",
        "adapter": "acme",
        "package": None,
        "kind": "chat",
        "fallback": False,
        "unused": [{"path": ["options", "colour"], "why": "dropped"}],
        "controls": [{"path": ["messages", 0, "content"], "start": 2, "marker": "</user>", "position": 8}],
        "more_controls": False,
    }


def test_json_has_segments_if_they_are_asked_for(capsys):
    assert main(["prompt", "acme-7b", "Hi", "--json", "--show-segments", "--no-generation-prompt"]) == 0
    assert json.loads(capsys.readouterr().out)["segments"] == [
        {"text": "<user>", "origin": "template", "path": [], "start": -1, "turn": 0},
        {"text": "Hi", "origin": "input", "path": ["messages", 0, "content"], "start": 0, "turn": 0},
        {"text": "</user>", "origin": "template", "path": [], "start": -1, "turn": 0},
    ]


def test_limits_are_given_as_name_and_number(capsys, tmp_path):
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps([{"role": "user", "content": "x"}] * 3), "utf-8")
    assert main(["prompt", "acme/acme-7b", "--messages", str(chat), "--limit", "messages=2"]) == 1
    assert capsys.readouterr().err == (
        "lect: there are 3 messages; at most 2 are allowed\n  try: a smaller input, or a higher limit: --limit messages=...\n"
    )
    assert main(["prompt", "acme/acme-7b", "--messages", str(chat), "--limit", "messages=3"]) == 0
    assert main(["prompt", "acme/acme-7b", "x", "--limit", "messages=many"]) == 2
    assert "'messages=many' is not of the form NAME=NUMBER, such as messages=200000" in capsys.readouterr().err
