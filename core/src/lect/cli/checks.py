"""The checks of `lect doctor`."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import lect
from lect.cli.damage import damages
from lect.cli.plugin_checks import Finding, check_claims, check_templates
from lect.cli.wording import reword
from lect.errors import LectError, UnknownTemplateError, did_you_mean, near_names
from lect.registry.cautions import reserved_names
from lect.registry.groups import REPLIES
from lect.registry.info import Failure, PluginInfo
from lect.registry.load import PARTS
from lect.registry.settings import DISABLE, VARIABLES, names_of

CORE = "lect"
DEPENDENCIES = ("pluggy", "importlib-metadata", "packaging")


class InstallationReport(NamedTuple):
    """The results of all checks."""

    versions: dict[str, str]
    config: str | None
    """The path of the config file; empty if there is none, None if the settings cannot be read."""
    plugins: list[dict[str, Any]]
    """What `--json` prints of each, with its requirement on lect as in its metadata, such as `lect<1,>=0.1`."""
    templates: dict[str, tuple[lect.Template, ...]]
    """By owner, as in `lect.templates()`."""
    findings: tuple[Finding, ...]


def check_installation(progress: Callable[[str], None]) -> InstallationReport:
    """Load every plugin and check all that could be wrong; `progress` gets what is being checked."""
    versions = {"python": sys.version.split()[0], CORE: lect.__version__}
    versions |= {name: _version(name) for name in DEPENDENCIES}
    try:
        templates = {owner: tuple(_load_templates(owner, names)) for owner, names in lect.templates(load=True).items()}
    except LectError as error:
        # Without settings, there is no telling which plugins to use.
        return InstallationReport(versions, None, [], {}, (Finding(True, reword(str(error), "doctor")),))
    adapters = lect._registry.adapters
    # First, so that what follows knows which adapters fail.
    claims = tuple(check_claims())
    infos = lect.plugins(load=True)
    plugins = [
        {"name": each.name, "package": each.package or None, "version": each.version or None, "status": each.status}
        | _requirement(each.package)
        for each in infos
    ]
    findings = (
        *_stale_core(),
        *(_failure(failure) for info in infos for failure in info.failures),
        *damages(),
        *_unsatisfied(plugins),
        *_missing_templates(infos),
        *check_templates(templates, progress),
        *_settings(),
        *_broken_formats(),
        *_broken_parts(infos),
        *claims,
        *(Finding(False, text) for text in map(reserved_names, adapters.every_record()) if text),
        *_shared_plugin_names(infos),
        *_shared_template_names(templates),
        *(Finding(False, f"{each.id} is {each.status}") for each in infos if each.status.startswith("blocked")),
    )
    findings = tuple(each._replace(what=reword(each.what, "doctor")) for each in findings)
    return InstallationReport(versions, adapters.settings.config, plugins, templates, findings)


def _version(package: str) -> str:
    import importlib_metadata as metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _requirement(package: str) -> dict[str, Any]:
    """Return the requirement of a package on lect, if it states one, and whether it is satisfied."""
    import importlib_metadata as metadata
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        lines = (metadata.requires(package) if package else None) or []
    except Exception:  # It is not installed, or its metadata is damaged, which is reported separately.
        lines = []
    wanted = []
    for line in lines:
        with suppress(InvalidRequirement):
            requirement = Requirement(line)
            marker = requirement.marker
            if requirement.name.lower() == CORE and (marker is None or marker.evaluate({"extra": ""})):
                wanted.append(requirement)
    satisfied = all(requirement.specifier.contains(lect.__version__, prereleases=True) for requirement in wanted)
    return {"requires": ", ".join(map(str, wanted)) or None, "satisfied": satisfied}


def _load_templates(owner: str, names: Sequence[str]) -> Iterator[lect.Template]:
    for name in names:
        with suppress(UnknownTemplateError):  # Declared, but missing: reported separately.
            yield lect.template(f"{owner}:{name}")


def _stale_core() -> Iterator[Finding]:
    installed = _version(CORE)
    if installed and installed != lect.__version__:
        msg = f"lect {lect.__version__} is imported, but {installed} is installed"
        yield Finding(True, f"{msg}\n  try: pip install --force-reinstall lect")


def _failure(failure: Failure) -> Finding:
    what = str(failure)
    if failure.package and "\n  try: " not in what:
        what += f"\n  try: pip install --upgrade {failure.package}"
        what += f"\n   or: {DISABLE}={failure.package}:{failure.plugin}, to do without it"
    return Finding.of(failure.error, what)


def _unsatisfied(plugins: list[dict[str, Any]]) -> Iterator[Finding]:
    for each in plugins:
        if not each["satisfied"]:
            msg = f"{each['package']} {each['version'] or ''} requires {each['requires']}; this is {lect.__version__}"
            yield Finding(True, f"{msg}\n  try: pip install --upgrade lect {each['package']}")


def _missing_templates(infos: Sequence[PluginInfo]) -> Iterator[Finding]:
    # A plugin that could not be loaded is already reported.
    for info in (each for each in infos if each.status == "loaded"):
        existing = {template.name for template in _load_templates(info.id, info.templates)}
        if missing := [name for name in info.templates if name not in existing]:
            yield Finding(True, f"{info.id} declares templates that it does not have: {', '.join(missing)}")


def _settings() -> Iterator[Finding]:
    """Yield what is wrong with variables, pins, and the names of plugins that are blocked or allowed."""
    adapters = lect._registry.adapters
    for variable in sorted(adapters.environ):
        if variable.startswith("LECT_") and variable not in VARIABLES:
            hint = did_you_mean(near_names(variable, VARIABLES), f"there are {', '.join(VARIABLES)}")
            yield Finding(False, f"lect does not read a variable {variable}; {hint}")
    for pin in lect.pins(load=True):
        if pin.problem:
            yield Finding(True, f"the pin {pin} names nothing that can be used: {pin.problem}")
    known = {name for record in adapters.every_record() for name in names_of(record)}
    for names in filter(None, (adapters.settings.block, adapters.settings.only)):
        for name in sorted(names.value - known):
            hint = did_you_mean(near_names(name, known), "`lect plugins` lists what is installed")
            yield Finding(False, f"{names.source} names {name!r}, which is not installed; {hint}")


def _broken_formats() -> Iterator[Finding]:
    records = lect._registry.adapters.parts(REPLIES)
    for name in dict.fromkeys(record.name for record in records):
        try:
            lect.stream(None, format=name)
        except LectError as error:
            packages = ", ".join(record.package for record in records if record.name == name)
            yield Finding(True, f"the reply format {name!r} of {packages} cannot be used: {error}")


def _broken_parts(infos: Sequence[PluginInfo]) -> Iterator[Finding]:
    """Yield what is wrong with installed commands, functions, notations and reply formats."""
    adapters = lect._registry.adapters
    records = [record for group in PARTS for record in adapters.parts(group)]
    for record in records:
        adapters.load_part(record)
    reported = {(info.package, info.name) for info in infos}
    parts = {(record.package, record.name) for record in records} - reported
    yield from (_failure(failure) for failure in adapters.failures if (failure.package, failure.plugin) in parts)


def _shared_plugin_names(infos: Sequence[PluginInfo]) -> Iterator[Finding]:
    for name in dict.fromkeys(info.name for info in infos):
        ids = [info.id for info in infos if info.name == name]
        if len(ids) > 1:
            yield Finding(False, f"{len(ids)} plugins are called {name!r}; say which you mean: {', '.join(ids)}")


def _shared_template_names(templates: dict[str, tuple[lect.Template, ...]]) -> Iterator[Finding]:
    owners: dict[str, dict[str, lect.Template]] = {}
    for owner, owned in templates.items():
        for template in owned:
            owners.setdefault(template.name, {})[owner] = template
    for name, by_owner in sorted(owners.items()):
        # A family may use another's template; only different templates conflict.
        if len(set(map(id, by_owner.values()))) > 1:
            which = f"say which you mean, such as '{next(iter(by_owner))}:{name}'"
            alone = "the bare name means lect's own" if CORE in by_owner else which
            yield Finding(False, f"{len(by_owner)} templates are called {name!r}, of {', '.join(by_owner)}; {alone}")
