"""The checks of `lect doctor` that run what is installed: adapters are asked, templates write and read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from traceback import format_exception
from typing import NamedTuple, Self

import lect
from lect.contain import StageError
from lect.errors import InvalidModelPathError, LectError, MessageError
from lect.format.compare import CONVERSATIONS, first_difference
from lect.registry.adapter import Adapter
from lect.registry.family import Family
from lect.registry.groups import PATHS
from lect.registry.patterns import sample_name
from lect.registry.refs import ModelRef, parse_ref
from lect.registry.settings import DISABLE
from lect.values import Match

TRIED = ("three questions", "a question")
"""The conversations that a template should write one of."""
REPLY = "Two tokens walk into a bar."
NAME_FORMS = ("{}", "{}-7b-chat", "acme/{}-7b-instruct")
"""Names around a hint, as people give them to models."""

Claims = list[tuple[Adapter, Match, lect.Template]]


class Finding(NamedTuple):
    """Something that is broken, or worth knowing."""

    broken: bool
    what: str
    traceback: str = ""

    @classmethod
    def of(cls, error: BaseException, what: str) -> Self:
        """Return what is broken, with the traceback of an error."""
        return cls(True, what, "".join(format_exception(error)))


def check_claims() -> Iterator[Finding]:
    """Ask every adapter about made-up names that its hints or its rules fit.

    Whatever raises, or returns something that is not a claim, is recorded as a failure of its plugin.
    """
    adapters = lect._registry.adapters
    # Without hints they are asked about all names.
    hints_of: dict[Adapter, tuple[str, ...]] = dict.fromkeys(adapters.registered, ())
    for record in adapters.usable():
        if record.group != PATHS and (adapter := adapters.adapter(record)) is not None:
            hints_of[adapter] = record.hints
    pins = lect.pins()
    rivals: set[tuple[str, str]] = set()
    for name in _names(hints_of):
        with suppress(InvalidModelPathError):  # a hint may be anything
            ref = parse_ref(name)
            claims = _claims(ref, hints_of)
            # A pin has decided between them.
            if len(claims) > 1 and not any(pin.fits(ref) for pin in pins):
                yield from _rivals(name, claims, rivals)


def _names(hints_of: dict[Adapter, tuple[str, ...]]) -> list[str]:
    names = [form.format(word) for hints in (("model",), *hints_of.values()) for word in hints for form in NAME_FORMS]
    for adapter in hints_of:
        if isinstance(adapter.plugin, Family):
            names += [sample_name(rule.pattern) for rule in adapter.plugin.rules]
    return list(dict.fromkeys(names))


def _claims(ref: ModelRef, hints_of: dict[Adapter, tuple[str, ...]]) -> Claims:
    """Return the strongest claims to a name; an adapter that fails is not asked again."""
    claims: Claims = []
    path = ref.path.lower()
    for adapter, hints in tuple(hints_of.items()):
        if hints and not any(hint in path for hint in hints):
            continue
        try:
            if (match := adapter.match(ref)) is not None and match.kind != "none":
                claims.append((adapter, match, adapter.get_template(ref, match)))
        except StageError as failed:
            lect._registry.adapters.fail(adapter, StageError(f"{failed.stage}({ref.original!r})", failed.error))
            del hints_of[adapter]
    strongest = max((match.strength for adapter, match, _ in claims if not adapter.fallback), default=None)
    return [each for each in claims if not each[0].fallback and each[1].strength == strongest]


def _rivals(name: str, claims: Claims, reported: set[tuple[str, str]]) -> Iterator[Finding]:
    """Yield the pairs of packages that claim a name equally, each once."""
    for (one, _, template), (other, _, its_template) in combinations(claims, 2):
        pair = (one.id, other.id)
        if one.package == other.package or pair in reported:
            continue
        reported.add(pair)
        difference = first_difference(template, its_template)
        what = f"{one} and {other} claim the same models with equal right, such as {name!r}"
        so = "their formats are the same" if difference is None else f"the templates differ first in {difference}"
        advice = f"  try: {DISABLE}={other.id}, to keep {one.id}\n   or: {DISABLE}={one.id}, to keep {other.id}"
        yield Finding(difference is not None, f"{what}; {so}\n{advice}")


def check_templates(
    templates: Mapping[str, Sequence[lect.Template]], progress: Callable[[str], None]
) -> Iterator[Finding]:
    """Render a conversation with every template, and parse a reply to it; `progress` gets the name of each."""
    for owner, owned in templates.items():
        for template in owned:
            name = f"{owner}:{template.name}"
            progress(name)
            action = "render a plain conversation"
            try:
                prompt = _prompt(template)
                action = "parse a plain reply"
                reply = template.parse(REPLY + next(iter(template.stop), ""), prompt=prompt)
            except LectError as error:
                yield Finding.of(error, f"{name} cannot {action}: {str(error).partition(chr(10))[0]}")
                continue
            if REPLY not in (reply.content or "") + (reply.reasoning or ""):
                yield Finding(True, f"{name} loses the text of a plain reply: {reply.content!r}")


def _prompt(template: lect.Template) -> lect.Prompt | None:
    """Return a prompt for a conversation that the template does not refuse; None if it refuses both."""
    for kind in TRIED:
        with suppress(MessageError):
            return template.render(CONVERSATIONS[kind][0], add_generation_prompt=True)
    return None
