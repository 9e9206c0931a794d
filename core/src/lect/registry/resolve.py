"""From a model path to a template: what was decided, by whom and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import AmbiguousModelError, UnknownModelError, shown
from lect.registry.refs import LONGEST_SHOWN
from lect.registry.settings import FALLBACK, PINS, pattern_for
from lect.values import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol

    from lect.format.template import Template
    from lect.registry.adapter import Adapter
    from lect.registry.load import Failure
    from lect.registry.refs import ModelRef
    from lect.registry.settings import Pin
    from lect.reply.grammar import Grammar, ReplyFormat
    from lect.reply.reply import Reply
    from lect.reply.stream import ReplyStream
    from lect.values import Kind, Match, Outcome, Specificity

    class Inquiry(Protocol):
        """What a resolution asks when more details are wanted; the registry answers."""

        def verdicts(self, resolution: Resolution) -> tuple[Verdict, ...]: ...
        def remarks(self, resolution: Resolution) -> tuple[str, ...]: ...
        def reply_format(self, given: str | Grammar | ReplyFormat) -> ReplyFormat: ...
        def reply_format_of(self, ref: ModelRef) -> ReplyFormat | None: ...


BY_HAND = "get_conversation_template(path, adapter='chatml'), or any name from `lect templates`"


class Candidate(NamedTuple):
    """An adapter that was asked about a path."""

    adapter: Adapter
    ref: ModelRef
    """The path as it was asked about."""
    match: Match | None
    """Its claim; None if it made none."""
    near_miss: str = ""
    """How close it came to a claim, if it made none and was asked."""

    @property
    def claims(self) -> bool:
        """Whether it claims the model, rather than only knowing it."""
        return self.match is not None and self.match.kind != "none"

    def fares(self, outcome: Outcome, why: str = "") -> Verdict:
        """Return its verdict."""
        adapter = self.adapter
        return Verdict(adapter.name, adapter.package, adapter.version, self.match, outcome, why)


class Unclaimed(NamedTuple):
    """A path that no adapter claims, and who was asked."""

    ref: ModelRef
    candidates: list[Candidate]
    no_fallback: str
    """What turned fallbacks off; empty if nothing did."""


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
        "_inquire", "adapter", "fallback", "kind", "pin", "reason", "ref", "specificity", "template", "warnings",
    )  # fmt: skip

    def __init__(
        self,
        inquire: Inquiry,
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
        self._inquire = inquire
        self.ref = ref
        self.template = template
        self.adapter = adapter
        self.kind = kind
        self.reason = reason
        self.specificity = specificity
        self.fallback = specificity is not None and adapter is not None and adapter.fallback
        self.warnings = warnings
        self.pin = pin

    def __repr__(self) -> str:
        return (
            f"<Resolution of {shown(self.ref.original, LONGEST_SHOWN)}: {self.template.name!r}, because {self.reason}>"
        )

    @property
    def package(self) -> str:
        """The distribution of the adapter; empty if it was registered in this process."""
        return self.adapter.package if self.adapter else ""

    @property
    def candidates(self) -> tuple[Verdict, ...]:
        """The result for every adapter, the strongest claim first; those that were not asked come last."""
        return self._inquire.verdicts(self)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What installed adapters have to say about the model and its template."""
        return self._inquire.remarks(self)

    @property
    def reply_format(self) -> ReplyFormat | None:
        """The reply format that an adapter knows by the model's name, if the template does not state one."""
        return None if self.template.reply is not None else self._inquire.reply_format_of(self.ref)

    def stream(
        self,
        *,
        format: str | Grammar | ReplyFormat | None = None,  # noqa: A002  # as everywhere
        **options: Any,
    ) -> ReplyStream:
        """Parse a reply that is still arriving, as `Template.stream` does; at the end the adapter may refine it."""
        adapter, template = self.adapter, self.template
        known = self.reply_format if format is None else self._inquire.reply_format(format)
        refine: Callable[[Reply], Reply] | None = None
        if adapter is not None:

            def refine(reply: Reply) -> Reply:
                return adapter.postprocess(reply, template, self.ref)

        return template.stream(grammar=None if known is None else known.grammar, refine=refine, **options)

    def parse(self, output: str, *, finish: str | None = None, **options: Any) -> Reply:
        """Parse the complete output of the model, as `Template.parse` does; the adapter may refine the reply."""
        stream = self.stream(**options)
        stream.feed(output)
        return stream.close(finish)


def strongest(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates, the strongest claim first; the result does not depend on their order."""

    def rank(candidate: Candidate) -> tuple[Any, ...]:
        strength = candidate.match.strength if candidate.match else ()
        return candidate.match is None, *(-part for part in strength), candidate.adapter.id

    return sorted(candidates, key=rank)


def refuse_tie(ref: ModelRef, tied: Sequence[tuple[Candidate, Template]], verdicts: Sequence[Verdict]) -> None:
    """Raise if equal claims lead to different templates.

    Raises:
        AmbiguousModelError: If they do; the message names them, shows where the templates differ and how to decide.
    """
    from lect.format.compare import first_difference

    (first, template), *others = tied
    for other, its_template in others:
        difference = first_difference(template, its_template)
        if difference is None:
            continue
        claim = first.match
        assert claim is not None, "only claims can be tied"
        pattern = pattern_for(ref.path)
        msg = (
            f"{shown(ref.original, LONGEST_SHOWN)} is claimed equally ({claim.specificity.name}, "
            f"{len(claim.literal)} characters) by {first.adapter.id} and {other.adapter.id}\n"
            f"  the templates differ first in {difference}\n"
            f"  try: {PINS}='{pattern}={other.adapter.id}'\n"
            f"   or: lect.pin({pattern!r}, {other.adapter.id!r})"
        )
        claimants = [candidate.adapter.id for candidate, _ in tied]
        raise AmbiguousModelError(msg, name=ref.original, claimants=claimants, candidates=verdicts)


def fallback_note(resolution: Resolution) -> str:
    """Return what people must know about an answer that only a fallback gives, and what to type next."""
    adapter, ref = resolution.adapter, resolution.ref
    assert adapter is not None, "a fallback is an adapter"
    return (
        f"only a fallback knows {shown(ref.original, LONGEST_SHOWN)}: {adapter} gives it {resolution.template.name!r}, "
        "which may not be its maker's format\n"
        f"  try: {PINS}='{pattern_for(ref.path)}={adapter.id}', if it is right\n"
        f"   or: {BY_HAND}\n"
        f"   or: {FALLBACK}=0, or lect.resolve(path, fallback=False), to get an error instead"
    )


def base_note(resolution: Resolution) -> str:
    """Return what people must know about a chat with a base model."""
    return (
        f"{resolution.ref.path} is a base model, which was not trained to chat; {resolution.template.name} is only a "
        "substitute"
    )


def unknown_model(
    ref: ModelRef,
    verdicts: Sequence[Verdict],
    failures: Sequence[Failure],
    installed: Mapping[str, str | None],
    no_fallback: str,
    unread: Sequence[str] = (),
    heard: Sequence[str] = (),
) -> UnknownModelError:
    """Return the error for a path that no adapter claims: what was considered, what failed, what to type next.

    `installed` has every package with adapters, and what blocks it, if anything does; `no_fallback` is what turns
    fallbacks off; `unread` names files that nothing installed reads; `heard` has the known formats of its replies.
    """
    from lect.registry.advice import install_command, near_word, package_for
    from lect.registry.places import READER

    asked = [verdict for verdict in verdicts if verdict.outcome != "not asked"]
    lines = [f"no installed adapter recognises {shown(ref.original, LONGEST_SHOWN)}"]
    usable = [package for package, blocked in installed.items() if blocked is None]
    if asked:
        lines.append(f"  considered: {', '.join(map(str, asked))}")
    elif usable:
        lines.append(f"  considered: none; no hint of the {len(usable)} installed packages occurs in it")
    else:
        lines.append(f"  considered: none; {'every adapter is blocked' if installed else 'no adapter is installed'}")
    lines += [f"  {each} knows it, and has no format for it: {each.claim.reason}" for each in asked if each.claim]
    lines += blocked_lines(installed)
    lines += [f"  no fallback was asked: {no_fallback}"] if no_fallback else []
    lines += [f"  failed: {failure}" for failure in failures]
    lines += [f"  {each}" for each in unread]
    # A name may resemble many others, so near misses are shown only for a path on disk.
    lines += [f"  {each.adapter}: {each.why}" for each in asked if ref.place and each.why and not each.claim]
    lines += [f"  only the format of its replies is known: {', '.join(heard)}"] if heard else []
    lines += _look_alike_lines(ref)
    package = READER if unread else package_for(ref.words, installed)
    advice = []
    if package is None:
        near = near_word(ref.words)
        lines += [f"  did you mean a {near!r} model?"] if near else []
    elif package not in installed:
        advice.append(install_command(package))
    elif blocked := installed[package]:
        advice.append(f"unblock {package}: change {blocked}")
    elif not any(each.claim for each in asked):
        lines += [f"  {package} knows similar names: {each.why}" for each in asked if each.package == package]
    if ref.place is None:
        where = shown(f"./{ref.name}", LONGEST_SHOWN)
        is_there = "if it is a directory or a file" if ref.owner is None else "if the model is there"
        advice.append(f"{where}, {is_there}: its own template is read")
    advice += [BY_HAND, f"lect why {_shell_word(ref.original if ref.place else ref.path)}"]
    lines += [f"  {'try' if index == 0 else ' or'}: {line}" for index, line in enumerate(advice)]
    return UnknownModelError(
        "\n".join(lines),
        model_path=ref.original,
        candidates=verdicts,
        install=None if package in installed else package,
    )


def blocked_lines(installed: Mapping[str, str | None]) -> list[str]:
    """Return the lines of a message about packages that are installed but blocked."""
    return [f"  blocked: {package} ({blocked})" for package, blocked in installed.items() if blocked]


def _shell_word(path: str) -> str:
    """Return `path` as a word that a shell leaves alone.

    An untrusted path must not become part of a command that somebody copies.
    """
    import shlex

    return shlex.quote(path) if len(path) <= LONGEST_SHOWN else "PATH"


def _look_alike_lines(ref: ModelRef) -> list[str]:
    if ref.path.isascii():
        return []
    import unicodedata

    from lect.registry.advice import look_alike

    strange = sorted(character for character in set(ref.path) if not character.isascii())
    named = ", ".join(f"U+{ord(each):04X} {unicodedata.name(each, 'unnamed')}" for each in strange[:4])
    hint = ""
    if len(ref.path) <= LONGEST_SHOWN:
        meant = "".join(each if each.isascii() else look_alike(each) for each in ref.path)
        hint = f"; did you mean {meant!r}?" if meant.isascii() else ""
    return [f"  note: the path has {named} in it{hint}"]
