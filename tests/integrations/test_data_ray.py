"""A `Formatter` on a local Ray of several workers: nothing is lost or doubled, also where a worker dies."""

import json
import os
import signal
import sys

import pytest

import lect
from lect import LossPolicy

ray = pytest.importorskip("ray")
lect_data = pytest.importorskip("lect_data")
pytest.importorskip("tokenizers")

# Ray uses what it deprecates itself, and leaves files open.
pytestmark = pytest.mark.filterwarnings("ignore")
MODEL = "lect:chatml"
ROWS = 4000
BATCH = 100


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

    alphabet = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    made = Tokenizer(models.BPE(vocab=alphabet, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    texts = ("<|im_start|>", "<|im_end|>")
    made.add_special_tokens([AddedToken(text, normalized=False, special=True) for text in texts])
    path = tmp_path_factory.mktemp("model")
    made.save(str(path / "tokenizer.json"))
    return path


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patched.setenv("RAY_AUTH_MODE", "disabled")
        patched.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Workers import this module.
        settings = {"env_vars": {"RAYON_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}}
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=settings)
        yield
        ray.shutdown()


@pytest.fixture
def chats(tmp_path):
    """Lines of chats, one in a hundred of which cannot be used."""
    path = tmp_path / "chats.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(ROWS):
            answer = [{"role": "assistant", "content": str(number * 7)}] if number % 100 else []
            messages = [{"role": "user", "content": f"{number} times 7?"}, *answer]
            file.write(json.dumps({"id": number, "messages": messages}) + "\n")
    return str(path)


class Deadly:
    """A formatter whose process is killed once, in the middle of a batch."""

    def __init__(self, formatter, mark):
        self.formatter, self.mark = formatter, mark

    def __call__(self, table):
        if 2000 in table.column("id").to_pylist() and not os.path.exists(self.mark):
            with open(self.mark, "x"):
                os.kill(os.getpid(), signal.SIGKILL)
        return self.formatter(table)


def test_a_killed_worker_loses_and_doubles_nothing(cluster, chats, directory, tmp_path):
    formatter = lect_data.Formatter(MODEL, directory, row="id")
    mark = str(tmp_path / "killed")
    rows = ray.data.read_json(chats).repartition(8)
    made = rows.map_batches(Deadly(formatter, mark), batch_format="pyarrow", batch_size=BATCH).take_all()
    assert os.path.exists(mark)
    assert sorted(row["row"] for row in made) == [*range(ROWS)]
    bad = [row["row"] for row in made if row["error"]]
    assert sorted(bad) == [*range(0, ROWS, 100)]
    (one,) = [row for row in made if row["row"] == 2001]
    chat = [{"role": "user", "content": "2001 times 7?"}, {"role": "assistant", "content": "14007"}]
    encoded = lect.encode(MODEL, chat, formatter.encoder, policy=LossPolicy())
    assert list(one["input_ids"]) == encoded.ids
    assert list(one["labels"]) == encoded.labels
