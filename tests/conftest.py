"""What the tests across packages share."""

import pytest
from sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory):
    """Real environments, with wheels that are built once."""
    return Sandbox(tmp_path_factory.mktemp("sandbox"))
