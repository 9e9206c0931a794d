"""A reply ends at the stops of its template, and nowhere else."""

import pytest

import lect

FOREIGN = {
    "ibm-granite/granite-4.0-h-small": "In ChatML a turn ends with <|im_end|> and so on.",
    "internlm/internlm3-8b-instruct": "Its elder brother wrote [UNUSED_TOKEN_145] here.",
    "microsoft/Phi-4-reasoning": "DeepSeek ends with <｜end▁of▁sentence｜>, it is said.",
    "Qwen/Qwen-7B-Chat": "One writes\nObservation: and goes on.",
}


@pytest.mark.parametrize("path", FOREIGN)
def test_the_marker_of_another_family_is_text(path):
    stop = next(iter(lect.get_template(path).stop))
    reply = lect.parse(path, f"{FOREIGN[path]}{stop}More.")
    assert (reply.content, reply.stop, reply.problems) == (FOREIGN[path], stop, ())


def test_a_stop_at_observations_must_be_passed_by_the_caller():
    call = 'Thought: Look.\nAction: get_weather\nAction Input: {"city": "Paris"}\nObservation:'
    reply = lect.parse("Qwen/Qwen-7B-Chat", call + " sunny", stop=["\nObservation:"])
    assert ([call.name for call in reply.tool_calls], reply.content, reply.stop) == (
        ["get_weather"],
        "",
        "\nObservation:",
    )
    unstopped = lect.parse("Qwen/Qwen-7B-Chat", call + " sunny<|im_end|>")
    assert ([call.name for call in unstopped.tool_calls], unstopped.stop) == (["get_weather"], "<|im_end|>")


def test_only_these_templates_lack_stops_of_their_reply_format():
    """Every other template has all stops of its reply format."""
    formats = {name: lect._registry.formats.get(name) for name in lect.reply_formats()}
    differing = set()
    for owner, names in lect.templates(load=True).items():
        for template in (lect.template(f"{owner}:{name}") for name in names):
            known = formats.get(template.reply.name) if template.reply else None
            if known and not set(known.stop) <= set(template.stop):
                differing.add(template.name)
    assert differing == {
        "bielik-v3", "exaone-4.0", "falcon-h1", "gigachat-3", "gigachat-3.1", "granite-4.0", "granite-4.1", "hermes-2-pro",
        "hermes-2-pro-mistral", "hermes-3", "hy3",
        "hunyuan-dense", "internlm3-instruct", "kimi-k3", "laguna-m.1", "laguna-s-2.1", "laguna-xs-2.1", "laguna-xs.2", "ling-2.0", "minicpm5",
        "minicpm5-2b", "nemotron-3", "nemotron-3-omni", "nemotron-3-super", "nemotron-3-ultra", "nemotron-3.5", "nemotron-super-v1.5",
        "phi-4-mini-reasoning", "phi-4-reasoning", "qwen-7b-chat", "rnj-1", "smollm3",
    }  # fmt: skip
