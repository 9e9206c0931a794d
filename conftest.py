"""What all tests share, wherever they stand."""

import gc
from collections import Counter
from contextlib import suppress
from functools import cache
from types import FunctionType, ModuleType

from sampling import FULL, ROTATING, SEED, STRESS

# The README's commands are tested where nothing but pytest is installed.
with suppress(ImportError):
    from hypothesis import settings

    # The machine may be busy, so no example has a deadline. The same examples are tried every time: a run judges a
    # change, and only `nox -s stress` searches. `nox -s full` tries more of them.
    examples = 100 if FULL else 30
    settings.register_profile("lect", deadline=None, database=None, derandomize=not STRESS, max_examples=examples)
    settings.load_profile("lect")


AGAIN = f"LECT_SAMPLE_SEED={SEED} LECT_FULL={ROTATING}"
SAMPLE = "all cases" if ROTATING == 1 else f"what rotates is a sample: {AGAIN} tries the same, LECT_FULL=1 all"


def pytest_report_header():
    """Say how to try the same cases again."""
    return SAMPLE


STARTS_PROCESSES = {"subprocess", "sandbox", "fresh_copy", "pages"}


def pytest_collection_modifyitems(items):
    """Let the files that take long begin first, so that no worker is left alone with one at the end.

    These are the files that start processes, and then those with the most cases.
    """
    cases = Counter()
    for item in items:
        cases[item.path] += getattr(getattr(item, "function", None), "cases", 1)
    items.sort(key=lambda item: (not starts_processes(item.module), -cases[item.path], str(item.path)))


@cache
def starts_processes(module):
    """Return whether a file of tests has imported something that starts processes."""
    # Among the others are objects that raise when they are asked for an attribute.
    used = (each for each in vars(module).values() if type(each) in (FunctionType, ModuleType, type))
    return any(getattr(each, "__module__", each.__name__) in STARTS_PROCESSES for each in used)


def pytest_collection_finish():
    """Spare the garbage collector thousands of tests, which stay to the end anyway."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """Say it where tests failed too: a quiet run has no header."""
    if terminalreporter.stats.keys() & {"failed", "error"}:
        terminalreporter.write_line(SAMPLE)
