"""Templates by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect.errors import AmbiguousModelError, PluginError, UnknownTemplateError
from lect.format.builtin import BUILTIN
from lect.registry.resolve import blocked_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect.format.template import Template
    from lect.registry.adapter import Adapter
    from lect.registry.adapters import Adapters


MOST_REMEMBERED = 1024
"""A template has many names: `acme-2`, `acme:acme-2`, `lect-acme:acme:acme-2`, ..."""
CORE = "lect"
"""The owner of the templates that were registered in this process, and of core's own."""


class TemplateNames:
    """Finds templates by name: those of this process first, then those that installed plugins declare."""

    def __init__(self, adapters: Adapters):
        self._adapters = adapters
        self._own: dict[str, Template] = {template.name: template for template in BUILTIN}
        self._remembered: dict[str, Template] = {}

    def forget(self) -> None:
        """Forget what was looked up, because something has changed."""
        self._remembered = {}

    def register(self, template: Template, *, override: bool = False) -> None:
        """Add a template for this process.

        Raises:
            PluginError: If the name is taken and `override` is not set.
        """
        with self._adapters.lock:
            if self._own.get(template.name, template) is not template and not override:
                msg = f"a template {template.name!r} is registered already\n  try: override=True, or another name"
                raise PluginError(msg)
            self._own = {**self._own, template.name: template}
            # A pin may have led to the template that was replaced.
            self._adapters.changed()

    def get(self, name: str) -> Template:
        """Return the template called `name`, or `plugin:name`.

        Raises:
            UnknownTemplateError: If there is none.
            AmbiguousModelError: If several plugins have one of that name.
        """
        remembered = self._remembered
        template = remembered.get(name)
        if template is None:
            template = self._find(name)
            if len(remembered) >= MOST_REMEMBERED:
                remembered.clear()
            remembered[name] = template
        return template

    def _find(self, name: str) -> Template:
        if name in self._own:
            return self._own[name]
        owner, _, bare = name.rpartition(":")
        if owner == CORE and bare in self._own:
            return self._own[bare]
        found: dict[str, Template] = {}
        for adapter in self._owners(owner, bare):
            if found and adapter.fallback:
                break
            template = self._templates(adapter).get(bare)
            if template is not None:
                found[adapter.id] = template
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            raise self.several(name, [f"{key}:{bare}" for key in found])
        raise self._unknown(name)

    def _owners(self, owner: str, bare: str) -> Iterator[Adapter]:
        """Yield the adapters that may have a template.

        Those called `owner`, or without an owner those that declare it, fallbacks last.
        """
        adapters = self._adapters
        if owner:
            yield from adapters.by_name(owner)
            return
        yield from adapters.registered
        for record in sorted(adapters.usable(), key=lambda record: record.fallback):
            if bare in record.templates:
                adapter = adapters.adapter(record)
                if adapter is not None:
                    yield adapter

    def _templates(self, adapter: Adapter) -> dict[str, Template]:
        try:
            return adapter.list_templates()
        # A plugin may raise anything; one bad plugin must not take the others down.
        except Exception as error:
            self._adapters.fail(adapter, "list_templates", error)
            return {}

    def names(self, *, load: bool = False) -> dict[str, list[str]]:
        """Return all names by owner: what is registered and what plugins declare.

        With `load`, also what they do not.
        """
        adapters = self._adapters
        names = {CORE: sorted(self._own)}
        for adapter in adapters.registered:
            names[adapter.name] = sorted(self._templates(adapter))
        for record in adapters.usable():
            loaded = adapters.adapter(record) if load else None
            # Two packages may have plugins of one name.
            owner = record.id if record.name in names else record.name
            names[owner] = sorted({*record.templates, *(self._templates(loaded) if loaded else ())})
        return names

    def several(self, name: str, owners: list[str]) -> AmbiguousModelError:
        """Return the error for a name that several have."""
        msg = f"{name!r} is the name of several: {', '.join(owners)}\n  try: {owners[0]!r}"
        return AmbiguousModelError(msg, name=name, claimants=owners)

    def _unknown(self, name: str) -> UnknownTemplateError:
        from difflib import get_close_matches

        known = self.names()
        every = sorted(
            {each for names in known.values() for each in names}
            | {f"{owner}:{each}" for owner, names in known.items() for each in names}
        )
        near = get_close_matches(name, every, 3, 0.6)
        hint = (
            f"did you mean {' or '.join(map(repr, near))}?" if near else f"registered: {', '.join(sorted(self._own))}"
        )
        lines = [f"no template or adapter is called {name!r}; {hint}", *blocked_lines(self._adapters.installed())]
        lines += [f"  failed: {failure}" for failure in self._adapters.failures]
        msg = "\n".join([*lines, "  try: lect templates"])
        return UnknownTemplateError(msg, name=name, near=near)
