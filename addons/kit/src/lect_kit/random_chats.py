"""Random conversations, such as people have with models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from lect_kit.conversations import TOOLS, called, chat_message

if TYPE_CHECKING:
    from lect.format.template import Template

WORDS = (
    "Hello!", "", " ", "\n", "  two  words \n", "{{ x }}", "{% raw %}", '{"a": 1}', "None", "<think>", "你好🎉",
    "\u3000",
)  # fmt: skip


def chats(template: Template) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for arguments of `render` that a template supports."""
    texts = st.lists(
        st.sampled_from([*WORDS, *list(template.markers)[:8]]) | st.text(max_size=5), min_size=1, max_size=3
    )
    text = texts.map("".join)
    capabilities = template.capabilities
    extras: dict[str, Any] = {}
    if "reasoning" in capabilities:
        extras["reasoning_content"] = text
    if "tools" in capabilities:
        cities = text.map(lambda city: [called("get_weather", {"city": city}, "callnumb0")])
        extras["tool_calls"] = cities
    answers = st.fixed_dictionaries({"role": st.just("assistant"), "content": text}, optional=extras)
    questions = text.map(lambda words: chat_message("user", words))
    rounds = st.lists(st.tuples(questions, answers), max_size=3).map(
        lambda pairs: [each for pair in pairs for each in pair]
    )
    system: st.SearchStrategy[list[dict[str, Any]]] = st.just([])
    if "system" in capabilities:
        system |= text.map(lambda words: [chat_message("system", words)])
    messages = st.tuples(system, rounds, questions).map(lambda parts: [*parts[0], *_answered(parts[1]), parts[2]])
    tools = st.none() | st.just(TOOLS) if "tools" in capabilities else st.none()
    return st.fixed_dictionaries({"messages": messages, "tools": tools, "add_generation_prompt": st.booleans()})


def _answered(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put a result after each call: many formats refuse a conversation without it."""
    answered: list[dict[str, Any]] = []
    for message in messages:
        answered.append(message)
        if "tool_calls" in message:
            answered += (
                chat_message("tool", "Sunny.", name="get_weather", tool_call_id="callnumb0"),
                chat_message("assistant", "So."),
            )
    return answered
