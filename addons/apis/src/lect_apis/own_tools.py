"""Tools of the APIs that are no functions, as functions that any model can call, and the way back.

A namespace has functions, and its name is put before theirs. A custom tool takes one text. A client runs its shell.
What a call of the model is to the client can be told by its name alone, so the tools of a request are the way back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from lect_apis.conversation import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect_apis.conversation import Conversation, Fields

BETWEEN = "__"
"""What is between the name of a namespace and that of a function in it."""
INPUT = "input"
"""The argument of a custom tool."""
STRINGS = {"type": "array", "items": {"type": "string"}}
SHELLS: dict[str, dict[str, Any]] = {
    "local_shell": {
        "description": "Run a command on this machine.",
        "properties": {
            "command": {**STRINGS, "description": "The program and its arguments."},
            "working_directory": {"type": "string"},
            "timeout_ms": {"type": "integer"},
        },
        "required": ["command"],
    },
    "shell": {
        "description": "Run commands in a shell.",
        "properties": {
            "commands": {**STRINGS, "description": "The commands, one after another."},
            "timeout_ms": {"type": "integer"},
            "max_output_length": {"type": "integer"},
        },
        "required": ["commands"],
    },
}
"""The shells of the Responses API, which have no schema of their own: what an action of each may have."""


class OwnTool(NamedTuple):
    """What a function of the model is to the client."""

    kind: str
    """`function`, `custom`, `local_shell` or `shell`."""
    name: str
    """Its own name, without that of its namespace."""
    namespace: str = ""
    """The name of its namespace; empty if it has none."""


def functions(tools: Any, at: str = "tools", namespace: str = "") -> Iterator[tuple[str, Fields, OwnTool | None]]:
    """Yield for each tool of a request its place, the tool as a function, and what it is to the client.

    A tool that only the servers of the API run is yielded as it is, and is None to the client.
    """
    for place, tool in items(tools, at):
        kind = tool.get("type")
        if kind == "namespace":
            yield from functions(tool.get("tools"), f"{place}.tools", text(tool, "name", place))
        elif kind == "function":
            # Chat completions have the function in a field of its own.
            inner, where = (tool["function"], f"{place}.function") if "function" in tool else (tool, place)
            function = mapping(inner, where)
            name = text(function, "name", where)
            yield where, {**function, "name": _whole(namespace, name)}, OwnTool("function", name, namespace)
        elif kind == "custom":
            inner, where = (tool["custom"], f"{place}.custom") if "custom" in tool else (tool, place)
            own = mapping(inner, where)
            name = text(own, "name", where)
            yield where, _custom(own, _whole(namespace, name)), OwnTool("custom", name, namespace)
        elif isinstance(kind, str) and kind in SHELLS:
            shell = SHELLS[kind]
            parameters = {"type": "object", "properties": shell["properties"], "required": shell["required"]}
            yield (
                place,
                {"name": kind, "description": shell["description"], "parameters": parameters},
                OwnTool(kind, kind),
            )
        else:
            yield place, tool, None


def add_tools(request: Fields, conversation: Conversation) -> None:
    """Add the tools of a request to a conversation; those that only the servers of the API run are not read."""
    for at, tool, own in functions(request.get("tools")):
        if own:
            conversation.add_tool(tool, at, "parameters")
        else:
            conversation.unread[at] = tool


def own_tools(request: Fields) -> dict[str, OwnTool]:
    """Return what each function of the model is to the client, by the name that the model has for it."""
    return {tool["name"]: own for _, tool, own in functions(mapping(request, "request").get("tools")) if own}


def _whole(namespace: str, name: str) -> str:
    return f"{namespace}{BETWEEN}{name}" if namespace else name


def _custom(tool: Fields, name: str) -> Fields:
    """Return a custom tool as a function; the grammar of its input is what the model reads of it."""
    described, form = tool.get("description") or "", tool.get("format")
    form = form if isinstance(form, Mapping) else {}
    grammar = form.get("grammar", form) if form.get("type") == "grammar" else None
    if isinstance(grammar, Mapping) and grammar.get("definition"):
        follows = f"The input follows this {grammar.get('syntax', '')} grammar:\n{grammar['definition']}"
        described = f"{described}\n{follows}" if described else follows
    parameters = {"type": "object", "properties": {INPUT: {"type": "string"}}, "required": [INPUT]}
    return {"name": name, "description": described or None, "parameters": parameters}


# Calls


def called(item: Fields, at: str) -> tuple[str, str]:
    """Return the name and the arguments of a call, as the model wrote them."""
    kind = item.get("type")
    if kind in ("local_shell_call", "shell_call"):
        shell = str(kind).removesuffix("_call")
        action = mapping(item.get("action"), f"{at}.action")
        known = SHELLS[shell]["properties"]
        given = {name: value for name, value in action.items() if name in known and value is not None}
        return shell, json.dumps(given, ensure_ascii=False)
    name = _whole(str(item.get("namespace") or ""), text(item, "name", at))
    if kind in ("custom_tool_call", "custom"):
        return name, json.dumps({INPUT: text(item, INPUT, at)}, ensure_ascii=False)
    return name, text(item, "arguments", at)


def input_of(arguments: Any, written: str) -> str:
    """Return the text that a custom tool gets; what the model wrote, if that is not one text."""
    value = arguments.get(INPUT) if isinstance(arguments, Mapping) else None
    return value if isinstance(value, str) else written


def action_of(kind: str, arguments: Any) -> dict[str, Any]:
    """Return the action of a shell."""
    given = dict(arguments) if isinstance(arguments, Mapping) else {}
    return {"type": "exec", "env": {}, **given} if kind == "local_shell" else given
