"""Run the suite on an installed plugin, without a test file."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from unittest.mock import patch

import pytest

from lect.contain import StageError
from lect.errors import InvalidModelPathError, PluginError
from lect.plugin import Family
from lect.registry.patterns import sample_name
from lect.registry.refs import parse_ref
from lect_kit import installed
from lect_kit.corpus import owners
from lect_kit.suite import AdapterSuite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lect.values import Match
    from lect_kit.subject import Subject

Status = Literal["ok", "failed", "skipped"]
STATUSES: dict[str, Status] = {"passed": "ok", "failed": "failed", "skipped": "skipped"}
# No user settings, plugins or caches: the result depends on the tested plugin alone.
ARGUMENTS = ("-c", os.devnull, "--noconftest", "-p", "no:terminal", "-p", "no:cacheprovider")
NOT_HERE = {"PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


class Outcome(NamedTuple):
    """How one check ended.

    Attributes:
        name: The name of the test.
        asserts: What it asserts, in one line.
        status: `ok`, `failed` or `skipped`.
        why: What is wrong and what to do, or why it was skipped; empty if it is ok.
    """

    name: str
    asserts: str
    status: Status
    why: str


class Recorder:
    """A pytest plugin that records how each test ended, and prints nothing."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record how a test ended; setup and teardown only if they did not pass."""
        if report.when != "call" and report.passed:
            return
        name = report.nodeid.rpartition("::")[2]
        doc = getattr(AdapterSuite, name).__doc__ or ""
        self.outcomes.append(Outcome(name, doc.partition("\n")[0], STATUSES[report.outcome], _why(report)))


def _why(report: pytest.TestReport) -> str:
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return str(report.longrepr or "")


def run_suite(subject: Subject) -> list[Outcome]:
    """Return how each check of the suite ends for a plugin.

    Raises:
        PluginError: If pytest cannot run it.
    """
    claims = dict(_claims(subject))
    facts = {
        "plugin": subject.id if subject.point else subject.name,
        # Why a model gets no template, a check says.
        "examples": {path: template.name if (template := subject.template_of(path)) else "" for path in claims},
        "base": [path for path, claim in claims.items() if claim.kind == "base"],
    }
    installed.TestInstalled = type("TestInstalled", (AdapterSuite,), facts)
    recorder, file = Recorder(), installed.__file__
    # Otherwise pytest would look at everything in the folders above, such as all packages that are installed.
    within = [f"{option}={os.path.dirname(file)}" for option in ("--rootdir", "--confcutdir")]
    with patch.dict(os.environ, NOT_HERE):
        code = pytest.main([*ARGUMENTS, *within, file], [recorder])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        msg = f"pytest cannot run the suite: {code!r}\n  try: a test file, as docs/how-to/test-an-adapter.md shows it"
        raise PluginError(msg)
    return recorder.outcomes


def _claims(subject: Subject) -> Iterator[tuple[str, Match]]:
    """Yield models that a plugin knows, with its claims: real ones, else made-up ones that fit its rules or hints."""
    try:
        adapter = subject.load() if subject.speaks_for_names else None
        if adapter is None:
            return
        real = [path for path, owner in owners().items() if owner == subject.dist.name]
        for path in filter(subject.is_asked_about, real or _made_up(subject, adapter.plugin)):
            with suppress(InvalidModelPathError):  # a hint may be no name, such as `:`
                claim = adapter.match(parse_ref(path))
                if claim is not None and claim.kind != "none":
                    yield path, claim
    except (PluginError, StageError):
        return  # The checks say what is wrong.


def _made_up(subject: Subject, plugin: Any) -> Iterable[str]:
    if isinstance(plugin, Family):
        return [sample_name(rule.pattern) for rule in plugin.rules]
    return [f"{hint}-7b-chat" for hint in subject.hints or (subject.name,)]
