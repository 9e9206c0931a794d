"""How much work a task is: lines of Python are the same on every machine, however busy it is.

Work inside C functions, such as searching a text, is in no line. There CPU time is a bound on what runs away, ten times
what was measured, and nothing else.
"""

import gc
import sys
import time
from contextlib import contextmanager

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
    """Return the CPU time that a task takes."""
    with no_collector():
        begun = time.process_time()
        task(*arguments, **more)
        return time.process_time() - begun


@contextmanager
def no_collector():
    """Keep the garbage collector still: its work, and that of its callbacks, depends on what else is alive."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
