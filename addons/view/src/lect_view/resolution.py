"""Resolutions: which format a model path leads to, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect_view.blocks import findings
from lect_view.characters import attribute
from lect_view.page import View

if TYPE_CHECKING:
    import lect

UNHEARD = ("no claim", "not asked")


def show_resolution(resolution: lect.Resolution) -> View:
    """Return the view of a resolution."""
    template = resolution.template
    facts = {
        "template": template.name,
        "package": resolution.package or "(registered in this process)",
        "kind": resolution.kind,
        "because": resolution.reason,
        "stops at": ", ".join(template.stop) or "(no string)",
        "supports": ", ".join(template.capabilities) or "(plain chat)",
        "source": template.source,
    }
    rows = "".join(
        f"<tr><th>{name}</th><td>{attribute(str(value))}</td></tr>" for name, value in facts.items() if value
    )
    heard = [verdict for verdict in resolution.candidates if verdict.outcome not in UNHEARD]
    claims = "".join(
        f"<tr><td>{attribute(str(verdict))}</td><td>{attribute(verdict.outcome)}</td><td>{attribute(verdict.why)}</td></tr>"
        for verdict in heard
    )
    asked = "<thead><tr><th>adapter</th><th>result</th><th>why</th></tr></thead>"
    said = [("note", line, "") for line in (*resolution.warnings, *resolution.remarks)]
    body = (
        f'<main><div class="scroll" tabindex="0"><table>{rows}</table></div>'
        + (
            f'<h2 class="side">Who claims it</h2><div class="scroll" tabindex="0"><table>{asked}{claims}</table></div>'
            if claims
            else ""
        )
        + findings("To know", said, kind="odd")
        + "</main>"
    )
    return View(resolution.ref.original, f"is written as {template.name}", body, toggles=())
