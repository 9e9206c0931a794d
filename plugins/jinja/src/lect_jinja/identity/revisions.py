"""Which revision of its maker's template a model's own template is, and what the later ones change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lect
from lect_jinja.identity.cases import answer
from lect_jinja.identity.compare import CONVERSATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lect.plugin import Template


def revision(name: str, model: Template | None = None) -> str:
    """Say which revision a template of ours is; empty if its maker has published no other.

    Args:
        name: The template, as `plugin:name`; empty if it is none of ours.
        model: The template of the model that is asked about, if that is known: models may share an earlier one.
    """
    if not name:
        return ""
    template = lect.template(name)
    of = model if model is not None and model.revision(template.name) else template
    which = of.revision(template.name)
    *_, latest = of.revisions or (template.name,)
    if latest == template.name:
        return which
    changed = ", ".join(changes(template, lect.template(f"{name.rpartition(':')[0]}:{latest}")))
    return f"{which}; the later ones {f'change: {changed}' if changed else 'are equal in all conversations tried'}"


def changes(template: Template, latest: Template) -> Iterator[str]:
    """Yield the conversations that two templates write differently, and the options that only one reads."""
    for conversation in CONVERSATIONS:
        if answer(template, conversation) != answer(latest, conversation):
            yield conversation.what
    for option in sorted(template.options.keys() ^ latest.options.keys()):
        yield f"the option {option!r}"
