"""Vectors for servers that read a reply in two stages: one parser takes reasoning away, another reads the rest."""

import replies

from lect.plugin import CHATML

MODEL = "Qwen/Qwen3-8B"
TOOL = {"name": "get_time", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}}}
CALL = '<tool_call>\n{"name": "get_time", "arguments": {"zone": "UTC"}}\n</tool_call>'
REPLY = f"<think>\nA tool can tell.\n</think>\n\nLet me see.\n{CALL}\n{CALL}"
"""A model, a tool, and what the model writes to call it twice after reasoning."""
DIFFERENT = {
    # Marks that are dropped from reasoning only by whoever knows them.
    "cohere_action-d6975549", "deepseek_v4_dsml-868d4328",
    # The format puts a mark before the content, and each stage does.
    "minimax_append_think-1781d0c5", "minimax_append_think-88d6b908", "minimax_append_think-092451b6",
    "minimax_append_think-c5672012",
    # Headers inside of a text, which the second stage takes for headers.
    "inkling-1b1a22ef", "muse_glimmer-a5296298", "muse_glimmer-e360fb1e",
    # The line break between two messages, of which each stage sees one.
    "muse_glimmer-6ee5f9c3",
    # A header with a mistake, which only whoever reads calls can repair.
    "oss-tool-as-channel",
}  # fmt: skip
"""The vectors that two stages cannot read as one does."""
VECTORS = [
    vector
    for vector in (*replies.vectors("parse"), *replies.vectors("parse-adversarial"), *replies.mistakes())
    if vector["id"] not in DIFFERENT
]

WITH_TOOLS = [vector for vector in VECTORS if vector["tools"]]
"""Servers look for calls only where there are tools."""


def template_for(vector):
    """Return a template whose replies are in the format of a vector."""
    found = replies.formats()[vector["format"]]
    return CHATML.but(reply=found.grammar, stop=dict.fromkeys(found.stop), options=())


def tools_of(vector):
    """Return the tools of a vector as clients send them."""
    tools = vector["tools"] or []
    return [tool if "function" in tool else {"type": "function", "function": tool} for tool in tools]


def cut(text, size):
    """Return a text in chunks."""
    return [text[at : at + size] for at in range(0, len(text), size)] or [""]


def as_read(vector):
    """Return what lect reads in a vector at once: reasoning, content, and each call's name and arguments."""
    message = template_for(vector).parse(vector["input"], tools=tools_of(vector)).to_openai()
    calls = [[call["function"][key] for key in ("name", "arguments")] for call in message.get("tool_calls", ())]
    return message.get("reasoning_content") or "", message["content"] or "", calls
