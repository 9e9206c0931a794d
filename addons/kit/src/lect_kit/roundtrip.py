"""What a template writes as an answer, parsed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError
from lect_kit.conversations import called, chat_message, dated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lect.format.template import Template
    from lect.reply.reply import Reply

ANSWERS: dict[str, dict[str, Any]] = {
    "text": chat_message("assistant", "Hello!\nHow are you?"),
    "reasoning": chat_message("assistant", "Four.", reasoning_content="Two and two.\n\nSo."),
    "a call": chat_message("assistant", "", tool_calls=[called("get_weather", {"city": "Paris"}, "")]),
    "calls": chat_message(
        "assistant",
        "",
        tool_calls=[
            called(
                "get_weather",
                {"city": 'Köln "x" </b>', "days": 3, "deep": {"a": [1, {"b": 2}]}, "tags": ["x", "y"], "flag": True},
                "",
            ),
            called("get_time", {}, ""),
        ],
    ),
    "text and a call": chat_message(
        "assistant", "Let me look.", tool_calls=[called("get_weather", {"city": "Paris"}, "")]
    ),
    "everything": chat_message(
        "assistant",
        "Let me look.",
        reasoning_content="Look.",
        tool_calls=[called("get_weather", {"city": "Paris", "days": -2}, "")],
    ),
}
"""What a model may answer."""
ID_STYLES = ("callnumb{index}", "functions.{name}:{index}")
"""How makers write the ids of calls: some take only nine characters, others write the id in place of the name."""

Meaning = tuple[str, str | None, list[tuple[str, Any]]]


class Answer(NamedTuple):
    """A prompt, and the answer to it as a template writes it."""

    prompt: str
    text: str


def spellings(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a message with the ids of its calls in the style of each maker."""
    calls = message.get("tool_calls")
    if not calls:
        return [dict(message)]
    return [{**message, "tool_calls": [_with_id(*each, style) for each in enumerate(calls)]} for style in ID_STYLES]


def _with_id(index: int, call: dict[str, Any], style: str) -> dict[str, Any]:
    return call | {"id": style.format(name=call["function"]["name"], index=index)}


def answer(
    template: Template,
    history: Sequence[Mapping[str, Any]],
    message: Mapping[str, Any],
    *,
    tools: Sequence[Mapping[str, Any]] | None = None,
    later: Sequence[Mapping[str, Any]] = (),
) -> Answer | None:
    """Return what a model would write to say a message: what follows the prompt.

    None if the template cannot write all of the message, or writes the history differently once it is answered.

    Args:
        template: The template.
        history: The messages before it.
        message: The message.
        tools: The tools that the model may call.
        later: The messages after it: some formats write the very last message differently.
    """
    for given in [tools, None] if tools else [None]:
        try:
            rendered = template.render([*history, message, *later], tools=given, strict=True, **dated(template))
            prompt = template.text(history, tools=given, add_generation_prompt=True, **dated(template))
        except LectError:
            continue
        if any(path[:2] == ("messages", len(history)) for path, _ in rendered.unused):
            continue
        found = Answer(*template.edges().cut(rendered.text, prompt))
        return found if str(history[-1].get("content") or "").strip() in found.prompt else None
    return None


def heard(reply: Reply) -> Meaning:
    """Return what a reply says: content, reasoning, calls."""
    return reply.content, reply.reasoning, [(call.name, call.arguments) for call in reply.tool_calls]


def meant(message: Mapping[str, Any]) -> Meaning:
    """Return what a message says: content, reasoning, calls."""
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    return (
        message.get("content") or "",
        message.get("reasoning_content"),
        [(call["name"], call["arguments"]) for call in calls],
    )
