"""What the tests of media share."""

import json
from pathlib import Path

import pytest

import lect

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def templates():
    """Return the templates of each recorded family, which differ by their numbers; none where lect has none."""
    return {name: [*_names(each)] for name, each in _stated().items()}


@pytest.fixture(scope="session")
def families(templates):
    """Return what each recorded family states of media: its template, or else, without one, a rule and its texts.

    The numbers are in the rows.
    """
    named = ((name, [lect.template(each).media for each in names]) for name, names in templates.items())
    return _stated() | {name: media[0] for name, media in named if media}


def _stated():
    return json.loads((DATA / "families.json").read_text("utf-8"))


def _names(stated):
    return [stated] if isinstance(stated, str) else stated if isinstance(stated, list) else []
