"""The command line under bad conditions: the right output or a one-line error, never a traceback."""

import contextlib
import errno
import json
import os
import subprocess
import sys
import unicodedata

import pytest
from counting import HANGS

from lect.cli import main

if sys.platform == "win32":
    pytest.skip("needs Unix shells and terminals", allow_module_level=True)

PROMPT = ["prompt", "acme/chatty", "Hé!", "--adapter", "chatml"]
RENDERED = "<|im_start|>user\nHé!<|im_end|>\n<|im_start|>assistant\n"
PARSE = ["parse", "-", "reply.txt", "--format", "think"]
FEW = {"prompt": PROMPT, "parse": PARSE, "follow as JSON": [*PARSE, "--follow", "--json"], "help": ["why", "--help"]}
COMMANDS = FEW | {
    "prompt as JSON": [*PROMPT, "--json"],
    "follow": [*PARSE, "--follow"],
    "why": ["why", "acme/chatty", "--adapter", "chatml"],
    "families": ["families"],
    "plugins": ["plugins"],
    "templates": ["templates"],
    "doctor": ["doctor"],
    "version": ["--version"],
}
# No plugin is allowed: doctor would load them all.
ENVIRON = {
    name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LECT_", "LC_", "LANG"))
} | {"LC_ALL": "C.UTF-8", "LECT_LOAD_PLUGINS": "", "NO_COLOR": "1"}


def run(commands, redirection="", *, stdout=subprocess.PIPE, **environ):
    """Run each command in a process of its own, all at once; return the exit code, output and errors of each."""
    shell = ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh"] if redirection else []
    processes = {
        name: subprocess.Popen(
            [*shell, sys.executable, "-m", "lect", *words],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=ENVIRON | environ,
        )
        for name, words in commands.items()
    }
    done = {}
    for name, process in processes.items():
        out, err = process.communicate(timeout=HANGS)
        done[name] = process.returncode, (out or b"").decode(), err.decode()
    return done


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory):
    """The working directory, with the reply in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("conditions"))
        with open("reply.txt", "w", encoding="utf-8") as file:
            file.write("<think>Hm.</think>Hé!\n")
        yield


@pytest.fixture(scope="module")
def usual(folder):
    """What some commands do when all is well."""
    done = run(FEW)
    assert done["prompt"] == (0, RENDERED, "")
    assert {(code, err) for code, _, err in done.values()} == {(0, "")}
    return done


# Streams

full_disk = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")


@pytest.mark.parametrize(
    ("commands", "redirection", "number", "environ"),
    [
        (COMMANDS, ">&-", errno.EBADF, {}),
        pytest.param(FEW, ">/dev/full", errno.ENOSPC, {}, marks=full_disk),
        pytest.param(FEW, ">/dev/full", errno.ENOSPC, {"PYTHONUNBUFFERED": "1"}, marks=full_disk),
    ],
    ids=["closed", "full", "full-unbuffered"],
)
def test_output_that_cannot_be_written_is_one_line(commands, redirection, number, environ):
    line = f"lect: cannot write to standard output: {os.strerror(number)}\n"
    assert run(commands, redirection, **environ) == dict.fromkeys(commands, (1, "", line))


def test_a_closed_pipe_is_not_an_error():
    reader, writer = os.pipe()
    os.close(reader)
    assert run(FEW, stdout=writer) == dict.fromkeys(FEW, (0, "", ""))
    os.close(writer)


@pytest.mark.parametrize("redirection", ["2>&-", pytest.param("2>/dev/full", marks=full_disk)])
def test_without_standard_error_output_and_exit_code_are_the_same(redirection):
    commands = {
        "note": [*PROMPT, "--option", "colour=red"],
        "unknown": ["prompt", "acme/chatty", "Hé!"],
        "usage": ["why"],
        "nothing": [],
    }
    assert run(commands, redirection) == {
        "note": (0, RENDERED, ""),
        "unknown": (1, "", ""),
        "usage": (2, "", ""),
        "nothing": (2, "", ""),
    }


def test_a_missing_standard_input_is_an_error_only_if_it_is_read(usual):
    from_stdin = {
        "prompt from stdin": ["prompt", "acme/chatty", "--adapter", "chatml"],
        "parse from stdin": ["parse", "-", "--format", "think"],
    }
    line = f"lect: cannot read standard input: {os.strerror(errno.EBADF)}\n"
    assert run(FEW | from_stdin, "<&-") == usual | dict.fromkeys(from_stdin, (1, "", line))


@pytest.mark.parametrize("redirection", ["<&- >&- 2>&-", pytest.param(">/dev/full 2>&1", marks=full_disk)])
def test_without_any_stream_the_exit_code_is_right(redirection):
    commands = {"prompt": PROMPT, "usage": ["why"]}
    assert run(commands, redirection) == {"prompt": (1, "", ""), "usage": (2, "", "")}


# Environment


@pytest.mark.parametrize(
    "environ",
    [
        {"LC_ALL": "C"},
        # Python then decodes arguments as ASCII.
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
    ],
    ids=["C", "C-without-utf-8", "ascii"],
)
def test_in_any_locale_programs_get_utf_8_and_people_what_it_can_encode(environ, usual):
    done = run(FEW, **environ)
    code, out, err = done.pop("parse")
    assert (code, out.replace(r"\xe9", "é"), err) == usual["parse"]
    assert done == {name: usual[name] for name in done}


def test_neither_a_working_directory_nor_a_home_is_needed(tmp_path, monkeypatch, usual):
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    monkeypatch.delitem(ENVIRON, "HOME", raising=False)
    done = run({"prompt": PROMPT, "help": FEW["help"], "doctor": COMMANDS["doctor"]})
    assert done["doctor"][0::2] == (0, "")
    assert (done["prompt"], done["help"]) == (usual["prompt"], usual["help"])


# Terminals

HOSTILE = "Hé!\x1b[2J\x9b2J\x85\u202edlrow\u2066\x07\x7f"


def harmless(text):
    """Return whether a terminal shows a text and does nothing else."""
    directions = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return all(
        letter == "\n" or (unicodedata.category(letter) != "Cc" and unicodedata.bidirectional(letter) not in directions)
        for letter in text
    )


def on_terminal(words, **environ):
    """Return what a command writes to a terminal."""
    terminal, other_end = os.openpty()
    done = run({"it": words}, stdout=other_end, **environ)
    os.close(other_end)
    seen = b""
    # On Linux, the end is an error.
    with contextlib.suppress(OSError):
        while more := os.read(terminal, 65_536):
            seen += more
    os.close(terminal)
    assert done == {"it": (0, "", "")}
    return seen.decode().replace("\r\n", "\n")


SAY = ["prompt", "acme/chatty", HOSTILE, "--adapter", "chatml"]
HEAR = ["parse", "-", "hostile.txt", "--format", "plain"]


@pytest.fixture
def hostile_reply():
    with open("hostile.txt", "w", encoding="utf-8") as file:
        file.write(HOSTILE)


@pytest.mark.usefixtures("hostile_reply")
@pytest.mark.parametrize(
    "words",
    [SAY, [*SAY, "--show-segments"], HEAR, [*HEAR, "--follow"]],
    ids=["prompt", "segments", "parse", "follow"],
)
def test_a_terminal_gets_no_control_sequences(words):
    seen = on_terminal(words)
    assert "Hé!\\x1b[2J" in seen
    assert harmless(seen)


@pytest.mark.usefixtures("hostile_reply")
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize(
    ("words", "key"),
    [([*SAY, "--json"], "text"), ([*HEAR, "--json"], "content"), ([*HEAR, "--follow", "--json"], "text")],
    ids=["prompt", "parse", "follow"],
)
def test_json_on_a_terminal_is_harmless_and_reads_back(words, key, encoding):
    seen = on_terminal(words, PYTHONIOENCODING=encoding)
    assert harmless(seen)
    value, _ = json.JSONDecoder().raw_decode(seen)
    assert HOSTILE in value[key]


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    "words",
    [
        ["why", HOSTILE],
        ["prompt", "acme/chatty", "Hé!", "--adapter", HOSTILE],
        ["parse", "-", "--format", HOSTILE],
        ["parse", "-", HOSTILE, "--format", "plain"],
        [*PROMPT, "--option", HOSTILE],
        [*PROMPT, "--option", f"{HOSTILE}=1"],
        [HOSTILE],
        ["why", "acme/chatty", f"--{HOSTILE}"],
    ],
    ids=["model", "adapter", "format", "file", "option", "unused", "command", "usage"],
)
def test_messages_about_a_hostile_name_are_harmless(words, capsys):
    assert main(words) in (0, 1, 2)
    err = capsys.readouterr().err
    assert "[2J" in err
    assert harmless(err)


# Arguments

NOT_UTF_8 = os.fsdecode(b"caf\xe9")


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("TEXT", ["prompt", "acme/chatty", NOT_UTF_8]),
        ("--system", ["prompt", "acme/chatty", "Hé!", "--system", NOT_UTF_8]),
        ("--option", ["prompt", "acme/chatty", "Hé!", "--option", NOT_UTF_8]),
        ("--stop", ["parse", "-", "--format", "think", "--stop", NOT_UTF_8]),
        ("MODEL", ["why", NOT_UTF_8]),
    ],
)
def test_an_argument_that_is_not_utf_8_is_a_usage_error(argument, words, capsys):
    assert main(words) == 2
    assert capsys.readouterr().err.endswith(f"error: argument {argument}: 'caf\\udce9' is not in UTF-8\n")


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are UTF-8 there")
def test_a_file_may_have_a_name_that_is_not_utf_8(capsys):
    os.link("reply.txt", NOT_UTF_8)
    assert main(["parse", "-", NOT_UTF_8, "--format", "think"]) == 0
    assert capsys.readouterr().out == "reasoning\n  Hm.\ncontent\n  Hé!\nended: reason unknown\n"


@pytest.mark.parametrize("words", [["--tools", "-"], ["reply.txt", "--tools", "-", "--prompt", "-"]])
def test_standard_input_is_read_for_one_argument_only(words, capsys):
    assert main(["parse", "-", "--format", "think", *words]) == 2
    assert "only one of FILE, --tools and --prompt can be -, standard input" in capsys.readouterr().err


LONG = "x" * 100_000


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    "words",
    [
        ["why", LONG],
        [*PROMPT, "--option", LONG],
        [*PROMPT, "--option", f"date={LONG}"],
        ["parse", "-", LONG, "--format", "think"],
        [*PARSE, "--stop", LONG],
        [LONG],
    ],
    ids=["model", "option", "date", "file", "stop", "command"],
)
def test_a_long_argument_that_is_refused_is_not_repeated(words, capsys):
    assert main(words) in (1, 2)
    assert len(capsys.readouterr().err) < 1_000
