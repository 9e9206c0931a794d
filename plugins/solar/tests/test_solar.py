"""Solar against its maker's own templates."""

import lect
from lect_kit import AdapterSuite


class TestSolar(AdapterSuite):
    plugin = "solar"
    goldens = {
        "golden/upstage--SOLAR-10.7B-Instruct-v1.0.json": "solar",
        "golden/upstage--Solar-Open-100B.json": "solar-open",
    }
    examples = {
        "upstage/SOLAR-10.7B-Instruct-v1.0": "solar",
        "TheBloke/SOLAR-10.7B-Instruct-v1.0-GGUF": "solar",
        "upstage/Solar-Open-100B": "solar-open",
        "upstage/SOLAR-10.7B-v1.0": "default",
    }
    base = ["upstage/SOLAR-10.7B-v1.0"]
    others = [
        "upstage/solar-pro-preview-instruct",
        "upstage/SOLAR-0-70b-16bit",
        "solaris-10.7b",
    ]


def test_a_reply_of_solar_open_is_a_message_for_each_thought_text_and_list_of_calls():
    reply = lect.template("solar-open").parse(
        "<|think|>Look.<|end|><|begin|>assistant<|content|>One moment.<|end|><|begin|>assistant<|tool_calls|>"
        '<|tool_call:begin|>a1b2c3d4e5<|tool_call:name|>find<|tool_call:args|>{"tag": "<b>"}<|tool_call:end|>'
        "<|tool_call:begin|>f6g7h8i9j0<|tool_call:name|>now<|tool_call:args|>{}<|tool_call:end|><|calls|>"
    )
    assert (reply.reasoning, reply.content, reply.stop, reply.problems) == ("Look.", "One moment.", "<|calls|>", ())
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [
        ("a1b2c3d4e5", "find", {"tag": "<b>"}),
        ("f6g7h8i9j0", "now", {}),
    ]
