"""What all checks of the kit share: what a suite is told, and how a check becomes a test."""

from __future__ import annotations

import inspect
import warnings
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

import pytest

from lect_kit.raised import explained
from lect_kit.subject import Subject, find_subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lect.format.template import Template

TOLD = "plugin = 'acme' and examples = {'acme/Acme-7B-Chat': 'acme-chat'} in the class"
"""What every suite must be told."""
CORRECT = "correct the plugin's code there"
"""What to do about something that it raises and that no check looks for."""
MOST_SHOWN = 8
"""How many problems a failure shows."""
MOST_LINES = 16
"""How many lines all of them may have, the first apart."""


class SuiteBase:
    """What a suite is told about a plugin; see `AdapterSuite`."""

    plugin: ClassVar[str]
    examples: ClassVar[Mapping[str, str]]
    base: ClassVar[Sequence[str]] = ()
    others: ClassVar[Sequence[str]] = ()
    overrides: ClassVar[Sequence[str]] = ()
    goldens: ClassVar[str | Path | Mapping[str, str]] = {}
    deviations: ClassVar[str | Path | None] = None
    oracles: ClassVar[Mapping[str, str | Path]] = {}
    _subject: ClassVar[Subject]

    @property
    def subject(self) -> Subject:
        """The plugin under test."""
        suite = type(self)
        # pytest creates an object for every test.
        if "_subject" not in vars(suite):
            for name in ("plugin", "examples"):
                if not hasattr(suite, name):
                    pytest.fail(f"{suite.__name__} names no {name}\n  try: {TOLD}", pytrace=False)
            suite._subject = find_subject(suite.plugin, suite.examples)
        return suite._subject

    @property
    def templates(self) -> Mapping[str, Template]:
        """Its own templates by name; if it has none, the test is skipped."""
        return self.subject.templates or pytest.skip("it has no templates")

    def file(self, path: str | Path) -> Path:
        """Return a path that a suite names: a relative one is relative to the file of the suite."""
        return Path(inspect.getfile(type(self))).parent / path


Suite = TypeVar("Suite", bound=SuiteBase)


def check(advice: str) -> Callable[[Callable[[Suite], Iterator[str]]], Callable[[Suite], None]]:
    """Turn a method that yields what is wrong into a test; `advice` says what to do about it."""

    def as_test(problems: Callable[[Suite], Iterator[str]]) -> Callable[[Suite], None]:
        @wraps(problems)
        def test(self: Suite) -> None:
            with warnings.catch_warnings():
                # Whatever a plugin is warned about, some check looks for.
                warnings.simplefilter("ignore")
                try:
                    found = list(islice(problems(self), MOST_SHOWN + 1))
                except Exception as error:  # a plugin may raise anything
                    told = explained(error, self._subject.packages if hasattr(self, "_subject") else ())
                    pytest.fail(told if "\n  try: " in told else f"{told}\n  try: {CORRECT}", pytrace=False)
            if found:
                shown = found[:MOST_SHOWN]
                while len(shown) > 1 and "\n".join(shown).count("\n") >= MOST_LINES:
                    shown.pop()
                more = ["..."] if len(found) > len(shown) else []
                # What lect itself says about a problem comes first.
                label = " or" if "\n  try: " in shown[-1] else "try"
                pytest.fail("\n".join([*shown, *more, f"  {label}: {advice}"]), pytrace=False)

        return test

    return as_test
