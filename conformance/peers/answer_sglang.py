"""Answer the replies of the conformance pack with SGLang's parsers, as its server passes text from one to the other.

python run.py --only replies -- python answer_sglang.py
"""

import json
import logging
import sys

# What SGLang and torch say when they are imported must not stand between the answers.
answers, sys.stdout = sys.stdout, sys.stderr
logging.disable(logging.WARNING)

from serving import ANY, answer_all, cut, tools_of  # noqa: E402
from sglang.srt.entrypoints.openai.protocol import Tool  # noqa: E402
from sglang.srt.function_call.function_call_parser import FunctionCallParser  # noqa: E402
from sglang.srt.parser.reasoning_parser import ReasoningParser  # noqa: E402

PARSERS = [
    (ANY, "apertus", "apertus2509", "apertus2509"),
    (ANY, "cohere_action", "cohere_command4", "cohere_command4"),
    (ANY, "deepseek_r1", "deepseekv3", "deepseek-r1"),
    (ANY, "deepseek_v3", "deepseekv3", None),
    (ANY, "deepseek_v31", "deepseekv31", "deepseek-v3"),
    (ANY, "deepseek_v32_dsml", "deepseekv32", "deepseek-v3"),
    (ANY, "deepseek_v4_dsml", "deepseekv4", "deepseek-v4"),
    (ANY, "dots", "dots", "dots"),
    (ANY, "gemma4", "gemma4", "gemma4"),
    (ANY, "gigachat3", "gigachat3", None),
    ("GLM-4.(1|5|6)", "glm4_xml", "glm45", "glm45"),
    (ANY, "glm4_xml", "glm47", "glm45"),
    (ANY, "granite_think", None, "granite_thinking_parser"),
    (ANY, "harmony", "gpt-oss", "gpt-oss"),
    ("Qwen", "hermes_json", "qwen", "qwen3"),
    (ANY, "hermes_json", "hermes", "qwen3"),
    (ANY, "inkling", "inkling", "inkling"),
    (ANY, "kimi_k2", "kimi_k2", "kimi_k2"),
    (ANY, "kimi_k3", "kimi_k3", "kimi_k3"),
    (ANY, "lfm2_pythonic", "lfm2", "qwen3"),
    (ANY, "llama3_json", "llama3", None),
    ("^$", "llama4_pythonic", "pythonic", None),
    (ANY, "mimo", "qwen", "qwen3"),
    (ANY, "minicpm5_xml", "minicpm5", "qwen3"),
    (ANY, "minimax_m2_xml", "minimax-m2", "minimax"),
    (ANY, "minimax_m3", "minimax-m3", "minimax-m3"),
    (ANY, "mistral", "mistral", "mistral"),
    (ANY, "muse_glimmer", "muse", "muse"),
    (ANY, "nanbeige", "nanbeige", "nanbeige"),
    (ANY, "poolside_v1", "poolside_v1", "poolside_v1"),
    (ANY, "pythonic", "pythonic", None),
    ("Nemotron", "qwen3_coder_xml", "qwen3_coder", "nemotron_3"),
    (ANY, "qwen3_coder_xml", "qwen3_coder", "qwen3"),
    (ANY, "step3", "step3", "step3"),
    (ANY, "step3_5", "step3p5", "step3p5"),
    (ANY, "think", None, "qwen3"),
]  # fmt: skip


def read(request, text, opened, tool_parser, reasoning_parser):
    """Return a reply as it is read whole, and in chunks."""
    tools = [Tool(**tool) for tool in tools_of(request)]

    def parsers():
        options = {"force_reasoning": opened, "tool_call_parser_active": bool(tools)}
        return (
            reasoning_parser and ReasoningParser(reasoning_parser, **options),
            tool_parser and tools and FunctionCallParser(tools, tool_parser),
        )

    return whole(text, *parsers()) | {"streams": [streamed(cut(text, sizes), *parsers()) for sizes in request["sizes"]]}


def whole(text, reasoning_parser, tool_parser):
    reasoning, calls = None, []
    if reasoning_parser:
        reasoning, text = reasoning_parser.parse_non_stream(text)
    if tool_parser and tool_parser.has_tool_call(text or ""):
        text, calls = tool_parser.parse_non_stream(text)
    called = [{"name": call.name, "arguments": json.loads(call.parameters)} for call in calls]
    return {"content": text, "reasoning": reasoning, "calls": called}


def streamed(chunks, reasoning_parser, tool_parser):
    """Return the deltas of a reply in chunks."""
    deltas = []
    for chunk in chunks:
        is_last = chunk is chunks[-1]
        if reasoning_parser:
            parts = [
                reasoning_parser.parse_stream_chunk(chunk),
                *([reasoning_parser.parse_stream_end()] if is_last else []),
            ]
            deltas += [{"reasoning_content": thought} for thought, _ in parts if thought]
            chunk = "".join(rest or "" for _, rest in parts)
        parts = [(chunk, ())]
        if tool_parser:
            parts = [tool_parser.parse_stream_chunk(chunk), *([tool_parser.parse_stream_end()] if is_last else [])]
        for content, calls in parts:
            deltas += [{"content": content}, {"tool_calls": [as_delta(call) for call in calls]}]
    return deltas


def as_delta(call):
    return {"index": call.tool_index, "function": {"name": call.name, "arguments": call.parameters}}


if __name__ == "__main__":
    answer_all(PARSERS, read, answers)
