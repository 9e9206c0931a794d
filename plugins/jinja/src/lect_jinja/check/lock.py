"""What is in force, written down: so that a prompt that would change is noticed before it is sent."""

from __future__ import annotations

import json
import shlex
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import lect
from lect.errors import LectError, SourceError, saferepr
from lect.plugin import parse_json, read_file
from lect_jinja.check import MOST, composer
from lect_jinja.check.battery import requests
from lect_jinja.check.shape import DIGITS, FAILS, fault
from lect_jinja.check.telling import Option, Telling, telling
from lect_jinja.identity.cases import answer
from lect_jinja.identity.family import own_template
from lect_jinja.identity.paths import LocalModels, read_local
from lect_jinja.identity.template import JinjaTemplate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lect import Resolution
    from lect.plugin import Template

KIND = "lect.lock"
VERSION = 2
MOST_BYTES = 16 << 20
SHOWN = 1000
"""Characters of a fact that has changed."""


class Changes(NamedTuple):
    """What is no longer as it was locked, in words.

    Attributes:
        sent: What changes what is sent, or how replies are read: prompts, stops, markers; and what cannot be compared.
        templates: Templates that are others, and of which no prompt has changed.
        compared: How many prompts were compared.
    """

    sent: list[str]
    templates: list[str]
    compared: int


def locked(models: Iterable[str]) -> dict[str, Any]:
    """Return what is in force for models: packages, templates, the digests of prompts, markers and stops.

    Raises:
        UnknownModelError: If nobody knows one of them.
    """
    rows = {model: _row(model) for model in models}
    packages = sorted({"lect", *(row["package"] for row in rows.values())} - {""})
    return {"kind": KIND, "version": VERSION, "packages": {each: _version(each) for each in packages}, "models": rows}


def _row(model: str) -> dict[str, Any]:
    resolution = lect.resolve(model, fallback=False)
    template = resolution.template
    own = _own(resolution)
    material = telling(template, own)
    return {
        "template": template.name,
        "package": resolution.package,
        "digest": (own or template).digest,
        "tree": own.tree if own else "",
        "text": own.jinja if own else "",
        "stop": dict(template.stop),
        "stop_ids": list(template.stop_ids),
        "markers": {text: _as_json(ids) for text, ids in template.markers.items()},
        "composer": composer.VERSION,
        "asked": material._asdict(),
        "prompts": _digests(template, material),
    }


def _as_json(ids: Any) -> Any:
    """Return the ids of a marker: a number, several, or those of numbered markers as a text."""
    if isinstance(ids, range):
        return f"{ids.start} to {ids.stop - 1}"
    return list(ids) if isinstance(ids, tuple) else ids


def _own(resolution: Resolution) -> JinjaTemplate | None:
    """Return the template of a model's own files, also where it is known and a family's program writes the same."""
    template, place = resolution.template, resolution.ref.place
    if isinstance(template, JinjaTemplate):
        return template
    if place is None or getattr(resolution.adapter, "name", "") != LocalModels.name:
        return None
    local = read_local(place)
    return own_template(local.files, template.name) if local and local.files.templates else None


def _digests(template: Template, material: Telling) -> str:
    """Return the digests of all prompts, in the order of the requests."""
    prompts = (answer(template, case) for case in islice(requests(material), MOST))
    return " ".join(FAILS if prompt is None else _digest(prompt)[:DIGITS] for prompt in prompts)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def read_lock(path: str) -> dict[str, Any]:
    """Return what a lock file says.

    Raises:
        SourceError: If it cannot be read, or is no lock file.
    """
    again = f"  try: lect lock MODEL -o {shlex.quote(path)}"
    try:
        data: dict[str, Any] = parse_json(read_file(path, MOST_BYTES).decode())
    except OSError as error:
        msg = f"{saferepr(path)} cannot be read: {error.strerror}\n{again}"
        raise SourceError(msg) from error
    except (ValueError, RecursionError) as error:
        msg = f"{saferepr(path)} is no lock file: {error}\n{again}"
        raise SourceError(msg) from error
    is_lock = isinstance(data, dict) and data.get("kind") == KIND
    if is_lock and data.get("version") != VERSION:
        msg = f"{saferepr(path)} has the version {saferepr(data.get('version'))}; {VERSION} is known\n{again}"
        raise SourceError(msg)
    if wrong := fault(data) if is_lock else f"it does not say that it is a {KIND}":
        msg = f"{saferepr(path)} is no lock file: {wrong}\n{again}"
        raise SourceError(msg)
    return data


def changes(lock: dict[str, Any]) -> Changes:
    """Return what is no longer as it was locked; versions alone are no change."""
    found = Changes([], [], 0)
    for model, then in lock["models"].items():
        try:
            of_model = _changes(then, _row(model), lect.resolve(model, fallback=False).template)
        except LectError as error:
            of_model = Changes([str(error).partition("\n")[0]], [], 0)
        found = Changes(
            [*found.sent, *(f"{model}: {each}" for each in of_model.sent)],
            [*found.templates, *(f"{model}: {each}" for each in of_model.templates)],
            found.compared + of_model.compared,
        )
    versions = [
        f"{package}: the version was {was}, and is {now or 'not installed'}"
        for package, was in lock["packages"].items()
        if (now := _version(package)) != was
    ]
    return found._replace(
        sent=found.sent + versions if found.sent else [],
        templates=found.templates + versions if found.templates and not found.sent else found.templates,
    )


def _changes(then: dict[str, Any], now: dict[str, Any], template: Template) -> Changes:
    sent = [
        f"{fact.replace('_', ' ')} was {saferepr(then[fact], SHOWN)}, and is {saferepr(now[fact], SHOWN)}"
        for fact in ("template", "stop", "stop_ids", "markers")
        if now[fact] != then[fact]
    ]
    was = then["prompts"].split()
    if then["composer"] != composer.VERSION:
        return Changes(
            [*sent, "its prompts cannot be compared: another lect-jinja composed them; run `lect lock` again"], [], 0
        )
    if then["digest"] == now["digest"] and json.dumps(then["asked"]) != json.dumps(now["asked"]):
        # The same template is asked the same: the file was edited, or another lect-jinja wrote it.
        return Changes([*sent, "its requests are not those of its template; run `lect lock` again"], [], 0)
    material = _read_telling(then["asked"])
    # Requests are endless; a lock has a digest for each of the first.
    pairs = zip(requests(material), was, _digests(template, material).split(), strict=False)
    changed = [str(case) for case, before, after in pairs if before != after]
    if changed:
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        sent.insert(0, f"the prompt changes for {changed[0]}{more}")
    templates = []
    if not sent and now["digest"] != then["digest"]:
        layout = ", in its layout alone" if then["tree"] and now["tree"] == then["tree"] else ""
        templates = [f"the template changed{layout}; no prompt of {len(was)} did"]
    return Changes(sent, templates, len(was))


def _read_telling(data: dict[str, Any]) -> Telling:
    return Telling(**{**data, "options": {name: Option(*each) for name, each in data["options"].items()}})
