"""Many conversations of five shapes, one in a hundred of which cannot be used: the counts add up, and memory is bounded."""

import json
import random
import subprocess
import sys

import pytest
from counting import FROM_A_SMALL_PROCESS
from sampling import STRESS

import lect
from lect import LossPolicy

tokenizers = pytest.importorskip("tokenizers")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("lect_data")

MODEL = "lect:chatml"
ROWS, CHECKED = (200_000, 2_000) if STRESS else (3_000, 200)
MOST_MEMORY = 1_500 << 20
WORDS = ("it", "is", "warm", "in", "Paris", "and", "cold", "Oslo", "said", "nobody", "who", "knows")
BAD = ["{broken", "3", '{"messages": []}', '{"messages": [{"role": "user", "content": "Hi"}]}']
PROGRAM = """
import resource, sys
from lect.cli import main
code = main(sys.argv[1:])
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(code, memory, file=sys.stderr)
"""


def row(number, rng):
    """Return a row of one of five shapes, and its messages."""

    def said():
        return " ".join(rng.choices(WORDS, k=rng.randint(1, 12)))

    question, answer = said(), said()
    chat = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    system = {"role": "system", "content": said()}
    return [
        ({"messages": chat}, chat),
        ({"conversations": [{"from": "human", "value": question}, {"from": "gpt", "value": answer}]}, chat),
        ({"instruction": question, "input": "", "output": answer}, chat),
        ({"prompt": question, "completion": answer}, chat),
        ({"system": system["content"], "messages": chat, "id": number}, [system, *chat]),
    ][number % 5]


def test_counts_add_up_and_memory_does_not_grow_with_the_file(tmp_path):
    pre = tokenizers.pre_tokenizers.ByteLevel
    alphabet = {letter: number for number, letter in enumerate(sorted(pre.alphabet()))}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=alphabet, merges=[]))
    tokenizer.pre_tokenizer = pre(add_prefix_space=False)
    tokenizer.add_special_tokens(["<|im_start|>", "<|im_end|>"])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    rng = random.Random(1)
    chats = {}
    with (tmp_path / "chats.jsonl").open("w", encoding="utf-8") as file:
        for number in range(ROWS):
            made, chats[number] = row(number, rng)
            file.write((rng.choice(BAD) if number % 100 == 50 else json.dumps(made)) + "\n")
    words = [
        "dataset",
        "chats.jsonl",
        "-o",
        "out.parquet",
        "--model",
        MODEL,
        "--tokenizer",
        ".",
        "--errors",
        "bad.jsonl",
    ]
    command = [*FROM_A_SMALL_PROCESS, sys.executable, "-c", PROGRAM, *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    code, memory = map(int, done.stderr.split()[-2:])
    assert code == 1
    assert memory < MOST_MEMORY
    table = pq.read_table(tmp_path / "out.parquet")
    rows = table.column("row").to_pylist()
    bad = [json.loads(line)["row"] for line in (tmp_path / "bad.jsonl").read_text("utf-8").splitlines()]
    assert bad == [*range(50, ROWS, 100)]
    assert sorted([*rows, *bad]) == [*range(ROWS)]
    for place in rng.sample(range(len(rows)), CHECKED):
        encoded = lect.encode(MODEL, chats[rows[place]], tokenizer, policy=LossPolicy())
        assert table.column("input_ids")[place].as_py() == encoded.ids
        assert table.column("labels")[place].as_py() == encoded.labels
