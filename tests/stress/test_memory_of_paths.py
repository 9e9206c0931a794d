"""What a process remembers about the paths that it has resolved does not grow with their number."""

import os
import subprocess
import sys

import pytest
from counting import FROM_A_SMALL_PROCESS

pytest.importorskip("resource", reason="needed to measure the size of a process")

CHILD = """
import sys, warnings
from resource import RUSAGE_SELF, getrusage
import lect, lect_fastchat

UNIT = 1 if sys.platform == "darwin" else 1024
KINDS = [
    "Qwen/Qwen3-{}B",  # known
    "Qwen/Qwen3-4B@{}",
    "/models/Qwen3-4B/{}",
    "unheard/of-{}",  # unknown
    "qwem/qwem-{}",  # nearly known
    "Imsys/vicuna-7b-v1.5-{}",  # known, with a warning
    "Imsys/vicuna-7b-v1.5-" + "x" * 3000 + "{}",
    "young-geng/koala-{}b",  # a fallback's, with a warning
    "Qwen/Qwen3-" + "x" * 3000 + "{}",
    "unheard/" + "of-" * 1000 + "{}",
    "{}\\0",  # refused
]
warnings.simplefilter("default")
warnings.showwarning = lambda *shown: None

def ask(number):
    path = KINDS[number % len(KINDS)].format(number)
    for question in lect.resolve, lect_fastchat.get_conversation_template:
        try:
            question(path)
        except lect.LectError:
            pass

first, last = map(int, sys.argv[1:])
for number in range(first):
    ask(number)
before = getrusage(RUSAGE_SELF).ru_maxrss
for number in range(first, last):
    ask(number)
print((getrusage(RUSAGE_SELF).ru_maxrss - before) * UNIT)
"""
FULL = 3_000
"""After this many paths, everything that remembers a limited number of them is full."""


def test_a_process_does_not_grow_with_the_number_of_paths(scale):
    environ = {key: value for key, value in os.environ.items() if not key.startswith("LECT_")}
    command = [*FROM_A_SMALL_PROCESS, sys.executable, "-c", CHILD, str(FULL), str(10_000 * scale)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    assert int(done.stdout) < 4 << 20
