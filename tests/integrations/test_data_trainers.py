"""What a `Formatter` makes, as trainers take it: `datasets`, TRL and a plain loop of PyTorch, with a tiny random model."""

import functools
import itertools
import json
import os
import subprocess
import sys
import types

import pages
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lect
from lect import LossPolicy
from lect.cli import main

trl = pytest.importorskip("trl")
datasets = pytest.importorskip("datasets")
torch = pytest.importorskip("torch")
tiny_model = pytest.importorskip("tiny_model")
lect_data = pytest.importorskip("lect_data")

# TRL passes options to transformers that are deprecated there.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")

CHATS = [
    [{"role": "user", "content": f"Is it warm in {city}?"}, {"role": "assistant", "content": f"No: {degrees} °C."}]
    for city, degrees in (("Ulm", 13), ("Oslo", 4), ("Rome", 12), ("Bonn", 9))
]
FORMAT = "lect:chatml"
"""The model of files: the command takes no tokenizer for Qwen3 that has other ids for its stops."""
BAD = [{"role": "user", "content": "Is anyone there?"}]
PAIRS = {
    "prompt": [chat[:1] for chat in CHATS],
    "chosen": [chat[1:] for chat in CHATS],
    "rejected": [[{"role": "assistant", "content": "Yes!"}] for _ in CHATS],
}


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_model.tiny_tokenizer()


@pytest.fixture(scope="module")
def directory(tokenizer, tmp_path_factory):
    path = tmp_path_factory.mktemp("model")
    tokenizer.backend_tokenizer.save(str(path / "tokenizer.json"))
    return path


@pytest.fixture
def rows(directory):
    formatter = lect_data.Formatter(tiny_model.MODEL, directory)
    made = datasets.Dataset.from_dict({"messages": [*CHATS, BAD]}).map(formatter, batched=True)
    return made.filter(lambda row: row["error"] is None).remove_columns(["deviations", "error"])


def expected(tokenizer):
    return [lect.encode(tiny_model.MODEL, chat, tokenizer, policy=LossPolicy()) for chat in CHATS]


def trained(labels):
    return sorted([label for label in row if label != -100] for row in labels)


def settings(kind, directory, **more):
    return kind(
        output_dir=str(directory), use_cpu=True, report_to="none", disable_tqdm=True, save_strategy="no", **more
    )


def test_trl_trains_on_the_rows_as_they_are(rows, tokenizer, tmp_path):
    trainer = trl.SFTTrainer(
        model=tiny_model.tiny_model(tokenizer),
        processing_class=tokenizer,
        train_dataset=rows,
        args=settings(trl.SFTConfig, tmp_path, max_length=4096, max_steps=1),
    )
    (batch,) = trainer.get_train_dataloader()
    assert trained(batch["labels"].tolist()) == trained(each.labels for each in expected(tokenizer))
    trainer.train()


def test_trl_packs_the_rows(rows, tokenizer, tmp_path):
    trainer = trl.SFTTrainer(
        model=tiny_model.tiny_model(tokenizer),
        processing_class=tokenizer,
        train_dataset=rows,
        args=settings(trl.SFTConfig, tmp_path, max_length=4096, packing=True, max_steps=1),
    )
    pairs = [pair for row in trainer.train_dataset for pair in zip(row["input_ids"], row["labels"], strict=True)]
    wanted = [pair for each in expected(tokenizer) for pair in zip(each.ids, each.labels, strict=True)]
    assert sorted(pairs) == sorted(wanted)
    trainer.train()


@pytest.fixture
def packed(rows, tmp_path):
    """The rows in packs of at most three, by way of a file."""
    length = sum(sorted(rows["length"])[-3:])
    table = pa.Table.from_batches(lect_data.pack([rows.with_format("arrow")[:]], length))
    assert sorted(map(len, table.column("seq_lengths").to_pylist())) == [1, 3]
    pq.write_table(table, path := str(tmp_path / "packed.parquet"))
    return datasets.load_dataset("parquet", data_files=path, split="train", cache_dir=str(tmp_path / "cache"))


def test_trl_takes_packs_as_those_of_its_own(rows, packed, tokenizer, tmp_path):
    """TRL packs by itself what is the same as ours, so that both give the same batches."""
    name = "how-to/train-on-a-formatted-set.md"
    (code,) = [each.code for each in pages.python_examples(pages.DOCS / name, ("py",)) if "padding_free" in each.code]
    given = {"model": tiny_model.tiny_model(tokenizer), "tokenizer": tokenizer, "trl": trl}
    config = functools.partial(settings, trl.SFTConfig, tmp_path, max_steps=1, per_device_train_batch_size=2)
    stand_in = types.SimpleNamespace(SFTTrainer=trl.SFTTrainer, SFTConfig=lambda output_dir, **more: config(**more))
    loaded = types.SimpleNamespace(load_dataset=lambda *_, **__: packed)
    exec(code, given | {"trl": stand_in, "datasets": loaded}, names := {})
    trainer = names["trainer"]
    (batch,) = trainer.get_train_dataloader()
    theirs = trl.pack_dataset(rows.select_columns(["input_ids", "labels"]), max(packed["length"]), "bfd")
    own = trainer.data_collator(list(theirs))
    assert sequences(batch) == sequences(own)
    assert batch["cu_seq_lens_q"].tolist()[-1] == sum(packed["length"])
    assert sorted(batch["cu_seq_lens_q"].diff().tolist()) == sorted(
        each for row in packed["seq_lengths"] for each in row
    )
    trainer.train()


def sequences(batch):
    """Return the ids, labels and positions of each sequence of a batch without padding."""
    cuts = batch["cu_seq_lens_q"].tolist()
    return sorted(
        [batch[name][0, start:end].tolist() for name in ("input_ids", "labels", "position_ids")]
        for start, end in itertools.pairwise(cuts)
    )


def test_sequences_of_a_pack_do_not_see_each_other(rows, packed, tokenizer):
    """What a model computes for a pack is what it computes for each sequence alone."""
    model = tiny_model.tiny_model(tokenizer).eval()
    alone = {tuple(row["input_ids"]): model(torch.tensor([row["input_ids"]])).logits[0] for row in rows}
    for row in packed:
        given = {name: torch.tensor([row[name]]) for name in ("input_ids", "position_ids")}
        together = model(**given, use_cache=False).logits[0].split(row["seq_lengths"])
        ids = torch.tensor(row["input_ids"]).split(row["seq_lengths"])
        for one, logits in zip(ids, together, strict=True):
            torch.testing.assert_close(logits, alone[tuple(one.tolist())], rtol=1e-4, atol=1e-4)


def written(directory, place, rows, *words):
    """Return the rows of a file that `lect dataset` writes, as `datasets` reads them."""
    (place / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    output = str(place / "out.parquet")
    model = ["--model", FORMAT, "--tokenizer", str(directory)]
    assert main(["dataset", str(place / "rows.jsonl"), "-o", output, *model, *words]) == 0
    return datasets.load_dataset("parquet", data_files=output, split="train", cache_dir=str(place / "cache"))


def of_the_page(name):
    """Return what the example with this name on the page about trainers defines."""
    page = pages.DOCS / "how-to/train-on-a-formatted-set.md"
    (code,) = [each.code for each in pages.python_examples(page, ("py",)) if f"class {name}" in each.code]
    names = {"trl": trl}
    exec(code.partition("\n\n\nprompts")[0], names)
    return names[name]


@pytest.mark.parametrize("model", [tiny_model.MODEL, FORMAT])
def test_trl_prefers_one_of_two_answers(directory, tokenizer, tmp_path, model):
    if model != FORMAT:
        formatter = lect_data.Formatter(tiny_model.MODEL, directory, preference=True)
        made = datasets.Dataset.from_dict(PAIRS).map(formatter, batched=True)
    else:
        pairs = [dict(zip(PAIRS, row, strict=True)) for row in zip(*PAIRS.values(), strict=True)]
        made = written(directory, tmp_path, pairs, "--preference")
    trainer = of_the_page("PreparedDPOTrainer")(
        model=tiny_model.tiny_model(tokenizer),
        ref_model=tiny_model.tiny_model(tokenizer),
        processing_class=tokenizer,
        train_dataset=made,
        args=settings(trl.DPOConfig, tmp_path, max_length=4096, max_steps=1),
    )
    (batch,) = trainer.get_train_dataloader()
    mask = batch["completion_mask"].bool()
    answers = sorted(ids[kept].tolist() for ids, kept in zip(batch["input_ids"], mask, strict=True))
    # Qwen3 writes an empty thought where there is none.
    thought = "" if model == FORMAT else "<think>\n\n</think>\n\n"
    ends = [f"{thought}{message['content']}<|im_end|>" for side in ("chosen", "rejected") for (message,) in PAIRS[side]]
    assert sorted(tokenizer.decode(ids) for ids in answers) == sorted(ends)
    attended = batch["attention_mask"].bool() & ~mask
    prompts = [ids[kept].tolist() for ids, kept in zip(batch["input_ids"], attended, strict=True)]
    assert sorted(prompts) == sorted(2 * [served(chat[0]["content"], model, tokenizer) for chat in CHATS])
    trainer.train()


def served(question, model, tokenizer):
    """Return the ids that a server is sent for a question."""
    messages = [{"role": "user", "content": question}]
    return lect.get_template(model).render(messages, add_generation_prompt=True).encode(tokenizer).ids


def test_trl_samples_after_the_prompts_as_they_are(directory, tokenizer, tmp_path):
    rows = [{"question": question["content"], "answer": answer["content"]} for question, answer in CHATS]
    rows[0]["question"] += "<|im_end|>"
    made = written(directory, tmp_path, rows, "--prompts", "--keep", "answer", "--column", "prompt=question")
    seen = []

    def reward(prompts, answer, **_):
        seen.extend(zip(map(tuple, prompts), answer, strict=True))
        return [float(len(each)) for each in answer]

    trainer = of_the_page("PreparedGRPOTrainer")(
        model=tiny_model.tiny_model(tokenizer),
        processing_class=tokenizer,
        reward_funcs=reward,
        train_dataset=made.rename_column("prompt_ids", "prompt"),
        args=settings(
            trl.GRPOConfig,
            tmp_path,
            max_steps=1,
            per_device_train_batch_size=8,
            num_generations=2,
            max_completion_length=4,
        ),
    )
    given = []
    compute = trainer.compute_loss
    trainer.compute_loss = lambda model, inputs, **more: given.append(inputs) or compute(model, inputs, **more)
    trainer.train()
    expected = [(served(row["question"], FORMAT, tokenizer), row["answer"]) for row in rows]
    assert sorted(seen) == sorted(2 * [(tuple(ids), answer) for ids, answer in expected])
    (step,) = given
    asked = [ids[kept.bool()].tolist() for ids, kept in zip(step["prompt_ids"], step["prompt_mask"], strict=True)]
    assert sorted(asked) == sorted(2 * [ids for ids, _ in expected])


def test_a_plain_loop_of_pytorch(rows, tokenizer):
    page = pages.DOCS / "how-to/train-on-a-formatted-set.md"
    (code,) = [each.code for each in pages.python_examples(page, ("py",)) if "DataLoader" in each.code]
    names = {"trained": rows}
    exec(code.replace("151643", str(tokenizer.pad_token_id)), names)
    (batch,) = names["loader"]
    assert trained(batch["labels"].tolist()) == trained(each.labels for each in expected(tokenizer))
    model = tiny_model.tiny_model(tokenizer)
    loss = model(input_ids=batch["input_ids"], labels=batch["labels"]).loss
    loss.backward()
    assert torch.isfinite(loss)


# The page on datasets


def test_several_processes_and_streams_give_the_same_rows_and_errors_arrive_late(directory, tmp_path):
    chats = [*CHATS * 300, BAD, *CHATS]
    formatter = lect_data.Formatter(tiny_model.MODEL, directory)
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import datasets
from datasets.fingerprint import Hasher
from lect_data import Formatter

datasets.disable_progress_bars()
formatter = Formatter({tiny_model.MODEL!r}, {str(directory)!r})


def main():
    rows = datasets.Dataset.from_json("chats.jsonl")
    ways = [rows.map(formatter, batched=True, with_indices=True, num_proc=2),
            rows.map(formatter, batched=True, with_indices=True),
            rows.with_format("arrow").map(formatter, batched=True, with_indices=True).with_format(None)]
    one, *others = [list(way) for way in ways]
    assert all(one == other for other in others)
    stream = list(rows.to_iterable_dataset().map(formatter, batched=True, with_indices=True, remove_columns=["messages"]))
    assert [row["input_ids"] for row in stream] == [row["input_ids"] for row in one]
    assert [row["row"] for row in one] == list(range(len(rows)))
    print([row["row"] for row in one if row["error"]], Hasher.hash(formatter))


if __name__ == "__main__":
    main()
""",
        "utf-8",
    )
    (tmp_path / "chats.jsonl").write_text("".join(json.dumps({"messages": chat}) + "\n" for chat in chats), "utf-8")
    printed = {
        subprocess.run(
            [sys.executable, program],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed, "HF_HOME": str(tmp_path / seed)},
            check=True,
            capture_output=True,
            encoding="utf-8",
        ).stdout
        for seed in "12"
    }
    (same,) = printed
    assert same.startswith("[1200] ")
    assert len(formatter({"messages": chats})["row"]) == len(chats)
