"""What docs/how-to/train-on-what-you-serve.md says about TRL, with TRL itself."""

import re
from datetime import datetime
from pathlib import Path

import pages
import pytest

import lect
from lect import LossPolicy

trl = pytest.importorskip("trl")
datasets = pytest.importorskip("datasets")
tiny_model = pytest.importorskip("tiny_model")

# TRL passes options to transformers that are deprecated there.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")

CHATS = [
    [{"role": "user", "content": f"Is it warm in {city}?"}, {"role": "assistant", "content": f"No: {degrees} °C."}]
    for city, degrees in (("Ulm", 13), ("Oslo", 4), ("Rome", 12), ("Bonn", 9))
]
PAGE = (pages.DOCS / "how-to/train-on-what-you-serve.md").read_text("utf-8")


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_model.tiny_tokenizer()


@pytest.fixture(scope="module")
def rows(tokenizer):
    return [lect.encode(tiny_model.MODEL, chat, tokenizer, policy=LossPolicy()).to_dict() for chat in CHATS]


def trainer(rows, tokenizer, directory, **settings):
    return trl.SFTTrainer(
        model=tiny_model.tiny_model(tokenizer),
        processing_class=tokenizer,
        train_dataset=datasets.Dataset.from_list(rows),
        args=trl.SFTConfig(output_dir=str(directory), use_cpu=True, report_to="none", disable_tqdm=True, **settings),
    )


def test_the_rows_are_trained_as_they_are(rows, tokenizer, tmp_path):
    made = trainer(rows, tokenizer, tmp_path, max_length=4096, max_steps=1, save_strategy="no")
    assert [{name: row[name] for name in ("input_ids", "labels")} for row in made.train_dataset] == [
        {name: row[name] for name in ("input_ids", "labels")} for row in rows
    ]
    (batch,) = made.get_train_dataloader()
    trained = [[label for label in labels if label != -100] for labels in batch["labels"].tolist()]
    assert sorted(trained) == sorted([label for label in row["labels"] if label != -100] for row in rows)
    made.train()


def test_a_shorter_max_length_of_trl_cuts_the_rows(rows, tokenizer, tmp_path):
    length = max(len(row["input_ids"]) for row in rows) - 3
    made = trainer(rows, tokenizer, tmp_path, max_length=length)
    assert max(len(row["input_ids"]) for row in made.train_dataset) == length


def test_packing_keeps_ids_and_labels_together(rows, tokenizer, tmp_path):
    made = trainer(rows, tokenizer, tmp_path, max_length=4096, packing=True)
    pairs = [pair for row in made.train_dataset for pair in zip(row["input_ids"], row["labels"], strict=True)]
    assert len(pairs) == sum(len(row["input_ids"]) for row in rows)
    assert all(label in (-100, each) for each, label in pairs)
    assert sum(label != -100 for _, label in pairs) == sum(label != -100 for row in rows for label in row["labels"])


# Marked templates

TRAINED = {
    "qwen2_5": "\n",
    **dict.fromkeys(["qwen3_5_think", "qwen3_6", "qwen3_8"], "<think>\n"),
    "qwen3_5_nothink": "<think>\n\n</think>\n\n",
    **dict.fromkeys(["nemotron_3_nano", "nemotron_3_super", "nemotron_3_ultra", "nemotron_3_5_lightning"], "<think>"),
    **dict.fromkeys(["deepseekv3", "deepseek_r1_distill"], "<｜Assistant｜>"),
    **dict.fromkeys(["gptoss", "muse_glimmer"], "<|start|>assistant"),
}
"""What of the generation prompt is marked, as the table of the page says it."""


def marks(path):
    """Return what of the generation prompt a template marks, and whether it marks the line end after the stop."""
    template = lect.load_template(path.read_text("utf-8"))
    options = {"date": datetime(2024, 7, 26)} if "date" in template.options else {}
    chat = [{"role": "user", "content": "Question"}, {"role": "assistant", "content": "Answer"}]
    if "parts" in template.accepts:
        chat = [{**message, "content": [{"type": "text", "text": message["content"]}]} for message in chat]
    prompt = template.render(chat, **options)
    served = template.text(chat[:1], add_generation_prompt=True, **options)
    alike = next(
        (at for at, pair in enumerate(zip(prompt.text, served, strict=False)) if len({*pair}) > 1), len(served)
    )
    return prompt.text[prompt.marked[0][0] : alike], prompt.text[: prompt.marked[-1][1]].endswith("\n")


def test_trls_templates_mark_what_the_page_says():
    if not trl.__version__.startswith("1.16."):
        pytest.skip("the page is about TRL 1.16")
    paths = sorted((Path(trl.__file__).parent / "chat_templates").glob("*_training.jinja"))
    marked = [path for path in paths if re.search(r"{%[-+]?\s*generation\b", path.read_text("utf-8"))]
    found = {path.stem.removesuffix("_training"): marks(path) for path in marked}
    assert {name: prompt for name, (prompt, _) in found.items() if prompt} == TRAINED
    count, with_newline, of_the_prompt = map(
        int,
        re.search(
            r"Of the (\d+) marked templates of TRL 1\.16, (\d+) also train .*\n.*, and (\d+) a part", PAGE
        ).groups(),
    )
    assert (count, with_newline, of_the_prompt) == (len(found), sum(line for _, line in found.values()), len(TRAINED))
    table = PAGE[PAGE.index("| templates of TRL |") :].partition("\n\n")[0]
    assert {name for row in table.splitlines()[2:] for name in re.findall("`(.+?)`", row.split("|")[1])} == set(TRAINED)
