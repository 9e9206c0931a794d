"""The scripted model inside: so that the first minute needs no engine, and clients can be tried without a GPU.

It thinks if it may, calls each tool that the question names, and else says the question again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lect import LectError
from lect.addon import encoder_of
from lect_serve.engines.base import About, Ask, EngineError, Piece, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from lect_serve.model import Model

TOGETHER = 4
"""How many tokens come at once."""
THOUGHT = "The user wrote something. I say it again."
SAMPLES: Mapping[str, Any] = {
    "string": "x", "integer": 1, "number": 1.0, "boolean": True, "null": None, "array": [], "object": {},
}  # fmt: skip
DEEPEST = 10


class Echo:
    """An engine that says what it was told."""

    url = "echo"
    takes_ids = True
    constrains = True

    def __init__(self, model: Model) -> None:
        self._model = model
        self.about = About(kind="echo", model=model.name)

    async def generate(self, ask: Ask) -> AsyncGenerator[list[Piece], None]:
        """Say the question again."""
        ids = self._answer(ask)
        finish = "stop" if len(ids) <= ask.max_tokens else "length"
        ids = ids[: ask.max_tokens]
        for at in range(0, len(ids), TOGETHER):
            some = ids[at : at + TOGETHER]
            yield [Piece(ids=some, logprobs=[0.0] * len(some))]
            await asyncio.sleep(0)
        yield [Piece(finish=finish, usage=Usage(len(ask.ids), len(ids)))]

    async def healthy(self) -> bool:
        """Return that it is there."""
        return True

    def _answer(self, ask: Ask) -> list[int]:
        """Return what the model writes, as its format has it."""
        request, template = ask.request, self._model.template
        messages: list[Mapping[str, Any]] = list(request.messages)
        reply = reply_to(messages, request.tools or (), request.choice)
        thinking = {"reasoning_content": THOUGHT} if "reasoning" in template.capabilities else {}
        refused: LectError | None = None
        for answer in ({**reply, **thinking}, reply, {"role": "assistant", "content": str(reply["content"])}):
            try:
                text = template.reply_text([{"role": "user", "content": "?"}, answer], tools=request.tools).text
            except LectError as error:
                refused = error
                continue
            return list(encoder_of(self._model.tokenizer).whole(text).ids)
        raise EngineError(f"the scripted model cannot answer in this format: {refused}")


def reply_to(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], choice: Any) -> dict[str, Any]:
    """Return the answer to a conversation: calls of the tools that the question names, results, or the question."""
    question = max((at for at, each in enumerate(messages) if each["role"] == "user"), default=0)
    said = text_of(messages[question].get("content"))
    results = [text_of(each.get("content")) for each in messages[question:] if each["role"] == "tool"]
    functions = [tool.get("function", tool) for tool in tools]
    named = [each for each in functions if each["name"] in said.split()]
    if choice not in ("auto", "none"):
        wanted = choice.get("function", choice).get("name") if isinstance(choice, Mapping) else None
        named = [each for each in functions if wanted in (None, each["name"])][:1] if not results else named
    if named and not results and choice != "none":
        return {"role": "assistant", "content": "", "tool_calls": [_call(at, each) for at, each in enumerate(named)]}
    return {"role": "assistant", "content": f"Done: {'; '.join(results)}" if results else f"You said: {said}"}


def _call(at: int, function: Mapping[str, Any]) -> dict[str, Any]:
    arguments = sample(function.get("parameters") or {})
    called = {"name": function["name"], "arguments": arguments if isinstance(arguments, dict) else {}}
    return {"id": f"call{at:05}", "type": "function", "function": called}


def sample(schema: Any, depth: int = 0) -> Any:
    """Return a value that a plain schema allows."""
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return None
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    for name in ("enum", "anyOf", "oneOf"):
        if schema.get(name):
            first = schema[name][0]
            return first if name == "enum" else sample(first, depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties") or {}
        return {name: sample(properties.get(name, {}), depth + 1) for name in schema.get("required") or ()}
    if kind == "array" and schema.get("minItems"):
        return [sample(schema.get("items", {}), depth + 1)]
    return SAMPLES.get(kind, "x")


def text_of(content: Any) -> str:
    """Return the text of a message's content."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content or ""
