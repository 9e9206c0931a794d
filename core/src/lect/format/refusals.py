"""What a render refuses, once the prompt is written."""

from bisect import bisect_right
from collections.abc import Collection
from typing import NoReturn

from lect.errors import ControlTextError, MessageError, UnusedInputError
from lect.format.prompt import Prompt
from lect.prompt.fields import spell
from lect.prompt.limits import is_encodable
from lect.tokens.safe import first_controls
from lect.values import Path

MOST_NAMED = 10
"""How many fields or control markers an error names."""


def check(prompt: Prompt, *, strict: bool, policy: str) -> None:
    """Refuse a prompt as `render` does."""
    if not is_encodable(prompt.text):
        _refuse_surrogate(prompt)
    if strict:
        refuse_unused(prompt)
    if policy == "raise":
        _refuse_controls(prompt)


def _refuse_surrogate(prompt: Prompt) -> NoReturn:
    """Refuse half of a surrogate pair here, where the field can be named, rather than later in some encoder."""
    text, segments, starts = prompt.text, prompt.segments, prompt.layout.starts
    where = next(index for index, character in enumerate(text) if "\ud800" <= character <= "\udfff")
    index = bisect_right(starts, where) - 1
    path, at = segments[index].path, where - starts[index] + max(segments[index].start, 0)
    field = f"{spell(path)}, at character {at}" if path else f"character {where} of the prompt"
    raise MessageError(
        f"{field}: {text[where]!r} is half of a surrogate pair, not a character\n"
        "  try: decode the text with errors='replace'"
    )


def refuse_unused(prompt: Prompt, shown: Collection[Path] = ()) -> None:
    """Refuse a prompt from which something was dropped that is not `shown` elsewhere."""
    lost = [unused for unused in prompt.unused if unused.why != "by-rule" and unused.path not in shown]
    if lost:
        hints = (f" (did you mean {unused.meant}?)" if unused.meant else "" for unused in lost)
        named = [(each, spell(each.path) + hint) for each, hint in zip(lost[:MOST_NAMED], hints, strict=False)]
        dropped = ", ".join(field for each, field in named if each.why == "dropped")
        listed = [f"the format has no place for {dropped}"] if dropped else []
        listed += [f"{field}: {each.meaning}" for each, field in named if each.why != "dropped"]
        more = f" and {len(lost) - MOST_NAMED:,} more" if len(lost) > MOST_NAMED else ""
        advice = f"{lost[0].advice}, or strict=False to render without it"
        raise UnusedInputError(f"{prompt.template.name}: {'; '.join(listed)}{more}\n  try: {advice}", unused=lost)


def _refuse_controls(prompt: Prompt) -> None:
    """Refuse a prompt with control markers in text from outside."""
    controls, are_more = first_controls(prompt.layout, prompt.template.markers.pattern, MOST_NAMED)
    if not controls:
        return
    lines = [
        f"{prompt.template.name}: the input contains control text of the model:",
        *(f"  {spell(path) if path else 'unknown'}, at {start}: {marker!r}" for path, start, marker, _ in controls),
    ]
    if are_more:
        lines.append("  and more")
    lines.append("  try: reject the text, or on_control='report' to render and list them")
    raise ControlTextError("\n".join(lines), controls=controls)
