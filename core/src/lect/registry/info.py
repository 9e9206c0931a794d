"""What is known about plugins, and what they did wrong."""

import pickle
from typing import Any, NamedTuple

from lect.contain import format_error, returned
from lect.errors import PluginError


class Failure(NamedTuple):
    """Something that a plugin did wrong."""

    plugin: str
    package: str
    version: str
    stage: str
    """`discover`, `load`, `api`, `register`, or the hook that failed."""
    error: BaseException

    def __reduce__(self) -> tuple[Any, ...]:
        # Many errors cannot be unpickled, and stop the process pool that tries to.
        again = returned(lambda: pickle.loads(pickle.dumps(self.error)))  # noqa: S301  # pickled on this line
        return Failure, (*self[:4], PluginError(self.description) if again is None else self.error)

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
    """`lazy` (not imported), `eager` (no hints: asked about every path), `loaded`, `blocked: ...` or `failed: ...`."""
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
