"""Hermes against its makers' own templates."""

import pytest

import lect
from lect_kit import AdapterSuite


class TestHermes(AdapterSuite):
    plugin = "hermes"
    goldens = {
        "golden/NousResearch--Hermes-3-Llama-3.1-8B--tool_use.json": "hermes-3",
        "golden/NousResearch--Nous-Hermes-2-Mixtral-8x7B-DPO.json": "nous-hermes-2",
        "golden/teknium--OpenHermes-2.5-Mistral-7B.json": "openhermes-2.5",
        "golden/hermes-2-pro-mistral.json": "hermes-2-pro-mistral",
        "golden/nous-hermes-2-solar.json": "nous-hermes-2-solar",
    }
    examples = {
        "NousResearch/Hermes-3-Llama-3.2-3B": "hermes-3",
        "NousResearch/Hermes-3-Llama-3.1-8B-GGUF": "hermes-3",
        "NousResearch/Hermes-2-Pro-Llama-3-8B": "hermes-2-pro",
        "TheBloke/Nous-Hermes-2-Mixtral-8x7B-DPO-AWQ": "nous-hermes-2",
        "teknium/OpenHermes-2.5-Mistral-7B": "openhermes-2.5",
        "NousResearch/Hermes-2-Pro-Mistral-7B": "hermes-2-pro-mistral",
        "NousResearch/Hermes-2-Pro-Mistral-7B-GGUF": "hermes-2-pro-mistral",
        "TheBloke/Nous-Hermes-2-SOLAR-10.7B-GPTQ": "nous-hermes-2-solar",
        "teknium/OpenHermes-2-Mistral-7B": "openhermes-2",
        "TheBloke/OpenHermes-2-Mistral-7B-GGUF": "openhermes-2",
    }
    others = [
        "Joseph717171/Hermes-2-Pro-Mistral-10.7B",
        "NousResearch/Nous-Hermes-2-Mistral-7B-DPO",
        "NousResearch/Nous-Hermes-2-Yi-34B",
        "bn22/Nous-Hermes-2-SOLAR-10.7B-MISALIGNED",
        "NousResearch/Hermes-4-70B",
        "NousResearch/Nous-Hermes-13b",
        "mlabonne/NeuralHermes-2.5-Mistral-7B",
    ]


@pytest.mark.parametrize("name", ["hermes-3", "hermes-2-pro"])
def test_without_tools_it_is_chatml(name):
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello!"}]
    assert lect.template(f"hermes:{name}").text(messages, add_generation_prompt=True) == (
        "<|begin_of_text|><|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello!<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_a_type_that_the_maker_does_not_know_is_any():
    fields = {"at": {"type": ["string", "null"]}, "how": {"type": "enum"}}
    tool = {"name": "now", "description": "Tell.", "parameters": {"type": "object", "properties": fields}}
    text = lect.template("hermes:hermes-3").text([{"role": "user", "content": "Hello!"}], tools=[tool])
    assert '"description": "now(at: Union[str,Any], how: Any) - Tell.' in text


def test_a_call_is_read():
    output = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call><|im_end|>'
    reply = lect.parse("NousResearch/Hermes-3-Llama-3.1-8B", output)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("get_weather", {"city": "Paris"})]
    assert (reply.content, reply.stop) == ("", "<|im_end|>")


def test_why_nous_hermes_2_dpo_on_mistral_has_no_format_is_said():
    with pytest.raises(lect.UnknownModelError, match="disagree on whether a bos precedes it"):
        lect.resolve("NousResearch/Nous-Hermes-2-Mistral-7B-DPO")


def test_hermes_2_pro_on_mistral_writes_what_its_sister_does_but_for_the_bos():
    fields = {"city": {"type": "string", "description": "Where"}}
    parameters = {"type": "object", "properties": fields}
    tool = {"type": "function", "function": {"name": "now", "description": "Tell.", "parameters": parameters}}
    messages = [{"role": "user", "content": "Hello!"}]
    mistral, llama = (
        lect.template(name).text(messages, tools=[tool]) for name in ("hermes-2-pro-mistral", "hermes-2-pro")
    )
    assert mistral.removeprefix("<s>") == llama.removeprefix("<|begin_of_text|>")
    assert mistral.startswith("<s><|im_start|>system\nYou are a function calling AI model.")
