"""The registry: the one object that changes. It knows the adapters and asks them."""

import os
import warnings
from _thread import RLock  # threading itself takes a tenth of what importing lect may cost
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from lect.errors import AmbiguousModelError, ModelPathWarning, PluginError, PluginWarning, UnknownTemplateError
from lect.prompt.template import Template
from lect.registry.adapter import Adapter
from lect.registry.discover import Record, discover, normal_name
from lect.registry.known import imitated_owner
from lect.registry.load import Failure, StageError, check, load
from lect.registry.match import NO_FORMAT, Match, Specificity
from lect.registry.names import TemplateNames
from lect.registry.refs import ModelRef, parse_ref, shown
from lect.registry.resolve import Candidate, Resolution, refuse_tie, strongest, unknown_model
from lect.registry.settings import DISABLE, Pin, Settings, read_settings

MOST_REMEMBERED = 4096


class PluginInfo(NamedTuple):
    """What is known of a plugin.

    Attributes:
        name: Its name.
        package: The distribution; empty where it was registered in this process.
        version: The distribution's version.
        hints: The words that must occur in a path before it is imported.
        status: `lazy` (not imported yet), `eager` (without hints: asked about every path), `loaded`, `blocked: ...` or
            `failed: ...`.
        fallback: Whether it is asked only when no other adapter has matched.
    """

    name: str
    package: str
    version: str
    hints: tuple[str, ...]
    status: str
    fallback: bool


class Registry:
    """Finds, loads and asks adapters. Safe across threads.

    Args:
        environ: Where settings are read from.
        find: What finds installed adapters; tests give their own.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ, find: Callable[[], list[Record]] = discover):
        self._environ = environ
        self._find = find
        self.lock = RLock()
        self._records: tuple[Record, ...] | None = None
        self._settings = Settings()
        self._loaded: dict[str, Adapter | None] = {}
        self._registered: tuple[Adapter, ...] = ()
        self._pins: tuple[Pin, ...] = ()
        # Whoever resolves writes what it found into the dictionary that it saw when it began: after a change that is no
        # longer this one.
        self._remembered: dict[str, Resolution] = {}
        self.failures: list[Failure] = []
        self.templates = TemplateNames(self)
        self.conversations: dict[str, Any] = {}

    # What is there

    def records(self) -> tuple[Record, ...]:
        """Return the installed adapters; the first call looks for them and reads the settings."""
        if self._records is None:
            with self.lock:
                if self._records is None:
                    self._settings = read_settings(self._environ)
                    self._records = tuple(self._find())
        return self._records

    def usable(self) -> list[Record]:
        """Return the installed adapters that nobody has blocked."""
        return [record for record in self.records() if self._settings.blocks(record) is None]

    def installed(self) -> dict[str, str | None]:
        """Return the packages with adapters, each with the variable that keeps it out, or None."""
        packages: dict[str, str | None] = {}
        for record in self.records():
            blocked = self._settings.blocks(record)
            if blocked is None or record.package not in packages:
                packages[record.package] = blocked
        return packages

    @property
    def registered(self) -> tuple[Adapter, ...]:
        """The adapters that were registered in this process."""
        return self._registered

    def plugins(self, *, load: bool = False) -> list[PluginInfo]:
        """Return what is known of every plugin; with `load`, import them all first."""
        infos = []
        for record in self.records():
            blocked = self._settings.blocks(record)
            if load and not blocked:
                self.adapter(record)
            usual = "loaded" if record.id in self._loaded else "lazy" if record.hints else "eager"
            status = f"blocked: {blocked}" if blocked else self._failed(record.package, record.name) or usual
            infos.append(PluginInfo(record.name, record.package, record.version, record.hints, status, record.fallback))
        infos += [
            PluginInfo(each.name, "", "", (), self._failed("", each.name) or "loaded", each.fallback)
            for each in self._registered
        ]
        return infos

    def _failed(self, package: str, plugin: str) -> str | None:
        failure = next((each for each in self.failures if (each.package, each.plugin) == (package, plugin)), None)
        return f"failed: {failure.stage}: {type(failure.error).__name__}: {failure.error}" if failure else None

    def pins(self) -> tuple[Pin, ...]:
        """Return the pins in force, the mightiest first."""
        self.records()
        return (*reversed(self._pins), *self._settings.pins)

    # What changes

    def register(self, plugin: Any, *, name: str | None = None) -> Callable[[], None]:
        """Add an adapter for this process and return what takes it away again.

        Raises:
            PluginError: If it cannot be an adapter, or the name is taken. Nothing is registered then.
        """
        name = name or getattr(plugin, "name", None) or getattr(plugin, "__name__", None) or type(plugin).__name__
        try:
            check(plugin)
        except StageError as error:
            msg = f"cannot register {name!r}: {error.error}"
            raise PluginError(msg) from error.error
        adapter = Adapter(plugin, name=str(name))
        with self.lock:
            if any(each.name == adapter.name for each in self._registered):
                msg = (
                    f"an adapter {name!r} is registered already\n"
                    "  try: call what its register() returned, or register(adapter, name='another')"
                )
                raise PluginError(msg)
            self._registered += (adapter,)
            self.changed()

        def undo() -> None:
            with self.lock:
                self._registered = tuple(each for each in self._registered if each is not adapter)
                # Whoever mends an adapter and registers it again begins anew.
                self.failures = [each for each in self.failures if (each.package, each.plugin) != ("", adapter.name)]
                self.changed()

        return undo

    def pin(self, pattern: str, adapter: Any) -> Callable[[], None]:
        """Decide which adapter, or template, speaks for all paths of a pattern; return what takes the decision back."""
        if not isinstance(pattern, str) or not pattern.strip():
            msg = f"a pin needs a pattern such as 'acme/*', not {pattern!r}"
            raise PluginError(msg)
        pin = Pin(pattern.strip(), adapter, "lect.pin()")
        with self.lock:
            self._pins += (pin,)
            self.changed()

        def undo() -> None:
            with self.lock:
                self._pins = tuple(each for each in self._pins if each is not pin)
                self.changed()

        return undo

    def changed(self) -> None:
        """Forget what was found, because something has changed."""
        self._remembered = {}
        self.templates.forget()

    # Asking

    def adapter(self, record: Record) -> Adapter | None:
        """Return the adapter of a record, imported if need be; None where that fails, which is remembered."""
        if record.id not in self._loaded:
            with self.lock:
                if record.id not in self._loaded:
                    self._loaded[record.id] = self._load(record)
        return self._loaded[record.id]

    def _load(self, record: Record) -> Adapter | None:
        try:
            plugin = load(record)
        except StageError as error:
            self._record_failure(Failure(record.name, record.package, record.version, error.stage, error.error))
            return None
        return Adapter(
            plugin, name=record.name, package=record.package, version=record.version, fallback=record.fallback
        )

    def fail(self, adapter: Adapter, stage: str, error: Exception) -> None:
        """Remember what an adapter did wrong, and warn once."""
        self._record_failure(Failure(adapter.name, adapter.package, adapter.version, stage, error))

    def _record_failure(self, failure: Failure) -> None:
        with self.lock:
            # Once for each kind of fault: a match() that raises would otherwise do so for every path.
            if any(each[:4] == failure[:4] and type(each.error) is type(failure.error) for each in self.failures):
                return
            self.failures.append(failure)
        warnings.warn(
            f"a lect plugin failed and is left out: {failure}\n  try: lect doctor", PluginWarning, stacklevel=2
        )

    def resolve(self, model_path: str | os.PathLike[str], *, adapter: Any = None) -> Resolution:
        """Return what a model path resolves to.

        Raises:
            InvalidModelPathError: If the path cannot name a model.
            UnknownModelError: If nobody claims it.
            AmbiguousModelError: If several adapters with different templates claim it equally.
        """
        remembered = self._remembered
        if adapter is None and type(model_path) is str:
            # In one step: another thread may clear what is remembered at any time.
            known = remembered.get(model_path)
            if known is not None:
                return known
        ref = parse_ref(model_path)
        if adapter is not None:
            return self._decided(ref, adapter, "the adapter= argument", ())
        resolution = self._resolve(ref)
        for text in resolution.warnings:
            warnings.warn(text, ModelPathWarning, stacklevel=3)
        if len(remembered) >= MOST_REMEMBERED:
            remembered.clear()
        remembered[ref.given] = resolution
        return resolution

    def _resolve(self, ref: ModelRef) -> Resolution:
        pin = next((pin for pin in self.pins() if pin.fits(ref)), None)
        if pin is not None:
            return self._pinned(ref, pin)
        candidates = self.ask(ref)
        if all(candidate.match is None for candidate in candidates):
            candidates = strongest([*candidates, *self._ask(ref, fallback=True)])
        claims = [(each, each.match) for each in candidates if each.match is not None and each.match.kind != NO_FORMAT]
        if not claims:
            raise unknown_model(ref, candidates, self.failures, self.installed())
        winner, best = claims[0]
        tied = [
            (each, self._template(each.adapter, ref, match))
            for each, match in claims
            if match.strength == best.strength
        ]
        refuse_tie(ref, tied)
        return Resolution(
            ref, winner.adapter, tied[0][1], best.kind, best.reason, best.specificity, tuple(candidates), _oddities(ref)
        )

    def ask(self, ref: ModelRef) -> list[Candidate]:
        """Return the claims of all adapters that have a word for the path, fallbacks aside, the strongest first."""
        return strongest(self._ask(ref, fallback=False))

    def _ask(self, ref: ModelRef, *, fallback: bool) -> Iterable[Candidate]:
        path = ref.path.lower()
        adapters = [each for each in self._registered if each.fallback == fallback]
        for record in self.usable():
            if record.fallback == fallback and (not record.hints or any(hint in path for hint in record.hints)):
                loaded = self.adapter(record)
                if loaded is not None:
                    adapters.append(loaded)
        for adapter in adapters:
            try:
                claim = adapter.match(ref)
            # A plugin may raise anything; one bad plugin must not take the others down.
            except Exception as error:
                self.fail(adapter, "match", error)
                continue
            yield Candidate(adapter, claim)

    def _template(self, adapter: Adapter, ref: ModelRef, match: Match, *, unasked: str | None = None) -> Template:
        try:
            return adapter.get_template(ref, match)
        except Exception as error:
            if unasked and isinstance(error, PluginError):
                # No fault of the adapter, which made no claim: it says itself why it cannot speak for the model.
                msg = f"{adapter} is to speak for {shown(ref.given)} ({unasked}) but cannot: {error}"
                raise PluginError(msg) from error
            self.fail(adapter, "get_template", error)
            msg = (
                f"{adapter} claims {shown(ref.given)} but cannot give its template: {type(error).__name__}: {error}\n"
                f"  try: {DISABLE}={adapter.id}"
            )
            raise PluginError(msg) from error

    def _pinned(self, ref: ModelRef, pin: Pin) -> Resolution:
        try:
            return self._decided(ref, pin.adapter, f"pinned by {pin}", tuple(self.ask(ref)))
        except (AmbiguousModelError, UnknownTemplateError) as error:
            msg = f"{shown(ref.given)} is pinned by {pin}, which leads nowhere: {error}"
            raise PluginError(msg) from error

    def _decided(self, ref: ModelRef, adapter: Any, reason: str, candidates: tuple[Candidate, ...]) -> Resolution:
        """Resolve by somebody's decision: the adapter is not asked for permission."""
        chosen = self.find(adapter)
        if isinstance(chosen, Template):
            return Resolution(ref, None, chosen, "chat", reason, None, candidates, _oddities(ref))
        try:
            claim = chosen.match(ref)
        except Exception as error:
            self.fail(chosen, "match", error)
            claim = None
        if claim is not None and claim.kind == NO_FORMAT:
            claim = None
        match = claim or Match(Specificity.FAMILY, "", reason=reason)
        template = self._template(chosen, ref, match, unasked=None if claim else reason)
        return Resolution(ref, chosen, template, match.kind, reason, None, candidates, _oddities(ref))

    def find(self, adapter: Any) -> Adapter | Template:
        """Return the adapter or template that somebody named.

        An object, `package:plugin`, `plugin`, `plugin:template` or a template's name.

        Raises:
            PluginError: If an object cannot be an adapter, or a named one cannot be loaded.
            UnknownTemplateError: If nothing has that name.
            AmbiguousModelError: If several things have it.
        """
        if isinstance(adapter, Template | Adapter):
            return adapter
        if not isinstance(adapter, str):
            try:
                check(adapter)
            except StageError as error:
                msg = f"{adapter!r} cannot be an adapter: {error.error}"
                raise PluginError(msg) from error.error
            return Adapter(adapter, name=getattr(adapter, "name", type(adapter).__name__))
        found = self.by_name(adapter)
        if len(found) == 1:
            return found[0]
        if found:
            raise self.templates.several(adapter, [each.id for each in found])
        return self.templates.get(adapter)

    def by_name(self, name: str) -> list[Adapter]:
        """Return the adapters called `name`: `package:plugin`, or `plugin`."""
        found = [each for each in self._registered if each.name == name]
        if found:
            return found  # It has no other name, while an installed one has its package's too.
        package, _, plugin = name.rpartition(":")
        for record in self.usable():
            if record.name == plugin and (not package or record.package == normal_name(package)):
                adapter = self.adapter(record)
                if adapter is None:
                    failure = next(
                        each
                        for each in reversed(self.failures)
                        if (each.package, each.plugin) == (record.package, record.name)
                    )
                    msg = f"{record.id} cannot be used: {failure}\n  try: lect doctor"
                    raise PluginError(msg)
                found.append(adapter)
        return found


def _oddities(ref: ModelRef) -> tuple[str, ...]:
    imitated = imitated_owner(ref.owner) if ref.owner else None
    if imitated is None:
        return ()
    return (
        f"the owner {ref.owner!a} looks like {imitated!r} but is another: is {ref.given!a} the model that you mean?",
    )
