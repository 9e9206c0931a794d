"""Which adapter and template FastChat has for a path."""

import argparse
import json
import os
from pathlib import Path, PureWindowsPath

import pytest
from fastchat_goldens import golden

import lect_fastchat
from lect.errors import PluginError, UnknownModelError
from lect_fastchat import (
    BaseModelAdapter,
    get_conversation_template,
    get_model_adapter,
    model_adapters,
    register_model_adapter,
)
from lect_fastchat.model import add_model_args, load_model, model_adapter

PATHS = golden("resolve")["paths"]
ERRORS = {path for path, (_, template, _) in PATHS.items() if isinstance(template, dict)}


@pytest.fixture
def adapters():
    """The list of adapters, restored after the test."""
    before = model_adapters.copy()
    get_model_adapter.cache_clear()
    yield model_adapters
    model_adapters[:] = before
    get_model_adapter.cache_clear()


def test_every_path_has_fastchats_adapter_and_template():
    found = {
        path: [type(get_model_adapter(path)).__name__, get_conversation_template(path).name]
        for path in PATHS
        if path not in ERRORS
    }
    assert found == {path: [adapter, template] for path, (adapter, template, _) in PATHS.items() if path not in ERRORS}
    assert len(PATHS) == 1726


def test_a_path_called_peft_needs_its_config_file():
    for path in ERRORS:
        assert type(get_model_adapter(path)).__name__ == "PeftModelAdapter"
        with pytest.raises(PluginError, match=r"adapter_config\.json"):
            get_conversation_template(path)


def test_there_are_101_adapters_the_last_of_which_matches_everything():
    assert len(model_adapters) == 101
    assert type(model_adapters[-1]) is BaseModelAdapter
    assert all(adapter.match("anything at all") == (adapter is model_adapters[-1]) for adapter in model_adapters)


def test_the_shortcut_finds_the_same_adapters_in_the_same_order():
    # `matching` asks only the adapters that can match; asking all of them must give the same result.
    for path in PATHS:
        asked = [adapter for adapter in model_adapters if adapter.match(path)]
        assert list(model_adapter.matching(path)) == asked, path


def test_an_unknown_model_silently_gets_the_birthday_party():
    conversation = get_conversation_template("acme/unheard-of")
    assert (conversation.name, conversation.offset, len(conversation.messages)) == ("one_shot", 2, 2)


def test_a_peft_adapter_uses_the_template_of_its_base_model(tmp_path):
    (tmp_path / "adapter_config.json").write_text(
        json.dumps({"base_model_name_or_path": "lmsys/vicuna-7b-v1.5"}), "utf-8"
    )
    assert get_conversation_template(str(tmp_path)).name == "vicuna_v1.1"


@pytest.mark.parametrize(
    "config",
    ['{"base_model_name_or_path": "acme/peft-model"}', "{}", "[]", "no JSON", '{"base_model_name_or_path": 7}'],
)
def test_a_peft_adapter_without_a_base_model_is_a_clear_error(tmp_path, config):
    (tmp_path / "adapter_config.json").write_text(config, "utf-8")
    with pytest.raises(PluginError, match="try: the path of the base model"):
        get_conversation_template(str(tmp_path))


class AcmeAdapter(BaseModelAdapter):
    """An adapter as users write them for FastChat."""

    use_fast_tokenizer = False

    def match(self, model_path: str):
        return "acme" in model_path.lower()

    def get_default_conv_template(self, model_path: str):
        return lect_fastchat.get_conv_template("vicuna_v1.1")


def test_an_adapter_written_for_fastchat_is_asked_about_the_last_part_of_a_path(adapters):
    register_model_adapter(AcmeAdapter)
    assert get_conversation_template("somebody/Acme-7B").name == "vicuna_v1.1"
    # FastChat puts it after the one that matches every whole path.
    assert get_conversation_template("acme/model-7B").name == "one_shot"


def test_registering_after_a_look_up_takes_effect(adapters):
    assert get_conversation_template("somebody/Acme-7B").name == "one_shot"
    register_model_adapter(AcmeAdapter)
    assert get_conversation_template("somebody/Acme-7B").name == "vicuna_v1.1"


def test_the_list_of_adapters_may_be_changed(adapters):
    adapters.insert(0, AcmeAdapter())
    assert get_conversation_template("acme/model-7B").name == "vicuna_v1.1"
    adapters.clear()
    get_model_adapter.cache_clear()
    with pytest.raises(UnknownModelError):
        get_model_adapter("acme/model-7B")


def test_registering_returns_the_class_so_that_it_can_be_a_decorator(adapters):
    assert register_model_adapter(AcmeAdapter) is AcmeAdapter


@pytest.mark.parametrize("wrong", [object(), object, AcmeAdapter(), None])
def test_only_an_adapter_can_be_registered(adapters, wrong):
    with pytest.raises(PluginError, match="a class with match"):
        register_model_adapter(wrong)
    assert len(adapters) == 101


def test_fastchats_classes_can_be_imported_and_extended(adapters):
    from lect_fastchat.model.model_adapter import VicunaAdapter

    class Mine(VicunaAdapter):
        def match(self, model_path):
            return model_path == "mine"

    assert type(get_model_adapter("lmsys/vicuna-7b-v1.5")) is VicunaAdapter
    register_model_adapter(Mine)
    assert get_conversation_template("mine").name == "vicuna_v1.1"


def test_lists_of_api_models_exist():
    from lect_fastchat.model.model_adapter import ANTHROPIC_MODEL_LIST, OPENAI_MODEL_LIST

    assert "claude-2.1" in ANTHROPIC_MODEL_LIST
    assert "gpt-4-turbo" in OPENAI_MODEL_LIST
    for name in (*ANTHROPIC_MODEL_LIST, *OPENAI_MODEL_LIST):
        assert type(get_model_adapter(name)).__name__ in ("ChatGPTAdapter", "ClaudeAdapter")


def test_nothing_loads_a_model():
    refusal = r"does not load models, and so cannot load 'lmsys/vicuna-7b-v1.5'.*\n  try: transformers"
    with pytest.raises(PluginError, match=refusal):
        load_model("lmsys/vicuna-7b-v1.5", "cpu", num_gpus=0)
    for path in ("lmsys/vicuna-7b-v1.5", "somebody/vicuna-peft"):
        with pytest.raises(PluginError, match=refusal):
            get_model_adapter(path).load_model("lmsys/vicuna-7b-v1.5", {})


# What FastChat's own parser gave for an empty command line, at 0e6d3e4.
ARGUMENTS = {
    "model_path": "lmsys/vicuna-7b-v1.5", "revision": "main", "device": "cuda", "gpus": None, "num_gpus": 1,
    "max_gpu_memory": None, "dtype": None, "load_8bit": False, "cpu_offloading": False, "gptq_ckpt": None,
    "gptq_wbits": 16, "gptq_groupsize": -1, "gptq_act_order": False, "awq_ckpt": None, "awq_wbits": 16,
    "awq_groupsize": -1, "enable_exllama": False, "exllama_max_seq_len": 4096, "exllama_gpu_split": None,
    "exllama_cache_8bit": False, "enable_xft": False, "xft_max_seq_len": 4096, "xft_dtype": None,
}  # fmt: skip


def test_command_lines_for_fastchat_are_understood():
    parser = argparse.ArgumentParser()
    add_model_args(parser)
    assert vars(parser.parse_args([])) == ARGUMENTS
    given = parser.parse_args(["--model-path", "a/b", "--num-gpus", "2", "--load-8bit", "--gptq-wbits", "4"])
    assert (given.model_path, given.num_gpus, given.load_8bit, given.gptq_wbits) == ("a/b", 2, True, 4)
    assert "--xft-dtype" in parser.format_help()


@pytest.mark.parametrize(
    ("flag", "value"), [("--device", "tpu"), ("--dtype", "int4"), ("--awq-wbits", "3"), ("--num-gpus", "two")]
)
def test_what_fastchat_refuses_on_a_command_line_is_refused(flag, value, capsys):
    parser = argparse.ArgumentParser()
    add_model_args(parser)
    with pytest.raises(SystemExit):
        parser.parse_args([flag, value])
    assert flag in capsys.readouterr().err


def test_there_is_no_adapter_of_an_invented_name():
    with pytest.raises(AttributeError, match="no attribute 'AcmeAdapter'"):
        _ = model_adapter.AcmeAdapter


# What is read, and what is cached


def vicuna_lora(directory):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "adapter_config.json").write_text('{"base_model_name_or_path": "lmsys/vicuna-7b-v1.5"}', "utf-8")
    return directory


def test_no_file_is_read_for_what_is_not_plainly_a_path(tmp_path, monkeypatch):
    vicuna_lora(tmp_path / "owner/mine")
    vicuna_lora(tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    for path in ("owner/mine", "mine", "mine/"):
        assert get_conversation_template(path).name == "one_shot"
    for path in ("./mine", "./owner/mine", "../" + tmp_path.name + "/mine", str(tmp_path / "mine"), Path("mine")):
        assert get_conversation_template(path).name == "vicuna_v1.1"
        get_model_adapter.cache_clear()
    with pytest.raises(PluginError, match="no file is read for a name"):
        get_conversation_template("mine-peft")


def test_a_path_object_is_as_good_as_text():
    assert get_conversation_template(Path("lmsys/vicuna-7b-v1.5")).name == "vicuna_v1.1"
    assert get_conversation_template(PureWindowsPath("C:\\models\\koala")).name == "koala_v1"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "adapter_config.json")
    with pytest.raises(PluginError, match="it is not a regular file"):
        get_conversation_template(str(tmp_path))


@pytest.mark.parametrize(
    ("contents", "why"),
    [
        (b"[" * 100_000, "cannot be read"),
        (b" " * (1 << 20) + b"{}", "more than 1,048,576 bytes"),
        (b"\xff\xfe", "cannot be read"),
    ],
    ids=["deep", "large", "binary"],
)
def test_a_deep_large_or_binary_config_file_is_a_clear_error(tmp_path, contents, why):
    (tmp_path / "adapter_config.json").write_bytes(contents)
    with pytest.raises(PluginError, match=why):
        get_conversation_template(str(tmp_path))


def test_two_adapters_that_name_each_other_are_a_clear_error(tmp_path):
    for one, two in (("a", "b"), ("b", "a")):
        vicuna_lora(tmp_path / one)
        (tmp_path / one / "adapter_config.json").write_text(
            json.dumps({"base_model_name_or_path": str(tmp_path / two)}), "utf-8"
        )
    with pytest.raises(PluginError, match="which is a PEFT adapter itself"):
        get_conversation_template(str(tmp_path / "a"))


def test_long_paths_are_not_remembered():
    before = model_adapter._remembered_adapter.cache_info().currsize
    for number in range(10):
        assert get_conversation_template(f"vicuna-{number}" + "x" * 10_000).name == "vicuna_v1.1"
    assert model_adapter._remembered_adapter.cache_info().currsize == before
