"""Whatever a file, a plugin or a server calls things, and whatever a plugin prints: a terminal only shows it."""

import io
import json
import sys
import unicodedata
import warnings
from contextlib import suppress
from itertools import product

import pytest
from sampling import in_turn

import lect
from lect.cli import main
from lect.errors import LectError, PluginWarning
from lect.plugin import Family, Rule, Template, Turn, TurnTemplate
from lect_jinja.check import server
from lect_jinja.check.lock import locked

SEQUENCES = (
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x9b2J",
    "\x85",
    "\x7f",
    "\r",
    "\u202e",
    "\u2066",
    "\nFORGED",
    "\r\nFORGED",
)
NAMES = [f"na{sequence}me" for sequence in SEQUENCES]
DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
TURNS = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


@pytest.fixture
def shown(monkeypatch):
    """Run a command on a terminal; return what is written there, and to standard error."""

    def run(*words):
        # Not a terminal: there, a line that says how far it is would move the cursor.
        terminal, errors = Terminal(), io.StringIO()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", terminal)
            patched.setattr(sys, "stderr", errors)
            assert main(words) in (0, 1, 2)
        return f"{terminal.getvalue()}\n{errors.getvalue()}"

    return run


def check(seen):
    """Assert that a terminal obeys nothing in a text, and that no line is somebody else's."""
    assert seen.strip()
    for letter in seen:
        assert letter in "\n\t" or unicodedata.category(letter) != "Cc", ascii(seen)
        assert unicodedata.bidirectional(letter) not in DIRECTIONS, ascii(seen)
    assert not [line for line in seen.split("\n") if line.startswith("FORGED")], ascii(seen)


def write_model(place, name, text=TURNS, **config):
    directory = place / name
    directory.mkdir()
    (directory / "chat_template.jinja").write_text(text, "utf-8", newline="")
    (directory / "config.json").write_text(json.dumps(config), "utf-8")
    return str(directory)


# Files


def a_directory(place, name):
    path = write_model(place, name)
    return [["why", path], ["prompt", path, "Hi"], ["audit", path], ["verify", path], ["lock", path], ["doctor", path]]


def a_type_of_model(place, name):
    path = write_model(place, "model", model_type=name, architectures=[name], _name_or_path=name)
    return [["why", path], ["prompt", path, "Hi"], ["audit", path], ["verify", path]]


def an_error_of_a_template(place, name):
    path = write_model(place, "model", "{{ raise_exception(" + json.dumps(name) + ") }}")
    return [["prompt", path, "Hi"], ["why", path], ["audit", path], ["verify", path, "--model", "lect:chatml"]]


def a_text_of_a_template(place, name):
    path = write_model(place, "model", f"{TURNS}{{% if role == {json.dumps(name)} %}}{name}{{% endif %}}")
    verify = ["verify", path, "--model", "lect:chatml", "--requests", "20"]
    return [["prompt", path, "Hi"], ["audit", path], verify, [*verify, "--json"], ["diff", path, "lect:chatml"]]


def a_message(place, name):
    message = {"role": "user", "content": "Hi", name: name, "name": name}
    (place / "chat.json").write_text(json.dumps([message, {"role": name, "content": name}]), "utf-8")
    words = ["lect:chatml", "--messages", "chat.json"]
    return [["prompt", *words], ["prompt", *words, "--json"], ["view", *words, "-o", "out.html"]]


def a_row(place, name):
    rows = [
        {name: name},
        {"messages": [{"role": name, "content": "Hi"}]},
        {"messages": name, "tools": [{"name": name}]},
    ]
    (place / "chats.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (place / f"{name}.jsonl").write_text("{", "utf-8")
    words = ["--model", "lect:chatml", "--stats"]
    return [["dataset", "chats.jsonl", *words], ["dataset", f"{name}.jsonl", *words]]


def a_reply(place, name):
    call = json.dumps({"name": name, "arguments": {name: name}})
    (place / "reply.txt").write_text(f"<think>{name}</think><tool_call>{call}</tool_call><tool_call>", "utf-8")
    words = ["parse", "-", "reply.txt", "--format", "hermes"]
    return [words, [*words, "--follow"], [*words, "--json"]]


def a_template_file(place, name):
    (place / "template.json").write_text(json.dumps({"name": name, "SYSTEM": name, name: name}), "utf-8")
    return [["convert", "template.json", "--to", each] for each in ("fastchat", "xtuner", name)]


def a_lock(place, name):
    lock = json.loads(json.dumps(locked(["lect:chatml"])))
    row = lock["models"]["lect:chatml"]
    others = (
        {"models": {name: row}},
        {"models": {"lect:chatml": row | {"template": name}}},
        {"models": {"lect:chatml": row | {"stop": {name: None}, "markers": {name: 1}}}},
        {"models": {"lect:chatml": row | {"asked": row["asked"] | {"roles": [name]}}}},
        {"packages": {name: name}},
        {"version": name},
        {name: name},
    )
    for number, other in enumerate(others):
        (place / f"{number}.lock").write_text(json.dumps(lock | other), "utf-8")
    files = [f"{number}.lock" for number in range(len(others))]
    return [["verify", "--lock", file, *more] for file, more in product(files, ([], ["--json"]))]


FILES = [
    a_directory, a_type_of_model, an_error_of_a_template, a_text_of_a_template, a_message, a_row, a_reply,
    a_template_file, a_lock,
]  # fmt: skip


@pytest.mark.parametrize("made", FILES)
@pytest.mark.parametrize("name", in_turn(NAMES, 3), ids=ascii)
def test_names_in_files(made, name, place, shown):
    for words in made(place, name):
        check(shown(*words))


# Plugins


@pytest.mark.parametrize("name", in_turn(NAMES, 8), ids=ascii)
def test_names_of_plugins(name, shown):
    turn = Turn("<{role}>", "</s>")
    for family, template, marker in ((name, "acme", ""), ("acme", name, ""), ("acme", "acme", name)):
        with suppress(LectError):
            made = TurnTemplate(template, user=turn, assistant=Turn("<bot>", f"</s>{marker}"), stop=[f"</s>{marker}"])
            with lect.register(Family(family, Rule("acme * chat", made))):
                for words in (["why", "acme/acme-chat"], ["templates"], ["plugins"], ["doctor"], ["families"]):
                    check(shown(*words))
                check(shown("prompt", "acme/acme-chat", "Hi", "--show-segments"))
                check(shown("diff", "acme/acme-chat", "lect:chatml"))


@pytest.mark.parametrize("name", [f"na{each}me" for each in SEQUENCES if "\n" not in each], ids=ascii)
@pytest.mark.parametrize(
    "say",
    [
        lambda name: sys.stdout.write(name),
        lambda name: sys.stderr.write(name),
        lambda name: sys.stdout.writelines([name, name]),
        lambda name: sys.stdout.buffer.write(name.encode()),
        lambda name: sys.stderr.buffer.write(name.encode("latin-1", "replace")),
        lambda name: warnings.warn(name, UserWarning, stacklevel=1),
        lambda name: warnings.warn(name, PluginWarning, stacklevel=1),
        lambda name: [][name],
    ],
    ids=[
        "write",
        "to standard error",
        "lines",
        "bytes",
        "bytes to standard error",
        "warn",
        "warn of a plugin",
        "raise",
    ],
)
def test_what_plugins_say(say, name, shown):
    def program(chat, out):
        say(name)
        out += "Hi"

    with warnings.catch_warnings(), lect.register(Family("acme", Rule("acme * chat", Template("acme", program)))):
        warnings.simplefilter("always")
        for words in (["prompt", "acme/acme-chat", "Hi"], ["diff", "acme/acme-chat", "lect:chatml"]):
            check(shown(*words))


# Servers


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_of_servers(name, monkeypatch, shown):
    def ask(_, request):
        answers = {"prompt": name, "data": [{"id": name}], "tokens": [{"piece": name}]}
        return server._Answer(200, answers)

    monkeypatch.setattr(server.Server, "_ask", ask)
    for more in (
        [],
        ["--model", "lect:chatml", "--requests", "5"],
        ["--model", "lect:chatml", "--requests", "5", "--json"],
    ):
        check(shown("verify", "--server", "http://127.0.0.1:1", *more))
