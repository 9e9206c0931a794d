"""How much work a task is: lines of Python are the same on every machine, however busy it is.

Work inside C functions, such as searching a text, is in no line. There CPU time is a bound on what runs away, ten times
what was measured, and nothing else.
"""

import gc
import sys
import time

HANGS = 600
"""Seconds after which something has hung, however busy the machine is: no test waits for them unless it fails."""


def lines_run(task, *arguments, **more):
    """Return how many lines of Python a task runs."""
    lines = 0

    def count(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        task(*arguments, **more)
    finally:
        sys.settrace(before)
    return lines


def cpu_seconds(task, *arguments, **more):
    """Return the CPU time that a task takes, without the garbage collector: its work depends on what else is alive."""
    gc.disable()
    begun = time.process_time()
    try:
        task(*arguments, **more)
        return time.process_time() - begun
    finally:
        gc.enable()
