"""Answers that are not trained as served are counted, by kind and with a reason, wherever rows become sequences."""

import json
import os

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import BARE, plain_chats

import lect
from lect import LossPolicy, MaskError
from lect.cli import main
from lect_data import Formatter, files
from lect_data.cli import dataset
from lect_data.tally import MOST_REASONS, Reasons, Tally

MODEL = "Qwen/Qwen3-8B"
TALK = [
    {"role": "user", "content": "Is it warm in Paris?"},
    {"role": "assistant", "content": "No.", "reasoning_content": "It is cold."},
    {"role": "user", "content": "And in Oslo?"},
    {"role": "assistant", "content": "No.", "reasoning_content": "Colder."},
]
PLAIN = [{"role": each["role"], "content": each["content"]} for each in TALK]
LEFT_OUT = "its reasoning is not in the text: the format leaves it out of history"


def columns(formatter, *rows):
    """Return the columns for rows that are messages."""
    return formatter({"messages": list(rows)})


def kinds(made):
    """Return the message and kind of all deviations, by sequence."""
    return [[(each["message"], each["kind"]) for each in listed or ()] for listed in made["deviations"]]


def weighed(*weights):
    return [each if weight is None else {**each, "weight": weight} for each, weight in zip(TALK, weights, strict=True)]


def trained(made, tokenizer):
    texts = ([label for label in labels if label != -100] for labels in made["labels"])
    return [tokenizer.decode(each, skip_special_tokens=False) for each in texts]


# Sequences


@pytest.mark.parametrize("is_text", [True, False])
def test_an_answer_that_history_shows_otherwise_is_counted_unless_it_is_unrolled(tokenizer, is_text):
    given_tokenizer = None if is_text else tokenizer
    assert kinds(columns(Formatter(MODEL, given_tokenizer), TALK, PLAIN)) == [[], [], []]
    made = columns(Formatter(MODEL, given_tokenizer, unroll="never"), TALK, PLAIN)
    assert kinds(made) == [[(1, "differs")], []]
    assert made["deviations"][0][0]["reason"] == LEFT_OUT


@pytest.mark.parametrize("is_text", [True, False])
def test_an_answer_that_the_format_cannot_write_is_counted(tokenizer, is_text):
    row = [*TALK[:2], *PLAIN[2:]]
    made = columns(Formatter("Qwen/Qwen2.5-7B-Instruct", None if is_text else tokenizer), row)
    assert kinds(made) == [[(1, "left_out")]]
    assert "the format has no place for reasoning" in made["deviations"][0][0]["reason"]


def test_a_sequence_in_which_nothing_has_weight_is_left_away(tokenizer):
    made = columns(Formatter(MODEL, tokenizer), weighed(None, 0, None, None), weighed(None, None, None, 0))
    assert made["row"] == [0, 1]
    assert trained(made, tokenizer) == [
        f"<think>\n{each['reasoning_content']}\n</think>\n\nNo.<|im_end|>" for each in (TALK[3], TALK[1])
    ]
    assert kinds(made) == [[], []]
    (error,) = columns(Formatter(MODEL, tokenizer), weighed(None, 0, None, 0))["error"]
    assert error.startswith("no token carries loss")


def test_the_last_answer_is_that_of_the_conversation(tokenizer):
    made = columns(Formatter(MODEL, tokenizer, policy=LossPolicy(last=True)), TALK)
    assert trained(made, tokenizer) == ["<think>\nColder.\n</think>\n\nNo.<|im_end|>"]
    lost = [*PLAIN[:3], TALK[3]]
    (error,) = columns(Formatter("Qwen/Qwen2.5-7B-Instruct", tokenizer, policy=LossPolicy(last=True)), lost)["error"]
    assert error.startswith("no token carries loss: the last answer is left out\n  messages[3]: qwen2.5: the model")


def test_a_message_that_is_no_answer_and_has_weight_is_counted(tokenizer):
    row = weighed(1, None, None, None)
    assert kinds(columns(Formatter(MODEL, tokenizer), row)) == [[], [(0, "left_out")]]
    assert kinds(columns(Formatter(MODEL, tokenizer, unroll="never"), row)) == [[(1, "differs")]]


@pytest.mark.parametrize("policy", [LossPolicy(roles=["user", "assistant"]), LossPolicy(marks="template")])
def test_a_policy_for_more_than_answers_needs_one_text(policy):
    with pytest.raises(MaskError, match=r"only answers are trained, and the policy trains .*\n  try: unroll='never'"):
        Formatter(MODEL, policy=policy)
    Formatter(MODEL, policy=policy, unroll="never")
    with pytest.raises(MaskError, match="unroll is 'sometimes'; expected one of 'never', 'auto', 'always'"):
        Formatter(MODEL, unroll="sometimes")


def test_turns_beyond_max_length_are_left_out(tokenizer):
    long = [*PLAIN[:3], {"role": "assistant", "content": "No. " * 50}]
    made = columns(Formatter("Qwen/Qwen2.5-7B-Instruct", tokenizer, max_length=150, truncate="turns"), long)
    assert kinds(made) == [[(3, "left_out")]]
    windows = columns(Formatter("Qwen/Qwen2.5-7B-Instruct", tokenizer, max_length=40, truncate="window"), long)
    assert {len(each) for each in kinds(windows)} == {0}


def test_both_of_two_answers_may_be_without_a_stop():
    row = {"prompt": [PLAIN[:1]], "chosen": [PLAIN[1:2]], "rejected": [PLAIN[1:2]]}
    assert kinds(Formatter(MODEL, preference=True)(row)) == [[]]
    assert kinds(Formatter(lect.template("default"), preference=True)(row)) == [[(1, "no_stop")] * 2]


@given(st.lists(plain_chats(), min_size=1, max_size=5))
def test_texts_in_columns_have_the_deviations_of_texts_one_by_one(conversations):
    for template in (BARE, lect.template("chatml"), lect.template("default")):
        formatter = Formatter(template)
        batch = pa.RecordBatch.from_pylist([{"messages": each} for each in conversations])
        one_by_one = formatter({"messages": conversations})
        assert formatter(batch).to_pydict() == one_by_one


def test_where_a_format_has_no_stop_all_answers_are_without():
    batch = pa.RecordBatch.from_pylist([{"messages": PLAIN}])
    made = Formatter(lect.template("default"))(batch).to_pydict()
    assert kinds(made) == [[(1, "no_stop"), (3, "no_stop")]]


class Batch(dict):
    """What `datasets.map` gives to a function, as far as a `Formatter` reads it: columns are read when asked for."""

    def __init__(self, rows):
        super().__init__(dict.fromkeys(rows[0]))
        self.pa_table = pa.Table.from_pylist(rows)
        self.keys_to_format = {*self}

    def items(self):
        for name in self:
            yield name, self.pa_table[name].to_pylist() if name in self.keys_to_format else self[name]


def test_batches_of_datasets_are_read_as_the_tables_that_they_are_made_of():
    formatter = Formatter("Qwen/Qwen2.5-7B-Instruct", keep=["n"])
    batch = Batch([{"messages": PLAIN, "n": 1}, {"messages": PLAIN[:1], "n": 2}])
    made = formatter(batch, [5, 6])
    assert made.equals(formatter(batch.pa_table, [5, 6]))
    batch["messages"] = [PLAIN[:2], PLAIN[:2]]
    batch.keys_to_format.discard("messages")
    assert formatter(batch)["text"].to_pylist() == [lect.get_template("Qwen/Qwen2.5-7B-Instruct").text(PLAIN[:2])] * 2


# The summary


@pytest.fixture
def run(directory, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "ROWS", 2)
    monkeypatch.setattr(dataset, "_check_tokenizer", lambda *_: None)  # It is not that of the model.
    (tmp_path / "chats.jsonl").write_text(
        "".join(json.dumps({"messages": each}) + "\n" for each in [PLAIN, TALK, TALK])
    )

    def run(*words, is_encoded):
        tokenizers = ["--tokenizer", str(directory)] if is_encoded else []
        code = main(["dataset", "chats.jsonl", "--model", MODEL, *tokenizers, *words])
        return code, capsys.readouterr().out

    return run


@pytest.mark.parametrize("is_encoded", [True, False])
def test_answers_that_are_not_as_served_are_in_the_summary_and_make_the_exit_code_1(run, is_encoded):
    code, shown = run("-o", "auto.parquet", is_encoded=is_encoded)
    assert code == 0
    assert "\nanswers not as served   0\nanswers left out        0\nanswers without a stop  0\nfields unused " in shown
    assert "reasoning_content" not in shown
    code, shown = run("-o", "never.parquet", "--unroll", "never", is_encoded=is_encoded)
    assert code == 1
    assert f"\nanswers not as served   2: {LEFT_OUT} (first in chats.jsonl:2)\n" in shown
    assert "; never.parquet has them all the same\n  try: --unroll auto, " in shown
    assert os.path.exists("never.parquet")
    for words in (["-o", "allowed.parquet"], ["--stats"]):
        code, shown = run(*words, "--unroll", "never", "--allow-deviations", is_encoded=is_encoded)
        assert code == 0
        assert "all the same" not in shown
    assert run("--stats", "--unroll", "never", is_encoded=is_encoded)[0] == 1


def test_counts_are_stored_and_go_on():
    tally = Tally()
    for row in range(3):
        tally.deviations["differs"].add(f"a server sends 'a' where this text has '{row}'\n  try: x", f"a.jsonl:{row}")
    tally.deviations["differs"].add("its content is not in the text", "a.jsonl:9")
    again = Tally(json.loads(json.dumps(tally.stored())))
    again.deviations["differs"].add("a server sends 'b' where this text has 'it\\'s'", "b.jsonl:7")
    assert again.stored() != tally.stored()
    what = "5, of which 4: a server sends 'a' where this text has '0' (first in a.jsonl:0)"
    assert dict(again.lines("tokens"))["answers not as served"] == what
    assert dict(again.lines("tokens"))["answers left out"] == "0"


def test_reasons_that_never_repeat_take_no_room():
    reasons = Reasons()
    for number in range(MOST_REASONS * 5):
        reasons.add("x" * (number + 1), "a")
    assert reasons.counts.total() == MOST_REASONS * 5
    assert len(reasons.counts) == len(reasons.examples) == MOST_REASONS + 1
