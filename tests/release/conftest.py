"""The packages as they are uploaded: `nox -s release` builds them, and runs these tests on what it built."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def dist():
    """The directory of all wheels and sdists."""
    if "LECT_DIST" not in os.environ:
        pytest.skip("LECT_DIST names no directory of built packages: `nox -s release` builds one")
    return Path(os.environ["LECT_DIST"])
