"""Ollama's names: a table says which model of a hub each stands for."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from lect import PluginError
from lect.plugin import Match, Specificity, hookimpl

if TYPE_CHECKING:
    from lect.plugin import ModelRef, Template

LATEST = "latest"
"""The tag of a name without one."""
LIBRARY = frozenset({
    "", "library", "ollama", "ollama_chat", "ollama/library", "ollama.com/library", "registry.ollama.ai/library",
})  # fmt: skip
"""What may precede the name of a model in Ollama's library."""
HUB = re.compile(r"(?:hf|huggingface)\.co/([^/]+/[^/:]+):latest")
_LINE = re.compile(r"^([^#\s]\S*): (.+) ([=!]) ([^;\n]+?)(?: ; (.+))?$", re.MULTILINE)
_QUANTIZED = re.compile(r"(.+-)(?:i?q[0-9][0-9a-z_]*|(?:bf|fp|mxfp|nvfp)[0-9]+)")
MOST_SHOWN = 5


class Row(NamedTuple):
    """What the table says of a tag."""

    hub: str
    """The model of a hub; empty if sources disagree."""
    said: str
    """The evidence, or how the sources disagree."""


@cache
def table() -> dict[str, dict[str, Row]]:
    """Return what is known of each name's tags."""
    names: dict[str, dict[str, Row]] = {}
    with open(os.path.join(os.path.dirname(__file__), "names.txt"), encoding="utf-8") as file:
        for name, tags, sign, what, evidence in _LINE.findall(file.read()):
            row = Row(what, evidence) if sign == "=" else Row("", what)
            names.setdefault(name, {}).update(dict.fromkeys(tags.split(), row))
    return names


class Names:
    """Knows which models Ollama's names stand for, and which of its tags nobody can tell."""

    @hookimpl
    def alias(self, model_path: str, ref: ModelRef) -> str | None:
        """Return the hub's model for one of Ollama's names, and for a model of a hub under Ollama's name for it."""
        row = _row(ref)
        of_hub = HUB.fullmatch(model_path)
        return row.hub or None if row else of_hub[1] if of_hub else None

    @hookimpl
    def match(self, ref: ModelRef) -> Match | None:
        """Claim no model, but say that a tag is not settled, or not in the table."""
        row, tags = _row(ref), _tags(ref)
        if row is not None and not row.hub:
            return Match(Specificity.REPO, ref.path, "", "none", f"Ollama's tag is not settled: {row.said}")
        if row is not None or not tags or ref.tag is None:
            return None
        from difflib import get_close_matches

        known = [tag for tag, row in tags.items() if row.hub]
        near = get_close_matches(ref.tag.lower(), known, MOST_SHOWN, cutoff=0)
        reason = f"the table of Ollama's names has no such tag; the nearest of {ref.name} are {', '.join(near)}"
        return Match(Specificity.FAMILY, "", "", "none", reason)

    @hookimpl
    def get_template(self, model_path: str) -> Template:
        """Refuse: the formats are those of the makers' packages.

        Raises:
            PluginError: Always.
        """
        msg = f"lect-ollama has no templates, and does not know which model {model_path!r} is\n  try: lect templates"
        raise PluginError(msg)


def _tags(ref: ModelRef) -> dict[str, Row]:
    """Return the tags of a name in Ollama's library; empty if it is not one."""
    if ref.original.rpartition("/")[0].lower() not in LIBRARY or ref.revision is not None:
        return {}
    # Ollama's names are in lower case; DeepSeek-R1 without a tag is the hub's.
    return table().get(ref.name if ref.tag is None else ref.name.lower(), {})


def _row(ref: ModelRef) -> Row | None:
    tags, tag = _tags(ref), (ref.tag or LATEST).lower()
    quantized = _QUANTIZED.fullmatch(tag)
    return tags.get(tag) or (tags.get(f"{quantized[1]}*") if quantized else None)


adapter = Names()
