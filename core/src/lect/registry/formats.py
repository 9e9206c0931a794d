"""Reply formats: by name, and those that adapters know for a model."""

from lect.errors import AmbiguousModelError, MessageError, PluginError, did_you_mean, near_names, saferepr
from lect.registry.adapters import Adapters
from lect.registry.groups import GROUP, REPLIES
from lect.registry.names import LONGEST_REMEMBERED, Memory
from lect.registry.refs import LONGEST_SHOWN, ModelRef, readings
from lect.reply.grammar import Grammar, ReplyFormat
from lect.reply.plain import FORMATS


class ReplyFormats:
    """Finds reply formats: those of core, then those that installed plugins declare in `lect.replies`."""

    def __init__(self, adapters: Adapters):
        self._adapters = adapters
        self._found = {each.name: each for each in FORMATS}
        self._known: Memory[dict[str, ReplyFormat]] = Memory()

    def names(self) -> list[str]:
        """Return all names; no plugin is imported."""
        return sorted({*(each.name for each in FORMATS), *(each.name for each in self._adapters.parts(REPLIES))})

    def get(self, given: str | Grammar | ReplyFormat) -> ReplyFormat:
        """Return the format that the caller named or passed; see `lect.plugin.grammar.reply_format`."""
        if isinstance(given, ReplyFormat):
            return given
        if isinstance(given, Grammar):
            return ReplyFormat(given)
        if not isinstance(given, str):
            raise self._unknown(given)
        if given not in self._found:
            self._found[given] = self._find(given)
        return self._found[given]

    def _find(self, name: str) -> ReplyFormat:
        owners = [record for record in self._adapters.parts(REPLIES) if record.name == name]
        if not owners:
            raise self._unknown(name)
        loaded = {record.id: self._adapters.load_part(record) for record in owners}
        found: dict[str, ReplyFormat] = {owner: each for owner, each in loaded.items() if each is not None}
        if not found:
            ids = ", ".join(record.id for record in owners)
            raise PluginError(f"the reply format {name!r} of {ids} cannot be loaded\n  try: lect doctor")
        first = next(iter(found.values()))
        # Families may share a grammar without knowing of each other; only different grammars conflict.
        if any(each.grammar != first.grammar for each in found.values()):
            msg = f"the reply format {name!r} is declared by {', '.join(found)}, and they differ\n  try: uninstall one"
            raise PluginError(msg)
        return first

    def _unknown(self, name: object) -> MessageError:
        known = self.names()
        hint = did_you_mean(near_names(name, known, most=3), f"there are {', '.join(known)}")
        msg = f"no installed package has a reply format {saferepr(name)}; {hint}\n  try: lect.reply_formats()"
        return MessageError(msg)

    def of(self, ref: ModelRef) -> ReplyFormat | None:
        """Return how a model writes its replies, if adapters know it by its name; they must agree."""
        known = self.known(ref)
        first = next(iter(known.values()), None)
        if first is not None and any(other.grammar != first.grammar for other in known.values()):
            names = " or ".join(f"format={name!r}" for name in sorted({each.name for each in known.values()}))
            msg = (
                f"{' and '.join(known)} know different formats for the replies of "
                f"{saferepr(ref.original, LONGEST_SHOWN)}\n  try: {names}"
            )
            raise AmbiguousModelError(msg, name=ref.original, claimants=list(known))
        return first

    def known(self, ref: ModelRef) -> dict[str, ReplyFormat]:
        """Return the reply formats that adapters know for a model, by adapter."""
        may_remember = ref.place is None and len(ref.original) <= LONGEST_REMEMBERED
        if may_remember and (remembered := self._known.get(ref.original)) is not None:
            return remembered
        known: dict[str, ReplyFormat] = {}
        for reading in readings(ref):
            for adapter in self._adapters.relevant(ref, GROUP):
                if (found := self._adapters.ask(adapter, adapter.reply_format, reading)) is not None:
                    known[adapter.id] = found
            if known:
                break
        if may_remember and self._adapters.settled:
            self._known.remember(ref.original, known)
        return known
