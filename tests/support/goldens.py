"""Golden prompts: the output of the makers' own templates, kept as data with its provenance."""

import json
from functools import cache

from repository import REPOSITORY

from lect_kit.conversations import THE_DAY
from lect_kit.goldens import battery, cases, golden_problem

__all__ = [
    "REPOSITORY", "THE_DAY", "battery", "cases", "check", "deviations", "golden_files", "native_models",
]  # fmt: skip


@cache
def golden_files():
    """Return the golden files that were made by a maker's template, by the slug of that template."""
    return {path.stem: path for path in sorted((REPOSITORY / "plugins").glob("*/tests/golden/*--*.json"))}


@cache
def native_models():
    """Return a model for every maker's template that a family must equal, by the slug of that template."""
    return {slug: json.loads(path.read_text("utf-8"))["provenance"]["model"] for slug, path in golden_files().items()}


def deviations(family):
    """Return `(slug, case)` for every golden from which a family differs on purpose."""
    rows = json.loads((REPOSITORY / "plugins" / family / "deviations.json").read_text("utf-8"))
    return {(row["slug"], row["case"]): row for row in rows}


def check(template, arguments, expected):
    """Assert that a template gives what the maker's does: its text, a refusal where it refuses, and no foreign error where it crashes."""
    assert golden_problem(template, arguments, expected) == ""
