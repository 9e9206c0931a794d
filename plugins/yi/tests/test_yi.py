"""Yi against its maker's own templates."""

from pathlib import Path

import goldens
import pytest

import lect

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = {
    "01-ai--Yi-1.5-34B-Chat": "yi-1.5-chat",
}
CASES = [(slug, *case) for slug in TEMPLATES for case in goldens.cases(GOLDEN / f"{slug}.json")]


@pytest.mark.parametrize(
    ("slug", "case", "arguments", "expected"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_gives_the_makers_bytes(slug, case, arguments, expected):
    goldens.check(lect.get_conv_template(f"yi:{TEMPLATES[slug]}").template, arguments, expected)


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("01-ai/Yi-1.5-9B-Chat-16K", "yi-1.5-chat", "chat"),
        ("01-ai/Yi-34B-Chat", "yi-chat", "chat"),
        ("01-ai/Yi-6B", "default", "base"),
    ],
)
def test_knows_names(path, template, kind):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.package) == (template, kind, "lect-yi")


@pytest.mark.parametrize("path", ["yi", "unicorn/yippee-7b"])
def test_claims_no_other_names(path):
    assert goldens.owner(path) != "lect-yi"
