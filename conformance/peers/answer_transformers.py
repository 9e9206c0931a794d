"""Answer the replies of the conformance pack with transformers' parser, by the response templates that TRL has.

    python run.py --only replies -- python answer_transformers.py

A response template belongs to the models for which TRL sets it. Lines that belong to a format, and to no model in
particular, are read by the template of that format's models; all others are skipped.
"""

import json
import logging
import re
import sys

# They say that PyTorch is missing, which parsing does not need.
logging.disable(logging.WARNING)

from transformers.utils.chat_parsing.response_parser import ResponseParser  # noqa: E402
from trl import chat_template_utils as trl  # noqa: E402

CHATML, LLAMA = "<|im_start|>assistant\n", "<|start_header_id|>assistant<|end_header_id|>\n\n"
# The models of `trl.add_response_schema`, the format of lines without a model, and what precedes a reply.
TEMPLATES = [
    (r"Qwen/Qwen(2\.5|3)-(?!Coder)", "hermes_json", trl.qwen3_template, CHATML),
    (r"Qwen/Qwen3\.[568]-", "qwen3_coder_xml", trl.qwen3_5_template, CHATML),
    (r"nvidia/NVIDIA-Nemotron-3[-.]", None, trl.nemotron_3_template, CHATML),
    (r"zai-org/GLM-4\.5$", "glm4_xml", trl.glm4moe_template, "<|assistant|>"),
    (r"meta-llama/Llama-3\.[12]-", "llama3_json", trl.llama3_template, LLAMA),
    (r"openai/gpt-oss-", "harmony", trl.gptoss_template, "<|start|>assistant"),
    (r"LiquidAI/LFM2\.5-", "lfm2_pythonic", trl.lfm2_2_5_template, CHATML),
    (r"google/gemma-4-", "gemma4", trl.gemma4_template, "<|turn>model\n"),
    (r"deepseek-ai/DeepSeek-R1-Distill-", None, trl.deepseek_r1_distill_template, "<｜Assistant｜>"),
]  # fmt: skip
REASONING = ("reasoning_content", "thinking")


def answer(request):
    """Return the answer to a line."""
    model, name = request["model"], request["format"]
    for models, form, template, start in TEMPLATES:
        if request["task"] == "reply" and (re.match(models, model) if model else form == name):
            opened = "<think>\n" if request["starts_in_reasoning"] else ""
            prefix = start + opened if request["prompt"] is None else request["prompt"]
            return read(request, template, {"prefix": prefix, "tools": request["tools"]})
    return {"skip": "TRL has no response template for it"}


def read(request, template, arguments):
    """Return a reply as it is read whole, and the message that is there in the end if it is read in chunks."""
    read = [
        message(request["text"], sizes, template, arguments) for sizes in ([len(request["text"])], *request["sizes"])
    ]
    whole, *streamed = read
    if any("error" in each for each in read):
        return whole
    return whole | {"streams": [[as_delta(each)] for each in streamed]}


def message(text, sizes, template, arguments):
    """Return the message that a text in chunks becomes.

    Its events are not judged: they have white space that is taken away from a field when it ends.
    """
    try:
        parser = ResponseParser(template, **arguments)
        start = number = 0
        while start < len(text):
            size = sizes[number % len(sizes)]
            parser.feed(text[start : start + size])
            start, number = start + size, number + 1
        found, _ = parser.finalize()
    except Exception as error:  # What it does not understand, it raises in many ways.
        return {"error": repr(error)}
    calls = [each["function"] for each in found.get("tool_calls", [])]
    return {
        "content": found.get("content"),
        "reasoning": next((found[key] for key in REASONING if key in found), None),
        "calls": [{"name": each.get("name"), "arguments": each.get("arguments", {})} for each in calls],
    }


def as_delta(read):
    """Return a whole message as one of OpenAI's deltas."""
    calls = [
        {"index": index, "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
        for index, call in enumerate(read["calls"])
    ]
    return {"content": read["content"], "reasoning_content": read["reasoning"], "tool_calls": calls}


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"id": asked["id"], **answer(asked)}), flush=True)
