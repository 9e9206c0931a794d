"""What the tests of media share."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def families():
    """Return what each recorded family states: the rule and the texts, without numbers, which each row has."""
    return json.loads((DATA / "families.json").read_text("utf-8"))
