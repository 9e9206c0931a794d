"""The constraint of one tool in every notation: GBNF read by an interpreter of our own, Lark by llguidance, and structural
tags in `nox -s engines` only."""

import json
import os

from constraints import Guidance, XGrammar, vocabulary_of, without_stop
from gbnf import Gbnf

import lect
from lect_constrain import constrain

FULL = os.environ.get("LECT_ENGINES") == "1"
QUESTION = [{"role": "user", "content": "Hi"}]
MODELS = [
    "qwen:qwen3", "qwen:qwen3-coder", "chatglm:glm-4.5", "lfm2:lfm2-1.2b", "gemma:gemma-4", "llama:llama-3.1",
    "mistral:mistral-nemo", "deepseek:deepseek-v3.2", "minimax:minimax-m3", "gptoss:gpt-oss", "olmo:olmo-3-think",
    "minicpm:minicpm5",
]  # fmt: skip
"""One for each way to write arguments: JSON, raw texts between marks, Python, tags, and others."""


class Notations:
    """The constraint of one tool in every notation that can be tried here."""

    def __init__(self, name, schema):
        self.template = lect.template(name)
        vocabulary = vocabulary_of(self.template)
        self.tools = [{"type": "function", "function": {"name": "f", "description": "d", "parameters": schema}}]
        # Marks are texts: a string may contain them, spelled out.
        self.constraint = constrain(self.template, self.tools, tool_choice="required", tokenizer={})
        self.engines = {
            "lark": Guidance(vocabulary, self.constraint.lark()),
            "gbnf": Gbnf(self.constraint.gbnf()),
        }
        if FULL:
            self.engines["xgrammar"] = XGrammar(vocabulary, self.constraint.structural_tag())
        for engine in self.engines.values():
            if hasattr(engine, "vocabulary"):
                engine.vocabulary = Spelled(vocabulary)

    def written(self, arguments):
        """Return a call as the template writes it; None if it is not read as that."""
        call = {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": arguments}}
        message = {"role": "assistant", "content": "", "tool_calls": [call]}
        try:
            text = without_stop(self.template, self.template.reply_text([*QUESTION, message], tools=self.tools).text)
        except lect.LectError:
            return None
        prompt = self.template.text(QUESTION, tools=self.tools, add_generation_prompt=True)
        reply = self.template.parse(text, tools=self.tools, prompt=prompt)
        is_read = [same(each.arguments) for each in reply.tool_calls] == [same(arguments)] and not reply.problems
        return text if is_read else None

    def wrong(self, arguments, fits):
        """Yield what a notation gets wrong about arguments and does not list."""
        text = self.written(arguments)
        for notation, engine in self.engines.items() if text is not None else ():
            listed = (self.constraint.tight if fits else self.constraint.loose)[notation]
            if (engine.accepts(text) is None) != fits and not listed:
                yield notation, "rejects" if fits else "accepts", text


class Spelled:
    """A vocabulary whose control tokens are spelled out in ordinary tokens."""

    def __init__(self, vocabulary):
        self.encode, self.decode = vocabulary, vocabulary.decode
        self.eos_token_id = vocabulary.eos_token_id


def same(value):
    """Return a value that is equal to another only if both are the same JSON."""
    return json.dumps(value)
