"""The audits: short in every run, long with LECT_STRESS=1 (`nox -s stress`)."""

import pytest
from sampling import STRESS


@pytest.fixture(scope="session")
def scale():
    """How much more to try than in an ordinary run: 1, or 200 under stress."""
    return 200 if STRESS else 1
