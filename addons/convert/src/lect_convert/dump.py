"""Writing a template in another notation, after a proof that it writes the same prompts there."""

from __future__ import annotations

from typing import Any

import lect
from lect.errors import ConversionWarning, PluginError, SourceError, saferepr, warn_caller
from lect.format.compare import differences, render_of
from lect.notations import ask, notations
from lect.plugin import Source, Template, boundary
from lect_convert.written import Written, loss, loss_text


@boundary
def dump_template(template: Template, notation: str, *, lossy: bool = False) -> str:
    """Write a template in the notation of another tool: see `lect.dump_template`."""
    if not all(map(isinstance, (template, notation), (Template, str))):
        msg = f"cannot write {saferepr(template)} in the notation {saferepr(notation)}; expected a Template and a name"
        raise SourceError(msg)
    ((name, writer),) = notations(lect._registry.adapters, notation).items()
    if not hasattr(writer, "write"):
        raise SourceError(f"the notation {name!r} can be read, but not written")
    written = ask(name, writer, "write", template)
    if not isinstance(written, Written):
        msg = f"the notation {name!r} wrote {saferepr(written)} for {template}; expected Written(text, lost)"
        raise PluginError(msg)
    found = _prove(name, writer, template, written)
    lost = [*written.lost, *(found or ())]
    if lost and not lossy:
        raise loss(template, name, lost, "lossy=True, to write the rest")
    if lost:
        warn_caller(loss_text(template, name, lost), ConversionWarning)
    if found is None:
        msg = f"{template.label!r} is written as {name}, but nothing installed can verify that it renders the same"
        warn_caller(msg, ConversionWarning)
    return written.text


def _prove(name: str, writer: Any, template: Template, written: Written) -> list[str] | None:
    """Render what was written and what it must equal, and return how they differ; None where nothing can render it."""
    expected = written.rest if written.lost and written.rest is not None else template
    if not written.bos and expected.bos:
        # Where the other tool adds the BOS itself, neither side may have one.
        expected = expected.but(bos="")
    other, options = None, written.options
    if hasattr(writer, "renderer"):
        other = ask(name, writer, "renderer", written.text, template)
    elif hasattr(writer, "read"):
        again = ask(name, writer, "read", Source.of_text(written.text))
        other, options = render_of(again), again.options
    shared = [option for option in expected.options if option in options]
    return other and list(map(str, differences(render_of(expected), other, shared)))
