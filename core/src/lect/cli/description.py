"""What several commands say about a template."""

from collections.abc import Sequence
from typing import Any

from lect import Template

WITH_BOS = "encode it without adding special tokens"
WITHOUT_BOS = "let the tokenizer add its special tokens, so that there is exactly one, if the model has one"


def written_bos(template: Template) -> str:
    """Return the BOS that prompts of a template really begin with; empty if there is none."""
    try:
        prompt = template.text([{"role": "user", "content": "Hello!"}], add_generation_prompt=True)
        return template.bos if prompt.startswith(template.bos) else ""
    # It refuses that conversation or fails: what it states is all there is to go by.
    except Exception:
        return template.bos


def bos_advice(template: Template) -> str:
    """Say how to encode the prompts of a template, so that they begin with exactly one BOS."""
    bos = written_bos(template)
    return f"the text begins with {bos!r}: {WITH_BOS}" if bos else f"not in the text: {WITHOUT_BOS}"


def template_data(template: Template) -> dict[str, Any]:
    """Return what a program may want to know about a template."""
    facts = ("name", "source", "evidence", "roles", "bos", "text_separators", "prefix_stable", "default_system")
    return {name: getattr(template, name) for name in (*facts, "stop_ids", "written_at")} | {
        "bos_advice": bos_advice(template),
        "stop": dict(template.stop),
        "markers": {text: list(ids) if isinstance(ids, Sequence) else ids for text, ids in template.markers.items()},
        "capabilities": sorted(template.capabilities),
        "options": list(template.options),
        "revisions": dict(template.revisions),
        "reply": reply_format(template),
    }


def reply_format(template: Template) -> str:
    """Return the name of the format of a model's replies; empty if they are plain text."""
    return template.reply.name if template.reply else ""


def stops_text(template: Template) -> str:
    """Return the stop strings of a template with their token ids, and the ids that have no text, for people."""
    texts = [repr(text) if number is None else f"{text!r} ({number})" for text, number in template.stop.items()]
    with_text = {number for number in template.stop.values() if number is not None}
    texts += [f"token {number}" for number in template.stop_ids if number not in with_text]
    return ", ".join(texts) or "none"
