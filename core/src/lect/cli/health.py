"""What `lect doctor` looks at."""

import sys
from collections.abc import Iterator
from traceback import format_exception
from typing import NamedTuple

import lect
from lect.cli.facts import plain_prompt
from lect.errors import LectError
from lect.prompt.template import Template
from lect.registry.discover import Record, normal_name
from lect.registry.load import Failure
from lect.registry.registry import Registry

CORE = "lect"
DEPENDENCIES = ("pluggy", "importlib-metadata", "packaging")


class Finding(NamedTuple):
    """Something that is broken, or worth knowing."""

    broken: bool
    what: str
    traceback: str = ""


class PluginHealth(NamedTuple):
    """An installed plugin, the core that it asks for, and whether it has it."""

    name: str
    package: str
    version: str
    status: str
    requires: str
    """As its metadata say it, such as `lect<1,>=0.1`; empty where they say nothing of lect."""
    satisfied: bool


class Report(NamedTuple):
    """All that was looked at."""

    versions: dict[str, str]
    plugins: tuple[PluginHealth, ...]
    templates: dict[str, tuple[Template, ...]]
    """By adapter, such as `lect-qwen:qwen`; those of lect itself under its own name."""
    findings: tuple[Finding, ...]


def examine(registry: Registry) -> Report:
    """Load every plugin and look at all that could be wrong."""
    versions = {
        "python": sys.version.split()[0],
        CORE: lect.__version__,
        **{name: _version(name) for name in DEPENDENCIES},
    }
    try:
        templates = _templates(registry)
    except LectError as error:
        # Without settings nobody can say which plugins are to be used.
        return Report(versions, (), {}, (Finding(True, str(error)),))
    plugins = tuple(
        PluginHealth(each.name, each.package, each.version, each.status, *_requirement(each.package))
        for each in registry.plugins()
    )
    findings = (
        *_stale_core(),
        *map(_failed, registry.failures),
        *_unsatisfied(plugins),
        *_missing_templates(registry.usable(), templates),
        *_crashing_templates(templates),
        *_pins_to_nothing(registry),
        *_shared_plugin_names(registry.records()),
        *_shared_template_names(templates),
        *(
            Finding(False, f"{each.package}:{each.name} is {each.status}")
            for each in plugins
            if each.status.startswith("blocked")
        ),
    )
    return Report(versions, plugins, templates, findings)


def _version(package: str) -> str:
    from lect.registry.metadata import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _requirement(package: str) -> tuple[str, bool]:
    """Return what a package asks of lect, and whether this lect is that."""
    from packaging.requirements import InvalidRequirement, Requirement

    from lect.registry.metadata import metadata

    try:
        lines = (metadata.requires(package) if package else None) or []
    except metadata.PackageNotFoundError:
        lines = []
    wanted = []
    for line in lines:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if normal_name(requirement.name) == CORE and (
            requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        ):
            wanted.append(requirement)
    satisfied = all(requirement.specifier.contains(lect.__version__, prereleases=True) for requirement in wanted)
    return ", ".join(map(str, wanted)), satisfied


def _templates(registry: Registry) -> dict[str, tuple[Template, ...]]:
    """Load every plugin and return all templates by owner."""
    loaded = [adapter for record in registry.usable() if (adapter := registry.adapter(record)) is not None]
    templates = {CORE: tuple(registry.templates.get(name) for name in registry.templates.names()[CORE])}
    for adapter in (*loaded, *registry.registered):
        try:
            templates[adapter.id] = tuple(adapter.list_templates().values())
        # A plugin may raise anything; one bad plugin must not take the others down.
        except Exception as error:
            registry.fail(adapter, "list_templates", error)
    return templates


def _stale_core() -> Iterator[Finding]:
    installed = _version(CORE)
    if installed and installed != lect.__version__:
        msg = f"lect {lect.__version__} is imported, but {installed} is installed"
        yield Finding(True, f"{msg}\n  try: pip install --force-reinstall lect")


def _failed(failure: Failure) -> Finding:
    return Finding(True, str(failure), "".join(format_exception(failure.error)))


def _unsatisfied(plugins: tuple[PluginHealth, ...]) -> Iterator[Finding]:
    for each in plugins:
        if not each.satisfied:
            msg = f"{each.package} {each.version} asks for {each.requires}; this is {lect.__version__}"
            yield Finding(True, f"{msg}\n  try: pip install --upgrade lect {each.package}")


def _missing_templates(records: list[Record], templates: dict[str, tuple[Template, ...]]) -> Iterator[Finding]:
    for record in records:
        missing = set(record.templates) - {template.name for template in templates.get(record.id, ())}
        # One that could not be loaded has been found already.
        if missing and record.id in templates:
            yield Finding(True, f"{record.id} declares templates that it does not have: {', '.join(sorted(missing))}")


def _crashing_templates(templates: dict[str, tuple[Template, ...]]) -> Iterator[Finding]:
    for owner, template in ((owner, template) for owner, owned in templates.items() for template in owned):
        try:
            plain_prompt(template)
        except LectError:
            continue  # To refuse is a template's right.
        except Exception as error:
            msg = f"{owner}:{template.name} cannot render the plainest conversation: {type(error).__name__}: {error}"
            yield Finding(True, msg, "".join(format_exception(error)))


def _pins_to_nothing(registry: Registry) -> Iterator[Finding]:
    for pin in registry.pins():
        try:
            registry.find(pin.adapter)
        except LectError as error:
            yield Finding(True, f"the pin {pin} names nothing that can be used: {error}")


def _shared_plugin_names(records: tuple[Record, ...]) -> Iterator[Finding]:
    owners: dict[str, list[str]] = {}
    for record in records:
        owners.setdefault(record.name, []).append(record.id)
    for name, ids in owners.items():
        if len(ids) > 1:
            yield Finding(False, f"{len(ids)} plugins are called {name!r}; say which you mean: {', '.join(ids)}")


def _shared_template_names(templates: dict[str, tuple[Template, ...]]) -> Iterator[Finding]:
    owners: dict[str, dict[str, Template]] = {}
    for owner, owned in templates.items():
        for template in owned:
            owners.setdefault(template.name, {})[owner] = template
    for name, by_owner in sorted(owners.items()):
        # A family may use a template of another's; only different ones are in each other's way.
        if len(set(map(id, by_owner.values()))) > 1:
            alone = (
                "alone it means that of lect"
                if CORE in by_owner
                else f"say which you mean, such as '{next(iter(by_owner))}:{name}'"
            )
            yield Finding(False, f"{len(by_owner)} templates are called {name!r}, of {', '.join(by_owner)}; {alone}")
