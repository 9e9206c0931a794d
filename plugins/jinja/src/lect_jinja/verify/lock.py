"""What is in force, written down: so that a prompt that would change is noticed before it is sent."""

from __future__ import annotations

from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import lect
from lect.errors import LectError, SourceError, saferepr
from lect.plugin import parse_json, read_file
from lect_jinja.asked import answer
from lect_jinja.verify.battery import cases_for

if TYPE_CHECKING:
    from collections.abc import Iterable

KIND = "lect.lock"
VERSION = 1
MOST_BYTES = 16 << 20


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
    prompts = {case.what: _digest(answer(template, case)) for case in cases_for(template.options)}
    return {
        "template": template.name,
        "package": resolution.package,
        "prompts": prompts,
        "stop": dict(template.stop),
        "stop_ids": list(template.stop_ids),
        "markers": {text: list(ids) if isinstance(ids, tuple) else ids for text, ids in template.markers.items()},
    }


def _digest(prompt: str | None) -> str:
    return "fails" if prompt is None else sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()


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
    try:
        data = parse_json(read_file(path, MOST_BYTES).decode())
    except ValueError as error:
        data = error
    except OSError as error:
        msg = f"{saferepr(path)} cannot be read: {error.strerror}\n  try: lect lock MODEL -o {path}"
        raise SourceError(msg) from error
    if not isinstance(data, dict) or data.get("kind") != KIND or not isinstance(data.get("models"), dict):
        msg = f"{saferepr(path)} is no lock file\n  try: lect lock MODEL -o {path}"
        raise SourceError(msg)
    if data.get("version") != VERSION:
        msg = f"{saferepr(path)} has the version {data.get('version')!r}; {VERSION} is known\n  try: a newer lect-jinja"
        raise SourceError(msg)
    return data


def changes(lock: dict[str, Any]) -> list[str]:
    """Return, in words, what is no longer as it was locked: prompts, stops and markers, not versions alone."""
    found: list[str] = []
    for model, then in lock["models"].items():
        try:
            now = _row(model)
        except LectError as error:
            found.append(f"{model}: {str(error).partition(chr(10))[0]}")
            continue
        if now["template"] != then["template"]:
            found.append(f"{model}: the template was {then['template']!r}, and is {now['template']!r}")
        changed = [what for what, digest in then["prompts"].items() if now["prompts"].get(what) != digest]
        if changed:
            more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
            found.append(f"{model}: the prompt changes for {changed[0]}{more}")
        found += [
            f"{model}: {fact.replace('_', ' ')} was {then[fact]!r}, and is {now[fact]!r}"
            for fact in ("stop", "stop_ids", "markers")
            if now[fact] != then[fact]
        ]
    if found:
        then = lock["packages"]
        found += [
            f"{package}: the version was {was}, and is {is_ or 'not installed'}"
            for package, was in then.items()
            if (is_ := _version(package)) != was
        ]
    return found
