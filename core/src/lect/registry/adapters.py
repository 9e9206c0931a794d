"""The adapters, installed (and loaded when needed) or registered, and their failures."""

from __future__ import annotations

from _thread import RLock, get_ident  # importing threading would take a tenth of lect's import budget
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from importlib import invalidate_caches
from typing import TYPE_CHECKING, Any, TypeVar

from lect.contain import Contained, StageError, format_error
from lect.errors import PluginError, PluginWarning, warn_caller
from lect.registry.adapter import Adapter
from lect.registry.groups import ADAPTERS, FALLBACK, PATHS
from lect.registry.load import load, load_part
from lect.registry.refs import ModelRef
from lect.values import normal_name

if TYPE_CHECKING:
    from lect.registry.discover import Record
    from lect.registry.info import Failure, PluginInfo
    from lect.registry.metafiles import Distribution
    from lect.registry.settings import Settings

Result = TypeVar("Result")
Names = tuple[str, ...]


class Undo(ExitStack):
    """Undoes a change when it is called, or at the end of its `with` statement."""

    def __init__(self, undo: Callable[[], None]):
        super().__init__()
        self.callback(undo)

    __call__ = ExitStack.close


class Adapters:
    """All adapters, installed and registered, and the other installed parts. Thread-safe.

    `home` is the registry, which has these as its `adapters`; `find` finds distributions in place of discovery.
    """

    _settings: Settings

    def __init__(self, home: object, environ: Mapping[str, str], find: Callable[[], list[Distribution]] | None = None):
        self._home, self.environ, self._find = home, environ, find
        self.lock = RLock()
        self._records: tuple[Record, ...] | None = None
        self._usable: tuple[Record, ...] = ()
        self._parts: tuple[Record, ...] = ()
        self.search = False
        """Whether to look for a config file; only the command line does, so that programs resolve alike everywhere."""
        self._loaded: dict[str, Adapter | None] = {}
        self._loading: dict[tuple[int, str], Record] = {}
        """What each thread is importing. The lock is not held meanwhile: a plugin may be slow, or call us."""
        self.registered: tuple[Adapter, ...] = ()
        self.failures: list[Failure] = []
        self.changed: Callable[[], None] = lambda: None
        """Called when something has changed: the registry clears its caches."""

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._home, "adapters")

    # What is installed

    def records(self) -> tuple[Record, ...]:
        """Return the installed adapters; the first call looks for them."""
        return self._scan() if self._records is None else self._records

    def _scan(self) -> tuple[Record, ...]:
        from lect.registry.discover import distributions, records
        from lect.registry.settings import read_settings

        settings = read_settings(self.environ, search=self.search)
        found = records((self._find or distributions)())
        adapters = tuple(record for record in found if record.group in ADAPTERS)
        with self.lock:
            self._settings = settings
            self._parts = tuple(record for record in found if record.group not in ADAPTERS)
            self._usable = tuple(record for record in adapters if settings.blocks(record) is None)
            self._records = adapters
        return adapters

    @property
    def settings(self) -> Settings:
        """The settings, which are read when installed plugins are looked for."""
        self.records()
        return self._settings

    def rescan(self) -> None:
        """Look again for installed plugins, and read the settings again; see `lect.rescan`."""
        invalidate_caches()
        self._scan()
        with self.lock:
            self._loaded = {key: adapter for key, adapter in self._loaded.items() if adapter is not None}
            self.failures = [each for each in self.failures if not each.package]
            self.changed()

    def every_record(self) -> tuple[Record, ...]:
        """Return everything installed: adapters, reply formats, notations, ..., including blocked ones."""
        return (*self.records(), *self._parts)

    def parts(self, group: str) -> list[Record]:
        """Return what is installed in a group that is not one of adapters, except what is blocked."""
        packages, blocks = self.installed(), self.settings.blocks
        found = (record for record in self._parts if record.group == group)
        return [each for each in found if packages.get(each.package, blocks(each)) is None]

    def part(self, group: str, name: str, label: str) -> tuple[str, Any] | None:
        """Return what is called `name` in a group of commands or functions, after its package; None if nothing is."""
        owners = [record for record in self.parts(group) if record.name == name]
        if not owners:
            return None
        if len(owners) > 1:
            packages = " and ".join(record.package for record in owners)
            kind = group.removeprefix("lect.").removesuffix("s")
            raise PluginError(f"both {packages} have a {kind} {name!r}\n  try: uninstall one")
        if (found := self.load_part(owners[0])) is None:
            raise PluginError(f"{label} of {owners[0].package} cannot be loaded\n  try: lect doctor")
        return owners[0].package, found

    def usable(self) -> tuple[Record, ...]:
        """Return the installed adapters that are not blocked."""
        self.records()
        return self._usable

    def installed(self) -> dict[str, str | None]:
        """Return the packages with adapters, each with what blocks it, or None."""
        packages: dict[str, str | None] = {}
        for record in self.records():
            blocked = self.settings.blocks(record)
            if blocked is None or record.package not in packages:
                packages[record.package] = blocked
        return packages

    def blocked_lines(self) -> list[str]:
        """Return the lines of a message about packages that are installed but blocked."""
        return [f"  blocked: {package} ({blocked})" for package, blocked in self.installed().items() if blocked]

    def failures_of(self, plugin: Adapter | Record) -> tuple[Failure, ...]:
        """Return the failures of a plugin so far."""
        return tuple(each for each in self.failures if (each.package, each.plugin) == (plugin.package, plugin.name))

    def adapter(self, record: Record) -> Adapter | None:
        """Return the adapter of a record; None if importing it fails, which is recorded, or leads back here."""
        loaded = self._loaded  # A rescan replaces it.
        if record.id in loaded:
            return loaded[record.id]
        loading = (get_ident(), record.id)
        if loading in self._loading:
            return None
        self._loading[loading] = record
        try:
            adapter = self.ask(record, self._load, record)
        finally:
            self._loading.pop(loading, None)
        with self.lock:
            # The first of several threads wins, so that an adapter is one object.
            return self._loaded.setdefault(record.id, adapter)

    def _load(self, record: Record) -> Adapter:
        plugin = load(record)
        with Contained("register"):
            return Adapter(plugin, record.name, record.package, record.version, record.fallback, self.recall)

    @property
    def settled(self) -> bool:
        """Whether no adapter is being imported, so that what is found now may be remembered."""
        return not self._loading

    def after_fork(self) -> None:
        """Reset in a child process: the threads that held the lock, or were importing something, do not exist here.

        What they had begun to import cannot be imported: Python itself would wait for them.
        """
        self.lock = RLock()
        loading, self._loading = self._loading, {}
        for (thread, key), record in loading.items():
            if thread != get_ident() and self._loaded.setdefault(key, None) is None:
                msg = (
                    "another thread was importing it when this process was forked\n"
                    "  try: lect.plugins(load=True) before the fork"
                )
                self.fail(record, StageError("load", PluginError(msg)))

    def load_part(self, record: Record) -> Any:
        """Return the object of one of `parts`; None if it cannot be loaded or does not fit, which is recorded."""
        return self.ask(record, load_part, record)

    def fail(self, plugin: Adapter | Record, failed: StageError) -> None:
        """Record a failure of a plugin, and warn once."""
        from lect.registry.info import Failure

        failure = Failure(plugin.name, plugin.package, plugin.version, failed.stage, failed.error)
        with self.lock:
            # Once per kind of fault: a match() that raises would otherwise be reported for every path.
            if any(each[:4] == failure[:4] and type(each.error) is type(failure.error) for each in self.failures):
                return
            self.failures.append(failure)
        warn_caller(f"a lect plugin failed and is left out: {failure}\n  try: lect doctor", PluginWarning)

    def ask(self, plugin: Adapter | Record, hook: Callable[..., Result], *given: Any) -> Result | None:
        """Return what a plugin answers; None if it fails, which is recorded."""
        try:
            return hook(*given)
        except StageError as failed:
            self.fail(plugin, failed)
            return None

    def relevant(self, ref: ModelRef, group: str) -> Iterator[Adapter]:
        """Yield the adapters of a group that are asked about a path."""
        # The hint `:` stands for a name with a tag, and for one without an owner, whose tag may go without saying.
        path = ref.path.lower() + ":" * (ref.place is None and (ref.owner is None or ref.tag is not None))
        yield from (each for each in self.registered if group != PATHS and each.fallback == (group == FALLBACK))
        for record in self.usable():
            is_asked = record.group == group and (not record.hints or any(hint in path for hint in record.hints))
            if is_asked and (loaded := self.adapter(record)) is not None:
                yield loaded

    # What is registered

    def register(self, plugin: Any, *, name: str | None = None) -> Undo:
        """Add an adapter for this process and return an object that removes it; see `lect.register`."""
        adapter = new_adapter(plugin, name)
        with self.lock:
            if any(each.name == adapter.name for each in self.registered):
                raise PluginError(
                    f"an adapter {adapter.name!r} is already registered\n"
                    "  try: call the object that register() returned for it, or register(adapter, name='another')"
                )
            self.registered += (adapter,)
            self.changed()

        def undo() -> None:
            with self.lock:
                self.registered = tuple(each for each in self.registered if each is not adapter)
                # An adapter that was corrected and registered again starts without failures.
                self.failures = [each for each in self.failures if (each.package, each.plugin) != ("", adapter.name)]
                self.changed()

        return Undo(undo)

    def by_name(self, name: str) -> list[Adapter]:
        """Return the adapters called `name`: `package:plugin`, or `plugin`."""
        found = [each for each in self.registered if each.name == name]
        if found:
            return found  # It has no other name; an installed one is also called `package:plugin`.
        for record in self.records_called(name):
            adapter = self.adapter(record)
            if adapter is None:
                why = next(reversed(self.failures_of(record)), "it is still being imported")
                raise PluginError(f"{record.id} cannot be used: {why}\n  try: lect doctor")
            found.append(adapter)
        return found

    def records_called(self, name: str) -> list[Record]:
        """Return the installed plugins called `name`: `package:plugin`, or `plugin`. Nothing is imported."""
        package, _, plugin = name.rpartition(":")
        named = (record for record in self.usable() if record.name == plugin)
        return [each for each in named if not package or each.package == normal_name(package)]

    def recall(self, name: str) -> Adapter:
        """Return the installed adapter `package:plugin` that was pickled in another process, if it is here too."""
        for adapter in self.by_name(name):
            return adapter
        raise PluginError(
            f"the adapter {name!r} was pickled in another process, and is not available in this one\n"
            f"  try: install {name.partition(':')[0]} for both processes, and set the same LECT_* variables"
        )

    def status(self, record: Record) -> str:
        """Return the status of what is installed: `lazy`, `eager`, `loaded`, `blocked: ...` or `failed: ...`."""
        if blocked := self.settings.blocks(record):
            return f"blocked: {blocked}"
        is_asked = record.group in ADAPTERS and not record.hints
        usual = "loaded" if record.id in self._loaded else "eager" if is_asked else "lazy"
        return self._failed(record) or usual

    def _failed(self, plugin: Adapter | Record) -> str:
        """Return the status of a plugin that has failed; empty for any other."""
        first = next(iter(self.failures_of(plugin)), None)
        return "" if first is None else f"failed: {first.stage}: {first.description}"

    def plugins(self, *, load: bool = False) -> list[PluginInfo]:
        """Return what is known about every plugin; with `load`, import them all first."""
        from lect.registry.info import PluginInfo

        if load:
            for record in self.usable():
                self.adapter(record)

        def info(on: Adapter | Record, status: str, hints: Names = (), has: Names = ()) -> PluginInfo:
            return PluginInfo(on.name, on.package, on.version, hints, status, on.fallback, has, self.failures_of(on))

        return [
            *(info(each, self.status(each), each.hints, each.templates) for each in self.records()),
            *(info(each, self._failed(each) or "loaded") for each in self.registered),
        ]


def new_adapter(plugin: Any, name: str | None = None) -> Adapter:
    """Return an adapter for an object that the caller gave, if it can be one."""
    label = type(plugin).__name__
    try:
        with Contained("register"):
            label = str(name or getattr(plugin, "name", None) or getattr(plugin, "__name__", None) or label)
            return Adapter(plugin, label)
    except StageError as failed:
        error = failed.error
        msg = f"{label!r} cannot be an adapter: {error if isinstance(error, PluginError) else format_error(error)}"
        raise PluginError(msg) from error
