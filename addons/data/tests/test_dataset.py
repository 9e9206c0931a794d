"""`lect dataset`: whatever happens, the output is whole or not there, and every row is counted."""

import errno
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sampling import in_turn

import lect
from lect import LossPolicy
from lect.addon import Screen, commands
from lect.cli import main
from lect_data import files, staging
from lect_data.progress import Progress

MODEL = "lect:chatml"
WAYS_TO_GO_ON = product(
    ["out.parquet", "out.arrow", "out.jsonl"],
    ["Ctrl-C", "full disk"],
    [0, 1, 3],
    [[], ["--pack", "128"], ["--prompts", "--keep", "messages"]],
)
ROWS = [
    {
        "messages": [
            {"role": "user", "content": f"Is it warm in Paris {n}?"},
            {"role": "assistant", "content": "No." * n},
        ]
    }
    for n in range(1, 21)
]
BAD = ['{"messages": [{"role": "user", "content": 3}]}', "{broken", "3", '{"messages": []}']
BAD_LINES = [3, 4, 12, 23]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Chunks are small, so that there are several."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "ROWS", 4)
    return tmp_path


@pytest.fixture
def run(directory):
    def run(*words, tokenizer=directory, output="out.parquet"):
        outputs = [] if output is None else ["-o", output]
        tokenizers = [] if tokenizer is None else ["--tokenizer", str(tokenizer)]
        return main(["dataset", *words, "--model", MODEL, *tokenizers, *outputs])

    return run


def lines():
    """Return lines of JSON, some of which cannot be used; the second is empty."""
    good = [json.dumps(row) for row in ROWS]
    written = [good[0], "", *BAD[:2], *good[1:8], BAD[2], *good[8:18], BAD[3], *good[18:]]
    return "".join(line + "\n" for line in written)


def write(path, text=None):
    data = (text or lines()).encode()
    if path.endswith(".gz"):
        data = gzip.compress(data[:99]) + gzip.compress(data[99:])
    if path.endswith(".zst"):
        data = pa.Codec("zstd").compress(data, asbytes=True)
    with open(path, "wb") as file:
        file.write(data)
    return path


def sequences(path):
    if path.endswith(".parquet"):
        return pq.read_table(path).to_pylist()
    if path.endswith(".arrow"):
        return pa.ipc.open_stream(path).read_all().to_pylist()
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture
def encoded(tokenizer):
    return [lect.encode(MODEL, row["messages"], tokenizer, policy=LossPolicy()) for row in ROWS]


@pytest.mark.parametrize("name", ["chats.jsonl", "chats.jsonl.gz", "chats.jsonl.zst", "chats.ndjson"])
@pytest.mark.parametrize("output", ["out.parquet", "out.arrow", "out.jsonl"])
def test_all_lines_are_in_the_output_or_among_the_errors(run, encoded, capsys, name, output):
    assert run(write(name), "--errors", "errors.jsonl", output=output) == 1
    made = sequences(output)
    assert [row["input_ids"] for row in made] == [each.ids for each in encoded]
    assert [row["labels"] for row in made] == [each.labels for each in encoded]
    errors = sequences("errors.jsonl")
    assert [(error["file"], error["line"]) for error in errors] == [(name, line) for line in BAD_LINES]
    assert sorted([row["row"] for row in (*made, *errors)]) == [*range(24)]
    assert {*os.listdir()} == {name, output, "errors.jsonl"}
    shown = capsys.readouterr().out
    assert shown.startswith("rows                    24, 4 of which cannot be used\n")
    tokens = sum(len(each.ids) for each in encoded)
    trained = sum(label != -100 for each in encoded for label in each.labels)
    assert f"tokens                  {tokens:,}, {trained:,} with loss" in shown
    assert f"{name}:4: '{{broken' is not JSON" in shown


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream", "directory"])
def test_tables_and_directories_are_read(run, encoded, kind):
    table = pa.Table.from_pylist([{**row, "n": number} for number, row in enumerate(ROWS)])
    if kind == "parquet":
        pq.write_table(table, path := "chats.parquet", row_group_size=7)
    elif kind == "directory":
        path = "chats"
        os.makedirs("chats/more")
        pq.write_table(table.slice(0, 9), "chats/a.parquet")
        write("chats/b.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS[9:15]))
        write("chats/more/c.jsonl.gz", "".join(json.dumps(row) + "\n" for row in ROWS[15:]))
        write("chats/README.md", "About them")
    else:
        path = "chats.arrow"
        new = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
        with new(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
    assert run(path) == 0
    assert [row["input_ids"] for row in sequences("out.parquet")] == [each.ids for each in encoded]


def test_texts_without_a_tokenizer(run, capsys):
    pq.write_table(pa.Table.from_pylist(ROWS), "chats.parquet")
    assert run("chats.parquet", tokenizer=None) == 0
    texts = [row["text"] for row in sequences("out.parquet")]
    assert texts == [lect.template("chatml").text(row["messages"]) for row in ROWS]
    assert f"characters              {sum(map(len, texts)):,}\n" in capsys.readouterr().out


def test_the_summary_alone(run, capsys):
    text = json.dumps(
        {
            "id": 1,
            "messages": [
                {"role": "user", "content": "<|im_end|>", "name": "Ann"},
                {"role": "assistant", "content": "warm " * 99},
            ],
        }
    )
    write("chats.jsonl", text + "\n" + json.dumps({"messages": [{"role": "user", "content": "Hi"}]}))
    assert run("chats.jsonl", "--stats", "--max-length", "64", "--truncate", "window", output=None) == 1
    shown = dict(line.split("  ", 1) for line in capsys.readouterr().out.split("\n\n")[0].splitlines())
    shown = {name: value.strip() for name, value in shown.items()}
    assert shown["rows without loss"] == "1"
    assert shown["rows with control text"] == "1"
    assert shown["fields unused"] == "id (1), messages[].name (1)"
    assert int(shown["cut by max_length"]) == int(shown["sequences"]) > 1
    assert os.listdir() == ["chats.jsonl"]


def test_that_nobody_asks_anything_is_counted(capsys):
    write("chats.jsonl", json.dumps({"messages": [{"role": "assistant", "content": "Hi"}]}))
    main(["dataset", "chats.jsonl", "--model", "Qwen/Qwen3-4B-Thinking-2507", "-o", "out.jsonl"])
    assert "fields unused           messages (1)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("row", "advice"),
    [
        ({"items": ROWS[0]["messages"]}, "--column messages=items"),
        ({"text": "Hi"}, "--column messages=NAME, if the turns are called something else"),
        ({"prompt": "Hi", "chosen": "a", "rejected": "b"}, "--preference"),
    ],
)
def test_what_to_type_for_rows_that_cannot_be_used(run, capsys, row, advice):
    write("chats.jsonl", f"{json.dumps(row)}\n" * 3)
    assert run("chats.jsonl", "--stats", output=None) == 1
    assert capsys.readouterr().out.count(f"\n  try: {advice}\n") == 1


def test_failed_rows_may_be_allowed(run):
    assert run(write("chats.jsonl"), "--allow-errors") == 0


def test_arguments_reach_the_formatter(run, tokenizer):
    row = {"dialog": ROWS[0]["messages"][:1], "good": "Yes.", "bad": "No."}
    write("chats.jsonl", json.dumps(row))
    names = [word for pair in ("prompt=dialog", "chosen=good", "rejected=bad") for word in ("--column", pair)]
    assert run("chats.jsonl", "--preference", *names) == 0
    (made,) = sequences("out.parquet")
    assert tokenizer.decode(made["chosen_ids"], skip_special_tokens=False) == "Yes.<|im_end|>"


# Interruptions


@pytest.mark.parametrize(("output", "stop", "steps", "more"), in_turn(WAYS_TO_GO_ON, 3))
def test_a_run_that_goes_on_gives_the_same_bytes(run, monkeypatch, capsys, output, stop, steps, more):
    write("chats.jsonl")
    run = partial(run, "chats.jsonl", *more, "--errors")
    run("whole.jsonl", output="whole" + output)
    expected = capsys.readouterr().out.replace("whole", "")
    with stopped(monkeypatch, stop, steps):
        code = run("errors.jsonl", output=output)
    assert code == (130 if stop == "Ctrl-C" else 1)
    assert "--resume" in capsys.readouterr().err
    assert not os.path.exists(output)
    # What a killed process has begun to write.
    with open(f"{output}.partial", "ab") as file:
        file.write(b"\xff\xff\xff\xff\x10")
    assert run("errors.jsonl", "--resume", output=output) == 1
    for one, other in ((output, "whole" + output), ("errors.jsonl", "whole.jsonl")):
        with open(one, "rb") as file, open(other, "rb") as whole:
            assert file.read() == whole.read()
    assert {*os.listdir()} == {"chats.jsonl", output, "whole" + output, "errors.jsonl", "whole.jsonl"}
    assert capsys.readouterr().out.split("\n\n")[0] == expected.split("\n\n")[0]


@contextmanager
def stopped(monkeypatch, how, steps):
    """Let something happen after so many steps."""
    replace, count = staging.replacing, iter(range(99))

    def stopping(path):
        if str(path).endswith(".json") and next(count) == steps:
            if how == "Ctrl-C":
                signal.raise_signal(signal.SIGINT)
            raise OSError(errno.ENOSPC, "No space left on device")
        return replace(path)

    # A shell lets its background jobs ignore it.
    ignored = signal.signal(signal.SIGINT, signal.default_int_handler)
    with monkeypatch.context() as patched:
        patched.setattr(staging, "replacing", stopping)
        yield
    signal.signal(signal.SIGINT, ignored)


@pytest.mark.parametrize("more", in_turn([[], ["--pack", "256"]], 2))
def test_a_killed_process_leaves_what_another_goes_on_with(run, directory, more):
    text = "".join(json.dumps(ROWS[number % 20]) + "\n" for number in range(6_000))
    write("chats.jsonl", text)
    words = ["dataset", "chats.jsonl", "--model", MODEL, "--tokenizer", str(directory), "-o", "out.parquet", *more]
    process = subprocess.Popen([sys.executable, "-m", "lect", *words], stdout=subprocess.DEVNULL)
    while not os.path.exists("out.parquet.partial.json"):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not os.path.exists("out.parquet")
    again = [sys.executable, "-m", "lect", *words, "--resume"]
    assert subprocess.run(again, stdout=subprocess.DEVNULL).returncode == 0
    rows = pq.read_table("out.parquet").column("row").to_pylist()
    assert (sorted(number for row in rows for number in row) if more else rows) == [*range(6_000)]


def test_another_run_does_not_go_on(run, monkeypatch, capsys):
    write("chats.jsonl")
    with stopped(monkeypatch, "Ctrl-C", 1):
        run("chats.jsonl")
    for words in (["--resume"], []):
        assert run("chats.jsonl", *words, "--max-length", "9") == 1
        assert "was begun by a run with another max_length\n  try: the same" in capsys.readouterr().err
    write("chats.jsonl", lines() * 2)
    assert run("chats.jsonl", "--resume") == 1
    assert "was begun by a run with another input\n" in capsys.readouterr().err
    assert run("chats.jsonl", "--restart", "--allow-errors") == 0
    assert {*os.listdir()} == {"chats.jsonl", "out.parquet"}


@pytest.mark.parametrize("output", ["out.parquet", "out.arrow", "out.jsonl"])
def test_no_part_of_a_result_is_lost_by_mistake(run, monkeypatch, capsys, output):
    write("chats.jsonl")
    with stopped(monkeypatch, "Ctrl-C", 2):
        run("chats.jsonl", output=output)
    capsys.readouterr()
    before = {name: os.stat(name).st_mtime_ns for name in os.listdir()}
    assert run("chats.jsonl", output=output) == 1
    what = f"lect: {output!r} is not complete\n  try: --resume, to go on, or --restart, which begins anew\n"
    assert capsys.readouterr().err == what
    assert {name: os.stat(name).st_mtime_ns for name in os.listdir()} == before
    assert run("chats.jsonl", "--resume", "--allow-errors", output=output) == 0
    for words in ([], ["--resume"]):
        assert run("chats.jsonl", *words, output=output) == 1
        assert f"{output!r} is complete\n  try: another OUT, or --restart" in capsys.readouterr().err
    made = sequences(output)
    assert run("chats.jsonl", "--restart", "--allow-errors", output=output) == 0
    assert sequences(output) == made
    os.rename(output, f"{output}.partial")
    assert run("chats.jsonl", output=output) == 1
    assert f"'{output}.partial' is there, and nothing says how far it got\n  try:" in capsys.readouterr().err
    assert not os.path.exists(output)


# What cannot be read or written


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.jsonl", b"", "there is no row in empty.jsonl"),
        ("blank.jsonl", b"\n\n\n", "there is no row in blank.jsonl"),
        ("list.json", b"[]", "there is no row in list.json"),
        ("list.json", b" [ ] ", "there is no row in list.json"),
        ("list.json", b"[", "'list.json' cannot be read after row 0: it is one list, which is not JSON"),
        ("list.json", b'[{"messages": []}', "it is one list, which is not JSON: Expecting ',' delimiter"),
        ("list.json", b'[{"messages": []},]', "it is one list, which is not JSON: Expecting value"),
        ("list.json", b'[{"messages": []} {"messages": []}]', "it is one list, which is not JSON: Expecting ','"),
        ("list.json", b'[{"messages": ', "it is one list, which is not JSON"),
        ("list.json", b"[" * 100_000, "it is one list, which is not JSON: maximum recursion depth"),
        ("list.json", b'[{"messages": []}]\n[{"messages": []}]', "more after its list; lists on lines of their own"),
        ("chats.txt", b"Hi", "is not a file of a known kind"),
        ("chats.jsonl.gz", gzip.compress(lines().encode())[:-20], "'chats.jsonl.gz' cannot be read after row"),
        ("chats.parquet", b"PAR1 no", "'chats.parquet' cannot be read after row 0"),
        ("chats.arrow", b"ARROW1 no", "'chats.arrow' cannot be read after row 0"),
        ("none.jsonl", None, "'none.jsonl' does not exist"),
    ],
)
def test_files_that_cannot_be_read_are_one_error(run, capsys, name, content, message):
    if content is not None:
        with open(name, "wb") as file:
            file.write(content)
    assert run(name) == 1
    assert message in capsys.readouterr().err
    assert not os.path.exists("out.parquet")


def test_a_directory_without_files_is_an_error(run, capsys, place):
    (place / "folder").mkdir()
    assert run("folder") == 1
    assert "'folder' has no file to read" in capsys.readouterr().err


def test_a_missing_column_is_one_error(run, capsys):
    pq.write_table(pa.Table.from_pylist(ROWS), "chats.parquet")
    assert run("chats.parquet", "--column", "messages=dialog") == 1
    assert "there is no column 'dialog'\n  try: one of messages" in capsys.readouterr().err


def test_a_line_without_end_is_not_read_to_its_end(run, capsys, monkeypatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    monkeypatch.setattr(files, "BLOCK", 100)
    write("chats.jsonl", lines() + "x" * 5000)
    assert run("chats.jsonl") == 1
    assert "a line has more than 1,000 bytes" in capsys.readouterr().err


def test_lines_are_read_whole_whatever_the_size_of_blocks(run, encoded, monkeypatch):
    monkeypatch.setattr(files, "BLOCK", 7)
    write("chats.jsonl", "\ufeff" + lines().replace("\n", "\r\n").rstrip())
    run("chats.jsonl")
    assert [row["input_ids"] for row in sequences("out.parquet")] == [each.ids for each in encoded]


def json_values():
    simple = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    return st.recursive(simple, lambda each: st.lists(each) | st.dictionaries(st.text(), each), max_leaves=5)


@given(
    st.lists(json_values(), min_size=1, max_size=9),
    st.sampled_from(["", " ", "\n", "\r\n\t"]),
    st.booleans(),
    st.integers(12, 40),
)
def test_a_list_is_read_like_lines_whatever_is_in_it(tmp_path_factory, values, space, is_ascii, block):
    rows = [json.dumps(value, ensure_ascii=is_ascii) for value in values]
    assume(all(row.isprintable() or is_ascii for row in rows))
    folder = tmp_path_factory.mktemp("list")
    separator = f"{space},{space}"
    (folder / "list.json").write_bytes(f"\ufeff{space}[{space}{separator.join(rows)}{space}]{space}".encode())
    (folder / "lines.jsonl").write_bytes("\n".join(rows).encode())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(files, "BLOCK", block)
        listed, lined = ([*files.read(files.find([str(folder / name)]))] for name in ("list.json", "lines.jsonl"))
    assert [row for chunk in listed for row in chunk.rows] == [row.encode() for row in rows]
    assert [(chunk.rows, chunk.lines) for chunk in listed] == [(chunk.rows, chunk.lines) for chunk in lined]


@pytest.mark.parametrize("name", ["list.json", "list.json.gz", "list.jsonl"])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_gives_the_same_sequences_as_lines(run, encoded, name, indent):
    text = json.dumps([ROWS[0], 3, *ROWS[1:]], indent=indent)
    write(name, text if name != "list.jsonl" else text.replace("[", "[\n", 1))
    assert run(name, "--errors", "errors.jsonl") == 1
    assert [row["input_ids"] for row in sequences("out.parquet")] == [each.ids for each in encoded]
    assert [(error["row"], error["line"]) for error in sequences("errors.jsonl")] == [(1, 2)]


def test_bytes_that_are_not_utf_8_are_an_error_of_their_row(run, capsys):
    with open("list.json", "wb") as file:
        file.write(b'[{"messages": "\xff"}, ' + json.dumps(ROWS[0]).encode() + b"]")
    assert run("list.json") == 1
    assert "2, 1 of which cannot be used" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ("Qwen/Qwen2.5-7B", "--model qwen:qwen2.5 or --model lect:chatml"),
        ("Qwen/Qwen3-8B-Base", "--model qwen:qwen3 or --model lect:chatml"),
        ("google/gemma-2-9b", "--model gemma:gemma or --model lect:chatml"),
        ("mistralai/Mistral-7B-v0.1", "--model mistral:mistral-v1 or --model lect:chatml"),
        ("openai-community/gpt2", "--model lect:chatml"),
    ],
)
@pytest.mark.parametrize("is_encoded", [True, False])
def test_a_base_model_has_no_format_and_the_error_names_some(directory, capsys, model, named, is_encoded):
    write("chats.jsonl")
    words = ["--tokenizer", str(directory)] if is_encoded else []
    assert main(["dataset", "chats.jsonl", "--model", model, *words, "-o", "out.parquet"]) == 1
    shown = capsys.readouterr().err
    what = f"{model} is a base model, which has no chat format; name the one that it is to learn"
    assert shown == f"lect: {what}\n  try: {named}\n"
    for each in re.findall("--model (\\S+)", named):
        assert lect.resolve(each).kind == "chat"


def test_a_tokenizer_of_another_model_is_refused_before_anything_is_written(directory, capsys):
    write("chats.jsonl")
    words = ["--model", "Qwen/Qwen2.5-7B-Instruct", "--tokenizer", str(directory), "-o", "out.parquet"]
    assert main(["dataset", "chats.jsonl", *words]) == 1
    shown = capsys.readouterr().err
    assert "the tokenizer does not belong to the model:\n  ids: a reply may end with a token that is not there" in shown
    assert f"try: lect doctor Qwen/Qwen2.5-7B-Instruct --tokenizer {directory}" in shown
    assert os.listdir() == ["chats.jsonl"]


@pytest.mark.parametrize(
    "words",
    [
        ["--stats", "-o", "x.parquet"],
        [],
        ["-o", "x.parquet", "--resume", "--restart"],
        ["-o", "x.parquet", "--column", "messages"],
    ],
)
def test_the_command_line_may_be_wrong(words):
    write("chats.jsonl")
    assert main(["dataset", "chats.jsonl", "--model", MODEL, *words]) == 2


@pytest.mark.parametrize("output", ["out.txt", "nowhere/out.parquet"])
def test_an_output_that_cannot_be_written(run, capsys, output):
    assert run(write("chats.jsonl"), output=output) == 1
    assert output in capsys.readouterr().err


# Options


@pytest.mark.parametrize("rows", ["chats.jsonl", "tools.jsonl"])
def test_an_option_that_the_format_does_not_read_is_counted_in_every_row(rows, capsys):
    chat = {"messages": [{"role": "user", "content": "Hi!"}, {"role": "assistant", "content": "Hello!"}]}
    tools = {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]} if "tools" in rows else {}
    Path(rows).write_text(f"{json.dumps(chat | tools)}\n" * 2, "utf-8")
    assert main(["dataset", rows, "--model", MODEL, "--stats", "--option", "colour=red"]) == 0
    assert "options.colour (2)" in capsys.readouterr().out


# Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_line_is_written_to_logs_now_and_then():
    stream, times = io.StringIO(), iter(range(0, 500, 5))
    with Progress(Screen(stream), 1000, clock=lambda: next(times)) as progress:
        for number in range(1, 9):
            progress.show(100 * number, 100 * number)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 4
    assert lines[-1] == "800 rows, 20 rows/s, 0:00:10 left"


def test_a_terminal_has_a_bar_which_leaves_nothing(monkeypatch):
    monkeypatch.setattr(commands.Progress, "DELAY", 0)
    stream, times = Terminal(), iter([0, 0, 5])
    with Progress(Screen(stream), 1000, clock=lambda: next(times)) as progress:
        progress.show(0, 0)
        progress.show(200, 500)
    assert stream.getvalue().startswith("\r[                    ]   0%  0 rows")
    assert not stream.getvalue().rpartition("\r")[0].rpartition("\r")[2].strip()
