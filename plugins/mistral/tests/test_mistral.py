"""Mistral against its maker's own templates."""

from pathlib import Path

import goldens
import pytest

import lect

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = {
    "mistralai--Mistral-7B-Instruct-v0.1": "mistral-v1",
    "mistralai--Mistral-7B-Instruct-v0.3": "mistral-v3",
    "mistralai--Mistral-Nemo-Instruct-2407--e4676cb5": "mistral-nemo",
    "mistralai--Mistral-Large-Instruct-2411": "mistral-large-2411",
    "mistralai--Mistral-Small-3.2-24B-Instruct-2506": "mistral-small-3.2",
}
CASES = [(slug, *case) for slug in TEMPLATES for case in goldens.cases(GOLDEN / f"{slug}.json")]


@pytest.mark.parametrize(
    ("slug", "case", "arguments", "expected"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_gives_the_makers_bytes(slug, case, arguments, expected):
    goldens.check(lect.get_conv_template(f"mistral:{TEMPLATES[slug]}").template, arguments, expected)


@pytest.mark.parametrize(
    ("path", "template", "kind"),
    [
        ("mistralai/Mistral-7B-Instruct-v0.2", "mistral-v1", "chat"),
        ("TheBloke/Mixtral-8x7B-Instruct-v0.1-GPTQ", "mistral-v1", "chat"),
        ("/home/qwen/models/Mistral-7B-Instruct-v0.3", "mistral-v3", "chat"),
        ("mistralai/Mistral-Large-Instruct-2407", "mistral-v3", "chat"),
        ("nbeerbower/mistral-nemo-wissenschaft-12B", "mistral-nemo", "chat"),
        ("mistralai/Mistral-Large-Instruct-2411", "mistral-large-2411", "chat"),
        ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral-small-3.2", "chat"),
        ("mistralai/Mistral-7B-v0.1", "mistral-v1", "base"),
    ],
)
def test_knows_names(path, template, kind):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.package) == (template, kind, "lect-mistral")


@pytest.mark.parametrize("path", ["NousResearch/Hermes-2-Pro-Mistral-7B", "dolphin-2.6-mistral-7b"])
def test_claims_no_other_names(path):
    assert goldens.owner(path) != "lect-mistral"
