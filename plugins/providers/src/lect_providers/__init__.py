"""Providers' names for models: a table says which model of a hub each stands for."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING

from lect.plugin import hookimpl

if TYPE_CHECKING:
    from lect.plugin import ModelRef

__lect_api__ = "~=1.0"

__all__ = ["adapter"]

ROUTES = ("openrouter/", "fireworks_ai/", "fireworks/", "cerebras/", "bedrock/")
"""What clients write before a name to say which provider has the model."""
SERVED = (":free", ":exacto", ":thinking", ":nitro", ":floor")
"""How OpenRouter says on which terms a model is served, or that it is to reason: it is the same model.

openrouter.ai/docs/guides/routing/model-variants has them all; `:extended` may be another version of the model.
"""
_LINE = re.compile(r"^([^#\s]\S*) = (\S+) ; (\S+ \S+)$", re.MULTILINE)


@cache
def table() -> dict[str, tuple[str, str]]:
    """Return the model of a hub and the evidence for each name."""
    with open(os.path.join(os.path.dirname(__file__), "names.txt"), encoding="utf-8") as file:
        return {name: (hub, said) for name, hub, said in _LINE.findall(file.read())}


class Names:
    """Knows which models providers' names stand for."""

    @hookimpl
    def alias(self, model_path: str, ref: ModelRef) -> str | None:
        """Return the hub's model for one of the names, and for any model that OpenRouter serves on some terms."""
        name = ref.original
        route = next((route for route in ROUTES if name.startswith(route)), "")
        name = name.removeprefix(route)
        terms = next((terms for terms in SERVED if name.endswith(terms)), "")
        plain = name.removesuffix(terms)
        if plain in table():
            return table()[plain][0]
        return plain if terms and plain.count("/") == 1 else None


adapter = Names()
