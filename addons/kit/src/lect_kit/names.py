"""Checks of what a plugin claims: its own models, all of them, and nobody else's."""

from __future__ import annotations

import sys
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest

import lect
from lect.contain import StageError, format_error
from lect.errors import InvalidModelPathError, LectError
from lect.plugin import Family
from lect.registry.patterns import ANYTHING
from lect.registry.refs import parse_ref, readings
from lect_kit.base import SuiteBase, check
from lect_kit.corpus import owners
from lect_kit.samples import sample_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from lect.values import Match
    from lect_kit.subject import Subject

ODD_PATHS = (
    "x", "7", "-7b", "a/b/c/d", "owner/", "./here", "../up", "~/models/x", "/abs/olute/path", "C:\\models\\x",
    "name@main", "name@refs/pr/1", "name:7b", "models--owner--name/snapshots/0123abc", "x.gguf", "  spaced out  ",
    "naïve-模型-7b", "％５０", "\u202eevil", "'; drop table --", "{0.__class__}", "%s%n", "[a-z]*?(", "__init__", "\\",
    "_-_-_7b", "٣-7b", "chat", "instruct-base-chat", "x" * 4000, "7b-" * 1300, "a/" + "b_1" * 1300,
)  # fmt: skip
"""Paths that nobody intends, but that reach an adapter all the same."""
MOST_CALLS = 10_000
"""How many functions an adapter may call to look at a path: ten times what the largest families do."""
MOST_SECONDS = 0.025
"""CPU time that an adapter may take to look at a path: a hundred times what families do. Patterns may backtrack."""
WAITING = ("time.sleep", "io.open", "_io.open", "posix.", "nt.", "_socket.")
"""How the names of functions begin that wait for a clock, a disk or a network."""


class NameChecks(SuiteBase):
    """The plugin knows its models by name, and leaves those of others alone."""

    @check("correct the rules, or the example")
    def test_examples_are_claimed(self) -> Iterator[str]:
        """Every example gets the template that the suite names; what is in `base` is known as a base model."""
        for path in self._paths():
            claim = _claimed(self.subject, path)
            if claim is None:
                yield f"{path!r} is not claimed: match() gives {_claim(self.subject, path)}"
                continue
            kind = "base" if path in self.base else "chat"
            if claim.kind != kind:
                yield f"{path!r} is claimed as a {claim.kind} model; expected {kind!r}"
            try:
                found = self.subject.adapter.get_template(parse_ref(path), claim).name
            except StageError as failed:
                yield f"{path!r} is claimed, but get_template() fails: {format_error(failed.error)}"
                continue
            if found != self.examples.get(path, found):
                yield f"{path!r} gets {found!r}; expected {self.examples[path]!r}"

    @check('add a hint, a word in lower case, to `[project.entry-points."lect.hints"]`')
    def test_hints_cover_every_example(self) -> Iterator[str]:
        """Each example has a hint in it: without one, the adapter is not even imported for it."""
        for path in self._paths():
            if not self.subject.is_asked_about(path):
                yield f"{path!r} contains none of the hints: {', '.join(self.subject.hints)}"

    @check("delete the rule or move it before the one that comes first; give hints for names that it fits, no others")
    def test_rules_can_match(self) -> Iterator[str]:
        """Each rule of a `Family` decides for some name, a hint is in every name that it fits, and each hint in one."""
        family = self.subject.adapter.plugin
        if not isinstance(family, Family):
            pytest.skip("it is not a Family, so it has no rules")
        for rule in family.rules:
            names = sample_names(rule.pattern)
            first = [family._fitting(parse_ref(name))[0] for name in names]
            if rule not in first:
                earlier = next((each.pattern for each in first if each is not None), None)
                yield f"the rule {rule.pattern!r} never decides: {earlier!r} comes first"
            elif name := next((name for name in names if not self.subject.is_asked_about(name)), None):
                yield f"the rule {rule.pattern!r} fits {name!r}, in which there is no hint"
        yield from (f"the hint {hint!r} is in no name that a rule fits" for hint in self._unused_hints(family))

    @check("claim less: begin rules with the family's own word; or name them in `overrides`, if you mean to")
    def test_first_party_models_are_left_alone(self) -> Iterator[str]:
        """No model of lect's own families is claimed: installing a plugin must not change what others get."""
        if self.subject.is_fallback:
            pytest.skip("a fallback is asked only where no family knows a model")
        self._adapter_of_names()
        for path, owner in owners().items():
            if owner != self.subject.dist.name and path not in self.overrides and self.subject.is_asked_about(path):
                claim = _claimed(self.subject, path)
                if claim is not None:
                    yield f"{path!r} belongs to {owner}, and is claimed: {claim.reason or claim.specificity.name}"

    @check("claim less: begin rules with the family's own word, and write them as words, not as parts of words")
    def test_other_models_are_left_alone(self) -> Iterator[str]:
        """What the suite names in `others` is not claimed."""
        if not self.others:
            pytest.skip("the suite names no `others`")
        for path in self.others:
            claim = _claimed(self.subject, path)
            if claim is not None:
                yield f"{path!r} is claimed: {claim.reason or claim.specificity.name}"

    @check("be more specific (a longer literal, or REPO for one model), or uninstall the other plugin")
    def test_examples_resolve_to_it(self) -> Iterator[str]:
        """With all that is installed here, each example resolves to this plugin: no tie, and no stronger claim."""
        for path in self._paths():
            # Another check reports what the plugin itself does not know.
            if _claimed(self.subject, path) is None or not self.subject.is_asked_about(path):
                continue
            try:
                found = lect.resolve(path)
            except LectError as error:
                yield str(error).partition("\n  try:")[0]
                continue
            if found.adapter is None or found.adapter.id != self.subject.id:
                yield f"{path!r} resolves to {found.adapter or found.template.name}, because {found.reason}"

    @check("return None for whatever it does not know; do not index what may be missing")
    def test_match_is_total(self) -> Iterator[str]:
        """`match` answers for any path: one that raises is reported as broken, and left out."""
        self._adapter_of_names()
        for path in _odd_paths():
            claim = _claim(self.subject, path)
            if isinstance(claim, str):
                yield f"match({path[:60]!r}) fails: {claim}"

    @check("decide by the path alone: no clock, no environment, no files, no memory of other paths")
    def test_match_is_pure(self) -> Iterator[str]:
        """`match` gives the same answer whenever it is asked, and in whatever order."""
        self._adapter_of_names()
        paths = [*self.examples, *self.base, *_odd_paths()]
        first = {path: _claim(self.subject, path) for path in paths}
        for path in reversed(paths):
            again = _claim(self.subject, path)
            if again != first[path]:
                yield f"match({path[:60]!r}) gave {first[path]}, and then {again}"

    @check("look for words in `ref.words`; do not open files, sleep, or use patterns that backtrack")
    def test_match_is_quick(self) -> Iterator[str]:
        """`match` looks at a path and waits for nothing: it is asked about every path with a hint in it."""
        self._adapter_of_names()
        for path in [*self._known_paths()[:3], *(path for path in _odd_paths() if len(path) > 1000)]:
            # Only the shortest of several times counts: the machine may be busy, and a first call may import something.
            taken = min(_seconds(_claim, self.subject, path) for _ in range(5))
            calls = _calls(_claim, self.subject, path)
            waits = next((call for call in calls if call.startswith(WAITING) and not call.endswith(".fspath")), None)
            if waits:
                yield f"match({path[:60]!r}) calls {waits}"
            elif len(calls) > MOST_CALLS:
                yield f"match({path[:60]!r}) calls {len(calls)} functions"
            elif taken > MOST_SECONDS:
                yield f"match({path[:60]!r}) takes {taken * 1000:.1f} ms"

    def _adapter_of_names(self) -> None:
        if not self.subject.speaks_for_names:
            pytest.skip("it has no adapter that is asked about names")
        _ = self.subject.adapter

    def _unused_hints(self, family: Family) -> list[str]:
        if any(rule.pattern.startswith(ANYTHING) for rule in family.rules):
            return []  # Any hint may occur in the rest of the name.
        names = [name.lower().replace("-", "") for rule in family.rules for name in sample_names(rule.pattern)]
        return [hint for hint in self.subject.hints if not any(hint.replace("-", "") in name for name in names)]

    def _known_paths(self) -> list[str]:
        return list(dict.fromkeys((*self.examples, *self.base)))

    def _paths(self) -> list[str]:
        """Return the models that the suite names."""
        self._adapter_of_names()
        paths = self._known_paths()
        if not paths:
            pytest.skip("the suite names no examples")
        return paths


def _claim(subject: Subject, path: str) -> Match | str | None:
    """Return an adapter's claim to a path, read as `resolve` reads it; as text, what it raises."""
    try:
        return next(filter(None, map(subject.adapter.match, readings(parse_ref(path)))), None)
    except StageError as failed:
        return format_error(failed.error)


def _claimed(subject: Subject, path: str) -> Match | None:
    """Return the claim of an adapter to a path; None if it makes none, or says that it has no format for it."""
    claim = _claim(subject, path)
    return None if claim is None or isinstance(claim, str) or claim.kind == "none" else claim


def _odd_paths() -> list[str]:
    """Return the odd paths that name a model at all: others are refused before any adapter is asked."""
    found = []
    for path in ODD_PATHS:
        try:
            parse_ref(path)
        except InvalidModelPathError:
            continue
        found.append(path)
    return found


def _calls(work: Callable[..., object], *arguments: object) -> list[str]:
    """Return the functions that are called, those written in C included: unlike time, the same on every machine."""
    made = []

    def note(frame: FrameType, event: str, function: Any) -> None:
        if event == "call":
            made.append(frame.f_code.co_name)
        elif event == "c_call":
            made.append(f"{function.__module__}.{function.__name__}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work(*arguments)
    finally:
        sys.setprofile(before)
    return made


def _seconds(work: Callable[..., object], *arguments: object) -> float:
    begun = process_time()
    work(*arguments)
    return process_time() - begun
