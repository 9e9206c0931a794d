"""`pack` and `lect dataset --pack`: whole sequences, each once, whatever the batches, and hardly any room left."""

import itertools
import json
import math
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import in_turn

from lect import MaskError
from lect.cli import main
from lect_data import Formatter, files, pack, packing

MODEL = "lect:chatml"
SEQUENCES = st.lists(
    st.lists(st.sampled_from([0, 0.5, 1]), min_size=1, max_size=20).map(
        lambda weights: (weights, any(each == 0.5 for each in weights))
    ),
    max_size=60,
)


def batch_of(sequences, first=0):
    """Return sequences of weights as a `Formatter` would give them; the ids tell each token from all others."""
    numbers = range(first, first + len(sequences))
    ids = [
        [1000 * row + place for place in range(len(each))] for row, (each, _) in zip(numbers, sequences, strict=True)
    ]
    labels = [
        [one if weight else -100 for one, weight in zip(row, each, strict=True)]
        for row, (each, _) in zip(ids, sequences, strict=True)
    ]
    return pa.RecordBatch.from_pydict(
        {
            "row": pa.array(numbers, pa.int64()),
            "part": pa.array([row % 2 for row in numbers], pa.int32()),
            "input_ids": pa.array(ids, pa.list_(pa.int32())),
            "labels": pa.array(labels, pa.list_(pa.int64())),
            "weights": pa.array([each if is_given else None for each, is_given in sequences], pa.list_(pa.float32())),
            "length": pa.array(map(len, ids), pa.int64()),
            "source": pa.array([f"file {row}" for row in numbers], pa.string()),
        }
    )


def packed(batches, length):
    return [row for batch in pack(batches, length) for row in batch.to_pylist()]


@pytest.fixture(autouse=True)
def buffer(monkeypatch):
    """The buffer is small, so that packs leave it again and again."""
    monkeypatch.setattr(packing, "BUFFER", 100)
    monkeypatch.setattr(packing, "FEWEST", 3)


@given(SEQUENCES, st.integers(20, 50), st.lists(st.integers(0, 60), max_size=5))
def test_every_sequence_is_whole_in_one_pack(sequences, length, cuts):
    whole = batch_of(sequences)
    rows = packed([whole], length)
    given = {row["row"]: row for row in whole.to_pylist()}
    assert sorted(number for row in rows for number in row["row"]) == [*given]
    for row in rows:
        parts = [given[number] for number in row["row"]]
        assert row["row"] == sorted(row["row"])
        assert row["part"] == [each["part"] for each in parts]
        assert row["source"] == [each["source"] for each in parts]
        assert row["seq_lengths"] == [each["length"] for each in parts]
        assert row["length"] == len(row["input_ids"]) == sum(row["seq_lengths"]) <= length
        assert row["input_ids"] == [one for each in parts for one in each["input_ids"]]
        assert row["position_ids"] == [place for each in parts for place in range(each["length"])]
        assert row["labels"] == [one for each in parts for one in (-100, *each["labels"][1:])]
        weights = [each["weights"] or [float(one != -100) for one in each["labels"]] for each in parts]
        is_given = any(each["weights"] for each in parts)
        assert row["weights"] == ([one for each in weights for one in (0, *each[1:])] if is_given else None)
    places = sorted({min(cut, len(sequences)) for cut in (0, *cuts, len(sequences))})
    batches = [whole.slice(start, end - start) for start, end in itertools.pairwise(places)]
    assert packed(batches, length) == rows
    assert packed([pa.Table.from_batches(batches, whole.schema)], length) == rows


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40))
def test_no_two_packs_could_be_one(lengths):
    rows = packed([batch_of([([1] * length, False) for length in lengths])], 1000)
    sizes = sorted(row["length"] for row in rows)
    assert len(sizes) == 1 or sum(sizes[:2]) > 1000


def test_what_waits_is_bounded(monkeypatch):
    monkeypatch.setattr(packing, "BUFFER", 20_000)
    before = pa.total_allocated_bytes()
    draw = random.Random(1)
    most = tokens = 0
    batches = (batch_of([([1] * draw.randrange(8, 400), False) for _ in range(50)], 50 * n) for n in range(300))
    for batch in pack(batches, 512):
        tokens += sum(batch.column("length").to_pylist())
        most = max(most, pa.total_allocated_bytes() - before)
    assert tokens > 100 * 20_000
    assert most < 20_000 * 20 * 6  # A token has twenty bytes in all columns, and there are copies.


def test_it_is_said_how_many_sequences_were_added():
    packs, said = packing.Packs(8), []
    packs.seen = said.append
    for first in range(3):
        packs.add(batch_of([([1, 1], False)] * 2, first))
    assert said == [2, 4, 6]


def test_columns_beside_the_ids_are_optional_and_a_mask_is_left_out():
    table = pa.table({"input_ids": [[1, 2], [3]], "attention_mask": [[1, 1], [1]], "labels": [[1, 2], [3]]})
    (row,) = packed([table], 4)
    assert row == {
        "input_ids": [1, 2, 3],
        "labels": [-100, 2, -100],
        "position_ids": [0, 1, 0],
        "seq_lengths": [2, 1],
        "length": 3,
    }


@pytest.mark.parametrize(
    ("columns", "length", "message"),
    [
        ({"input_ids": [[1, 2, 3]], "labels": [[1, 2, 3]]}, 2, "3 tokens, more than a pack, 2\n  try: Formatter("),
        ({"input_ids": [[1], None], "labels": [[1], None]}, 2, "has no input_ids\n  try: pack the first result"),
        ({"input_ids": [[1], []], "labels": [[1], []]}, 2, "has no input_ids"),
        ({"text": ["Hi"]}, 2, "there is no column 'input_ids', only text\n  try: Formatter(MODEL, tokenizer)"),
        ({"input_ids": [[1]]}, 2, "there is no column 'labels', only input_ids"),
        *(
            ({}, length, f"the length of a pack is {length!r}; expected a positive")
            for length in (0, -1, None, 2.0, True)
        ),
    ],
)
def test_what_cannot_be_packed_is_one_error(columns, length, message):
    with pytest.raises(MaskError) as caught:
        packed([pa.table(columns)], length)
    assert message in str(caught.value)


# The command


def chats(count, seed=1):
    """Return chats whose turns and lengths are spread as in chats that people share: most are short, and some long."""
    draw = random.Random(seed)
    for _ in range(count):
        turns = min(1 + int(draw.expovariate(0.4)), 20)
        texts = [
            "it is warm in Paris and cold in Oslo " * min(1 + int(draw.lognormvariate(math.log(size), 1)), 200)
            for _ in range(turns)
            for size in (2, 12)
        ]
        yield [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]


@pytest.fixture
def run(directory, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words, tokenizer=directory):
        tokenizers = [] if tokenizer is None else ["--tokenizer", str(tokenizer)]
        return main(["dataset", "chats.jsonl", "--model", MODEL, *tokenizers, *words])

    return run


def write(rows):
    with open("chats.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def rows_of(path):
    return pq.read_table(path).to_pylist()


@pytest.mark.parametrize(("length", "packs"), in_turn([(2048, 16), (4096, 16), (4096, 1024)], 3))
def test_packs_of_ordinary_chats_are_full(run, capsys, monkeypatch, length, packs):
    monkeypatch.setattr(packing, "BUFFER", packs * length)
    write({"messages": chat} for chat in chats(600))
    words = ("--pack", str(length), "--truncate", "turns", "--allow-errors")
    assert run(*words, "-o", "packed.parquet") == 0
    written = capsys.readouterr().out
    shown = dict(line.split("  ", 1) for line in written.partition("\n\n")[0].splitlines())
    rows = rows_of("packed.parquet")
    full = sum(row["length"] for row in rows) / (length * len(rows))
    assert full >= 0.95
    assert shown["packs"].strip() == f"{len(rows):,} of {length:,} tokens, {full:.1%} full"
    trained = sum(label != -100 for row in rows for label in row["labels"])
    assert f", {trained:,} with loss" in shown["tokens"]
    assert run(*words, "--stats") == 0
    assert capsys.readouterr().out == written


def test_packs_hold_the_sequences_of_the_set(run, monkeypatch, directory):
    monkeypatch.setattr(files, "ROWS", 7)
    monkeypatch.setattr(packing, "BUFFER", 2000)
    rows = [{"messages": chat} for chat in chats(50)]
    write(rows)
    words = ("--max-length", "300", "--truncate", "window")
    assert run("--pack", "512", *words, "-o", "packed.parquet") == 0
    assert run(*words, "-o", "plain.parquet") == 0
    plain = pq.read_table("plain.parquet")
    assert rows_of("packed.parquet") == packed([plain], 512)
    assert {part for row in rows_of("packed.parquet") for part in row["part"]} > {0}
    made = Formatter(MODEL, directory, max_length=300, truncate="window")(pa.Table.from_pylist(rows))
    assert packed([Formatter.split(made)[0]], 512) == rows_of("packed.parquet")


def test_a_longer_sequence_is_treated_as_by_max_length(run, capsys):
    write({"messages": chat} for chat in chats(30))
    assert run("--pack", "200", "--stats") == run("--max-length", "200", "--stats") == 1
    one, other = (shown.splitlines() for shown in capsys.readouterr().out.split("\nrows  "))
    assert "more than max_length, 200" in other[-2]
    assert one[-2:] == other[-2:]
    assert run("--pack", "200", "--truncate", "turns", "--allow-errors", "-o", "packed.parquet") == 0
    assert max(row["length"] for row in rows_of("packed.parquet")) <= 200


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--pack", "0"], "the length of a pack is 0; expected a positive number of tokens"),
        (["--pack", "-4"], "the length of a pack is -4"),
        (["--pack", "64", "--preference"], "two answers to one prompt cannot be packed\n  try: --preference without"),
        (
            ["--pack", "64", "--max-length", "65"],
            "--max-length is 65, and a pack has 64 tokens\n  try: --pack 64 alone",
        ),
    ],
)
def test_bad_packs_are_one_error(run, capsys, words, message):
    write([])
    assert run(*words, "-o", "packed.parquet") == 1
    assert message in capsys.readouterr().err


def test_packs_need_a_tokenizer(run, capsys):
    write([])
    assert run("--pack", "64", "-o", "packed.parquet", tokenizer=None) == 1
    assert "--pack is a number of tokens, and there is no tokenizer\n  try: --tokenizer" in capsys.readouterr().err


@pytest.mark.parametrize("output", ["packed.parquet", "packed.arrow", "packed.jsonl"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("No space left on device")])
def test_packing_that_breaks_off_is_done_again(run, monkeypatch, output, error):
    write({"messages": chat} for chat in chats(40))
    assert run("--pack", "4096", "-o", f"whole{output}") == 0
    with monkeypatch.context() as patched:

        def breaking(self):
            raise error

        patched.setattr(packing.Packs, "rest", breaking)
        assert run("--pack", "4096", "-o", output) in (1, 130)
    with open(f"whole{output}", "rb") as file:
        whole = file.read()
    assert run("--pack", "4096", "-o", output, "--resume") == 0
    with open(output, "rb") as file:
        assert file.read() == whole


def test_a_set_without_a_good_row_has_no_packs(run, capsys):
    write([{"messages": [{"role": "user", "content": "Hi"}]}])
    assert run("--pack", "64", "--allow-errors", "-o", "packed.parquet") == 0
    assert rows_of("packed.parquet") == []
    assert "0 of 64 tokens, 0.0% full" in capsys.readouterr().out
