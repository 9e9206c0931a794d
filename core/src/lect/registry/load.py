"""Turn a record into a plugin: import it, check its API version and hooks, and record failures."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import pluggy

from lect.contain import Contained, StageError, format_error
from lect.errors import PluginError, did_you_mean, near_names
from lect.registry import hookspecs

if TYPE_CHECKING:
    from lect.registry.discover import Record

API_VERSION = "1.0"
"""The version of the hooks. A plugin states in `__lect_api__` which version it was written for."""
USUAL_API = "~=1.0"
API_ATTRIBUTE = "__lect_api__"


class Failure(NamedTuple):
    """Something that a plugin did wrong."""

    plugin: str
    package: str
    version: str
    stage: str
    """`discover`, `load`, `api`, `register`, or the hook that failed."""
    error: BaseException

    def __reduce__(self) -> tuple[Any, ...]:
        return Failure, (*self[:4], _portable(self.error))

    @property
    def description(self) -> str:
        """What was raised: its type and its message."""
        return format_error(self.error)

    def __str__(self) -> str:
        package = f" ({self.package} {self.version})" if self.package else ""
        return f"{self.plugin}{package}: {self.stage}: {self.description}"


class PluginInfo(NamedTuple):
    """What is known about a plugin."""

    name: str
    """Its name."""
    package: str
    """The distribution; empty if it was registered in this process."""
    version: str
    """The distribution's version."""
    hints: tuple[str, ...]
    """The words that must occur in a path before it is imported."""
    status: str
    """`lazy` (not imported yet), `eager` (without hints: asked about every path), `loaded`, `blocked: ...` or
    `failed: ...`."""
    fallback: bool
    """Whether it is asked only when no other adapter has matched."""
    templates: tuple[str, ...]
    """The names of the templates that it declares."""
    failures: tuple[Failure, ...]
    """Its failures so far."""

    @property
    def id(self) -> str:
        """The plugin's unique name: `lect-acme:acme`; just the name for one registered in this process."""
        return f"{self.package}:{self.name}" if self.package else self.name


def _portable(error: BaseException) -> BaseException:
    """Return an error that can be unpickled. Many cannot be, and stop the process pool that tries to."""
    import pickle

    try:
        with Contained("pickle"):
            pickle.loads(pickle.dumps(error))  # noqa: S301  # pickled on this line
    except StageError:
        return PluginError(format_error(error))
    return error


def load_object(record: "Record") -> Any:
    """Import the object of a record.

    Raises:
        StageError: If that raises, or its metadata are damaged.
    """
    if record.problem:
        raise StageError("discover", PluginError(record.problem))
    module_name, _, attributes = record.value.partition(":")
    with Contained("load"):
        found: Any = import_module(module_name)
        for attribute in filter(None, attributes.split(".")):
            found = getattr(found, attribute)
    return found


def load(record: "Record") -> Any:
    """Import the adapter of a record, and check that it can be registered.

    Raises:
        StageError: If importing it raises, or it asks for another version of the hooks, or its hooks are wrong.
    """
    plugin = load_object(record)
    # Even reading an attribute of a plugin may raise.
    with Contained("load"):
        module = sys.modules[record.value.partition(":")[0]]
        wanted = getattr(plugin, API_ATTRIBUTE, getattr(module, API_ATTRIBUTE, USUAL_API))
    check(plugin, api=wanted)
    return plugin


def check(plugin: Any, *, api: str = USUAL_API) -> None:
    """Check that an object can be registered as an adapter.

    Raises:
        StageError: If it asks for another version of the hooks, or its hooks are wrong.
    """
    with Contained("api"):
        _check_api(api)
    with Contained("register"):
        _check_hooks(plugin)


def _check_api(wanted: str) -> None:
    if wanted == USUAL_API:
        return  # Known to hold; packaging.specifiers takes as long to import as all of lect.
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        fits = API_VERSION in SpecifierSet(wanted)
    except (InvalidSpecifier, TypeError, AttributeError):
        msg = f"{API_ATTRIBUTE} is {wanted!r}; expected a version specifier such as {USUAL_API!r}"
        raise PluginError(msg) from None
    if not fits:
        msg = (
            f"it was written for version {wanted} of the adapter hooks; this lect has {API_VERSION}\n"
            "  try: pip install --upgrade lect, or another version of the plugin"
        )
        raise PluginError(msg)


def new_manager() -> pluggy.PluginManager:
    """Return a pluggy manager that knows our hooks."""
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    return manager


def _check_hooks(plugin: Any) -> None:
    # In a separate manager, because pluggy leaves a plugin half registered when it finds a fault.
    trial = new_manager()
    trial.register(plugin, "plugin")
    hooks = {caller.name for caller in trial.get_hookcallers(plugin) or ()}
    known = hookspecs.HOOKS
    for hook in sorted(hooks - known):
        hint = did_you_mean(near_names(hook, known), f"the hooks are {', '.join(sorted(known))}")
        msg = f"there is no hook {hook!r}; {hint}"
        raise PluginError(msg)
    if not hooks:
        msg = "it has no hooks\n  try: decorate match() and get_template() with @lect.plugin.hookimpl"
        raise PluginError(msg)
    if "match" in hooks and "get_template" not in hooks:
        msg = "it has match() but no get_template()"
        raise PluginError(msg)
