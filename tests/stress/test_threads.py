"""32 threads that ask at once, from the first question on, get the right answers, whatever else changes meanwhile."""

import json
import os
import subprocess
import sys

import pytest
from counting import HANGS

OWNERS = {
    "Qwen/Qwen3-4B": "lect-qwen",
    "Qwen/Qwen2.5-7B-Instruct": "lect-qwen",
    "meta-llama/Llama-3.1-8B-Instruct": "lect-llama",
    "lmsys/vicuna-7b-v1.5": "lect-vicuna",
    "mistralai/Mistral-7B-Instruct-v0.3": "lect-mistral",
    "google/gemma-2-9b-it": "lect-gemma",
    "openai/gpt-oss-20b": "lect-gptoss",
    "deepseek-ai/DeepSeek-R1": "lect-deepseek",
    "internlm/internlm2-chat-7b": "lect-internlm",
    "HuggingFaceH4/zephyr-7b-beta": "lect-zephyr",
}
CHILD = """
import json, sys, threading
import lect
from lect.plugin import CHATML, Family, Rule

owners, rounds, threads = json.loads(sys.argv[1]), int(sys.argv[2]), 32
sys.setswitchinterval(1e-5)
barrier, wrong = threading.Barrier(threads), []
QUESTION = [{"role": "user", "content": "hello"}]

def ask(number):
    paths = sorted(owners)
    for turn in range(rounds):
        path = paths[(number + turn) % len(paths)]
        resolution = lect.resolve(path)
        if resolution.package != owners[path] or "hello" not in resolution.template.text(QUESTION):
            wrong.append((path, resolution.package))

def change(number):
    name = f"own{chr(ord('a') + number)}"
    for turn in range(rounds // 4 + 1):
        with lect.register(Family(name, Rule(name, CHATML))), lect.pin(f"{name}/pinned-*", "chatml"):
            found = lect.resolve(f"{name}/{name}-{turn}").adapter.name
            if found != name:
                wrong.append((name, found))
            lect.resolve(f"{name}/pinned-{turn}")
        if number == 0:
            lect.rescan()
        lect.plugins()

def run(number):
    barrier.wait()
    try:
        (change if number % 8 == 0 else ask)(number)
    except BaseException as error:
        wrong.append((number, repr(error)))

workers = [threading.Thread(target=run, args=[number], daemon=True) for number in range(threads)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
print(json.dumps(wrong))
"""


@pytest.mark.parametrize("filters", ["default", "error"])
def test_threads_that_ask_and_change_at_once_get_right_answers(scale, filters):
    # Everything is imported at the first questions, so run many processes instead of one for long.
    for _ in range(min(scale, 20)):
        command = [sys.executable, "-W", filters, "-c", CHILD, json.dumps(OWNERS), str(20 * min(scale, 20))]
        environ = {key: value for key, value in os.environ.items() if not key.startswith("LECT_")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=HANGS, env=environ)
        assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
