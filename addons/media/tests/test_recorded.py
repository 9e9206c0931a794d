"""Counts and texts are those that the makers' own processors have made."""

import json
from pathlib import Path

import pytest
from shared import SHARED

import lect
from lect.errors import LectError, RefusedError
from lect_media import Item, expand

HERE = Path(__file__).parent


def rows_of(path):
    return json.loads(path.read_text("utf-8"))["rows"] if path.exists() else []


SAMPLE = rows_of(HERE / "data/recorded.json")
# Whatever lies there: rows that were recorded later are compared too.
ALL = [row for path in sorted((SHARED / "oracles/media").glob("*.json")) for row in rows_of(path)]


def differs(families, row):
    """Return how a row differs from what the rules say of it; None if it does not."""
    media = {row["kind"]: {**families[row["family"]][row["kind"]], **row["numbers"]}}
    items = [Item(row["kind"], tuple(size) if isinstance(size, list) else (size,)) for size in row["size"]]
    if "error" in row:
        with pytest.raises(RefusedError):
            expand(media, items)
        return None
    made = expand(media, items)
    found = {
        "text": [[list(run[:2]) for run in each.runs] for each in made],
        "tokens": [each.tokens for each in made],
        "pads": [each.pads for each in made],
    }
    return {name: (value, row[name]) for name, value in found.items() if value != row[name]} or None


def equals(families, row):
    try:
        return differs(families, row) is None
    except (LectError, pytest.fail.Exception):
        return False


def test_the_sample_has_every_family(families):
    assert {row["family"] for row in SAMPLE} == set(families)


OTHER_NUMBERS = {
    "qwen2-vl": "the rows have the most pixels that transformers itself sets; published files, and Qwen2.5-VL, have others",
    "gemma4 video": "the rows say how many frames a second has, and a template does not",
}


def test_the_numbers_that_templates_state_are_those_of_recorded_rows(templates):
    variants = {}
    for row in ALL or SAMPLE:
        own = {**row, "numbers": {}}
        variants.setdefault((row["family"], row["kind"]), {}).setdefault(row["variant"], []).append(own)
    others = []
    for (family, kind), rows in variants.items():
        for name in templates[family] if not {family, f"{family} {kind}"} & OTHER_NUMBERS.keys() else ():
            stated = {family: lect.template(name).media}
            if not any(all(equals(stated, row) for row in each) for each in rows.values()):
                others.append((name, kind))
    assert others == []


@pytest.mark.parametrize("variant", sorted({row["variant"] for row in SAMPLE}))
def test_a_sample_of_what_was_recorded_is_equal(families, variant):
    assert [found for row in SAMPLE if row["variant"] == variant if (found := differs(families, row))] == []


@pytest.mark.parametrize("variant", sorted({row["variant"] for row in ALL}) or [None])
def test_all_that_was_recorded_is_equal(families, variant):
    if variant is None:
        pytest.skip("../shared is missing, which has all rows that were recorded")
    assert [found for row in ALL if row["variant"] == variant if (found := differs(families, row))] == []
