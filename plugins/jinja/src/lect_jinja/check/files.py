"""Verify the template of a model on disk."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

import lect
from lect.errors import UnknownModelError, saferepr
from lect_jinja.check import MOST, SEED
from lect_jinja.check.accidents import accidents_of
from lect_jinja.check.audit import WARNING, text_findings
from lect_jinja.check.battery import requests
from lect_jinja.check.branches import WatchedTemplate
from lect_jinja.check.literals import foreign
from lect_jinja.check.meaning import Meaning
from lect_jinja.check.report import BY_ACCIDENT, Report, Symptom, compared, counted
from lect_jinja.check.telling import switches, telling
from lect_jinja.files.untrusted import ModelFileError
from lect_jinja.identity.cases import answer
from lect_jinja.identity.family import identify
from lect_jinja.identity.knowledge import EARLIER, known_text
from lect_jinja.identity.paths import read_files
from lect_jinja.identity.revisions import revision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect import Resolution
    from lect.plugin import Template
    from lect_jinja.check.report import Seen
    from lect_jinja.files.found import ModelFiles
    from lect_jinja.identity.cases import Case
    from lect_jinja.identity.template import JinjaTemplate

OF_WORDS = frozenset({"content-conditional", "content-rewrite", "hidden-instruction"})
"""Rules of the audit about what happens at certain words: these were among the requests."""


def verified_files(
    path: str, model: str = "", *, most: int = MOST, seed: str = SEED, seen: Seen | None = None
) -> Report:
    """Verify the template of a model on disk.

    Args:
        path: A model directory, a GGUF file, or `hf:owner/name`.
        model: The model whose format it should have; by default the name of the directory or the file says it.
        most: How many requests are compared, if the template is not known.
        seed: Which ones.
        seen: Is called with how many were put to both sides.

    Raises:
        ModelFileError: If there is no template that can be run.
        UnknownModelError: If nobody knows the model.
    """
    files = read_files(path)
    name = os.path.basename(os.path.normpath(files.path))
    identity = identify(files, name)
    resolution = lect.resolve(model, fallback=False) if model else _called(files, path, identity.family)
    maker = resolution.template
    ours = f"{resolution.adapter.name}:{maker.name}" if resolution.adapter else ""
    known = known_text(files.source, ours, maker.revisions)
    if said := revision(identity.family, maker):
        known = f"{known}; {said}" if known else said
    report = Report("identical", path, resolution.ref.path, maker.name, not model, known)
    if ours and identity.family == ours:
        return report
    watched, makers = WatchedTemplate(name, files.source, tokens=files.tokens), accidents_of(ours)
    prompts: list[str] = []

    def render(case: Case) -> str | None:
        prompt = answer(watched, case)
        prompts.append(prompt or "")
        return BY_ACCIDENT if makers.is_one(watched, case, prompt) else prompt

    cases = counted(islice(requests(telling(maker, watched, without=makers.reads), seed), most), seen)
    found = compared(render, maker, cases, files.tokens.get("bos_token", ""))
    if unlike := [*_unlike_names(watched, maker, makers.reads)]:
        found |= {"verdict": "different", "differences": (*unlike, *found["differences"])}
    never = tuple(watched.never())
    untried = {branch.line for branch in never}
    warnings = [
        f"{each.rule}: {each.what}"
        for each in text_findings(files.source)
        if each.level == WARNING and (each.rule not in OF_WORDS or each.line in untried)
    ]
    if ours:
        warnings += foreign(files.source, ours, prompts)
    if known.startswith(EARLIER) and not said and found["differences"]:
        named = dict.fromkeys(each.case.what for each in found["differences"] if each.case and each.case.what)
        found["known"] = f"{known}; the later one differs" + (f" in: {', '.join(named)}" if named else "")
    return report._replace(**found, outcomes=watched.taken(), never=never, warnings=tuple(warnings))


def _called(files: ModelFiles, path: str, family: str) -> Resolution:
    """Return what is known of the model after which a directory, a file or `hf:owner/name` is called."""
    scheme, _, rest = path.partition(":")
    name = os.path.basename(os.path.normpath(files.path)).removesuffix(".gguf")
    called = name if "/" in scheme or not rest else rest.partition("@")[0]
    try:
        return lect.resolve(called, fallback=False)
    except UnknownModelError as error:
        if error.install:
            raise
        known = f"; its template is that of {family}, but that may be the mistake" if family else ""
        msg = f"{saferepr(path)} does not say which model it is{known}\n  try: --model owner/name"
        raise ModelFileError(msg, file=files.path) from error


def _unlike_names(own: JinjaTemplate, maker: Template, known: frozenset[str]) -> Iterator[Symptom]:
    """Yield the options that only one of the two reads: no request is needed to tell."""
    for name in sorted(switches(maker) - own.options.keys()):
        yield Symptom(Meaning(f"it does not read the option {name}, which the maker's template reads"))
    for name in sorted(switches(own) - switches(maker) - known - {"documents"}):
        yield Symptom(Meaning(f"it reads {name}, which the maker's template does not know"))
