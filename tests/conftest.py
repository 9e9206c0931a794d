"""What the tests across packages share."""

import pytest
from sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory):
    """Real environments, with wheels that are built once."""
    return Sandbox(tmp_path_factory.mktemp("sandbox"))


@pytest.fixture
def offline(sandbox, monkeypatch):
    """Whatever pip installs in this test comes from the wheelhouse; also what it builds with."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(sandbox.wheelhouse))
