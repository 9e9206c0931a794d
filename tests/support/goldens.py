"""Golden prompts: the output of the makers' own templates, kept as data with its provenance."""

import json
from functools import cache

from repository import REPOSITORY
from shared import SHARED

from lect_kit.conversations import THE_DAY
from lect_kit.goldens import battery, cases, golden_problem

__all__ = [
    "REPOSITORY", "THE_DAY", "battery", "cases", "check", "deviations", "golden_files", "golden_models",
    "native_models",
]  # fmt: skip


@cache
def golden_files():
    """Return the golden files that were made by a maker's template, by the slug of that template."""
    return {path.stem: path for path in sorted((REPOSITORY / "plugins").glob("*/tests/golden/*--*.json"))}


@cache
def golden_models():
    """Return the model of every golden file."""
    return {slug: json.loads(path.read_text("utf-8"))["provenance"]["model"] for slug, path in golden_files().items()}


@cache
def native_models():
    """Return a model for every maker's template that a family must equal, by the slug of that template.

    Those that were collected after `../shared` was are left out; their goldens are compared all the same.
    """
    texts = [SHARED / "oracles" / folder / "jinja" for folder in ("", "more")]
    return {
        slug: model
        for slug, model in golden_models().items()
        if not SHARED.exists() or any((folder / f"{slug}.jinja").exists() for folder in texts)
    }


def deviations(family):
    """Return `(slug, case)` for every golden from which a family differs on purpose."""
    rows = json.loads((REPOSITORY / "plugins" / family / "deviations.json").read_text("utf-8"))
    return {(row["slug"], row["case"]): row for row in rows}


def check(template, arguments, expected):
    """Assert that a template gives what the maker's does: its text, a refusal where it refuses, and no foreign error where it crashes."""
    assert golden_problem(template, arguments, expected) == ""
