"""What all tests share, wherever they stand."""

import gc
from contextlib import suppress

from sampling import FULL, SEED, STRESS

# The README's commands are tested where nothing but pytest is installed.
with suppress(ImportError):
    from hypothesis import settings

    # The machine may be busy, so no example has a deadline. The same examples are tried every time: a run judges a
    # change, and only `nox -s stress` searches.
    settings.register_profile("lect", deadline=None, database=None, derandomize=not STRESS)
    settings.load_profile("lect")


SAMPLE = "all cases" if FULL else f"the makers' templates are a sample: LECT_SAMPLE_SEED={SEED}; LECT_FULL=1 tries all"


def pytest_report_header():
    """Say how to try the same cases again."""
    return SAMPLE


def pytest_collection_finish():
    """Spare the garbage collector thousands of tests, which stay to the end anyway."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """Say it where tests failed too: a quiet run has no header."""
    if terminalreporter.stats.keys() & {"failed", "error"}:
        terminalreporter.write_line(SAMPLE)
