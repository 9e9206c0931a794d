"""Zephyr against its maker's own templates."""

from pathlib import Path

import goldens
import pytest

import lect

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = {
    "HuggingFaceH4--zephyr-7b-beta": "zephyr",
    "HuggingFaceH4--zephyr-7b-gemma-sft-v0.1": "zephyr-gemma",
    "stabilityai--stablelm-zephyr-3b": "stablelm-zephyr",
}
CASES = [(slug, *case) for slug in TEMPLATES for case in goldens.cases(GOLDEN / f"{slug}.json")]


@pytest.mark.parametrize(
    ("slug", "case", "arguments", "expected"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_gives_the_makers_bytes(slug, case, arguments, expected):
    goldens.check(lect.get_conv_template(f"zephyr:{TEMPLATES[slug]}").template, arguments, expected)


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("HuggingFaceH4/zephyr-7b-beta", "zephyr", "chat"),
        ("HuggingFaceH4/zephyr-7b-gemma-v0.1", "zephyr-gemma", "chat"),
        ("stabilityai/stablelm-zephyr-3b", "stablelm-zephyr", "chat"),
        ("TheBloke/zephyr-7B-alpha-GGUF", "zephyr", "chat"),
    ],
)
def test_knows_names(path, template, kind):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.package) == (template, kind, "lect-zephyr")


@pytest.mark.parametrize("path", ["stabilityai/stablelm-2-12b-chat", "zephyrus-7b"])
def test_claims_no_other_names(path):
    assert goldens.owner(path) != "lect-zephyr"
