"""Fixtures shared by the tests across packages."""

import pytest
from sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory):
    """Real environments, with wheels that are built once."""
    return Sandbox(tmp_path_factory.mktemp("sandbox"))


@pytest.fixture
def offline(sandbox, monkeypatch):
    """Make pip take everything from the wheelhouse, build requirements included."""
    monkeypatch.setenv("PIP_FIND_LINKS", str(sandbox.wheelhouse))
    # Afterwards: the wheels come from an index.
    monkeypatch.setenv("PIP_NO_INDEX", "1")
