"""What makers' own templates do by accident: they fail at requests that we write, and read names that nobody gives."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from lect_jinja.asked import answer, failure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lect.plugin import Template
    from lect_jinja.asked import Case
    from lect_jinja.template import JinjaTemplate


class Accidents(NamedTuple):
    """What is no fault of a copy.

    Attributes:
        fails: With which words the maker's template fails.
        reads: The names that it reads, and that are no options.
    """

    fails: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()


def accidents_of(template: str) -> Accidents:
    """Return what is known of the maker's template of one of ours, given as `plugin:name`."""
    found = _known().get(template, {})
    return Accidents(frozenset(found.get("fails", ())), frozenset(found.get("reads", ())))


def failures(own: JinjaTemplate, maker: Template, cases: Iterable[Case]) -> set[str]:
    """Return with which words a maker's template fails at usual requests that ours writes."""
    usual = (case for case in cases if case.is_usual)
    failed = (case for case in usual if answer(own, case) is None and answer(maker, case) is not None)
    return {failure(own, case) for case in failed}


@cache
def _known() -> dict[str, dict[str, list[str]]]:
    import json
    from pkgutil import get_data

    known: dict[str, dict[str, list[str]]] = json.loads(get_data("lect_jinja", "accidents.json") or b"{}")
    return known
