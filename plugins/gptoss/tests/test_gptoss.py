"""gpt-oss against its maker's own templates."""

from pathlib import Path

import goldens
import pytest

import lect

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = {
    "openai--gpt-oss-20b": "gpt-oss",
}
CASES = [(slug, *case) for slug in TEMPLATES for case in goldens.cases(GOLDEN / f"{slug}.json")]


@pytest.mark.parametrize(
    ("slug", "case", "arguments", "expected"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_gives_the_makers_bytes(slug, case, arguments, expected):
    goldens.check(lect.get_conv_template(f"gptoss:{TEMPLATES[slug]}").template, arguments, expected)


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("openai/gpt-oss-20b", "gpt-oss", "chat"),
        ("unsloth/gpt-oss-120b-GGUF", "gpt-oss", "chat"),
    ],
)
def test_knows_names(path, template, kind):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.package) == (template, kind, "lect-gptoss")


@pytest.mark.parametrize("path", ["openai-community/gpt2", "EleutherAI/gpt-neo-2.7B"])
def test_claims_no_other_names(path):
    assert goldens.owner(path) != "lect-gptoss"
