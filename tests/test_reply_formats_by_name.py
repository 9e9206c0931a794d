"""Models without a template here, whose reply formats are known by their names."""

import pytest

import lect

CALL = '{"name": "get_weather", "arguments": {"city": "Paris"}}'


@pytest.mark.parametrize(
    ("model", "output"),
    [
        ("RekaAI/reka-flash-3", f"<tool_call>\n{CALL}\n</tool_call><sep>"),
        ("Salesforce/Llama-xLAM-2-8b-fc-r", f"[{CALL}]<|eot_id|>"),
    ],
)
def test_a_call_is_read_and_no_markup_is_left(model, output):
    with pytest.raises(lect.UnknownModelError, match="only the format of its replies is known: "):
        lect.resolve(model)
    reply = lect.parse(model, output)
    assert (reply.content, [(call.name, call.arguments) for call in reply.tool_calls]) == (
        "",
        [("get_weather", {"city": "Paris"})],
    )


@pytest.mark.parametrize("model", ["RekaAI/reka-flash-3-base", "acme/unheard-of-7b"])
def test_base_models_and_others_stay_unknown(model):
    with pytest.raises(lect.UnknownModelError):
        lect.parse(model, "Hi!")


def test_a_template_without_a_reply_format_gets_that_of_the_model_name():
    resolution = lect.resolve("RekaAI/reka-flash-3", adapter="chatml")
    assert resolution.reply_format.name == "reka"
    assert resolution.parse(f"<tool_call>\n{CALL}\n</tool_call><|im_end|>").tool_calls[0].name == "get_weather"
    assert lect.resolve("Qwen/Qwen3-8B").reply_format is None


def test_a_format_argument_takes_precedence_over_the_model_name():
    reply = lect.parse("RekaAI/reka-flash-3", "<tool_call>x", format="plain")
    assert reply.content == "<tool_call>x"
