"""From a model path to a template: the values that say what was decided, by whom and why."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import AmbiguousModelError, UnknownModelError
from lect.prompt.template import Template, first_difference
from lect.registry.adapter import Adapter
from lect.registry.known import FAMILIES, install_command, look_alike, package_for
from lect.registry.match import Match, Specificity
from lect.registry.refs import ModelRef, shown
from lect.registry.settings import PINS, pattern_for

if TYPE_CHECKING:
    from lect.registry.load import Failure
    from lect.reply.reply import Reply
    from lect.reply.stream import ReplyStream


class Candidate(NamedTuple):
    """An adapter that was asked about a path."""

    adapter: Adapter
    match: Match | None
    """Its claim; None where it made none."""

    def __str__(self) -> str:
        if self.match is None:
            return f"{self.adapter}: no claim"
        return f"{self.adapter}: {self.match.specificity.name} {self.match.literal!r}: {self.match.reason}"


class Resolution(NamedTuple):
    """What a model path resolves to.

    Attributes:
        ref: The path taken apart.
        adapter: The adapter that won; None where a template was chosen by name.
        template: How to talk to the model.
        kind: `chat`, or `base` for a model that was not trained to chat.
        reason: Why, in one line.
        specificity: What the claim rests on; None where somebody decided: an argument or a pin.
        candidates: Every adapter that was asked, the strongest claim first.
        warnings: What is odd about the path.
    """

    ref: ModelRef
    adapter: Adapter | None
    template: Template
    kind: str
    reason: str
    specificity: Specificity | None
    candidates: tuple[Candidate, ...]
    warnings: tuple[str, ...] = ()

    @property
    def package(self) -> str:
        """The distribution of the adapter; empty where it was registered in this process."""
        return self.adapter.package if self.adapter else ""

    def stream(self, *, format: Any = None, prompt: str | None = None, **options: Any) -> "ReplyStream":  # noqa: A002  # as everywhere
        """Return a stream for a reply of the model.

        By the grammar of its template, cut at its stop strings, refined by the adapter at the end.
        """
        from lect.registry.hearing import setting
        from lect.reply.stream import ReplyStream

        adapter, template = self.adapter, self.template
        around = setting(template)
        prompt = around.prompt if prompt is None else prompt
        return ReplyStream(
            format or template.reply or "plain",
            prompt=prompt,
            stop=template.stop,
            edges=(around.lead(prompt) if isinstance(prompt, str) else "", around.tail),
            markers=template.markers,
            refine=None if adapter is None else lambda reply: adapter.postprocess(reply, template, self.ref),
            **options,
        )

    def postprocess(self, text: str, *, finish: str | None = None, **options: Any) -> "Reply":
        """Return what the model said."""
        stream = self.stream(**options)
        stream.feed(text)
        return stream.close(finish)


def strongest(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates, the strongest claim first; the order does not depend on how they came."""
    return sorted(
        candidates,
        key=lambda each: (
            each.match is None,
            *(-part for part in (each.match.strength if each.match else ())),
            each.adapter.id,
        ),
    )


def refuse_tie(ref: ModelRef, tied: Sequence[tuple[Candidate, Template]]) -> None:
    """Raise if equal claims lead to different templates.

    Raises:
        AmbiguousModelError: If they do; it names them, shows where the templates differ, and how to decide.
    """
    (first, template), *others = tied
    for other, its_template in others:
        difference = first_difference(template, its_template)
        if difference is None:
            continue
        at, one, two = difference
        claim = first.match
        assert claim is not None, "only claims can be tied"
        pattern = pattern_for(ref.path)
        msg = (
            f"{shown(ref.given)} is claimed equally ({claim.specificity.name}, {len(claim.literal)} characters) "
            f"by {first.adapter.id} and {other.adapter.id}\n"
            f"  the templates differ first at character {at}: {one!r} / {two!r}\n"
            f"  try: {PINS}='{pattern}={other.adapter.id}'\n"
            f"   or: lect.pin({pattern!r}, {other.adapter.id!r})"
        )
        raise AmbiguousModelError(msg, name=ref.given, claimants=[candidate.adapter.id for candidate, _ in tied])


def unknown_model(
    ref: ModelRef, candidates: Sequence[Candidate], failures: "Sequence[Failure]", installed: Mapping[str, str | None]
) -> UnknownModelError:
    """Return the error for a path that nobody claims: what was considered, what failed, what to type next.

    `installed` has every package with adapters, and what keeps it out, if anything does.
    """
    lines = [f"no installed adapter recognises {shown(ref.given)}"]
    considered = ", ".join(str(candidate.adapter) for candidate in candidates)
    usable = sorted(package for package, blocked in installed.items() if blocked is None)
    if considered:
        lines.append(f"  considered: {considered}")
    elif usable:
        lines.append(f"  considered: none; of the installed adapters ({', '.join(usable)}) none has a word for it")
    else:
        lines.append(f"  considered: none; {'every adapter is blocked' if installed else 'no adapter is installed'}")
    lines += [
        f"  {each.adapter} knows it, and has no format for it: {each.match.reason}" for each in candidates if each.match
    ]
    lines += blocked_lines(installed)
    lines += [f"  failed: {failure}" for failure in failures]
    lines += _look_alike_lines(ref)
    package = package_for(ref.words)
    advice = []
    if package is None:
        lines += _near_lines(ref)
    elif package not in installed:
        advice.append(install_command(package))
    elif blocked := installed[package]:
        advice.append(f"let {package} in: change {blocked}")
    elif all(failure.package != package for failure in failures) and not any(each.match for each in candidates):
        lines.append(f"  {package} is installed but does not know this model; a newer version may")
    advice += [
        "get_conversation_template(path, adapter='chatml'), or any name of `lect templates`",
        f"lect why {_shell_word(ref.path)}",
    ]
    lines += [f"  {'try' if index == 0 else ' or'}: {line}" for index, line in enumerate(advice)]
    return UnknownModelError(
        "\n".join(lines), model_path=ref.given, candidates=candidates, install=None if package in installed else package
    )


def blocked_lines(installed: Mapping[str, str | None]) -> list[str]:
    """Return what a message says about packages that are installed but kept out."""
    return [f"  blocked: {package} ({blocked})" for package, blocked in installed.items() if blocked]


def _shell_word(path: str) -> str:
    """Return `path` as a word that a shell leaves alone.

    Whoever sent it must not write commands that somebody else types.
    """
    import shlex

    return shlex.quote(path) if len(path) <= 120 else "PATH"


def _look_alike_lines(ref: ModelRef) -> list[str]:
    strange = sorted({letter for letter in ref.path if not letter.isascii()})
    if not strange:
        return []
    import unicodedata

    letters = ", ".join(f"U+{ord(letter):04X} {unicodedata.name(letter, 'unnamed')}" for letter in strange[:4])
    meant = "".join(letter if letter.isascii() else look_alike(letter) for letter in ref.path)
    hint = f"; did you mean {meant!r}?" if meant.isascii() else ""
    return [f"  note: the path has {letters} in it{hint}"]


def _near_lines(ref: ModelRef) -> list[str]:
    from difflib import get_close_matches

    known = [word for words in FAMILIES.values() for word in words]
    near = next(
        (found[0] for word in ref.words if len(word) > 3 and (found := get_close_matches(word, known, 1, 0.75))), None
    )
    return [f"  did you mean a {near!r} model?"] if near else []
