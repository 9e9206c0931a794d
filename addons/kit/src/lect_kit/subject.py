"""The plugin under test: what its distribution declares, and what that leads to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

import lect
from lect.contain import StageError
from lect.errors import PluginError, did_you_mean, near_names, saferepr
from lect.format.builtin import BUILTIN
from lect.registry.discover import Record, distributions
from lect.registry.groups import ADAPTERS, COMMANDS, FALLBACK, FUNCTIONS, GROUP, HINTS, NOTATIONS, REPLIES, TEMPLATES
from lect.registry.load import load_object
from lect.registry.refs import parse_ref
from lect.values import normal_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lect.format.template import Template
    from lect.registry.adapter import Adapter
    from lect.registry.metafiles import Distribution, EntryPoint
    from lect.reply.grammar import ReplyFormat
    from lect.reply.reply import Reply
    from lect.reply.stream import ReplyStream

PARTS = (REPLIES, NOTATIONS, COMMANDS, FUNCTIONS)
COUNTED = "call_{}".format
"""Makes ids that are the same in every stream."""


class Subject:
    """A plugin under test.

    Args:
        dist: Its distribution, as described by its metadata.
        name: Its name; the distribution's if it has no adapter.
        point: The entry point of its adapter; None if it has none.
        examples: Models that it knows.
    """

    def __init__(self, dist: Distribution, name: str, point: EntryPoint | None, examples: Iterable[str] = ()):
        self.dist = dist
        self.name = name
        self.point = point
        self.examples = tuple(examples)

    @property
    def id(self) -> str:
        """The unique name: `lect-acme:acme`."""
        return f"{self.dist.name}:{self.name}"

    @property
    def speaks_for_names(self) -> bool:
        """Whether its adapter is asked about names, and not only about files on disk."""
        return self.point is not None and self.point.group in (GROUP, FALLBACK)

    @property
    def is_fallback(self) -> bool:
        """Whether its adapter is asked only when no other adapter has matched."""
        return self.point is not None and self.point.group == FALLBACK

    @property
    def packages(self) -> set[str]:
        """The packages of its code: `lect_acme`."""
        return {point.value.partition(":")[0].partition(".")[0] for point in self.dist.entry_points}

    def points(self, *groups: str) -> list[EntryPoint]:
        """Return the entry points of some groups."""
        return [point for point in self.dist.entry_points if point.group in groups]

    @property
    def hints(self) -> tuple[str, ...]:
        """The hints of the adapter, as they are written."""
        return tuple(each.name for each in self.points(HINTS) if self.point and each.value == self.point.value)

    def is_asked_about(self, path: str) -> bool:
        """Return whether the adapter is asked about a path: without hints it always is."""
        return not self.hints or any(hint.lower() in path.lower() for hint in self.hints)

    def load(self) -> Adapter | None:
        """Return the adapter; None if there is none.

        Raises:
            PluginError: If it cannot be loaded.
        """
        if self.point is None:
            return None
        found = lect._registry.adapters.by_name(self.id)
        if not found:
            raise PluginError(f"{self.id} is installed, but blocked\n  try: lect plugins")
        return found[0]

    @cached_property
    def adapter(self) -> Adapter:
        """The adapter; if there is none, or it cannot be loaded, the test is skipped."""
        try:
            adapter = self.load()
        except PluginError:
            pytest.skip("its adapter cannot be loaded: see test_hooks_are_valid")
        return adapter or pytest.skip("it has no adapter")

    @cached_property
    def templates(self) -> dict[str, Template]:
        """Its own templates by name: those that it lists, and those of the examples. Core's are tested in core."""
        try:
            templates = self.adapter.list_templates()
        except StageError:
            pytest.skip("list_templates() fails: see test_hooks_are_valid")
        for template in filter(None, map(self.template_of, self.examples)):
            templates.setdefault(template.name, template)
        return {name: template for name, template in templates.items() if template not in BUILTIN}

    def template_of(self, path: str) -> Template | None:
        """Return the template that a model gets; None if it gets none, which a separate check reports."""
        try:
            claim = self.adapter.match(parse_ref(path))
            return None if claim is None else self.adapter.get_template(parse_ref(path), claim)
        except StageError:
            return None

    @cached_property
    def reply_formats(self) -> dict[str, ReplyFormat]:
        """The reply formats that can be loaded, by name."""
        from lect.reply.grammar import ReplyFormat

        found = {point.name: loaded(point) for point in self.points(REPLIES)}
        return {name: each for name, each in found.items() if isinstance(each, ReplyFormat)}

    def stream(self, template: Template, **options: Any) -> ReplyStream:
        """Return a stream for a reply in a template, refined by the adapter as in `lect.stream`.

        Its calls are counted, so that what two streams give can be compared.
        """
        ref = parse_ref(f"{self.name}-7b-chat")

        def refine(reply: Reply) -> Reply:
            return self.adapter.postprocess(reply, template, ref)

        return template.stream(refine=refine, call_id=COUNTED, **options)


def loaded(point: EntryPoint) -> Any:
    """Return the object of an entry point, or what importing it raises."""
    try:
        return load_object(Record("", "", point.name, point.value))
    except StageError as failed:
        return failed.error


def find_subject(plugin: str, examples: Iterable[str] = ()) -> Subject:
    """Return the installed plugin called `plugin`: `acme`, `lect-acme:acme`, or a distribution.

    Args:
        plugin: The name.
        examples: Models that it knows.

    Raises:
        PluginError: If there is none, or several.
    """
    package, _, name = plugin.rpartition(":")
    installed = distributions()
    dists = [dist for dist in installed if not package or dist.name == normal_name(package)]
    for groups in (ADAPTERS, PARTS):
        owners = [dist for dist in dists if _named(dist, name, groups)]
        if len(owners) > 1:
            names = " or ".join(f"{dist.name}:{name}" for dist in owners)
            raise PluginError(f"several plugins are called {name!r}\n  try: {names}")
        for dist in owners:
            return Subject(dist, name, next(iter(_named(dist, name, ADAPTERS)), None), examples)
    for dist in dists:
        if dist.name in (normal_name(name), f"lect-{normal_name(name)}"):
            return _of_distribution(dist, examples)
    raise _unknown(plugin, installed)


def _named(dist: Distribution, name: str, groups: Iterable[str]) -> list[EntryPoint]:
    return [point for point in dist.entry_points if point.group in groups and point.name == name]


def _of_distribution(dist: Distribution, examples: Iterable[str]) -> Subject:
    """Return what a distribution is tested as: its only adapter, or what else it has."""
    adapters = [point for point in dist.entry_points if point.group in ADAPTERS]
    if len(adapters) > 1:
        msg = f"{dist.name} has several plugins\n  try: {' or '.join(f'{dist.name}:{each.name}' for each in adapters)}"
        raise PluginError(msg)
    if not adapters:
        return Subject(dist, dist.name, None, examples)
    return Subject(dist, adapters[0].name, adapters[0], examples)


def _unknown(plugin: str, installed: Iterable[Distribution]) -> PluginError:
    names = sorted(
        {point.name for dist in installed for point in dist.entry_points if point.group not in (HINTS, TEMPLATES)}
    )
    hint = did_you_mean(near_names(plugin, names, most=3), "try: lect plugins")
    return PluginError(f"no plugin {saferepr(plugin)} is installed\n  {hint}")
