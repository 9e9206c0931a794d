"""FastChat as lect's last resort."""

import pytest
from fastchat_goldens import golden

import lect
import lect_fastchat
from lect.errors import FallbackWarning, PluginError, UnknownModelError
from lect.registry.refs import parse_ref
from lect_fastchat import BaseModelAdapter, get_model_adapter, model_adapters, register_model_adapter
from lect_fastchat.fallback import written_for
from lect_fastchat.official import differences

PATHS = golden("resolve")["paths"]


@pytest.mark.parametrize(
    ("path", "template", "kind", "reason"),
    [
        (
            "TheBloke/koala-7B-HF",
            "koala_v1",
            "chat",
            "FastChat's KoalaAdapter gives 'koala_v1': the name fits 'koala .'",
        ),
        (
            "/home/me/.cache/huggingface/hub/models--mosaicml--mpt-30b-chat/snapshots/0123abc",
            "mpt-30b-chat",
            "chat",
            "FastChat's MPTAdapter gives 'mpt-30b-chat': the name fits 'mpt 7|30 b chat .'",
        ),
        (
            "OpenBuddy/openbuddy-llama2-13b-v8.1-fp16",
            "openbuddy",
            "chat",
            "FastChat's OpenBuddyAdapter gives 'openbuddy': the name fits 'openbuddy ?llama ?2 7|13|30|65|70 b .'",
        ),
        (
            "EleutherAI/pythia-6.9b-deduped",
            "one_shot",
            "base",
            "FastChat's PythiaAdapter gives 'one_shot': the name fits 'pythia # b|m ?deduped .'",
        ),
    ],
)
def test_a_model_that_fastchat_was_written_for_is_resolved_with_a_warning(path, template, kind, reason):
    with pytest.warns(FallbackWarning, match=f"gives it {template!r}"):
        resolution = lect.resolve(path)
    assert (resolution.template.name, resolution.kind, resolution.reason) == (template, kind, reason)
    assert (resolution.package, resolution.fallback) == ("lect-fastchat", True)


@pytest.mark.parametrize("path", ["acme/unheard-of", "yandexgpt", "acme/my-peft-model"])
def test_the_birthday_party_is_never_an_answer(path):
    with pytest.raises(UnknownModelError):
        lect.resolve(path)


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("tencent/Hunyuan-MT-7B", "yuan"),
        ("acme/my-prompt-model", "zero_shot"),
        ("allenai/Molmo-7B-D-0924", "api_based_default"),
        ("Bombardier-7B", "gemini"),
        ("mistralai/Voxtral-Mini-3B-2507", "mistral"),
        ("koala/story-7b", "koala_v1"),
        ("my-koala-7b", "koala_v1"),
        ("koala-story-7b", "koala_v1"),
        ("koala-7b-reward", "koala_v1"),
        ("BAAI/bge-large-en", "one_shot"),
        ("OpenBuddy/openbuddy-mistral2-7b-v20.3-32k", "openbuddy"),
        ("gpt-4", "chatgpt"),
    ],
)
def test_a_name_that_merely_contains_one_of_its_words_is_not_resolved(path, template):
    assert lect_fastchat.get_conversation_template(path).name == template
    with pytest.raises(UnknownModelError) as caught:
        lect.resolve(path)
    told = [verdict.why for verdict in caught.value.candidates if verdict.adapter == "fastchat"]
    # FastChat says nothing where only the owner's name fits.
    assert told == [""] or f"gives {template!r}, " in told[0]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("Phind/Phind-CodeLlama-34B-v2", "FastChat: a text on the line of its heading"),
    ],
)
def test_a_model_that_fastchat_gives_a_wrong_format_is_not_resolved_and_the_error_says_why(path, said):
    with pytest.raises(UnknownModelError) as caught:
        lect.resolve(path)
    assert said in str(caught.value)
    assert lect.resolve(path, adapter="fastchat").template.name == lect_fastchat.get_conversation_template(path).name


def test_the_directories_of_a_path_do_not_decide():
    assert PATHS["/exp/attempt3/checkpoint-500"][1] == "zero_shot", "FastChat finds `mpt` in `attempt`"
    with pytest.raises(UnknownModelError):
        lect.resolve("/exp/attempt3/checkpoint-500")


def test_it_answers_as_fastchat_does_and_not_where_fastchat_is_known_to_be_wrong():
    answered = set()
    for path, (adapter, template, _) in PATHS.items():
        # FastChat also looks at the directories of a path, and reads the config file of anything called `peft`.
        if path.count("/") > 1 or path.startswith((".", "/")) or "\\" in path or isinstance(template, dict):
            continue
        claim = lect_fastchat.adapter.match(parse_ref(path))
        if claim is not None and claim.kind != "none":
            assert claim.template == template, path
            assert claim.reason.startswith(f"FastChat's {adapter} gives "), path
            assert all(row.level in ("tokens", "refusal") for row in differences(path)), path
            answered.add(adapter)
    # The paths include models that FastChat was written for, for every adapter; of OpenBuddy only later ones.
    assert set(written_for()) - answered == {"OpenBuddyAdapter"}


@pytest.mark.filterwarnings("ignore::lect.FallbackWarning")
def test_a_conversation_works_like_any_other_of_lects():
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
        with pytest.warns(FallbackWarning):
            resolution = lect.resolve("acme-for-fastchat")
        assert resolution.template is lect.get_conv_template("chatml").template
        assert "AcmeAdapter" in resolution.reason
    finally:
        model_adapters.pop()
        get_model_adapter.cache_clear()
