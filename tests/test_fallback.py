"""FastChat beside the families: it is asked last, by path and by name."""

import lect
from lect_fastchat.official import all_differences


def test_a_family_comes_first():
    assert lect.resolve("lmsys/vicuna-7b-v1.5").package == "lect-vicuna"
    assert lect.resolve("Qwen/Qwen2.5-7B-Instruct").package == "lect-qwen"


def test_a_template_of_a_family_wins_over_one_of_fastchats():
    assert lect.get_conv_template("qwen-7b-chat").template is lect.get_conv_template("qwen:qwen-7b-chat").template
    assert lect.get_conv_template("fastchat:qwen-7b-chat").template.source.startswith("lm-sys/FastChat")
    assert lect.get_conv_template("koala_v1").template is lect.get_conv_template("fastchat:koala_v1").template


def test_of_the_differences_only_those_without_a_family_are_not_checked_by_one():
    # The plugin's own test passes these over, because it may be alone; here all families are installed.
    without = set()
    for row in all_differences():
        try:
            adapter = lect.resolve(row.example["model"]).adapter
        except lect.UnknownModelError:
            adapter = None
        if adapter is None or adapter.fallback:
            without.add(row.id)
    assert without == {
        "alpaca", "dbrx", "deepseek-v2", "deepseek-v2.5", "dolphin-mixtral", "falcon3", "hermes-2-pro", "hermes-3",
        "hunyuan", "llama2-chinese", "minicpm", "nous-hermes-2-mixtral", "olmo", "openchat-system", "openhermes-2.5",
        "smaug-34b", "smollm3", "solar", "tenyxchat", "tulu-2", "tulu-3", "vigogne-2-70b", "wizardlm-2", "yandexgpt-5",
    }  # fmt: skip
