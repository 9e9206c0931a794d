"""Four coding agents finish a task of five calls and a second question, over `lect serve` and a scripted model."""

import subprocess
from itertools import groupby

import clients
import pytest
import real_tokenizers
import worker
from fake_engines import FakeVllm, serving, tiny_of

import lect

MODELS = {
    "Qwen/Qwen3-8B": "qwen3",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct": "qwen3",
    "zai-org/GLM-4.5": None,
    "openai/gpt-oss-20b": None,
    # Its makers' template lists no tools, so a real model would not know of them. What it calls is read all the same.
    "deepseek-ai/DeepSeek-V3.1": None,
}
"""The models whose formats are spoken, and whose tokenizer is known."""
UNTRAINED = -100
CONTEXT = 400_000
"""Of tokens, which in a tiny tokenizer are bytes."""


def tokenizer_of(template, name):
    if name in real_tokenizers.names():
        return real_tokenizers.tokenizer(name)
    return tiny_of(template)


@pytest.fixture
def folder(tmp_path):
    """A repository with one program."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / worker.FILE).write_text(worker.BEGUN, "utf-8")
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("client", clients.CLIENTS)
def test_a_client_finishes_its_task_and_a_second_question(programs, serve, folder, tmp_path, client, model):
    template = lect.get_template(model)
    tokenizer = tokenizer_of(template, MODELS[model])
    script = worker.Worker(client, template, tokenizer, folder)
    home = tmp_path / "home"
    home.mkdir()
    with (
        serving(FakeVllm(tokenizer, script, context=CONTEXT).app) as engine,
        serve(model, engine, tokenizer, script.options, "--keep-reasoning") as served,
    ):
        ended, printed = clients.run(client, programs, served.url, home, folder, worker.TASK.format(folder))
        assert (ended, worker.DONE in printed) == (0, True), printed + served.log.read_text()
        assert (folder / worker.FILE).read_text("utf-8") == worker.ENDED
        assert script.made == [name for (name, _), _ in script.steps]
        ended, printed = clients.run(client, programs, served.url, home, folder, worker.AGAIN, again=True)
        assert (ended, worker.OTHER_WORDS in printed) == (0, True), printed + served.log.read_text()
    # What was sampled is never rendered again; Qwen Code asks about its memory in a conversation of its own.
    assert script.beginnings() == (2 if client == "qwen" else 1), served.log.read_text()
    assert sampled(served.sessions()) >= {tuple(reply) for _, reply in script.turns}


def sampled(rows):
    """Return what was sampled by the records of sessions, one reply after the other."""
    runs = (groupby(row["labels"], lambda label: label != UNTRAINED) for row in rows)
    return {tuple(run) for groups in runs for is_sampled, run in groups if is_sampled}
