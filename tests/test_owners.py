"""Every command that writes files is refused where another owns them."""

import re
from argparse import ArgumentParser
from importlib import import_module

import pytest

import lect
from lect.cli import COMMANDS, installed, main
from lect.outputs import SUFFIX, owned

WRITING = {"output", "errors", "site", "into"}
"""The arguments that name what a command writes."""
NEEDED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
DATASET = ["dataset", "chats.jsonl", "--model", "lect:chatml"]
# What is run, and what it writes.
RUNS = {
    ("convert", "output"): (["convert", "lect:default", "--to", "fastchat", "--lossy", "-o", "out"], "out"),
    ("lock", "output"): (["lock", "lect:chatml", "-o", "out"], "out"),
    ("view", "output"): (["view", "lect:chatml", "Hello!", "-o", "out"], "out"),
    ("view", "site"): (["view", "--site", "out", "--pyodide", "pyodide"], "out/index.html"),
    ("new", "into"): (["new", "acme", "--into", "."], "lect-acme"),
    ("dataset", "output"): ([*DATASET, "-o", "out.jsonl"], "out.jsonl"),
    ("dataset", "errors"): ([*DATASET, "-o", "out.jsonl", "--errors", "bad.jsonl"], "bad.jsonl"),
}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "pyodide").mkdir()
    for name in NEEDED:
        (tmp_path / "pyodide" / name).write_bytes(b"")
    (tmp_path / "chats.jsonl").write_text('{"messages": [{"role": "user", "content": "Hi"}]}\n', "utf-8")
    return tmp_path


def test_every_command_that_writes_is_among_them():
    lect._registry.adapters.search = True
    found = set()
    for name in (*COMMANDS, *installed.names()):
        module = import_module(f"lect.cli.{name}") if name in COMMANDS else installed.command(name)
        parser = ArgumentParser()
        module.configure(parser)
        found |= {(name, action.dest) for action in parser._actions if action.dest in WRITING}
    assert found == RUNS.keys()


@pytest.mark.parametrize("run", RUNS, ids=" ".join)
def test_a_command_is_refused_while_another_owns_its_output(run, place, capsys):
    words, output = RUNS[run]
    if output == "out":
        (place / "out").rmdir()
    before = {path.name for path in place.rglob("*")}
    with owned(output):
        assert main(words) == 1
    out, said = capsys.readouterr()
    assert out == ""
    assert re.search("it is being written by ['\"]process ", said)
    # A folder for a page may be there already.
    assert {path.name for path in place.rglob("*")} - {"pyodide"} == before - {"pyodide"}
    main(words)
    assert (place / output).exists()
    assert not [*place.rglob(f"*{SUFFIX}")]
