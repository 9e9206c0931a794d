"""Kimi against its maker's own templates."""

from pathlib import Path

import goldens
import pytest

import lect

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = {
    "moonshotai--Kimi-K2-Instruct--9fcc72b7": "kimi-k2",
    "moonshotai--Kimi-K2-Thinking": "kimi-k2-thinking",
}
CASES = [(slug, *case) for slug in TEMPLATES for case in goldens.cases(GOLDEN / f"{slug}.json")]


@pytest.mark.parametrize(
    ("slug", "case", "arguments", "expected"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_gives_the_makers_bytes(slug, case, arguments, expected):
    goldens.check(lect.get_conv_template(f"kimi:{TEMPLATES[slug]}").template, arguments, expected)


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("moonshotai/Kimi-K2-Instruct", "kimi-k2", "chat"),
        ("unsloth/Kimi-K2-Instruct-GGUF", "kimi-k2", "chat"),
        ("moonshotai/Kimi-K2-Thinking", "kimi-k2-thinking", "chat"),
        ("moonshotai/Kimi-K2-Base", "default", "base"),
    ],
)
def test_knows_names(path, template, kind):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.package) == (template, kind, "lect-kimi")


@pytest.mark.parametrize("path", ["kimichi-7b", "moonshotai/Kimi-VL-A3B-Instruct", "moonshotai/Kimi-K2-Instruct-0905"])
def test_claims_no_other_names(path):
    assert goldens.owner(path) != "lect-kimi"
