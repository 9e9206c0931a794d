"""Gemma against its maker's own templates."""

from pathlib import Path

import goldens
import pytest

import lect

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = {
    "google--gemma-2b-it": "gemma",
    "google--gemma-3-1b-it": "gemma-3-1b",
    "google--gemma-3-4b-it": "gemma-3",
    "google--gemma-3n-E4B-it--ac03dcb3": "gemma-3n",
    "google--gemma-4-E2B-it": "gemma-4",
}
CASES = [(slug, *case) for slug in TEMPLATES for case in goldens.cases(GOLDEN / f"{slug}.json")]


@pytest.mark.parametrize(
    ("slug", "case", "arguments", "expected"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_gives_the_makers_bytes(slug, case, arguments, expected):
    goldens.check(lect.get_conv_template(f"gemma:{TEMPLATES[slug]}").template, arguments, expected)


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("google/gemma-2b-it", "gemma", "chat"),
        ("google/gemma-1.1-7b-it", "gemma", "chat"),
        ("google/gemma-2-9b-it", "gemma", "chat"),
        ("google/gemma-3-27b-it", "gemma-3", "chat"),
        ("google/gemma-3-1b-it", "gemma-3-1b", "chat"),
        ("google/gemma-3n-E2B-it", "gemma-3n", "chat"),
        ("google/gemma-4-E4B-it", "gemma-4", "chat"),
        ("google/gemma-2-9b", "default", "base"),
        ("google/gemma-3-4b-pt", "default", "base"),
        ("unsloth/gemma-3-4b-it-GGUF", "gemma-3", "chat"),
    ],
)
def test_knows_names(path, template, kind):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.package) == (template, kind, "lect-gemma")


@pytest.mark.parametrize(
    "path", ["HuggingFaceH4/zephyr-7b-gemma-v0.1", "openchat/openchat-3.5-0106-gemma", "google/gemma-4-31B-it"]
)
def test_claims_no_other_names(path):
    assert goldens.owner(path) != "lect-gemma"
