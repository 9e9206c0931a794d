"""Conversations to try templates on. Their texts are words that no template has, to be found in prompts."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lect.format.template import Template

THE_DAY = date(2024, 7, 26)
"""The day for formats that read the clock: the one on which lect's own golden files were made."""

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Look out of the window",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "days": {"type": "integer"},
                    "deep": {"type": "object"},
                    "tags": {"type": "array"},
                    "flag": {"type": "boolean"},
                },
                "required": ["city"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "get_time",
            "description": "Look at the clock",
            "parameters": {"type": "object", "properties": {}},
        },
    },
]


def chat_message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    """Return a message."""
    return {"role": role, "content": content, **more}


def called(name: str, arguments: dict[str, Any], call_id: str) -> dict[str, Any]:
    """Return a call."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


QUESTION = chat_message("user", "Zwhere")
ROUNDS = [
    chat_message(role, text)
    for text, role in zip(
        ("Zalpha", "Zbravo", "Zcharlie", "Zdelta", "Zecho", "Zfoxtrot"), ("user", "assistant") * 3, strict=True
    )
]
_TOOL_ROUND = [
    chat_message("user", "Zgolf"),
    chat_message("assistant", "Zhotel", tool_calls=[called("get_weather", {"city": "Zindia"}, "callnumb0")]),
    chat_message("tool", "Zjuliett", name="get_weather", tool_call_id="callnumb0"),
    chat_message("assistant", "Zkilo"),
]
_CONVERSATIONS: dict[str, dict[str, Any]] = {
    "a question": {"messages": [QUESTION], "add_generation_prompt": True},
    "three rounds": {"messages": ROUNDS},
    "a system text": {"messages": [chat_message("system", "Zlima"), *ROUNDS[:3]], "add_generation_prompt": True},
    "a developer": {"messages": [chat_message("developer", "Zlima"), *ROUNDS[:1]]},
    "a name": {"messages": [chat_message("user", "Zmike", name="Znovember"), chat_message("assistant", "Zoscar")]},
    "thoughts": {
        "messages": [
            ROUNDS[0],
            chat_message("assistant", "Zpapa", reasoning_content="Zquebec"),
            ROUNDS[2],
            chat_message("assistant", "Zromeo", reasoning_content="Zsierra"),
        ]
    },
    "parts": {
        "messages": [chat_message("user", [{"type": "text", "text": "Ztango"}, {"type": "text", "text": "Zuniform"}])]
    },
    "tools": {"messages": [QUESTION], "tools": TOOLS, "add_generation_prompt": True},
    "a call": {"messages": _TOOL_ROUND, "tools": TOOLS},
    "odd texts": {"messages": [chat_message("user", "{round} %s {0.__class__} {{ 7 * 7 }} \\n\u2028你好"), ROUNDS[1]]},
}
PLAIN = ("a question", "three rounds", "a system text")
"""Those in which all messages are texts."""

_AS_WRITTEN = json.dumps(_CONVERSATIONS)


def conversations() -> dict[str, dict[str, Any]]:
    """Return arguments of `render`, by what is special about them.

    They are created anew each time: a template that changes what it is given must not change what others get.
    """
    found: dict[str, dict[str, Any]] = json.loads(_AS_WRITTEN)
    return found


def dated(template: Template) -> dict[str, Any]:
    """Return the option that fixes the date, if a format reads the clock."""
    return {"date": THE_DAY} if "date" in template.options else {}
