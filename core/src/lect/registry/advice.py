"""Suggestions in errors; they never decide anything.

What core knows of models and their makers is in `packages.txt`, which is generated from what the plugins declare.
"""

import os
from collections.abc import Container, Iterable
from shlex import quote

from lect.errors import InvalidModelPathError, UnknownModelError, near_names, saferepr
from lect.installing import install_command
from lect.registry.adapters import Adapters
from lect.registry.cautions import READER, look_alike, unread_warnings, without_template
from lect.registry.groups import PATHS
from lect.registry.packages import FUNCTIONS, PACKAGES
from lect.registry.refs import LONGEST_SHOWN, ModelRef
from lect.registry.resolve import BY_HAND, Unclaimed
from lect.registry.verdicts import verdicts as verdicts_of

TAGS = "lect-ollama"
"""The package that knows models by names with a tag, and by short ones."""
SCHEMES = {"hf": "lect-hub"}
"""The packages that read paths with a scheme."""

MOST_COMPARED = 6
LONGEST_COMPARED = 20
"""Limits on the words of a name that are compared with known ones: that is slow, and a name may have thousands."""


def package_for(words: tuple[str, ...], installed: Container[str] = ()) -> str | None:
    """Return the package for a name made of `words`: the one with the first word that any package has.

    A family and a fallback may share a word; then it is the first that is not installed.
    """
    known = set().union(*PACKAGES.values())
    first = next((word for word in words if word in known), None)
    packages = [package for package, theirs in PACKAGES.items() if first in theirs]
    return next((package for package in packages if package not in installed), packages[0] if packages else None)


def near_word(words: tuple[str, ...]) -> str | None:
    """Return the word of a package that one of the first `words` nearly equals."""
    known = [word for words in PACKAGES.values() for word in words]
    compared = (word for word in words[:MOST_COMPARED] if 3 < len(word) <= LONGEST_COMPARED and word != "chat")
    return next((near[0] for word in compared if (near := near_names(word, known, likeness=0.75))), None)


def absence(adapters: Adapters, what: str, package: str) -> str:
    """Say why a command, ... of one of this project's packages is not there, and what to do."""
    is_there = any(record.package == package for record in adapters.every_record())
    why, advice = ("blocked", f"lect plugins {package}") if is_there else ("not installed", install_command(package))
    return f"{what} is in {package}, which is {why}\n  try: {advice}"


def absent_function(adapters: Adapters, name: str, what: str) -> str:
    """Say why a function of `lect` is not there; `what` people call it, if not by its name."""
    return absence(adapters, what or f"lect.{name}", FUNCTIONS[name])


def unread_scheme(ref: ModelRef) -> InvalidModelPathError:
    """Return the error for a path with a scheme that nothing installed reads. It is not shown: it may be an address."""
    advice = install_command(SCHEMES[ref.scheme]) if ref.scheme in SCHEMES else "owner/name"
    msg = f"nothing that is installed reads paths that begin with {ref.scheme}:\n  try: {advice}"
    return InvalidModelPathError(msg)


def unknown_model(
    adapters: Adapters, path: Unclaimed, reply_formats: Iterable[str], templates: list[str]
) -> UnknownModelError:
    """Return the error for a path that no adapter claims: what was considered, what failed, what to type next.

    `reply_formats` are the formats that its replies are known to have, and `templates` similar names of templates.
    """
    ref, no_fallback = path.ref, path.no_fallback
    verdicts = verdicts_of(adapters, path.candidates, no_fallback=no_fallback)
    installed, unread, replies = adapters.installed(), unread_warnings(adapters, ref), sorted(reply_formats)
    considered = [verdict for verdict in verdicts if verdict.outcome != "not asked"]
    lines = [f"no installed adapter recognises {saferepr(ref.original, LONGEST_SHOWN)}"]
    if ref.place and not os.path.lexists(without_template(ref.place)):
        lines.append("  there is no such file or directory")
    lines += [f"  it is {ref.path}, says {ref.alias}"] if ref.alias else []
    lines += [f"  did you mean the template {templates[0]!r}?"] if templates else []
    usable = [package for package, blocked in installed.items() if blocked is None]
    if considered:
        lines.append(f"  considered: {', '.join(map(str, considered))}")
    elif usable:
        installed_ones = "one installed package" if len(usable) == 1 else f"{len(usable)} installed packages"
        lines.append(f"  considered: none; no hint of the {installed_ones} occurs in it")
    else:
        lines.append(f"  considered: none; {'every adapter is blocked' if installed else 'no adapter is installed'}")
    none = [verdict for verdict in considered if verdict.outcome == "no format"]
    lines += [f"  {each} knows it, and has no format for it: {each.why}" for each in none]
    lines += adapters.blocked_lines()
    lines += [f"  no fallback was asked: {no_fallback}"] if no_fallback else []
    lines += [f"  failed: {failure}" for failure in adapters.failures]
    lines += [f"  {each}" for each in unread]
    # A name may resemble many others, so near misses are shown only for a path on disk.
    lines += [f"  {each.adapter}: {each.why}" for each in considered if ref.place and each.why and not each.claim]
    lines += [f"  only the format of its replies is known: {', '.join(replies)}"] if replies else []
    lines += _look_alike_lines(ref)
    package = READER if unread else TAGS if ref.tag_decides else package_for(ref.words, installed)
    advice = []
    if package is None:
        near = near_word(ref.words)
        lines += [f"  did you mean a {near!r} model?"] if near else []
    elif package not in installed:
        advice.append(install_command(package))
    elif blocked := installed[package]:
        advice.append(f"unblock {package}: change {blocked}")
    elif not none:
        similar = [each.why for each in considered if each.package == package and each.why]
        lines += [f"  {package} knows similar names: {why}" for why in similar]
    if ref.place is None:
        where = saferepr(f"./{ref.name}", LONGEST_SHOWN)
        is_there = "if it is a directory or a file" if ref.owner is None else "if the model is there"
        advice.append(f"{where}, {is_there}: its own template is read")
        hints = [hint for record in adapters.usable() if record.group == PATHS for hint in record.hints if ref.owner]
        paths = [f"{hint}{ref.path}" for hint in hints if hint.endswith(":")]
        advice += [f"{saferepr(path, LONGEST_SHOWN)}, to fetch its own template" for path in paths]
    asked_about = ref.original if ref.place or ref.tag else ref.path
    # Quoted: an untrusted path must not become part of a command that somebody copies.
    advice += [BY_HAND, f"lect why {quote(asked_about) if len(asked_about) <= LONGEST_SHOWN else 'PATH'}"]
    lines += [f"  {'try' if index == 0 else ' or'}: {line}" for index, line in enumerate(advice)]
    install = None if package in installed else package
    return UnknownModelError("\n".join(lines), model_path=ref.original, candidates=verdicts, install=install)


def _look_alike_lines(ref: ModelRef) -> list[str]:
    if ref.path.isascii():
        return []
    import unicodedata

    strange = sorted(character for character in set(ref.path) if not character.isascii())
    named = ", ".join(f"U+{ord(each):04X} {unicodedata.name(each, 'unnamed')}" for each in strange[:4])
    hint = ""
    if len(ref.path) <= LONGEST_SHOWN:
        meant = "".join(each if each.isascii() else look_alike(each) for each in ref.path)
        hint = f"; did you mean {meant!r}?" if meant.isascii() else ""
    return [f"  note: the path has {named} in it{hint}"]
