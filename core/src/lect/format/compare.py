"""Where two templates differ."""

from collections.abc import Mapping, Sequence
from typing import Any

from lect.format.template import Template


def first_difference(one: Template, other: Template) -> tuple[int, str, str] | None:
    """Return where two templates first differ on a few plain conversations, and what each writes there, or None."""
    system = {"role": "system", "content": "S"}
    turns = [
        {"role": "user", "content": "U"},
        {"role": "assistant", "content": "A"},
        {"role": "user", "content": "V"},
    ]
    for messages in (turns, [system, *turns]):
        texts = [_text_or_error(template, messages) for template in (one, other)]
        if texts[0] != texts[1]:
            at = next(
                (i for i, pair in enumerate(zip(*texts, strict=False)) if pair[0] != pair[1]), min(map(len, texts))
            )
            return at, texts[0][at : at + 24], texts[1][at : at + 24]
    for field in ("stop", "markers"):
        facts = tuple(getattr(one, field)), tuple(getattr(other, field))
        if facts[0] != facts[1]:
            return 0, f"{field} {facts[0]}", f"{field} {facts[1]}"
    return None


def _text_or_error(template: Template, messages: Sequence[Mapping[str, Any]]) -> str:
    try:
        return template.text(messages, add_generation_prompt=True)
    # A program may raise anything; two templates are only compared here.
    except Exception as error:
        return f"(refuses: {error})"
