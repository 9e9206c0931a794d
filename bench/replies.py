"""Replies, streamed in chunks of four characters, beside transformers' own parser; and how time grows with their length."""

import itertools
import json
from functools import partial
from time import process_time

from timing import Line, beside

from idiolect.reply.stream import ReplyStream

CHUNK = 4
"""Characters: about a token."""
LINE = "def f(x):\n    return x + 1  # a line of code, with words in it\n"
TOKENS = (500, 2_000, 8_000)
DOUBLINGS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)
STRING = [{"name": "w", "parameters": {"type": "object", "properties": {"c": {"type": "string"}}}}]
NS = "]<]minimax[>["

# The same calls for transformers, in its own notation.
HERMES = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "reasoning_content": {"open": "<think>", "close": "</think>", "content": "text"},
        "content": {"content": "text"},
        "tool_calls": {
            "open": "<tool_call>",
            "close": "</tool_call>",
            "content": "json",
            "repeats": True,
            "transform": {"type": "function", "function": "{content}"},
        },
    },
}


def text(tokens):
    """Return text of so many tokens."""
    length = tokens * CHUNK
    return (LINE * (length // len(LINE) + 1))[:length]


def hermes(tokens):
    """Return a call with an argument of so many tokens."""
    return f"<tool_call>\n{json.dumps({'name': 'write_file', 'arguments': {'path': 'a.py', 'content': text(tokens)}})}\n</tool_call>"


def in_json(tokens):
    return json.dumps({"c": text(tokens)})


# Every kind of arguments, and of text.
KINDS = {
    "JSON call": ("hermes_json", hermes),
    "JSON call, name last": ("hermes_json", lambda tokens: f'<tool_call>\n{{"arguments": {in_json(tokens)}, "name": "w"}}\n</tool_call>'),
    "JSON call, many values": ("hermes_json", lambda tokens: f'<tool_call>{{"name": "w", "arguments": {{"c": [{"12, " * tokens}0]}}}}</tool_call>'),
    "JSON list": ("jamba", lambda tokens: "<tool_calls>[" + ", ".join(['{"name": "w", "arguments": {"c": 1}}'] * (tokens // 9)) + "]</tool_calls>"),
    "name and JSON": ("deepseek_v31", lambda tokens: f"<｜tool▁call▁begin｜>w<｜tool▁sep｜>{in_json(tokens)}<｜tool▁call▁end｜>"),
    "parameter": ("qwen3_coder_xml", lambda tokens: f"<function=w>\n<parameter=c>\n{text(tokens)}\n</parameter>\n</function>"),
    "many parameters": (
        "glm4_xml",
        lambda tokens: "<tool_call>w" + "".join(f"<arg_key>{n}</arg_key><arg_value>{n}</arg_value>" for n in range(tokens // 12)) + "</tool_call>",
    ),
    "nested parameters": (
        "minimax_m3",
        lambda tokens: (
            f'{NS}<tool_call>{NS}<invoke name="w">{NS}<c>{f"{NS}<item>1{NS}</item>" * (tokens // 10)}{NS}</c>{NS}</invoke>{NS}</tool_call>'
        ),
    ),
    "Python": ("pythonic", lambda tokens: f"[w(c={text(tokens)!r})]"),
    "like Python": ("gemma4", lambda tokens: f'<|tool_call>call:w{{c:<|"|>{text(tokens)}<|"|>}}<tool_call|>'),
    "code": ("internlm2_action", lambda tokens: f"<|action_start|><|interpreter|>{text(tokens)}<|action_end|>"),
    "channels": ("harmony", lambda tokens: f"<|channel|>commentary to=functions.w<|message|>{in_json(tokens)}<|call|>"),
    "reasoning and content": ("hermes_json", lambda tokens: f"<think>\n{text(tokens // 2)}\n</think>\n\n{text(tokens // 2)}"),
}


def lines():
    """Yield the lines about replies."""
    try:
        from transformers.utils.chat_parsing import ResponseParser
    except ImportError as error:
        yield Line("a streamed call, beside transformers", None, 1.5, note=f"transformers is not here: {error}")
    else:
        for tokens in TOKENS:
            chunks = cut(hermes(tokens))
            ours, theirs = partial(read, "hermes_json", chunks), partial(read_as_transformers, ResponseParser, chunks)
            yield beside(f"a streamed call, tokens: {tokens:,}, beside transformers", ours, theirs, 1.5, text=arguments)
    for kind, (name, make) in KINDS.items():
        yield doubling(kind, name, make)


def doubling(kind, name, make):
    """Return the line that says how much longer a reply takes that is twice as long."""
    times = [best(partial(read, name, cut(make(tokens)), tools=STRING)) for tokens in DOUBLINGS]
    worst = max(after / before for before, after in itertools.pairwise(times))
    note = ", ".join(f"{time * 1e3:.1f}" for time in times)
    return Line(f"{kind}: each doubling from 1k to 64k tokens", worst, 2.2, least=False, note=f"{note} ms")


def best(function):
    """Return the shortest time of a few calls."""
    times = []
    for _ in range(4):
        start = process_time()
        function()
        times.append(process_time() - start)
    return min(times)


def cut(reply):
    return [reply[at : at + CHUNK] for at in range(0, len(reply), CHUNK)]


def read(name, chunks, tools=None):
    stream = ReplyStream(name, tools=tools)
    for chunk in chunks:
        stream.feed(chunk)
    return stream.close().to_openai()


def read_as_transformers(parser, chunks):
    stream = parser(HERMES, prefix="")
    for chunk in chunks:
        stream.feed(chunk)
    return stream.finalize()[0]


def arguments(message):
    """Return the arguments of a message's only call as text."""
    (call,) = message["tool_calls"]
    value = call["function"]["arguments"]
    return json.dumps(json.loads(value) if isinstance(value, str) else value)
