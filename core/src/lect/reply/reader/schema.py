"""What the tools' schemas say about a parameter."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lect.errors import MessageError, saferepr
from lect.json_schema import MAPPING, SchemaView
from lect.objects import dumped

STRING = frozenset({"string"})
OBJECT = frozenset({"object"})


class Schemas:
    """The tools that a model may call: OpenAI tool schemas, or the function objects in them."""

    def __init__(self, tools: Sequence[Mapping[str, Any]] | None):
        self.known: dict[str, Mapping[str, Any]] = {}
        self._parameters: dict[str, dict[str, None]] = {}
        if tools is None:
            return
        # Exact types come first: most tools are plain, and to check an abstract class takes many times as long.
        if type(tools) is not list and (isinstance(tools, str | bytes | Mapping) or not isinstance(tools, Sequence)):
            raise MessageError(f"tools is {saferepr(tools)}; expected a list of tool schemas")
        for index, tool in enumerate(map(dumped, tools)):
            function = dumped(tool.get("function") or tool) if isinstance(tool, MAPPING) else None
            if not isinstance(function, MAPPING) or not isinstance(function.get("name"), str):
                raise MessageError(
                    f"tools[{index}] is {saferepr(tool)}; expected a schema such as {{'name': ..., 'parameters': "
                    "{...}}, in 'function' or not"
                )
            parameters = dumped(function.get("parameters"))
            self.known[function["name"]] = parameters if isinstance(parameters, MAPPING) else {}

    def of(self, name: str) -> SchemaView:
        """Return what is said of the arguments of a tool; nothing if it is unknown."""
        root = self.known.get(name, {})
        return SchemaView(root, [root])

    def parameters(self, name: str) -> dict[str, None]:
        """Return the names of a tool's parameters, in order."""
        if name not in self._parameters:
            self._parameters[name] = self.of(name).names()
        return self._parameters[name]

    def only_tool_for(self, arguments: str) -> str | None:
        """Return the one tool that takes these arguments, given as JSON; None if there is none, or several."""
        members, _ = read_json(arguments)
        if not isinstance(members, dict):
            return None
        keys = set(members)
        fitting = [name for name in self.known if self.of(name).required() <= keys <= self.parameters(name).keys()]
        return fitting[0] if len(fitting) == 1 else None


def read_json(text: str) -> tuple[Any, bool]:
    """Return the value of a text, and whether the text is valid JSON that Python can read: numbers may be too long."""
    try:
        return _decode(text), True
    except (ValueError, RecursionError):
        return None, False


# JSON has neither NaN nor Infinity: `int` refuses both.
_decode = json.JSONDecoder(parse_constant=int).decode
