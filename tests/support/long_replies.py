"""Replies of any length, one for each kind of arguments and text, for tests and benchmarks of how time grows."""

import json

LINE = "def f(x):\n    return x + 1  # words, 'quotes' < and { more }\n"
TOOLS = [{"name": "w", "parameters": {"type": "object", "properties": {"c": {"type": "string"}}}}]
NS = "]<]minimax[>["


def text(length):
    """Return `length` characters of code."""
    return (LINE * (length // len(LINE) + 1))[:length]


def in_json(length):
    return json.dumps({"c": text(length)})


KINDS = {
    "JSON call": (
        "hermes_json",
        lambda length: f'<tool_call>\n{{"name": "w", "arguments": {in_json(length)}}}\n</tool_call>',
    ),
    "JSON call, name last": (
        "hermes_json",
        lambda length: f'<tool_call>\n{{"arguments": {in_json(length)}, "name": "w"}}\n</tool_call>',
    ),
    "JSON call, many values": (
        "hermes_json",
        lambda length: f'<tool_call>{{"name": "w", "arguments": {{"c": [{"12, " * (length // 4)}0]}}}}</tool_call>',
    ),
    "JSON list": (
        "jamba",
        lambda length: (
            "<tool_calls>[" + ", ".join(['{"name": "w", "arguments": {"c": 1}}'] * (length // 38)) + "]</tool_calls>"
        ),
    ),
    "name and JSON": (
        "deepseek_v31",
        lambda length: (
            f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>w<｜tool▁sep｜>{in_json(length)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
        ),
    ),
    "parameter": (
        "qwen3_coder_xml",
        lambda length: (
            f"<tool_call>\n<function=w>\n<parameter=c>\n{text(length)}\n</parameter>\n</function>\n</tool_call>"
        ),
    ),
    "many parameters": (
        "glm4_xml",
        lambda length: (
            "<tool_call>w"
            + "".join(f"<arg_key>{n}</arg_key><arg_value>{n}</arg_value>" for n in range(length // 50))
            + "</tool_call>"
        ),
    ),
    "nested parameters": (
        "minimax_m3",
        lambda length: (
            f'{NS}<tool_call>{NS}<invoke name="w">{NS}<c>{f"{NS}<item>1{NS}</item>" * (length // 40)}{NS}</c>{NS}</invoke>{NS}</tool_call>'
        ),
    ),
    "Python": ("pythonic", lambda length: f"[w(c={text(length)!r})]"),
    "like Python": ("gemma4", lambda length: f'<|tool_call>call:w{{c:<|"|>{text(length)}<|"|>}}<tool_call|>'),
    "code": ("internlm2_action", lambda length: f"<|action_start|><|interpreter|>{text(length)}<|action_end|>"),
    "channels": ("harmony", lambda length: f"<|channel|>commentary to=functions.w<|message|>{in_json(length)}<|call|>"),
    "reasoning and content": (
        "hermes_json",
        lambda length: f"<think>\n{text(length // 2)}\n</think>\n\n{text(length // 2)}",
    ),
}
"""By name: the format, and a function that writes a reply in it of about that many characters."""
