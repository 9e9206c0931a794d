"""Granite against its maker's own templates."""

from pathlib import Path

import goldens
import pytest

import lect

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = {
    "ibm-granite--granite-3.1-3b-a800m-instruct": "granite-3.1",
    "ibm-granite--granite-3.3-2b-instruct": "granite-3.3",
    "ibm-granite--granite-4.0-h-small": "granite-4.0",
}
CASES = [(slug, *case) for slug in TEMPLATES for case in goldens.cases(GOLDEN / f"{slug}.json")]


@pytest.mark.parametrize(
    ("slug", "case", "arguments", "expected"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_gives_the_makers_bytes(slug, case, arguments, expected):
    goldens.check(lect.get_conv_template(f"granite:{TEMPLATES[slug]}").template, arguments, expected)


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("ibm-granite/granite-3.1-8b-instruct", "granite-3.1", "chat"),
        ("ibm-granite/granite-3.3-8b-instruct-GGUF", "granite-3.3", "chat"),
        ("ibm-granite/granite-4.0-h-tiny", "granite-4.0", "chat"),
        ("ibm-granite/granite-3.1-8b-base", "default", "base"),
    ],
)
def test_knows_names(path, template, kind):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.package) == (template, kind, "lect-granite")


@pytest.mark.parametrize("path", ["granites-7b", "ibm-granite/granite-guardian-3.1-8b"])
def test_claims_no_other_names(path):
    assert goldens.owner(path) != "lect-granite"
