"""Compare what is sent with the maker's format, and say how they differ."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import lect
from lect_jinja.asked import answer
from lect_jinja.audit import WARNING, text_findings
from lect_jinja.identity import identify, own_template
from lect_jinja.knowledge import EARLIER, known_text
from lect_jinja.paths import read_files
from lect_jinja.verify.battery import cases_for
from lect_jinja.verify.literals import foreign
from lect_jinja.verify.meaning import meanings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lect.plugin import Template
    from lect_jinja.asked import Case
    from lect_jinja.verify.meaning import Meaning

Verdict = Literal["identical", "equal", "different"]


class Symptom(NamedTuple):
    """What differs, with the first request that shows it."""

    what: str
    """The request."""
    meaning: Meaning
    seen: int
    """In how many of the requests it shows."""


class Report(NamedTuple):
    """What was found.

    Attributes:
        verdict: `identical` if the template is known to be the maker's; `equal` if all requests give the same prompts;
            else `different`.
        source: What was verified.
        model: The model whose format it should have.
        template: The name of that format.
        known: Whose text the template is, if it is known: its source and date.
        compared: How many requests were compared.
        differences: What differs, the gravest first.
        warnings: What in the text of the template would show only with other requests.
    """

    verdict: Verdict
    source: str
    model: str
    template: str
    known: str = ""
    compared: int = 0
    differences: tuple[Symptom, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Whether what is sent is what the maker meant, as far as can be told."""
        return self.verdict != "different" and not self.warnings

    def as_data(self) -> dict[str, Any]:
        """Return the report as JSON takes it."""
        differences = [{"what": each.what, "seen": each.seen, **each.meaning._asdict()} for each in self.differences]
        return {**self._asdict(), "differences": differences, "warnings": list(self.warnings)}


def verified_files(path: str, model: str = "") -> Report:
    """Verify the template of a model on disk.

    Args:
        path: A model directory, a GGUF file, or `hf:owner/name`.
        model: The model whose format it should have; by default the name of the directory or the file says it.

    Raises:
        ModelFileError: If there is no template that can be run.
        UnknownModelError: If nobody knows the model.
    """
    files = read_files(path)
    name = os.path.basename(os.path.normpath(files.path))
    # A directory is called after its model; a path with a scheme names it.
    scheme, _, rest = path.partition(":")
    called = name.removesuffix(".gguf") if "/" in scheme or not rest else rest.partition("@")[0]
    resolution = lect.resolve(model or called, fallback=False)
    maker, own = resolution.template, own_template(files, name)
    identity = identify(files, name)
    ours = f"{resolution.adapter.name}:{maker.name}" if resolution.adapter else ""
    known = known_text(files.source, ours)
    report = Report("identical", path, resolution.ref.path, maker.name, known)
    if ours and identity.family == ours:
        return report
    options = [option for option in own.options if option in maker.options]
    prompts: list[str] = []

    def ask(case: Case) -> str | None:
        prompt = answer(own, case)
        prompts.append(prompt or "")
        return prompt

    found = compared(ask, maker, cases_for(options), files.tokens.get("bos_token", ""))
    warnings = [f"{each.rule}: {each.what}" for each in text_findings(files.source) if each.level == WARNING]
    if ours:
        warnings += foreign(files.source, ours, prompts)
    if known.startswith(EARLIER) and found["differences"]:
        where = dict.fromkeys(difference.what for difference in found["differences"])
        found["known"] = f"{known}; the later one differs in: {', '.join(where)}"
    return report._replace(**found, warnings=tuple(warnings))


def compared(
    ask: Callable[[Case], str | None], maker: Template, cases: Iterable[Case], bos: str = ""
) -> dict[str, Any]:
    """Put all requests to both sides, and return the fields of a report that this decides."""
    first: dict[str, Symptom] = {}
    count = 0
    for case in cases:
        makers = answer(maker, case)
        if makers is None:
            continue
        count += 1
        theirs = ask(case)
        if theirs == makers:
            continue
        # What is said several times of one request is one difference.
        for says, meaning in {each.says: each for each in meanings(case, theirs, makers, bos or maker.bos)}.items():
            known = first.get(says, Symptom(case.what, meaning, 0))
            first[says] = known._replace(seen=known.seen + 1)
    return {"verdict": "different" if first else "equal", "compared": count, "differences": tuple(first.values())}
