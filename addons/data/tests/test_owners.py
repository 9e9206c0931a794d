"""Two runs on one output: the first has it alone, whatever either was asked for, and whenever the second comes.

The first is held where it stands by a pipe, so that the two always meet at the same moment.
"""

import json
import os
import re
import signal
import subprocess
import sys
from itertools import product

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sampling import in_turn

from lect.cli import main
from lect.outputs import SUFFIX
from lect_data import files

MODEL = "lect:chatml"
ROWS = [
    {"messages": [{"role": "user", "content": f"Is it {n}?"}, {"role": "assistant", "content": "No." * n}]}
    for n in range(20)
]
# What is run in a process of its own: it tells that it has come to a moment, and waits there.
HELD = """
import sys
from importlib import import_module
from lect.cli import main
from lect_data import files

place, number, *words = sys.argv[1:]
files.ROWS = 4
module, name = place.split(":")
*owner, name = name.split(".")
holder = import_module(module)
for each in owner:
    holder = getattr(holder, each)
plain, left = getattr(holder, name), [int(number)]

def held(*given, **named):
    if not left[0]:
        print("here", file=sys.__stderr__, flush=True)
        sys.stdin.readline()
    left[0] -= 1
    return plain(*given, **named)

setattr(holder, name, held)
sys.exit(main(words))
"""
MOMENTS = {
    "before it reads": ("lect_data.files:find", 0),
    "before the first step": ("lect_data.staging:Staging.write", 0),
    "after two steps": ("lect_data.staging:Staging.write", 2),
    "before the end": ("lect_data.staging:Staging.finish", 0),
    "while the result is written": ("lect_data.staging:_check_count", 0),
}
PACK = ["--pack", "128"]
FIRST = (("out.parquet", []), ("out.arrow", []), ("out.arrow", PACK), ("out.jsonl", PACK))
SECOND = ([], ["--restart"], ["--resume"], ["--restart", "--max-length", "40"])


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch, directory):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "ROWS", 4)
    for name, rows in (("one.jsonl", ROWS[:10]), ("two.jsonl", ROWS[10:])):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return tmp_path


@pytest.fixture
def words(directory):
    return lambda name, *more: ["dataset", name, "--model", MODEL, "--tokenizer", str(directory), *more]


@pytest.fixture
def held():
    started = []

    def hold(place, number, words):
        command = [sys.executable, "-c", HELD, place, str(number), *words]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stderr.readline() == "here\n"
        return process

    yield hold
    for process in started:
        process.kill()
        process.communicate()


def let_go(process):
    _, said = process.communicate("\n")
    return process.returncode, said


def numbers(path):
    """Return the rows that are in a file, of whatever kind."""
    if path.endswith(".jsonl"):
        with open(path, encoding="utf-8") as file:
            rows = [json.loads(line)["row"] for line in file]
    else:
        table = pq.read_table(path) if path.endswith(".parquet") else pa.ipc.open_stream(path).read_all()
        rows = table.column("row").to_pylist()
    return sorted(number for row in rows for number in (row if isinstance(row, list) else [row]))


@pytest.mark.parametrize(
    ("moment", "output", "first"), in_turn([(moment, *each) for moment in MOMENTS for each in FIRST], 5)
)
def test_all_others_are_refused_while_one_runs(words, held, moment, output, first, capsys):
    process = held(*MOMENTS[moment], words("one.jsonl", *first, "-o", output))
    owner = rf"it is being written by ['\"]process {process.pid} on .*, since \d{{4}}-.*dataset.*\n  try: again when"
    for second, path in product(SECOND, (output, os.path.abspath(output))):
        assert main(words("two.jsonl", *second, "-o", path)) == 1
        out, said = capsys.readouterr()
        assert out == ""
        assert re.search(owner, said)
    assert let_go(process) == (0, "")
    assert numbers(output) == [*range(10)]
    assert {*os.listdir()} == {"one.jsonl", "two.jsonl", output}


@pytest.mark.parametrize("moment", in_turn(MOMENTS, 3))
def test_a_file_of_errors_has_one_owner_too(words, held, moment, capsys):
    process = held(*MOMENTS[moment], words("one.jsonl", "-o", "one.parquet", "--errors", "errors.jsonl"))
    assert main(words("two.jsonl", "-o", "two.parquet", "--errors", "errors.jsonl")) == 1
    assert "cannot write 'errors.jsonl': it is being written by" in capsys.readouterr().err
    assert let_go(process) == (0, "")
    assert {*os.listdir()} == {"one.jsonl", "two.jsonl", "one.parquet", "errors.jsonl"}


def test_two_outputs_of_one_run_are_two_files(words, capsys):
    assert main(words("one.jsonl", "-o", "out.jsonl", "--errors", "./out.jsonl")) == 2
    assert "-o and --errors name the same file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("moment", "output", "more"), in_turn([(moment, *each) for moment in MOMENTS for each in FIRST[2:]], 4)
)
def test_a_run_that_was_killed_is_taken_over(words, held, moment, output, more, capsys):
    assert main(words("one.jsonl", *more, "-o", f"whole-{output}")) == 0
    process = held(*MOMENTS[moment], words("one.jsonl", *more, "-o", output))
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert os.path.exists(output + SUFFIX)
    capsys.readouterr()
    assert main(words("one.jsonl", *more, "-o", output, "--resume")) == 0
    said = capsys.readouterr().err
    assert said.startswith(f"note: '{output}' is taken over from 'process {process.pid} on ")
    assert "which has ended" in said
    assert not os.path.exists(output + SUFFIX)
    with open(output, "rb") as file, open(f"whole-{output}", "rb") as whole:
        assert file.read() == whole.read()


@pytest.mark.parametrize(("output", "more"), FIRST)
def test_a_result_with_other_rows_gets_no_name(words, monkeypatch, output, more, capsys):
    monkeypatch.setattr("lect_data.tally.Tally.add", lambda tally, rows, *_: setattr(tally, "rows", tally.rows + rows))
    assert main(words("one.jsonl", "-o", output, *more)) == 1
    assert "has 10 rows, and 0 were written" in capsys.readouterr().err
    assert not os.path.exists(output)
