"""How much work a task is: lines of Python are the same on every machine, however busy it is.

Work inside C functions, such as searching a text, is in no line. There CPU time is a bound on what runs away, ten times
what was measured, and nothing else; a machine that is slower than the one that measured gets more of it.
"""

import gc
import sys
import time
from contextlib import contextmanager
from functools import cache, partial

ADDING = 0.15
"""CPU seconds that `_add` takes on the machine on which bounds are measured."""
HANGS = 600
"""Seconds after which something has hung, however busy the machine is: no test waits for them unless it fails."""


FROM_A_SMALL_PROCESS = [
    sys.executable, "-I", "-S", "-c", "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)",
]  # fmt: skip
"""Begins a command that measures its memory: Linux counts what the process that starts another has as the other's, and
one that has run many tests is large."""


def lines_run(task, *arguments, **more):
    """Return how many lines of Python a task runs."""
    lines = 0

    def count(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    with no_collector():
        sys.settrace(count)
        try:
            task(*arguments, **more)
        finally:
            sys.settrace(before)
    return lines


def cpu_seconds(task, *arguments, **more):
    """Return the CPU time that a task would take on the machine on which bounds are measured."""
    return _cpu_seconds(partial(task, *arguments, **more)) / slowness()


def _cpu_seconds(task):
    with no_collector():
        begun = time.process_time()
        task()
        return time.process_time() - begun


@cache
def slowness():
    """Return how many times as long as that machine this one takes for the same work; at least 1."""
    return max(1, _cpu_seconds(_add) / ADDING)


def _add():
    total = 0
    for number in range(2_000_000):
        total += number


@contextmanager
def no_collector():
    """Keep the garbage collector still: its work, and that of its callbacks, depends on what else is alive."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
