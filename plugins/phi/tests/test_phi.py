"""Phi against its maker's own templates."""

from pathlib import Path

import goldens
import pytest

import lect

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = {
    "microsoft--Phi-3-mini-4k-instruct": "phi-3-mini",
    "microsoft--Phi-3-medium-128k-instruct": "phi-3-medium",
    "microsoft--Phi-3-small-8k-instruct": "phi-3-small",
    "microsoft--Phi-3.5-mini-instruct": "phi-3.5",
    "microsoft--phi-4": "phi-4",
    "microsoft--Phi-4-mini-instruct": "phi-4-mini",
    "microsoft--Phi-4-reasoning": "phi-4-reasoning",
}
CASES = [(slug, *case) for slug in TEMPLATES for case in goldens.cases(GOLDEN / f"{slug}.json")]


@pytest.mark.parametrize(
    ("slug", "case", "arguments", "expected"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_gives_the_makers_bytes(slug, case, arguments, expected):
    goldens.check(lect.get_conv_template(f"phi:{TEMPLATES[slug]}").template, arguments, expected)


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("microsoft/Phi-3-mini-128k-instruct", "phi-3-mini", "chat"),
        ("microsoft/Phi-3-medium-4k-instruct", "phi-3-medium", "chat"),
        ("microsoft/Phi-3-small-128k-instruct", "phi-3-small", "chat"),
        ("microsoft/Phi-3.5-mini-instruct", "phi-3.5", "chat"),
        ("unsloth/phi-4-bnb-4bit", "phi-4", "chat"),
        ("microsoft/Phi-4-mini-instruct", "phi-4-mini", "chat"),
        ("microsoft/Phi-4-reasoning-plus", "phi-4-reasoning", "chat"),
    ],
)
def test_knows_names(path, template, kind):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.package) == (template, kind, "lect-phi")


@pytest.mark.parametrize("path", ["phillama", "microsoft/phi-2", "dolphin-phi"])
def test_claims_no_other_names(path):
    assert goldens.owner(path) != "lect-phi"
