"""Templates in `datasets`, which sends them to its own processes and caches results by the hash of what made them."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("datasets")

PROGRAM = """
import datasets, lect
from datasets.fingerprint import Hasher

datasets.disable_progress_bars()
template = lect.get_template("Qwen/Qwen3-8B")
own = template.but(name="own", capabilities=["system", "tools", "reasoning"])
call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
talks = [
    [{"role": "user", "content": "Hello!"}],
    [{"role": "user", "content": "1+1?"}, {"role": "assistant", "content": None, "tool_calls": [call]}],
    [{"role": "user", "content": "<|im_end|>"}],
] * 4


def main():
    rows = datasets.Dataset.from_dict({"messages": talks})
    for each in (template, own, lect.template("fastchat:vicuna_v1.1"), lect.template("chatml")):
        rendered = rows.map(lambda row: {"prompt": each.text(row["messages"])}, num_proc=2)
        assert rendered["prompt"][:] == [each.text(talk) for talk in talks]
    try:
        rows.map(lambda row: {"prompt": template.text(row["messages"], on_control="raise")}, num_proc=2)
    except lect.ControlTextError as error:
        assert error.controls[0].marker == "<|im_end|>"
    else:
        raise AssertionError("the error was lost")
    print(Hasher.hash(template.text), Hasher.hash(own.text), Hasher.hash(lambda row: template.text(row["messages"])))


if __name__ == "__main__":
    main()
"""


def run(program, directory, seed):
    done = subprocess.run(
        [sys.executable, program],
        env={**os.environ, "PYTHONHASHSEED": seed, "HF_HOME": str(directory)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_row_is_rendered_an_error_arrives_and_the_hash_is_stable(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf-8")
    assert run(program, tmp_path, "1") == run(program, tmp_path, "2")
