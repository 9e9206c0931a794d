"""The one environment in which all templates are compiled: that of transformers, with a guard."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from jinja2.ext import loopcontrols
from jinja2.lexer import Lexer, float_re, integer_re, string_re
from jinja2.sandbox import ImmutableSandboxedEnvironment

from lect_jinja.engine.access import at_key, attribute
from lect_jinja.engine.codegen import Generation
from lect_jinja.engine.context import GuardedContext
from lect_jinja.engine.filters import FILTERS, TESTS
from lect_jinja.engine.functions import FUNCTIONS

LONG = (integer_re, float_re, string_re)
"""Patterns of constants, in which a group is repeated for every digit or escape sequence."""


def _possessive(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern whose repeated groups are never matched again otherwise: no two ways to match them exist."""
    apart = re.sub(r"\((?!\?)", "(?:", pattern.pattern)
    return re.compile(re.sub(r"\)([*+])", r")\1+", apart), pattern.flags)


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

    @cached_property
    def lexer(self) -> Lexer:
        """Return a lexer that reads a constant of a million characters without remembering each."""
        lexer = Lexer(self)
        lexer.rules = {
            state: [
                rule._replace(pattern=_possessive(rule.pattern)) if rule.pattern in LONG else rule for rule in rules
            ]
            for state, rules in lexer.rules.items()
        }
        return lexer

    def getattr(self, obj: Any, name: str) -> Any:
        """Return an attribute; filters such as `map` call this."""
        return attribute(self, obj, name)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item."""
        return at_key(self, obj, argument)


ENVIRONMENT = GuardedEnvironment()
