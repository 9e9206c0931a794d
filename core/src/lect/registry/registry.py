"""The registry, the one mutable object: it knows the adapters and asks them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lect.contain import StageError, format_error
from lect.conversation import Conversation
from lect.errors import (
    AmbiguousModelError,
    FallbackWarning,
    LectError,
    ModelPathWarning,
    PluginError,
    SourceError,
    UnknownModelError,
    UnknownTemplateError,
    saferepr,
    warn_caller,
)
from lect.format.template import Template
from lect.registry.adapter import Adapter
from lect.registry.adapters import Adapters, Undo, new_adapter
from lect.registry.groups import FUNCTIONS, GROUP, PATHS
from lect.registry.names import LONGEST_REMEMBERED, Memory, TemplateNames
from lect.registry.refs import LONGEST_SHOWN, ModelRef, parse_ref
from lect.registry.resolve import Resolution, Unclaimed, ask, candidates_for, fallback_note, strongest
from lect.values import Match, Specificity

if TYPE_CHECKING:
    from lect.registry.formats import ReplyFormats
    from lect.registry.metafiles import Distribution
    from lect.registry.settings import Pin
    from lect.reports import Verdict

ModelPath = str | os.PathLike[str]


class Registry:
    """Asks the adapters which template a model has, unless a pin or an argument decides. Thread-safe."""

    def __init__(self, environ: Mapping[str, str] = os.environ, find: Callable[[], list[Distribution]] | None = None):
        self.adapters = Adapters(self, environ, find)
        self._pins: tuple[Pin, ...] = ()
        # Write to the object seen at the start of a look-up; a later change replaces it.
        self._remembered: Memory[Resolution] = Memory()
        # Apart from these, so that a flood of unknown names does not displace what is known.
        self._unclaimed: Memory[Unclaimed] = Memory()
        self._functions: dict[str, Callable[..., Any]] = {}  # Looking one up takes longer than reading a row with it.
        self.templates = TemplateNames(self, self.adapters)
        self.conversations: dict[str, Conversation] = {}
        self.adapters.changed = self._forget

    def __reduce__(self) -> str:
        # Unpickled, it is the registry of that process. Pickle itself refuses any other than REGISTRY.
        return "REGISTRY"

    def _forget(self) -> None:
        self._remembered, self._unclaimed, self._functions = Memory(), Memory(), {}
        self.templates.remembered = Memory()
        vars(self).pop("formats", None)

    @cached_property
    def formats(self) -> ReplyFormats:
        """The reply formats."""
        from lect.registry.formats import ReplyFormats

        return ReplyFormats(self.adapters)

    # What is there

    def pins(self, *, load: bool = False) -> tuple[Pin, ...]:
        """Return the pins in force, the strongest first; with `load`, each with its problem, if it has one."""
        pins = (*reversed(self._pins), *self.adapters.settings.pins)
        return tuple(pin._replace(problem=self._problem(pin)) for pin in pins) if load else pins

    def _problem(self, pin: Pin) -> str:
        try:
            self.find(pin.adapter)
        except LectError as error:
            return str(error)
        return ""

    def function(self, name: str, what: str = "") -> Callable[..., Any]:
        """Return a function of `lect` that is in a package of its own; `what` errors call it, if not by its name."""
        functions = self._functions
        if name in functions:
            return functions[name]
        if (found := self.adapters.part(FUNCTIONS, name, f"lect.{name}")) is None:
            from lect.registry.advice import absent_function

            raise PluginError(absent_function(self.adapters, name, what))
        return functions.setdefault(name, found[1])

    # What changes

    def pin(self, pattern: str, adapter: Any) -> Undo:
        """Decide which adapter or template is used for paths that fit a pattern; return an object that undoes this."""
        from lect.registry.settings import Pin

        if not isinstance(pattern, str) or not pattern.strip():
            raise PluginError(f"a pin needs a pattern such as 'acme/*', not {saferepr(pattern)}")
        pin = Pin(pattern.strip(), adapter, "lect.pin()")
        with self.adapters.lock:
            self._pins += (pin,)
            self.adapters.changed()

        def undo() -> None:
            with self.adapters.lock:
                self._pins = tuple(each for each in self._pins if each is not pin)
                self.adapters.changed()

        return Undo(undo)

    def register_conversation(self, conversation: Conversation, *, override: bool) -> None:
        """Add a conversation to start others from, and its template; see `lect.register_conv_template`."""
        prototype, template = conversation.copy(), conversation.template
        if template.name != prototype.name:
            template = template.but(name=prototype.name)
        with self.adapters.lock:
            if prototype.name in self.conversations and not override:
                msg = f"a conversation {prototype.name!r} is already registered\n  try: override=True, or another name"
                raise PluginError(msg)
            self.templates.register(template, override=override)
            self.conversations[prototype.name] = prototype

    # Asking

    def resolve(
        self, model_path: ModelPath, *, adapter: Any = None, default: str | None = None, fallback: bool = True
    ) -> Resolution:
        """Do what `lect.resolve` does; `default` is the name of a template to use if no adapter claims the model."""
        found = self.look_up(model_path, adapter=adapter, default=default, fallback=fallback)
        if isinstance(found, Unclaimed):
            raise self.unknown(found)
        return found

    def look_up(
        self, model_path: ModelPath, *, adapter: Any = None, default: str | None = None, fallback: bool = True
    ) -> Resolution | Unclaimed:
        """Return what `resolve` returns, without composing its error, which takes long, where no adapter claims it."""
        remembered, unclaimed = self._remembered, self._unclaimed
        if adapter is None and type(model_path) is str and len(model_path) <= LONGEST_REMEMBERED:
            # In one step: another thread may clear what is remembered at any time.
            known = remembered.get(model_path)
            if known is not None and (fallback or not known.fallback):
                if known.fallback or known.warnings:
                    _warn(known)
                return known
            if fallback and default is None and (known_unclaimed := unclaimed.get(model_path)) is not None:
                return known_unclaimed
        owned = self.templates.owned(model_path)
        ref = parse_ref(model_path) if owned is None else parse_ref(owned)._replace(original=str(model_path))
        if adapter is not None:
            return self._decided(ref, adapter, "the adapter argument")
        if owned is not None:
            return self._decided(ref, self.templates.get(ref.original), "the path is the name of a template")
        found = self._resolve(ref, self.adapters.settings.no_fallback if fallback else "fallback=False")
        may_remember = self.adapters.settled and ref.place is None  # Files on disk may change.
        if isinstance(found, Unclaimed):
            if default is not None:
                return self._decided(ref, default, "the default argument: no adapter claims the model")
            if may_remember and fallback:
                unclaimed.remember(ref.original, found)
            return found
        _warn(found)
        if may_remember:
            remembered.remember(ref.original, found)
        return found

    def _aliased(self, ref: ModelRef) -> ModelRef:
        """Return the model of a hub that a name stands for; the name itself if no adapter knows another."""
        if ref.place is not None or ref.alias is not None:
            return ref
        if ref.scheme is not None:
            return self._located(ref)
        meant = [self.adapters.ask(each, each.alias, ref) for each in self.adapters.relevant(ref, GROUP)]
        found = {named.path: named for named in meant if named is not None}
        if len(found) > 1:
            raise self.templates.several(ref.original, list(found))
        return next(iter(found.values()), ref)

    def _located(self, ref: ModelRef) -> ModelRef:
        """Return a path with a scheme, with the place on disk where its adapter has put the model."""
        readers = [each for each in self.adapters.usable() if each.group == PATHS and f"{ref.scheme}:" in each.hints]
        for adapter in filter(None, map(self.adapters.adapter, readers)):
            try:
                return ref._replace(place=adapter.locate(ref), alias=adapter.id)
            except StageError as failed:
                if isinstance(failed.error, SourceError):
                    raise failed.error from None
                self.adapters.fail(adapter, failed)
        from lect.registry.advice import unread_scheme

        raise unread_scheme(ref)

    def locate(self, path: str) -> str:
        """Return where the files of a model are, for whoever reads them: a path without a scheme stays as it is."""
        ref = parse_ref(path) if ":" in path else None
        return path if ref is None or ref.scheme is None else self._located(ref).place or path

    def _resolve(self, ref: ModelRef, no_fallback: str) -> Resolution | Unclaimed:
        if (pin := next((pin for pin in self.pins() if pin.fits(ref)), None)) is not None:
            try:
                return self._decided(ref, pin.adapter, f"pinned by {pin}", pin=pin)
            except (AmbiguousModelError, UnknownTemplateError) as error:
                msg = f"{saferepr(ref.original, LONGEST_SHOWN)} is pinned by {pin}, which cannot be used: {error}"
                raise PluginError(msg) from error
        if (named := self._aliased(ref)) is not ref:
            return self._resolve(named, no_fallback)
        candidates = candidates_for(self.adapters, ref, no_fallback)
        claims = [(each, each.match) for each in candidates if each.match is not None and each.claims]
        if not claims or not candidates[0].claims:
            return Unclaimed(ref, candidates, no_fallback)
        winner, best = claims[0]
        equal = [(each, match) for each, match in claims if match.strength == best.strength]
        tied = [(each, self._template(each.adapter, each.ref, match)) for each, match in equal]
        if len(tied) > 1:
            from lect.registry.verdicts import refuse_tie

            refuse_tie(self.adapters, ref, tied, candidates)
        from lect.registry.cautions import imitation_warnings, reserved_names, unread_warnings

        reason = best.reason
        reason += "" if winner.ref is ref else f", and {ref.name.partition('_')[0]!r} before it is taken for an owner"
        reason += f"; {ref.alias} says that it is {ref.place or ref.path}" if ref.alias else ""
        winners = [record for record in self.adapters.records() if record.id == winner.adapter.id]
        reserved = filter(None, map(reserved_names, winners))
        return Resolution(
            self,
            winner.ref,
            tied[0][1],
            adapter=winner.adapter,
            kind=best.kind,
            reason=reason,
            specificity=best.specificity,
            warnings=(*imitation_warnings(ref), *unread_warnings(self.adapters, ref), *reserved),
        )

    def unknown(self, path: Unclaimed) -> UnknownModelError:
        """Return the error for a path that no adapter claims."""
        from lect.registry.advice import unknown_model

        replies = {each.name for each in self.formats.known(path.ref).values()}
        return unknown_model(self.adapters, path, replies, self.templates.near(path.ref.original))

    # What a resolution asks

    def verdicts(self, resolution: Resolution) -> tuple[Verdict, ...]:
        """Return the result for each adapter."""
        from lect.registry.verdicts import verdicts

        ref, adapters = resolution.ref, self.adapters
        if resolution.specificity is not None:
            return verdicts(adapters, candidates_for(adapters, ref), resolution.adapter)
        decision = f"the pin {resolution.pin}" if resolution.pin else resolution.reason
        candidates = strongest(ask(adapters, adapters.relevant(ref, GROUP), ref))
        return verdicts(adapters, candidates, resolution.adapter, decision=decision)

    def remarks(self, resolution: Resolution) -> tuple[str, ...]:
        """Ask the adapter that won, and every fallback: a fallback knows models that it must leave to others."""
        loaded = [self.adapters.adapter(record) for record in self.adapters.usable() if record.fallback]
        remarks: list[str] = []
        for adapter in filter(None, dict.fromkeys((resolution.adapter, *loaded))):
            remarks += self.adapters.ask(adapter, adapter.remarks, resolution.ref, resolution.template) or ()
        return tuple(remarks)

    # Decisions

    def _template(self, adapter: Adapter, ref: ModelRef, match: Match, *, unasked: str | None = None) -> Template:
        try:
            template = adapter.get_template(ref, match)
        except StageError as failed:
            error = failed.error
            if isinstance(error, SourceError):
                # Not the adapter's fault: the file is somebody else's.
                raise error from None
            path = saferepr(ref.original, LONGEST_SHOWN)
            if unasked and isinstance(error, PluginError):
                # Not the adapter's fault, as it made no claim: its error says why it has no template for the model.
                raise PluginError(f"{adapter} was chosen for {path} ({unasked}) but cannot be used: {error}") from error
            from lect.registry.settings import DISABLE

            self.adapters.fail(adapter, failed)
            why = f"cannot provide its template: {format_error(error)}"
            raise PluginError(f"{adapter} claims {path} but {why}\n  try: {DISABLE}={adapter.id}") from error
        self.templates.stamp(template, adapter.id)
        return template

    def _decided(self, ref: ModelRef, adapter: Any, reason: str, *, pin: Pin | None = None) -> Resolution:
        """Resolve by an explicit decision: the adapter need not claim the model."""
        from lect.registry.cautions import imitation_warnings

        chosen, notes = self.find(adapter), imitation_warnings(ref)
        if isinstance(chosen, Template):
            return Resolution(self, ref, chosen, adapter=None, reason=reason, warnings=notes, pin=pin)
        ref = self._aliased(ref)
        claim = next((each for each in ask(self.adapters, [chosen], ref) if each.claims), None)
        ref = claim.ref if claim else ref
        match = (claim and claim.match) or Match(Specificity.FAMILY, "", reason=reason)
        template = self._template(chosen, ref, match, unasked=None if claim else reason)
        return Resolution(self, ref, template, adapter=chosen, kind=match.kind, reason=reason, warnings=notes, pin=pin)

    def find(self, adapter: Any) -> Adapter | Template:
        """Return the adapter or template that the caller named: `package:plugin`, `plugin`, `plugin:template`, ..."""
        if isinstance(adapter, Template | Adapter):
            return adapter
        if not isinstance(adapter, str):
            return new_adapter(adapter)
        found = self.adapters.by_name(adapter)
        if len(found) == 1:
            return found[0]
        if found:
            raise self.templates.several(adapter, [each.id for each in found])
        return self.templates.get(adapter)


def _warn(resolution: Resolution) -> None:
    """Issue the warnings of a resolution, every time."""
    for text in resolution.warnings:
        warn_caller(text, ModelPathWarning)
    if resolution.fallback:
        warn_caller(fallback_note(resolution), FallbackWarning)


REGISTRY = Registry()
"""The registry of this process."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=REGISTRY.adapters.after_fork)
