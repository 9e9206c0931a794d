"""What makers' own templates do by accident: they fail at requests that ours write, and read names that nobody gives.

At a few they refuse what their own models write, and ours follows another source of the maker's.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from lect_jinja.identity.cases import REFUSED, answer, failure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lect.plugin import Template
    from lect_jinja.identity.cases import Case
    from lect_jinja.identity.template import JinjaTemplate


DIGITS = 16


class Accidents(NamedTuple):
    """What is no fault of a copy.

    Attributes:
        fails: With which words the maker's template fails, or refuses what ours writes, as digests.
        reads: The names that it reads, and that are no options.
    """

    fails: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()

    def is_one(self, own: JinjaTemplate, case: Case, prompt: str | None) -> bool:
        """Return whether a copy, which gave no prompt, fails as the maker's own; none refuses a case with a name."""
        may_be = prompt is None or (prompt == REFUSED and not case.what)
        return may_be and failure_digest(own, case) in self.fails


def accidents_of(template: str) -> Accidents:
    """Return what is known of the maker's template of one of ours, given as `plugin:name`."""
    found = _known().get(template, {})
    return Accidents(frozenset(found.get("fails", ())), frozenset(found.get("reads", ())))


def failure_digest(own: JinjaTemplate, case: Case) -> str:
    """Return the digest of the words with which a template fails."""
    return sha256(failure(own, case).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def failures(own: JinjaTemplate, maker: Template, cases: Iterable[Case]) -> set[str]:
    """Return with which words a maker's template fails at usual requests, or refuses what ours writes, as digests."""
    return {
        failure_digest(own, case)
        for case in cases
        if case.is_usual and _is_accident(answer(own, case), answer(maker, case))
    }


def _is_accident(theirs: str | None, makers: str | None) -> bool:
    return makers is not None and (theirs is None or (theirs == REFUSED and makers != REFUSED))


@cache
def _known() -> dict[str, dict[str, list[str]]]:
    import json
    from pkgutil import get_data

    known: dict[str, dict[str, list[str]]] = json.loads(get_data(__package__, "accidents.json") or b"{}")
    return known
