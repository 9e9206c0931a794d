"""Reply formats by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.errors import MessageError, PluginError, did_you_mean, near_names, shown
from lect.registry.groups import REPLIES

if TYPE_CHECKING:
    from lect.registry.adapters import Adapters
    from lect.registry.discover import Record
    from lect.reply.grammar import ReplyFormat


class ReplyFormats:
    """Finds reply formats by name: those of core, then those that installed plugins declare in `lect.replies`."""

    def __init__(self, adapters: Adapters):
        self._adapters = adapters
        self._found: dict[str, ReplyFormat] = {}

    def names(self) -> list[str]:
        """Return all names; no plugin is imported."""
        from lect.reply.plain import FORMATS

        declared = (point.name for point in self._adapters.parts(REPLIES))
        return sorted({*(each.name for each in FORMATS), *declared})

    def get(self, name: str) -> ReplyFormat:
        """Return the format called `name`.

        Raises:
            MessageError: If there is none; the message suggests similar names.
            PluginError: If no plugin that declares it can be loaded, or several differ.
        """
        if not isinstance(name, str):
            raise self._unknown(name)
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> ReplyFormat:
        from lect.reply.plain import FORMATS

        own = next((each for each in FORMATS if each.name == name), None)
        if own is not None:
            return own
        owners = [record for record in self._adapters.parts(REPLIES) if record.name == name]
        found = {record.id: each for record in owners if (each := self._load(record)) is not None}
        if not found:
            raise self._unknown(name) if not owners else self._broken(name, [record.id for record in owners])
        first = next(iter(found.values()))
        # Families may share a grammar without knowing of each other; only different grammars conflict.
        if any(each.grammar != first.grammar for each in found.values()):
            msg = f"the reply format {name!r} is declared by {', '.join(found)}, and they differ\n  try: uninstall one"
            raise PluginError(msg)
        return first

    def _load(self, record: Record) -> ReplyFormat | None:
        from lect.reply.grammar import ReplyFormat

        def fits(found: Any) -> bool:
            return isinstance(found, ReplyFormat) and found.name == record.name

        loaded: ReplyFormat | None = self._adapters.load_part(record, fits, f"a ReplyFormat called {record.name!r}")
        return loaded

    def _broken(self, name: str, owners: list[str]) -> PluginError:
        return PluginError(f"the reply format {name!r} of {', '.join(owners)} cannot be loaded\n  try: lect doctor")

    def _unknown(self, name: object) -> MessageError:
        known = self.names()
        hint = did_you_mean(near_names(name, known, most=3), f"there are {', '.join(known)}")
        msg = f"no installed package has a reply format {shown(name)}; {hint}\n  try: lect.reply_formats()"
        return MessageError(msg)
