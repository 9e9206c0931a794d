"""Prompts alone, and columns that are kept: what a server would be sent, and beside it what the rows had."""

import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lect
from lect import MaskError
from lect.cli import main
from lect_data import Formatter, files

MODEL = "Qwen/Qwen3-8B"
TEMPLATE = lect.get_template(MODEL)
CHATML = "lect:chatml"
TEXTS = st.sampled_from(["Is it warm in Paris?", "\n", "é", "<|im_end|>", "<think>", " x "])
ANSWERS = st.lists(TEXTS.map(lambda text: {"role": "assistant", "content": text}), max_size=2)
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}


@st.composite
def questions(draw):
    """Return messages that end with a question."""
    texts = draw(st.lists(TEXTS, min_size=1, max_size=5).filter(lambda texts: len(texts) % 2))
    first = draw(st.sampled_from([[], [{"role": "system", "content": "Be brief."}]]))
    return first + [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]


@given(questions(), ANSWERS, st.sampled_from([None, [TOOL]]), st.booleans())
def test_a_prompt_is_what_a_server_is_sent_before_the_last_answer(tokenizer, question, answers, tools, thinking):
    row = {"messages": question + answers, "tools": tools, "answer": "42"}
    options = {"enable_thinking": thinking}
    prompt = TEMPLATE.render(question, tools=tools, add_generation_prompt=True, **options)
    batch = {name: [value] for name, value in row.items()}
    texts = Formatter(MODEL, prompts=True, keep=["answer"], **options)(batch)
    assert (texts["prompt"], texts["answer"], texts["length"]) == ([prompt.text], ["42"], [len(prompt.text)])
    ids = prompt.encode(tokenizer).ids
    for unroll in ("never", "auto"):
        made = Formatter(MODEL, tokenizer, prompts=True, keep=["answer"], unroll=unroll, **options)(batch)
        assert (made["prompt_ids"], made["answer"], made["length"]) == ([ids], ["42"], [len(ids)])
        assert made["turns"] == [len(question)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"messages": [{"role": "assistant", "content": "Hi"}]}, "nothing is asked: the row has only answers"),
        ({"messages": [{"role": "user", "content": "warm " * 99}]}, "more than max_length, 40\n  try: a larger one"),
        ({"messages": []}, "is not a conversation"),
    ],
)
def test_a_row_without_a_prompt_is_an_error(tokenizer, row, message):
    made = Formatter(MODEL, tokenizer, prompts=True, max_length=40)({name: [value] for name, value in row.items()})
    assert message in made["error"][0]


def test_the_prompt_of_a_preference_is_that_of_both_answers(tokenizer):
    row = {"prompt": ["Is it warm?"], "chosen": ["No."], "rejected": ["Yes."]}
    (alone,) = Formatter(MODEL, tokenizer, prompts=True)(row)["prompt_ids"]
    (beside,) = Formatter(MODEL, tokenizer, preference=True)(row)["prompt_ids"]
    # Without a thought, Qwen3's answers begin with an empty one, which the model writes.
    assert alone == beside


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prompts": True, "preference": True}, "prompts and preference are both given\n  try: one of them"),
        ({"prompts": True, "truncate": "turns"}, "truncate is 'turns'; a prompt cannot be cut\n  try: truncate='drop'"),
        ({"keep": ["length"]}, "keep has 'length', which is a column of the result\n  try: the same column"),
        ({"prompts": True, "keep": ["prompt"]}, "keep has 'prompt', which is a column of the result"),
    ],
)
def test_arguments_that_do_not_fit_are_one_error(arguments, message):
    with pytest.raises(MaskError) as caught:
        Formatter(MODEL, **arguments)
    assert message in str(caught.value)


# The command

ROWS = [
    {"question": "6 times 7?", "answer": "42", "source": "me"},
    {"question": "And 6 plus 7?", "answer": 13, "source": "me"},
    {"question": "Who?", "answer": None, "source": "me"},
    {"question": "Why?", "source": "me"},
    {"question": "Where?", "answer": {"city": "Ulm é", "at": [1, 2.5]}, "source": "me"},
    {"question": "When?", "answer": "\ud800", "source": "me"},
]
KEPT = ["42", "13", None, None, '{"city": "Ulm é", "at": [1, 2.5]}', "\\ud800"]


@pytest.fixture
def run(directory, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "ROWS", 2)

    def run(path, *words, output="out.parquet"):
        words = ["--column", "prompt=question", "--prompts", *words, "--model", CHATML, "-o", output]
        return main(["dataset", path, *words, "--tokenizer", str(directory)])

    return run


def write(rows):
    with open("rows.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return "rows.jsonl"


def test_kept_columns_of_lines_are_text(run, tokenizer, capsys):
    assert run(write(ROWS), "--keep", "answer") == 0
    rows = pq.read_table("out.parquet").to_pylist()
    assert [row["answer"] for row in rows] == KEPT
    messages = [[{"role": "user", "content": row["question"]}] for row in ROWS]
    prompts = [lect.template("chatml").render(each, add_generation_prompt=True) for each in messages]
    assert [row["prompt_ids"] for row in rows] == [each.encode(tokenizer).ids for each in prompts]
    assert [*rows[0]] == ["row", "part", "prompt_ids", "length", "turns", "answer"]
    assert "source (6)" in (shown := capsys.readouterr().out)
    assert "answer (" not in shown


def test_kept_columns_of_tables_of_any_kind_are_text(run):
    os.mkdir("rows")
    kinds = [pa.string(), pa.large_string(), pa.int64(), pa.list_(pa.int64()), pa.date32()]
    values = ["42", "42", 42, [4, 2], 42]
    for number, (kind, value) in enumerate(zip(kinds, values, strict=True)):
        table = pa.table({"question": ["6 times 7?"] * 3, "answer": pa.array([value, None, value], kind)})
        pq.write_table(table, f"rows/{number}.parquet")
    assert run("rows", "--keep", "answer") == 0
    found = pq.read_table("out.parquet").column("answer").to_pylist()
    assert found[::3] == found[2::3] == ["42", "42", "42", "[4, 2]", '"1970-02-12"']
    assert found[1::3] == [None] * 5


def test_a_run_with_other_columns_does_not_go_on(run, capsys, monkeypatch):
    write(ROWS)
    with monkeypatch.context() as patched:
        patched.setattr("lect_data.staging.Staging.finish", lambda staging, *_: staging.close() or 1 / 0)
        assert run("rows.jsonl", "--keep", "answer") == 1
    capsys.readouterr()
    for words in (["--keep", "source"], []):
        assert run("rows.jsonl", *words, "--resume") == 1
        assert "was begun by a run with another keep\n" in capsys.readouterr().err
    assert run("rows.jsonl", "--keep", "answer", "--resume") == 0
    assert pq.read_table("out.parquet").column("answer").to_pylist() == KEPT


def test_an_answer_that_is_left_out_is_told(run, capsys):
    write([{"question": "6 times 7?", "completion": "42"}])
    assert run("rows.jsonl", "--keep", "completion") == 0
    assert "fields unused           the last answer (1)" in capsys.readouterr().out
    (row,) = pq.read_table("out.parquet").to_pylist()
    assert row["completion"] == "42"


def test_prompts_are_not_packed(run, capsys):
    assert run(write(ROWS), "--pack", "64") == 1
    assert "prompts cannot be packed\n  try: --prompts without --pack" in capsys.readouterr().err
