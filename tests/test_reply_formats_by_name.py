"""Models that nobody here knows how to talk to, but whose replies are known by their names."""

import pytest

import lect

CALL = '{"name": "get_weather", "arguments": {"city": "Paris"}}'


@pytest.mark.parametrize(
    ("model", "output"),
    [
        ("NousResearch/Hermes-3-Llama-3.1-8B", f"<tool_call>\n{CALL}\n</tool_call><|im_end|>"),
        ("meituan-longcat/LongCat-Flash-Chat-FP8", f"<longcat_tool_call>{CALL}</longcat_tool_call></longcat_s>"),
        (
            "MiniMaxAI/MiniMax-M2.5",
            '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n'
            "</minimax:tool_call>",
        ),
    ],
)
def test_a_call_is_read_and_no_markup_is_left(model, output):
    with pytest.raises(lect.UnknownModelError, match="only how it writes its replies is known: "):
        lect.resolve(model)
    reply = lect.parse(model, output)
    assert (reply.content, [(call.name, call.arguments) for call in reply.tool_calls]) == (
        "",
        [("get_weather", {"city": "Paris"})],
    )


@pytest.mark.parametrize("model", ["tencent/Hunyuan-A13B-Pretrain", "tencent/Hy3-preview-Base", "acme/unheard-of-7b"])
def test_base_models_and_others_stay_unknown(model):
    with pytest.raises(lect.UnknownModelError):
        lect.parse(model, "Hi!")


def test_a_template_that_says_nothing_of_replies_gets_the_format_of_the_name():
    resolution = lect.resolve("NousResearch/Hermes-3-Llama-3.1-8B", adapter="chatml")
    assert resolution.reply_format.name == "hermes_json"
    assert resolution.parse(f"<tool_call>\n{CALL}\n</tool_call><|im_end|>").tool_calls[0].name == "get_weather"
    assert lect.resolve("Qwen/Qwen3-8B").reply_format is None


def test_a_format_that_is_named_goes_before_that_of_the_name():
    reply = lect.parse("NousResearch/Hermes-3-Llama-3.1-8B", "<tool_call>x", format="plain")
    assert reply.content == "<tool_call>x"
