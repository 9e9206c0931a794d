"""What engines that send text can serve: they leave control tokens out, and with them the marks of some formats."""

from typing import Any

from lect import Template
from lect.addon import live_marks
from lect_serve.engines.base import Engine, EngineError

LOOKS_LIKE_CONTROL = (("<|", "|>"), ("<｜", "｜>"))
"""How tokens begin and end that llama.cpp's converter makes control tokens, whatever the tokenizer's file says."""


def check(template: Template, tokenizer: Any, engine: Engine) -> None:
    """Raise if an engine sends text only, and the replies of a format cannot be read from it.

    Raises:
        EngineError: If marks of the format are control tokens.
    """
    lost = () if engine.takes_ids else lost_marks(template, tokenizer)
    if lost:
        raise EngineError(
            f"{engine.about.kind} at {engine.url} sends text without control tokens, and {template.name} marks its"
            f" replies with {', '.join(lost)}\n"
            "  try: vLLM, SGLang or llama.cpp, which send ids",
            status=400,
        )


def lost_marks(template: Template, tokenizer: Any) -> tuple[str, ...]:
    """Return the marks of a format's replies that are control tokens, without those that only end a reply."""
    if template.reply is None:
        return ()
    _, _, marks = live_marks(template.reply, tuple(template.stop), ())
    control = _special(tokenizer)
    found = {mark for mark in marks for token in control if token in mark}
    found |= {mark for mark in marks for begin, end in LOOKS_LIKE_CONTROL if begin in mark and end in mark}
    return tuple(sorted(found - {*template.stop}))


def _special(tokenizer: Any) -> set[str]:
    """Return the texts of a tokenizer's special tokens: an added token that is not special is sent as text."""
    known = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(known, "get_added_tokens_decoder"):
        return set()
    return {token.content for token in known.get_added_tokens_decoder().values() if token.special}
