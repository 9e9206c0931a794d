"""Information about plugins."""

from typing import NamedTuple

from lect.registry.load import Failure


class PluginInfo(NamedTuple):
    """What is known about a plugin.

    Attributes:
        name: Its name.
        package: The distribution; empty if it was registered in this process.
        version: The distribution's version.
        hints: The words that must occur in a path before it is imported.
        status: `lazy` (not imported yet), `eager` (without hints: asked about every path), `loaded`, `blocked: ...` or
            `failed: ...`.
        fallback: Whether it is asked only when no other adapter has matched.
        templates: The names of the templates that it declares.
        failures: Its failures so far.
    """

    name: str
    package: str
    version: str
    hints: tuple[str, ...]
    status: str
    fallback: bool
    templates: tuple[str, ...]
    failures: tuple[Failure, ...]

    @property
    def id(self) -> str:
        """The plugin's unique name: `lect-acme:acme`; just the name for one registered in this process."""
        return f"{self.package}:{self.name}" if self.package else self.name
