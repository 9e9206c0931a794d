"""What the tests of media share."""

import json
from pathlib import Path

import pytest

import lect

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def families():
    """Return what each recorded family states of media: its template, or else, without one, a rule and its texts.

    The numbers are in the rows.
    """
    stated = json.loads((DATA / "families.json").read_text("utf-8"))
    return {name: lect.template(each).media if isinstance(each, str) else each for name, each in stated.items()}
