"""The one environment in which all templates are compiled: that of transformers, with a guard."""

from __future__ import annotations

from typing import Any

from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from lect_jinja.codegen import Generation
from lect_jinja.context import GuardedContext, attribute_of, item_of
from lect_jinja.filters import FILTERS, TESTS
from lect_jinja.functions import FUNCTIONS


class GuardedEnvironment(ImmutableSandboxedEnvironment):
    """An environment in which a template reaches nothing but what it is given."""

    context_class = GuardedContext
    # None of them is ever evaluated before a template runs.
    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self) -> None:
        super().__init__(
            extensions=[Generation, loopcontrols], trim_blocks=True, lstrip_blocks=True, optimized=False, cache_size=0
        )
        self.filters = dict(FILTERS)
        self.tests = dict(TESTS)
        self.globals = dict(FUNCTIONS)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute; filters such as `map` call this."""
        return attribute_of(self, obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item."""
        return item_of(self, obj, argument)


ENVIRONMENT = GuardedEnvironment()
