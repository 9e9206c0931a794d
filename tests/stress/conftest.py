"""The audits: short in every run, long with LECT_STRESS=1 (`nox -s stress`)."""

import os

import pytest


@pytest.fixture(scope="session")
def scale():
    """How much more to try than in an ordinary run: 1, or 200 under stress."""
    return 200 if os.environ.get("LECT_STRESS") == "1" else 1
