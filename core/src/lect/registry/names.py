"""Templates by name, and a bounded cache by name."""

from collections.abc import Iterator
from typing import Any, TypeVar

from lect.errors import (
    AmbiguousModelError,
    LectError,
    PluginError,
    UnknownTemplateError,
    did_you_mean,
    near_names,
    saferepr,
)
from lect.format.builtin import BUILTIN
from lect.format.template import Template
from lect.registry.adapter import Adapter
from lect.registry.adapters import Adapters

CORE = "lect"
"""The owner of the templates that were registered in this process, and of core's own."""
LONGEST_REMEMBERED = 512
"""Compare the length of a name before looking it up: a look-up hashes all of it."""
MOST_REMEMBERED = 1024

Value = TypeVar("Value")


class Memory(dict[str, Value]):
    """A cache by name, bounded in entries and, as only short names are remembered, in bytes. Thread-safe."""

    def remember(self, name: str, value: Value) -> None:
        """Remember a value, unless the name is too long; a full cache is cleared first."""
        if len(name) <= LONGEST_REMEMBERED:
            if len(self) >= MOST_REMEMBERED:
                self.clear()
            self[name] = value


class TemplateNames:
    """Finds templates by name: those of this process first, then those that installed plugins declare.

    `home` is the registry, which has this object as its `templates`.
    """

    def __init__(self, home: object, adapters: Adapters):
        self._home, self._adapters = home, adapters
        self._own: dict[str, Template] = {template.name: template for template in BUILTIN}
        # A template has many names: `acme-2`, `acme:acme-2`, `lect-acme:acme:acme-2`, ...
        self.remembered: Memory[Template] = Memory()
        for template in BUILTIN:
            self.stamp(template, CORE)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._home, "templates")

    def register(self, template: Template, *, override: bool = False) -> None:
        """Add a template for this process; see `lect.register_conv_template`."""
        with self._adapters.lock:
            if self._own.get(template.name, template) is not template and not override:
                msg = f"a template {template.name!r} is already registered\n  try: override=True, or another name"
                raise PluginError(msg)
            self._own = {**self._own, template.name: template}
            # A pin may have led to the template that was replaced.
            self._adapters.changed()

    def get(self, name: Any) -> Template:
        """Return the template called `name`, or `plugin:name`; see `lect.template`."""
        if not isinstance(name, str):
            msg = f"the name of a template is {saferepr(name)}; expected a text\n  try: lect templates"
            raise UnknownTemplateError(msg, name=saferepr(name))
        remembered = self.remembered
        template = remembered.get(name) if len(name) <= LONGEST_REMEMBERED else None
        if template is None:
            template = self._find(name)
            if self._adapters.settled:
                remembered.remember(name, template)
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
            if (template := self._templates(adapter).get(bare)) is not None:
                found[adapter.id] = template
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            raise self.several(name, [f"{key}:{bare}" for key in found])
        raise self._unknown(name)

    def _owners(self, owner: str, bare: str) -> Iterator[Adapter]:
        """Yield the adapters called `owner` or, without an owner, those that declare the template, fallbacks last."""
        adapters = self._adapters
        if owner:
            yield from adapters.by_name(owner)
            return
        yield from adapters.registered
        records = sorted(adapters.usable(), key=lambda record: record.fallback)
        yield from filter(None, map(adapters.adapter, (record for record in records if bare in record.templates)))

    def _templates(self, adapter: Adapter) -> dict[str, Template]:
        templates = self._adapters.ask(adapter, adapter.list_templates) or {}
        for template in templates.values():
            self.stamp(template, adapter.id)
        return templates

    def owned(self, path: Any) -> str | None:
        """Return the name in `owner:name`, if that is a template; None for any other path.

        `gemma:2b` is a model with a tag.
        """
        owner, colon, bare = path.rpartition(":") if isinstance(path, str) else ("", "", "")
        if not colon:
            return None
        adapters = self._adapters
        owners = [each for each in adapters.registered if each.name == owner]
        owners += filter(None, map(adapters.adapter, adapters.records_called(owner)))
        is_owned = (owner == CORE and bare in self._own) or any(bare in self._templates(each) for each in owners)
        return bare if is_owned else None

    def near(self, path: str) -> list[str]:
        """Return the templates of an owner that `owner:name` resembles."""
        owner = path.rpartition(":")[0]
        return near_names(path, [f"{owner}:{each}" for each in self.names().get(owner, ())]) if owner else []

    def names(self, *, load: bool = False) -> dict[str, list[str]]:
        """Return all names by owner; see `lect.templates`."""
        adapters = self._adapters
        names = {CORE: sorted(self._own)}
        for adapter in adapters.registered:
            names[adapter.name] = sorted(self._templates(adapter))
        for record in adapters.usable():
            loaded = adapters.adapter(record) if load else None
            # Two packages may have plugins of the same name.
            owner = record.id if record.name in names else record.name
            names[owner] = sorted({*record.templates, *(self._templates(loaded) if loaded else ())})
        return names

    # Across processes

    def stamp(self, template: Template, owner: str) -> None:
        """Stamp a template with how another process finds it again: as `owner:name`, if a package declares that."""
        # The first owner stays: a shared template must not pickle differently from call to call.
        template._stamp = template._stamp or (f"{owner}:{template.name}", self._by_name)

    def _by_name(self, name: str, template: Template) -> tuple[Any, ...] | None:
        """Return how another process looks a template up; None if the name may mean something else there."""
        try:
            edition = self._edition(name, template) if self.get(name) is template else None
        except LectError:
            edition = None
        return None if edition is None else (self.recall, (name, edition))

    def recall(self, name: str, edition: str) -> Template:
        """Return the template that was pickled by its name in another process, if this one has the same."""
        try:
            template = self.get(name)
            here = self._edition(name, template) or "one that no package declares"
        except UnknownTemplateError:
            here = "absent"
        if here == edition:
            return template
        raise PluginError(
            f"the template {name!r} was pickled as {edition}, but in this process it is {here}\n"
            f"  try: the same version of {name.partition(':')[0]} for both processes, and the same LECT_* variables\n"
            "   or: pickle template.but(), which carries the template itself and not its name"
        )

    def _edition(self, name: str, template: Template) -> str | None:
        """Return the version and the digest of a template; None for one that no package declares."""
        from lect.format.digest import digest

        if template in BUILTIN:
            return f"core+{digest(template)}"
        owner, _, bare = name.rpartition(":")
        records = (each for each in self._adapters.records() if each.id == owner and bare in each.templates)
        return next((f"{each.version}+{digest(template)}" for each in records), None)

    def several(self, name: str, owners: list[str]) -> AmbiguousModelError:
        """Return the error for a name that several share."""
        msg = f"{name!r} is the name of several: {', '.join(owners)}\n  try: {owners[0]!r}"
        return AmbiguousModelError(msg, name=name, claimants=owners)

    def _unknown(self, name: str) -> UnknownTemplateError:
        known = self.names()
        every = sorted({form for owner, names in known.items() for each in names for form in (each, f"{owner}:{each}")})
        near = near_names(name, every, most=3)
        hint = did_you_mean(near, f"registered: {', '.join(sorted(self._own))}")
        lines = [f"no template or adapter is called {saferepr(name)}; {hint}", *self._adapters.blocked_lines()]
        lines += [f"  failed: {failure}" for failure in self._adapters.failures]
        return UnknownTemplateError("\n".join([*lines, "  try: lect templates"]), name=name, near=near)
