"""From a model path to a template: what was decided, by whom and why."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from lect.apart import own_numbers, picture
from lect.contain import StageError
from lect.errors import saferepr
from lect.format.template import Template
from lect.registry.adapter import Adapter
from lect.registry.adapters import Adapters
from lect.registry.groups import FALLBACK as FALLBACKS
from lect.registry.groups import GROUP, PATHS
from lect.registry.refs import LONGEST_SHOWN, ModelRef, readings
from lect.values import Kind, Match, Specificity

if TYPE_CHECKING:
    from lect.registry.formats import ReplyFormats
    from lect.registry.settings import Pin
    from lect.reply.grammar import Grammar, ReplyFormat
    from lect.reply.reply import Reply
    from lect.reply.stream import ReplyStream
    from lect.reports import Verdict

    class Answers(Protocol):
        """What a resolution asks when more details are wanted; the registry answers."""

        def verdicts(self, resolution: Resolution) -> tuple[Verdict, ...]: ...
        def remarks(self, resolution: Resolution) -> tuple[str, ...]: ...
        @property
        def formats(self) -> ReplyFormats: ...


BY_HAND = "get_conversation_template(path, adapter='chatml'), or any name from `lect templates`"


class Candidate:
    """An adapter, the path that it was asked about, and its claim; None if it made none.

    Not a named tuple, nor is the next one: creating these takes a noticeable part of importing lect.
    """

    def __init__(self, adapter: Adapter, ref: ModelRef, match: Match | None):
        self.adapter, self.ref, self.match = adapter, ref, match

    @property
    def claims(self) -> bool:
        """Whether it claims the model, rather than only knowing it."""
        return self.match is not None and self.match.kind != "none"


class Unclaimed:
    """A path that no adapter claims, who was asked, and what turned fallbacks off; empty if nothing did."""

    def __init__(self, ref: ModelRef, candidates: list[Candidate], no_fallback: str):
        self.ref, self.candidates, self.no_fallback = ref, candidates, no_fallback


class Resolution:
    """What a model path resolves to, and why.

    Attributes:
        ref: The parsed path.
        adapter: The adapter that won; None if a template was chosen by name.
        template: The format of the model.
        kind: `chat`, or `base` for a model that was not trained to chat.
        reason: Why, in one line.
        specificity: What the winning claim rests on; None if an argument or a pin decided.
        fallback: Whether the answer is a fallback's, because no other adapter claims the model.
        warnings: What is suspicious about the path.
        pin: The pin that decided; None if none did.
    """

    __slots__ = (
        "_registry", "adapter", "fallback", "kind", "pin", "reason", "ref", "specificity", "template", "warnings",
    )  # fmt: skip
    template: Template

    def __init__(
        self,
        registry: Answers,
        ref: ModelRef,
        template: Template,
        *,
        adapter: Adapter | None,
        kind: Kind = "chat",
        reason: str,
        specificity: Specificity | None = None,
        warnings: tuple[str, ...] = (),
        pin: Pin | None = None,
    ):
        self._registry, self.ref, self.adapter, self.template = registry, ref, adapter, own_numbers(template, ref.place)
        self.kind, self.reason, self.specificity, self.warnings, self.pin = kind, reason, specificity, warnings, pin
        self.fallback = specificity is not None and adapter is not None and adapter.fallback

    _repr_html_ = picture

    def __repr__(self) -> str:
        path = saferepr(self.ref.original, LONGEST_SHOWN)
        return f"<Resolution of {path}: {self.template.name!r}, because {self.reason}>"

    @property
    def package(self) -> str:
        """The distribution of the adapter; empty if it was registered in this process."""
        return self.adapter.package if self.adapter else ""

    @property
    def candidates(self) -> tuple[Verdict, ...]:
        """The result for every adapter, the strongest claim first; those that were not asked come last."""
        return self._registry.verdicts(self)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What installed adapters have to say about the model and its template."""
        return self._registry.remarks(self)

    @property
    def reply_format(self) -> ReplyFormat | None:
        """The reply format that an adapter knows by the model's name, if the template does not state one."""
        return None if self.template.reply is not None else self._registry.formats.of(self.ref)

    def stream(self, *, format: str | Grammar | ReplyFormat | None = None, **options: Any) -> ReplyStream:  # noqa: A002
        """Parse a reply that is still arriving, as `Template.stream` does; at the end the adapter may refine it."""
        adapter, template = self.adapter, self.template
        known = self.reply_format if format is None else self._registry.formats.get(format)
        refine = None if adapter is None else partial(adapter.postprocess, template=template, ref=self.ref)
        return template.stream(grammar=None if known is None else known.grammar, refine=refine, **options)

    def parse(self, output: str, *, finish: str | None = None, **options: Any) -> Reply:
        """Parse the complete output of the model, as `Template.parse` does; the adapter may refine the reply."""
        stream = self.stream(**options)
        stream.feed(output)
        return stream.close(finish)


def candidates_for(adapters: Adapters, ref: ModelRef, no_fallback: str = "") -> list[Candidate]:
    """Return the claims of the adapters that are asked about a path, the strongest first.

    Readers of files and directories are asked first; if they claim nothing, adapters for names; then fallbacks.
    """
    groups = [] if ref.place is None else [PATHS]
    groups += [GROUP] if no_fallback else [GROUP, FALLBACKS]
    candidates: list[Candidate] = []
    for group in groups:
        candidates += ask(adapters, adapters.relevant(ref, group), ref)
        if any(candidate.match is not None for candidate in candidates):
            break
    return strongest(candidates)


def ask(adapters: Adapters, some: Iterable[Adapter], ref: ModelRef) -> list[Candidate]:
    """Return what adapters say about a model; if none knows its name as written, about the other reading of it."""
    some = list(some)
    candidates: list[Candidate] = []
    for reading in readings(ref):
        candidates = []
        for adapter in some:
            try:
                candidates.append(Candidate(adapter, reading, adapter.match(reading)))
            except StageError as failed:
                adapters.fail(adapter, failed)
        if any(candidate.match is not None for candidate in candidates):
            break
    return candidates


def strongest(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates, the strongest first; the result does not depend on their order."""

    def rank(candidate: Candidate) -> tuple[Any, ...]:
        strength = candidate.match.strength if candidate.match else ()
        return candidate.match is None, *(-part for part in strength), not candidate.claims, candidate.adapter.id

    return sorted(candidates, key=rank)


def fallback_note(resolution: Resolution) -> str:
    """Return what people must know about an answer that only a fallback gives, and what to type next."""
    from lect.registry.settings import FALLBACK, PINS, pattern_for

    adapter, ref = resolution.adapter, resolution.ref
    assert adapter is not None, "a fallback is an adapter"
    return (
        f"only a fallback knows {saferepr(ref.original, LONGEST_SHOWN)}: {adapter} gives it "
        f"{resolution.template.name!r}, which may not be its maker's format\n"
        f"  try: {PINS}='{pattern_for(ref.path)}={adapter.id}', if it is right\n"
        f"   or: {BY_HAND}\n"
        f"   or: {FALLBACK}=0, or lect.resolve(path, fallback=False), to get an error instead"
    )


def base_note(resolution: Resolution) -> str:
    """Return what people must know about a chat with a base model."""
    name = resolution.template.name
    return f"{resolution.ref.path} is a base model, which was not trained to chat; {name} is only a substitute"
