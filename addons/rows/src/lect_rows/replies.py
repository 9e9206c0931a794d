"""The parts of answers that a data set stores as the model wrote them: reasoning and calls in a family's own tags."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import lect
from lect.addon import REASONING_NAMES
from lect.plugin.grammar import JSON_IN_TAGS, THINK, Grammar
from lect_rows.turns import Raw, as_call, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lect.plugin import Reply

    Parse = Callable[..., Reply]
    """`Template.parse`, or the same for a reply format."""

TAGS = Grammar("tags", reasoning=THINK, sections=(JSON_IN_TAGS,))
"""Reasoning in `<think>` and calls as JSON in `<tool_call>`: how most sets store them."""
ORDER = ("reasoning", "content", "call")
"""How every template writes the parts of an answer."""


def parser(how: Any) -> Parse | None:
    """Return what parses replies as `parse_assistant` says."""
    if how is None or how is False:
        return None
    if how is True:
        return partial(lect.parse, None, format=TAGS)
    if isinstance(how, lect.Template):
        return how.parse
    return partial(lect.parse, None, format=how) if how in lect.reply_formats() else partial(lect.parse, how)


def with_parts(messages: list[Raw], place: str, parse: Parse, tools: list[Raw] | None) -> list[Raw]:
    """Return messages with the texts of assistants parsed.

    Raises:
        MessageError: If one cannot be parsed, or its parts would be written in another order than they were.
    """
    return [_parsed(message, f"{place}[{index}]", parse, tools) for index, message in enumerate(messages)]


def _parsed(message: Raw, at: str, parse: Parse, tools: list[Raw] | None) -> Raw:
    text = message.get("content")
    if message.get("role") != "assistant" or not isinstance(text, str):
        return message
    # An id that the model did not give is none that the data set has.
    options: dict[str, Any] = {"tools": tools, "call_id": lambda _: ""}
    reply = parse(text, starts_in_reasoning=False, **options)
    if any(problem.code == "stray_close" for problem in reply.problems):
        # As sampled after a prompt that opens reasoning, if the format has such prompts.
        reply = parse(text, **options)
    for problem in _problems(reply, message):
        refuse(f"{at}.content is not a reply that can be parsed: {problem}")
    calls = [as_call(call.name, call.arguments, **({"id": call.id} if call.id else {})) for call in reply.tool_calls]
    read: Raw = {**message, "content": reply.content or (None if calls else "")}
    if reply.reasoning is not None:
        read["reasoning_content"] = reply.reasoning
    return {**read, "tool_calls": calls} if calls else read


def _problems(reply: Reply, message: Raw) -> Iterator[str]:
    # What was repaired is certain.
    yield from (problem.text for problem in reply.problems if problem.code != "repaired")
    pieces = [(piece.kind, reply.raw[piece.start : piece.end]) for piece in reply.pieces]
    if any(kind == "after" and not text.isspace() for kind, text in pieces):
        yield f"there is text after the stop {reply.stop!r}"
    order = [ORDER.index(kind) for kind, text in pieces if kind in ORDER and not text.isspace()]
    if order != sorted(order):
        yield "there is text after a call, or content before reasoning, which no template would write there"
    if reply.reasoning is not None and any(message.get(name) for name in REASONING_NAMES):
        yield "it has reasoning, and the message has too"
    if reply.tool_calls and message.get("tool_calls"):
        yield "it has calls, and the message has too"
