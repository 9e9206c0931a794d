"""Writing a template in another notation, after a proof that it writes the same prompts there."""

from __future__ import annotations

from typing import Any

from lect.addon import Notation, compared, find_notation
from lect.errors import ConversionWarning, PluginError, SourceError, saferepr, warn_caller
from lect.plugin import Source, Template, boundary
from lect_convert.written import Written, loss, loss_text


@boundary
def dump_template(template: Template, notation: str, *, lossy: bool = False) -> str:
    """Write a template in the notation of another tool.

    Before it is returned, both are rendered over conversations in which user and assistant take turns, and compared.

    Args:
        template: The template.
        notation: What to write, such as `xtuner`.
        lossy: Whether to write what can be expressed and leave out the rest, which a `ConversionWarning` lists.

    Raises:
        ConversionError: If the notation cannot express the whole template, or its prompts differ; `lost` lists what.
        SourceError: If no such notation is installed, or it can only be read.
    """
    if not all(map(isinstance, (template, notation), (Template, str))):
        msg = f"cannot write {saferepr(template)} in the notation {saferepr(notation)}; expected a Template and a name"
        raise SourceError(msg)
    writer = find_notation(notation)
    if not writer.has("write"):
        raise SourceError(f"the notation {notation!r} can be read, but not written")
    written = writer.ask("write", template)
    if not isinstance(written, Written):
        msg = f"the notation {notation!r} wrote {saferepr(written)} for {template}; expected Written(text, lost)"
        raise PluginError(msg)
    found = _prove(writer, template, written)
    lost = [*written.lost, *(found or ())]
    if lost and not lossy:
        raise loss(template, notation, lost, "lossy=True, to write the rest")
    if lost:
        warn_caller(loss_text(template, notation, lost), ConversionWarning)
    if found is None:
        msg = f"{template.label!r} is written as {notation}, but nothing installed can verify that it renders the same"
        warn_caller(msg, ConversionWarning)
    return written.text


def _prove(writer: Notation, template: Template, written: Written) -> list[str] | None:
    """Render what was written and what it must equal, and return how they differ; None where nothing can render it."""
    expected = written.rest if written.lost and written.rest is not None else template
    if not written.bos and expected.bos:
        # Where the other tool adds the BOS itself, neither side may have one.
        expected = expected.but(bos="")
    other: Any = None
    options = written.options
    if writer.has("renderer"):
        other = writer.ask("renderer", written.text, template)
    elif writer.has("read"):
        other = writer.ask("read", Source.of_text(written.text))
        options = other.options
    shared = [option for option in expected.options if option in options]
    if other is None:
        return None
    return [str(each) for each in compared(expected, other, shared) if each.one != each.other]
