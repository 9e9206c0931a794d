"""FastChat beside the families: it is asked last, by path and by name, and answers only for what it was written for."""

import json
from contextlib import suppress

import pytest
from goldens import REPOSITORY
from together import together

import lect
import lect_fastchat
from lect.errors import FallbackWarning, UnknownModelError
from lect_fastchat.official import all_differences, differences

DATA = REPOSITORY / "tests/data"
SUPPORTED = json.loads((DATA / "fastchat_supported.json").read_text("utf-8"))["models"]
WRONG = json.loads((DATA / "fastchat_wrong.json").read_text("utf-8"))["models"]
# The models that FastChat supports but does not give their makers' formats.
KNOWN_TO_BE_WRONG = {
    "FlagAlpha/Llama2-Chinese-13b-Chat": "llama2-chinese",
    "HuggingFaceH4/starchat-beta": "starchat",
    "NousResearch/Nous-Hermes-13b": "alpaca",
    "Phind/Phind-CodeLlama-34B-v2": "phind",
    "VMware/open-llama-7b-v2-open-instruct": "alpaca",
    "WizardLM/WizardCoder-15B-V1.0": "alpaca",
    "h2oai/h2ogpt-gm-oasst1-en-2048-open-llama-7b": "h2ogpt-oasst1",
}
GIVES_VECTORS = {"BAAI/bge-large-en"}


@together("model", SUPPORTED)
def test_a_model_that_fastchat_supports_is_answered_by_a_family_or_as_fastchat_does(model):
    if model in KNOWN_TO_BE_WRONG:
        assert KNOWN_TO_BE_WRONG[model] in [row.id for row in differences(model)]
    if model in KNOWN_TO_BE_WRONG or model in GIVES_VECTORS:
        with pytest.raises(UnknownModelError):
            lect.resolve(model)
        return
    try:
        assert not lect.resolve(model, fallback=False).fallback
    except UnknownModelError:
        with pytest.warns(FallbackWarning):
            resolution = lect.resolve(model)
        assert resolution.package == "lect-fastchat"
        assert resolution.template.name == lect_fastchat.get_conversation_template(model).name


@together("model", WRONG)
def test_a_model_that_fastchat_gets_wrong_is_never_answered_by_it(model):
    # Warnings are errors, so an answer from the fallback would raise one.
    with suppress(UnknownModelError):
        assert not lect.resolve(model).fallback


def test_the_lists_are_complete():
    assert (len(SUPPORTED), len(WRONG)) == (64, 237)
    assert set(KNOWN_TO_BE_WRONG) | GIVES_VECTORS <= set(SUPPORTED)


def test_a_family_comes_first():
    assert lect.resolve("lmsys/vicuna-7b-v1.5").package == "lect-vicuna"
    assert lect.resolve("Qwen/Qwen2.5-7B-Instruct").package == "lect-qwen"


def test_a_family_template_wins_over_a_fastchat_template():
    assert lect.get_conv_template("qwen-7b-chat").template is lect.get_conv_template("qwen:qwen-7b-chat").template
    assert lect.get_conv_template("fastchat:qwen-7b-chat").template.source.startswith("lm-sys/FastChat")
    assert lect.get_conv_template("koala_v1").template is lect.get_conv_template("fastchat:koala_v1").template


def test_the_differences_that_no_family_checks_are_known():
    # The plugin's own test skips these, because it may be installed alone; here all families are installed.
    without = set()
    for row in all_differences():
        try:
            lect.resolve(row.example["model"], fallback=False)
        except lect.UnknownModelError:
            without.add(row.id)
    assert without == {
        "alpaca", "h2ogpt-oasst1", "llama2-chinese", "phind", "smaug-34b", "starchat", "vigogne-2-70b", "yandexgpt-5",
    }  # fmt: skip
