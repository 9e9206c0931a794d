"""MiniMax against its maker's own templates."""

import lect
from lect_kit import AdapterSuite


class TestMinimax(AdapterSuite):
    plugin = "minimax"
    goldens = {
        "golden/MiniMaxAI--MiniMax-M1-80k.json": "minimax-m1",
        "golden/MiniMaxAI--MiniMax-M2.json": "minimax-m2",
        "golden/MiniMaxAI--MiniMax-M2.5.json": "minimax-m2.5",
        "golden/MiniMaxAI--MiniMax-M2.7.json": "minimax-m2.7",
        "golden/MiniMaxAI--MiniMax-M3.json": "minimax-m3",
    }
    examples = {
        "MiniMax/MiniMax-M1-40k": "minimax-m1",
        "MiniMaxAI/MiniMax-M2": "minimax-m2",
        "MiniMaxAI/MiniMax-M2.1": "minimax-m2.1",
        "unsloth/MiniMax-M2.5-GGUF": "minimax-m2.5",
        "MiniMaxAI/MiniMax-M2.7": "minimax-m2.7",
        "MiniMaxAI/MiniMax-M3-MXFP8": "minimax-m3",
    }
    others = ["MiniMaxAI/MiniMax-Text-01", "MiniMaxAI/MiniMax-VL-01", "minimaxwell-7b"]


def test_m2_1_is_told_its_name():
    text = lect.get_template("MiniMaxAI/MiniMax-M2.1").text([{"role": "user", "content": "Hello!"}])
    assert text.startswith(
        "]~!b[]~b]system\nYou are a helpful assistant. Your name is MiniMax-M2.1 and is built by MiniMax.[e~[\n"
    )


def test_a_call_of_m2_is_read():
    output = (
        'Look.\n</think>\n\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n'
        "</invoke>\n</minimax:tool_call>[e~["
    )
    reply = lect.parse("MiniMaxAI/MiniMax-M2.5", output, starts_in_reasoning=True)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("get_weather", {"city": "Paris"})]
    assert (reply.reasoning, reply.content, reply.stop) == ("Look.", "", "[e~[")


def test_a_call_of_m1_is_read():
    output = '<tool_calls>\n{"name": "a", "arguments": {"x": 1}}\n{"name": "b", "arguments": {}}\n</tool_calls>'
    reply = lect.parse("MiniMaxAI/MiniMax-M1-80k", output)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("a", {"x": 1}), ("b", {})]
