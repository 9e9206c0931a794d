"""A command that may run a stranger's template ends in time, with little memory, and at Ctrl-C, whatever it does."""

import os
import signal
import subprocess
import sys
import time
from itertools import product

import pytest
from counting import HANGS
from sampling import in_turn

from lect.cli import main

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
# The command does something else, after it has said which process it is.
RUN = """
import collections, itertools, os, signal, sys, time
from lect.cli import main, prompt

from lect.contain import blaming
from lect.errors import LectError

def ours(task):
    try:
        exec(task)
    except MemoryError as error:
        raise LectError("too large") from error

def run(arguments):
    print(os.getpid(), file=sys.stderr, flush=True)
    {task}
    return 7

prompt.run = run
# Where the tests run in the background, it is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""
LONG = {
    "Python code": "while True: pass",
    "one call in C": "collections.deque(itertools.repeat(None), maxlen=0)",
    "waiting": "time.sleep(10**6)",
    "a signal that is ignored": "signal.signal(signal.SIGINT, signal.SIG_IGN); collections.deque(itertools.repeat(None), maxlen=0)",
}

LARGE = {
    "one large object": "bytearray(1 << 40)",
    "many small ones": "[kept for kept in iter(lambda: [[] for _ in range(9)], None)]",
}
WRAPPED = {
    "as it is": "{}",
    "as the fault of a plugin": "blaming('a plugin failed', (LectError,), lambda: exec({!r}))",
    "as an error of ours": "blaming('a plugin failed', (LectError,), lambda: ours({!r}))",
}


def started(task, *arguments, **more):
    command = [sys.executable, "-c", RUN.format(task=task), "prompt", "./model", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, **more)


def ended(task, *arguments):
    process = started(task, *arguments)
    output, errors = process.communicate(timeout=HANGS)
    worker, _, errors = errors.partition("\n")
    assert int(worker) != process.pid
    assert is_gone(int(worker))
    return process.returncode, output, errors


def is_gone(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("task", LONG.values(), ids=LONG)
def test_it_ends_after_the_time_that_it_has(task):
    message = "lect: `lect prompt` was ended: it took more than 0.3 s\n  try: --timeout 3, if you trust what it reads\n"
    assert ended(task, "--timeout", "0.3") == (124, "", message)


@pytest.mark.parametrize("task", LONG.values(), ids=LONG)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_ends_at_once_when_it_is_told_to(task, number, code):
    process = started(task, "--timeout", str(HANGS))
    worker = int(process.stderr.readline())
    process.send_signal(number)
    assert process.communicate(timeout=HANGS) == ("", "")
    assert process.returncode == code
    assert is_gone(worker)


def test_ctrl_c_on_a_terminal_reaches_both_processes():
    process = started(LONG["one call in C"], "--timeout", str(HANGS), start_new_session=True)
    worker = int(process.stderr.readline())
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=HANGS) == ("", "")
    assert process.returncode == 130
    assert is_gone(worker)


@pytest.mark.skipif(sys.platform != "linux", reason="this system does not limit memory")
@pytest.mark.parametrize(("wrapped", "task"), in_turn(product(WRAPPED.values(), LARGE.values()), 3))
def test_it_ends_when_it_needs_more_memory_than_it_has(task, wrapped):
    message = "lect: `lect prompt` was ended: it needs more than 0.25 GiB of memory\n"
    advice = "  try: --memory 2.5, if you trust what it reads\n"
    assert ended(wrapped.format(task), "--memory", "0.25", "--timeout", str(HANGS)) == (1, "", message + advice)


@pytest.mark.parametrize(
    ("number", "advice"), [(signal.SIGABRT, "\n  try: --memory 10, if you trust what it reads"), (signal.SIGSEGV, "")]
)
def test_a_crash_is_an_error(number, advice):
    told = f"signal {number:d} ({signal.strsignal(number)}){advice}"
    assert ended(f"signal.raise_signal({number:d})") == (1, "", f"lect: `lect prompt` was ended by {told}\n")


def test_an_error_whose_reasons_go_round_in_circles_is_printed():
    task = "blaming('a plugin failed', (LectError,), lambda: exec('raise LectError(1)'))"
    assert ended(task) == (1, "", "lect: 1\n")


def test_otherwise_all_is_as_the_command_says():
    assert ended("print('out'); print('err', file=sys.stderr)") == (7, "out\n", "err\n")


def test_waiting_for_input_or_for_a_reader_takes_no_time():
    much = 1_000_000
    process = started(f"print(sys.stdin.read() * {much})", "--timeout", "2")
    process.stderr.readline()
    time.sleep(2.2)
    process.stdin.write("x")
    process.stdin.close()
    time.sleep(2.2)
    assert process.stdout.read() == "x" * much + "\n"
    assert process.wait() == 7
    assert process.stderr.read() == ""
    for pipe in (process.stdout, process.stderr):
        pipe.close()


@pytest.mark.parametrize("number", ["0", "-1", "nan", "inf", "1e9", "some"])
@pytest.mark.parametrize(("option", "unit"), [("--timeout", "seconds, such as 60"), ("--memory", "GiB, such as 4")])
def test_a_bound_that_is_none_is_refused(option, unit, number, capsys):
    assert main(["prompt", "acme-7b", "Hello!", option, number]) == 2
    assert f"is not a number of {unit}" in capsys.readouterr().err
