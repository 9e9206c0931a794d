"""Compare what is sent with the maker's format, and say how they differ."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lect_jinja.check.meaning import meanings
from lect_jinja.check.smaller import smallest
from lect_jinja.identity.cases import REFUSED, answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lect.plugin import Template
    from lect_jinja.check.branches import Branch
    from lect_jinja.check.meaning import Meaning
    from lect_jinja.identity.cases import Case

    Render = Callable[[Case], str | None]
    Seen = Callable[[int], None]

Verdict = Literal["identical", "no difference", "different"]
BY_ACCIDENT = "(fails as the maker's own)"
MOST_DESCRIBED = 40
"""Of how many requests that differ it is said how."""


class Symptom(NamedTuple):
    """What differs, with a request that shows it; None for what shows without one."""

    meaning: Meaning
    case: Case | None = None

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON takes it."""
        request = None if self.case is None else {"what": str(self.case), **self.case.as_request()}
        return {**self.meaning._asdict(), "request": request}


class Report(NamedTuple):
    """What was found.

    Attributes:
        verdict: `identical` if the template is known to be the maker's; `no difference` if no request gave another
            prompt; else `different`.
        source: What was verified.
        model: The model whose format it should have.
        template: The name of that format.
        by_name: Whether it is taken for that model because it is called so, and nobody has said it.
        known: Whose text the template is, if it is known: its source and date.
        compared: How many requests were compared.
        differing: How many of them gave another prompt.
        differences: What differs, the gravest first.
        outcomes: How many outcomes the conditions of the template had, and how many they may have.
        never: The outcomes that they never had.
        warnings: What in the text of the template would show only with other requests.
    """

    verdict: Verdict
    source: str
    model: str
    template: str
    by_name: bool = False
    known: str = ""
    compared: int = 0
    differing: int = 0
    differences: tuple[Symptom, ...] = ()
    outcomes: tuple[int, int] = (0, 0)
    never: tuple[Branch, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Whether what is sent is what the maker meant, as far as can be told."""
        return self.verdict != "different" and not self.warnings

    def as_data(self) -> dict[str, Any]:
        """Return the report as JSON takes it."""
        return {
            **self._asdict(),
            "differences": [each.as_data() for each in self.differences],
            "never": [each._asdict() for each in self.never],
        }


def counted(cases: Iterable[Case], seen: Seen | None) -> Iterator[Case]:
    """Yield requests, and say before each how many there were."""
    for count, case in enumerate(cases):
        if seen:
            seen(count)
        yield case


def compared(render: Render, maker: Template, cases: Iterable[Case], bos: str = "") -> dict[str, Any]:
    """Put all requests to both sides, and return the fields of a report that this decides.

    Args:
        render: What is verified: it returns a prompt, `REFUSED`, `BY_ACCIDENT`, or None if it fails otherwise.
        maker: The maker's format.
        cases: The requests.
        bos: The BOS of the model.
    """
    count = 0
    telling: list[Case] = []
    for case in cases:
        makers = answer(maker, case)
        # Where ours fails, there is nothing to compare.
        if makers is not None:
            count += 1
            if _differs(case, render(case), makers):
                telling.append(case)
    symptoms = tuple(_symptoms(render, maker, telling[:MOST_DESCRIBED], bos or maker.bos))
    return {
        "verdict": "different" if telling else "no difference",
        "compared": count,
        "differing": len(telling),
        "differences": symptoms,
    }


def _differs(case: Case, theirs: str | None, makers: str) -> bool:
    """Return whether two answers differ.

    Where a request is odd, makers' own templates fail by accident; where they refuse one, a failure is as good.
    """
    if theirs is None:
        return case.is_usual and makers != REFUSED
    return theirs not in (makers, BY_ACCIDENT)


def _symptoms(render: Render, maker: Template, telling: Iterable[Case], bos: str) -> Iterator[Symptom]:
    """Yield what differs, once each, with the first request that shows it: one that has a name, or a small one."""

    def found(case: Case) -> dict[str, Meaning]:
        makers = answer(maker, case)
        theirs = None if makers is None else render(case)
        if makers is None or not _differs(case, theirs, makers):
            return {}
        return {each.says: each for each in meanings(case, theirs, makers, bos)}

    def shows(says: str, case: Case) -> bool:
        return says in found(case)

    known: set[str] = set()
    for case in telling:
        for says in (each for each in found(case) if each not in known):
            known.add(says)
            small = case if case.what else smallest(case, partial(shows, says))
            yield Symptom(found(small)[says], small)
