"""Tools and the choice among them, checked before any engine sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lect import LimitError, MessageError
from lect.errors import saferepr
from lect_constrain.normal import normal
from lect_constrain.progress import Seen, unseen
from lect_constrain.schema import Schema

MOST = 4096
"""How many tools there may be."""


def schemas_of(tools: Any, *, any_order: bool = False, seen: Seen = unseen) -> dict[str, Schema]:
    """Return the schemas of tools in their normal form, by name.

    Args:
        tools: The tools.
        any_order: Whether the keys of objects may come in any order.
        seen: Is called with how many tools are read, and of how many.

    Raises:
        MessageError: If a tool has no name, or that of another, or its schema is wrong or fits nothing.
        LimitError: If there are too many, or a schema is too large.
    """
    found: dict[str, Schema] = {}
    if tools is None:
        return found
    if not isinstance(tools, Sequence) or isinstance(tools, str):
        raise MessageError(f"tools is {saferepr(tools)}; expected a list of tools")
    if len(tools) > MOST:
        msg = f"there are {len(tools):,} tools; at most {MOST:,} can be constrained"
        raise LimitError(msg, limit="tools", most=MOST)
    for index, tool in enumerate(tools):
        function = tool.get("function", tool) if isinstance(tool, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        seen(index, len(tools))
        if not isinstance(name, str) or not name:
            raise MessageError(f"tools[{index}] has no name: {saferepr(tool)}\n  try: {{'function': {{'name': ...}}}}")
        if name in found:
            raise MessageError(f"tools[{index}] has the name of another tool: {name!r}")
        assert isinstance(function, Mapping)
        parameters = function.get("parameters")
        given = {"type": "object"} if parameters is None else parameters
        found[name] = normal(given, name, any_order=any_order, type_name="object")
    return found


def chosen(schemas: Mapping[str, Schema], choice: Any) -> tuple[str, dict[str, Schema]]:
    """Return the kind of a choice, `auto`, `none`, `required` or `named`, and the tools that are left.

    Raises:
        MessageError: If it is none of these, or names no tool.
    """
    if choice is None:
        choice = "auto"
    if isinstance(choice, str) and choice in ("auto", "none", "required"):
        if choice == "required" and not schemas:
            raise MessageError("tool_choice is 'required', and there are no tools")
        return choice if schemas or choice == "none" else "none", {} if choice == "none" else dict(schemas)
    name = None
    if isinstance(choice, Mapping):
        function = choice.get("function", choice)
        name = function.get("name") if isinstance(function, Mapping) else None
    if not isinstance(name, str):
        raise MessageError(f"tool_choice is {saferepr(choice)}\n  try: 'auto', 'none', 'required' or {{'name': ...}}")
    if name not in schemas:
        known = f"one of {', '.join(schemas)}" if schemas else "tools=..., for there are none"
        raise MessageError(f"no tool is called {name!r}\n  try: {known}")
    return "named", {name: schemas[name]}
