"""Command against its maker's own templates."""

from pathlib import Path

import goldens
import pytest

import lect

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = {
    "CohereLabs--c4ai-command-r-v01": "command-r",
    "CohereLabs--c4ai-command-r7b-12-2024": "command-r7b",
    "CohereLabs--command-a-reasoning-08-2025": "command-a-reasoning",
}
CASES = [(slug, *case) for slug in TEMPLATES for case in goldens.cases(GOLDEN / f"{slug}.json")]


@pytest.mark.parametrize(
    ("slug", "case", "arguments", "expected"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_gives_the_makers_bytes(slug, case, arguments, expected):
    goldens.check(lect.get_conv_template(f"cohere:{TEMPLATES[slug]}").template, arguments, expected)


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("CohereLabs/c4ai-command-r-v01", "command-r", "chat"),
        ("CohereForAI/c4ai-command-r-plus", "command-r", "chat"),
        ("CohereLabs/c4ai-command-r7b-12-2024", "command-r7b", "chat"),
        ("CohereLabs/command-a-reasoning-08-2025", "command-a-reasoning", "chat"),
        ("CohereForAI/aya-23-8B", "command-r", "chat"),
        ("adamo1139/aya-expanse-8b-ungated", "command-r", "chat"),
    ],
)
def test_knows_names(path, template, kind):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.package) == (template, kind, "lect-cohere")


@pytest.mark.parametrize(
    "path", ["commander-7b", "CohereLabs/c4ai-command-a-03-2025", "CohereForAI/c4ai-command-r-plus-08-2024"]
)
def test_claims_no_other_names(path):
    assert goldens.owner(path) != "lect-cohere"
