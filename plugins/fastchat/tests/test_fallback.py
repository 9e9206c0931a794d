"""FastChat as the last that lect asks."""

import pytest
from fastchat_goldens import golden

import lect
from lect.errors import PluginError, UnknownModelError
from lect_fastchat import BaseModelAdapter, get_model_adapter, model_adapters, register_model_adapter

PATHS = golden("resolve")["paths"]


@pytest.mark.parametrize(
    ("path", "template", "words"),
    [
        ("TheBloke/koala-7B-HF", "koala_v1", "its KoalaAdapter gives 'koala_v1' for 'koala' in the name"),
        (
            "upstage/SOLAR-10.7B-Instruct-v1.0",
            "solar",
            "'solar-' and 'instruct' in the name; the maker's format is known to be another",
        ),
        ("Xwin-LM/Xwin-Math-7B-V1.0", "vicuna_v1.1", "'xwin-lm' in the path"),
        (
            "/home/me/.cache/huggingface/hub/models--mosaicml--mpt-30b-chat/snapshots/0123abc",
            "mpt-30b-chat",
            "'mpt' in the name",
        ),
    ],
)
def test_a_real_match_is_answered_and_said_to_be_fastchats(path, template, words):
    resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.package, resolution.adapter.fallback) == (
        template,
        "lect-fastchat",
        True,
    )
    assert resolution.reason.startswith("FastChat's answer, not the maker's: ")
    assert words in resolution.reason


@pytest.mark.parametrize("path", ["acme/unheard-of", "yandexgpt", "acme/my-peft-model"])
def test_the_birthday_party_is_never_an_answer(path):
    with pytest.raises(UnknownModelError):
        lect.resolve(path)


def test_the_directories_of_a_path_do_not_decide():
    assert PATHS["/exp/attempt3/checkpoint-500"][1] == "zero_shot", "FastChat finds `mpt` in `attempt`"
    with pytest.raises(UnknownModelError):
        lect.resolve("/exp/attempt3/checkpoint-500")


def test_where_it_answers_it_answers_as_fastchat_does():
    answered = 0
    for path, (adapter, template, phase) in PATHS.items():
        if phase == "fallback" or isinstance(template, dict) or path.count("/") > 1 or path.startswith((".", "/")):
            continue
        try:
            resolution = lect.resolve(path)
        except (UnknownModelError, lect.InvalidModelPathError):
            continue
        if resolution.package == "lect-fastchat":
            assert (resolution.template.name, f"its {adapter} " in resolution.reason) == (template, True), path
            answered += 1
    assert answered > 500


def test_a_conversation_speaks_as_all_of_lects_do():
    conversation = lect.get_conversation_template("TheBloke/koala-7B-HF")
    conversation.append_message("user", "Hello!")
    conversation.append_message("assistant", None)
    assert conversation.get_prompt() == "BEGINNING OF CONVERSATION: USER: Hello! GPT:"


def test_a_default_may_be_named():
    assert lect.get_conversation_template("acme/unheard-of", default="fastchat:one_shot").name == "one_shot"


def test_a_pin_to_fastchat_needs_a_match_too():
    with pytest.raises(PluginError, match="birthday"):
        lect.resolve("acme/unheard-of", adapter="fastchat")
    assert lect.resolve("lmsys/vicuna-7b-v1.5", adapter="fastchat").template.source.startswith("lm-sys/FastChat")


def test_all_templates_are_declared_and_can_be_rendered():
    from importlib.metadata import distribution

    declared = {point.name for point in distribution("lect-fastchat").entry_points if point.group == "lect.templates"}
    written = {name for name, template in golden("templates")["templates"].items() if template["fields"]["sep_style"]}
    assert declared == {*written, "yi-34b-chat"}
    for name in declared:
        assert lect.get_conv_template(f"fastchat:{name}").template.text([{"role": "user", "content": "Hello!"}])


def test_an_adapter_written_for_fastchat_is_asked_too():
    class AcmeAdapter(BaseModelAdapter):
        def match(self, model_path):
            return model_path == "acme-for-fastchat"

        def get_default_conv_template(self, model_path):
            return lect.get_conv_template("chatml")

    register_model_adapter(AcmeAdapter)
    try:
        resolution = lect.resolve("acme-for-fastchat")
        assert resolution.template is lect.get_conv_template("chatml").template
        assert "AcmeAdapter" in resolution.reason
    finally:
        model_adapters.pop()
        get_model_adapter.cache_clear()
