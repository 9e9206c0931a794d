"""What the command line says is phrased for the command line, and helpful."""

import re
from pathlib import Path

import pytest
from installs import install, registry_of

import lect
from lect.cli import COMMANDS, main
from lect.cli.wording import reword
from lect.errors import did_you_mean, near_names
from lect.plugin import CHATML, Family, Rule, Turn, TurnTemplate
from lect.plugin.grammar import Grammar, ReplyFormat

ACME = TurnTemplate("acme", user=Turn("<user>"), assistant=Turn("<bot>"), stop=["</bot>"])
SOURCES = Path(lect.__file__).parent
PYTHON = re.compile(r"lect\.\w+\(|get_\w+\(|\b[a-z_]+=(?:True|False|'|\{)|\bargument\b")
"""What only a Python program can do."""


@pytest.fixture(autouse=True)
def acme(registry):
    lect.register(Family("acme", Rule("acme", ACME)))


def said(capsys, *words, code=1):
    assert main(list(words)) == code
    out, err = capsys.readouterr()
    return out + err


# The command that was typed


@pytest.mark.parametrize("command", COMMANDS)
def test_advice_to_run_the_command_that_is_being_run_is_left_out(command):
    message = (
        f"it failed\n  try: lect {command}\n   or: lect {command} acme\n   or: something else\n   or: lect {command}x"
    )
    assert reword(message, command) == f"it failed\n  try: something else\n   or: lect {command}x"
    assert reword(f"it failed\n  try: lect {command}", command) == "it failed"
    assert reword(message, "other") == message


@pytest.mark.parametrize("more", [[], ["--json"], ["--all"]])
def test_why_does_not_suggest_why(capsys, more):
    text = said(capsys, "why", "nobody/knows-it", *more)
    assert "lect why" not in text
    assert "lect:chatml in its place" in text
    assert "lect why nobody/knows-it" in said(capsys, "prompt", "nobody/knows-it", "Hello!")


def test_doctor_does_not_suggest_doctor(site, monkeypatch, capsys):
    install(site, "voice-broken", "broken", "raise RuntimeError('closed')", hints=["x"])
    install(site, "voice-mute", "", "MUTE = 3\n", replies=["mute"])
    monkeypatch.setattr(
        lect, "_registry", registry_of("voice-broken", "voice-mute", environ={"LECT_PINS": "a/*=voice-broken:broken"})
    )
    text = said(capsys, "doctor")
    assert "the pin a/*=voice-broken:broken" in text
    assert "lect doctor" not in text
    assert "lect doctor" in said(capsys, "prompt", "a/b", "Hello!")


# The name that was given


def test_a_name_is_never_suggested_for_itself():
    assert near_names("acme", ["acme", "acme2", "other"]) == ["acme2"]
    assert near_names("acme", ["acme"]) == []
    assert near_names(3, ["acme"]) == []
    assert near_names("acm" * 10**6, ["acme"]) == []
    assert did_you_mean([], "see the list") == "see the list"
    assert did_you_mean(["a", "b"], "see the list") == "did you mean 'a' or 'b'?"


def test_only_one_module_looks_for_near_names():
    used = [path.name for path in SOURCES.rglob("*.py") if "get_close_matches" in path.read_text("utf-8")]
    assert used == ["errors.py"]


@pytest.mark.parametrize(
    "words",
    [
        ["prompt", "acme-7b", "Hello!", "--adapter", "palace"],
        ["prompt", "nobody/knows", "Hello!", "--default", "boast:palace"],
        ["parse", "-", "--format", "thnik"],
        ["formats", "plan"],
        ["plugins", "bost"],
    ],
)
def test_no_command_suggests_what_it_was_given(site, monkeypatch, capsys, words):
    install(
        site,
        "voice-boast",
        "boast",
        "from lect.plugin import Family\nadapter = Family('b')\n",
        templates=["palace", "palace-2"],
    )
    monkeypatch.setattr(lect, "_registry", registry_of("voice-boast"))
    monkeypatch.setattr("sys.stdin", None)
    suggested = re.findall(r"did you mean (.*)\?", said(capsys, *words))
    assert suggested
    assert repr(words[-1]) not in suggested[0].split(" or ")


# Python


def test_errors_name_options_of_the_command_line(tmp_path, monkeypatch, capsys):
    lect.register(Family("rival", Rule("acme", CHATML)))
    heard = [Family(name, Rule("heard", ReplyFormat(Grammar(name), names=name))) for name in ("loud", "quiet")]
    for family in heard:
        lect.register(family)
    (tmp_path / "chat.json").write_text('[{"role": "user", "content": "Hi"}]')
    monkeypatch.chdir(tmp_path)
    cases = {
        "lect:chatml in its place": ["prompt", "nobody/knows", "Hello!"],
        "--adapter rival": ["prompt", "acme-7b", "Hello!"],
        "--strict": ["prompt", "acme-7b", "--adapter", "acme", "Hello!", "--strict", "--option", "odd=3"],
        "--limit messages=...": ["prompt", "chatml-7b", "--default", "chatml", "Hello!", "--limit", "messages=0"],
        "--generation-prompt": [
            "prompt",
            "acme-7b",
            "--adapter",
            "acme",
            "Hi",
            "--option",
            "ad_generation_prompt=true",
        ],
        "--continue": ["prompt", "acme-7b", "--adapter", "acme", "--messages", "chat.json", "--continue"],
        "--format loud or --format quiet": ["parse", "heard-7b", "chat.json"],
        "lect formats": ["parse", "-", "chat.json", "--format", "zzz"],
    }
    for expected, words in cases.items():
        text = said(capsys, *words)
        assert expected in text
        assert not PYTHON.search(text), text


@pytest.mark.parametrize(
    ("python", "here"),
    [
        ("./name for a directory, or adapter='chatml'", "./name for a directory, or --adapter chatml"),
        ("default='chatml'", "--default chatml"),
        ("notation='jinja', to learn what is wrong with it", "--notation jinja, to learn what is wrong with it"),
        (
            "limits={'depth': 200}, if you trust the template",
            "lect_jinja.load('./...', limits={'depth': 200}) in Python, if you trust the template",
        ),
        ("lect.pin('acme-7b', 'lect-acme:acme')", "--adapter lect-acme:acme"),
        ("limits={'bytes': ...}", "--limit bytes=..."),
        ("limits=...", "--limit"),
        ("tools=...", "--tools"),
        ("add_generation_prompt=...", "--generation-prompt"),
        ("LECT_PINS='acme/*=acme'", "LECT_PINS='acme/*=acme'"),
    ],
)
def test_advice_for_python_is_translated_into_options(python, here):
    assert reword(f"no\n  try: {python}", "prompt") == f"no\n  try: {here}"


def test_reasons_name_options_of_the_command_line(capsys):
    assert "\n  because     --adapter\n" in said(capsys, "why", "acme-7b", "--adapter", "chatml", code=0)
    assert "overruled  by --adapter\n" in said(capsys, "why", "acme-7b", "--adapter", "chatml", code=0)
