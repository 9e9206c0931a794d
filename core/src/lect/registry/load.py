"""Turn a record into a plugin: import it, and check its API version; what fails is a `StageError`."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lect.contain import Contained, StageError
from lect.errors import PluginError, saferepr
from lect.registry.groups import COMMANDS, FUNCTIONS, NOTATIONS, REPLIES

if TYPE_CHECKING:
    from lect.registry.discover import Record

API_VERSION = "1.0"
"""The version of the hooks. A plugin states in `__lect_api__` which version it was written for."""
USUAL_API = "~=1.0"
API_ATTRIBUTE = "__lect_api__"


def load_object(record: "Record") -> Any:
    """Import the object of a record, unless its metadata are damaged."""
    if record.problem:
        raise StageError("discover", PluginError(record.problem))
    module_name, _, attributes = record.value.partition(":")
    with Contained("load"):
        found: Any = import_module(module_name)
        for attribute in filter(None, attributes.split(".")):
            found = getattr(found, attribute)
    return found


def _is_command(found: Any, _: str) -> bool:
    return isinstance(found.HELP, str) and callable(found.configure) and callable(found.run)


def _is_notation(found: Any, _: str) -> bool:
    reads = callable(getattr(found, "recognises", None)) and callable(getattr(found, "read", None))
    return reads or callable(getattr(found, "write", None))


def _is_reply_format(found: Any, name: str) -> bool:
    from lect.reply.grammar import ReplyFormat

    return isinstance(found, ReplyFormat) and found.name == name


PARTS: dict[str, tuple[Callable[[Any, str], bool], str]] = {
    COMMANDS: (_is_command, "a module with HELP, configure and run"),
    FUNCTIONS: (lambda found, _: callable(found), "a function"),
    NOTATIONS: (_is_notation, "an object with recognises(source) and read(source), or write(template)"),
    REPLIES: (_is_reply_format, "a ReplyFormat called {!r}"),
}
"""What the objects of each group that is not one of adapters must be, and what errors call it."""


def load_part(record: "Record") -> Any:
    """Import the object of a record that is not an adapter, and check that it is what its group holds."""
    found = load_object(record)
    fits, expected = PARTS[record.group]
    with Contained("load"):
        if not fits(found, record.name):
            raise PluginError(f"{record.value} is {saferepr(found)}; expected {expected.format(record.name)}")
    return found


def load(record: "Record") -> Any:
    """Import the adapter of a record, and check the version of the hooks that it asks for."""
    plugin = load_object(record)
    # Even reading an attribute of a plugin may raise.
    with Contained("load"):
        module = sys.modules[record.value.partition(":")[0]]
        wanted = getattr(plugin, API_ATTRIBUTE, getattr(module, API_ATTRIBUTE, USUAL_API))
    with Contained("api"):
        _check_api(wanted)
    return plugin


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
        raise PluginError(
            f"it was written for version {wanted} of the adapter hooks; this lect has {API_VERSION}\n"
            "  try: pip install --upgrade lect, or another version of the plugin"
        )
