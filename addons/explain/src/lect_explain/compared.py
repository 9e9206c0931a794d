"""Explain: why a prompt does not extend the one before it."""

from __future__ import annotations

from typing import Any

from lect import MessageError, Prompt, Reply
from lect.addon import encoder_of
from lect.errors import saferepr
from lect.plugin import boundary
from lect_explain.fields import common
from lect_explain.step import Sent, Step
from lect_explain.why import Forked, Why, why

SHOWN = 40
"""Characters of each text that a step has."""


@boundary
def explain(before: Prompt, after: Prompt, *, sampled: str | Reply | None = None, tokenizer: Any = None) -> Step:
    """Return whether a prompt extends the one before it, and if not, where, in which field, why, and what it costs.

    A server that keeps what it has computed for the beginning of a prompt computes only what is new, if the new prompt
    begins with the old one and what was sampled after it.

    Args:
        before: The prompt of the request before.
        after: The prompt of the next request.
        sampled: What the model wrote after `before`, with its special tokens, or the reply that was parsed from it;
            None if it is not known: then only `before` itself is expected.
        tokenizer: What counts tokens; without, characters are counted. Where the texts agree and the tokens do not, it
            is a fork.

    Raises:
        MessageError: If an argument is of another type.
        TokenizerError: If it is no tokenizer.
    """
    given: dict[str, Any] = {"before": before, "after": after}
    for name, prompt in given.items():
        if not isinstance(prompt, Prompt):
            remedy = "template.render(messages), or lect_explain.explain_requests for requests"
            raise MessageError(f"{name} is {saferepr(prompt)}; expected a Prompt\n  try: {remedy}")
    return explained(Sent(before), Sent(after), text_of(sampled), tokenizer)


def text_of(sampled: str | Reply | None) -> str:
    """Return what was sampled as text."""
    if isinstance(sampled, Reply):
        return sampled.raw
    if sampled is None or isinstance(sampled, str):
        return sampled or ""
    raise MessageError(f"sampled is {saferepr(sampled)}; expected the text that the model wrote, or a Reply")


def explained(before: Sent, after: Sent, sampled: str, tokenizer: Any = None) -> Step:
    """Explain."""
    whole, text = before.prompt.text + sampled, after.prompt.text
    at = common(whole, text)
    found = Why("extended", "it extends the one before")
    if at < len(whole):
        found = why(Forked(before, sampled, after, at))
    kept, lost = at, len(whole) - at
    if tokenizer is not None:
        ids = [*before.prompt.encode(tokenizer).ids, *encoder_of(tokenizer).whole(sampled).ids]
        kept = common(ids, after.prompt.encode(tokenizer).ids)
        lost = len(ids) - kept
        if lost and found.rule == "extended":
            found = Why("tokens", "the text is the same, and what follows changes where its last tokens end")
    return Step(
        rule=found.rule,
        reason=found.reason,
        at=at,
        kept=kept,
        lost=lost,
        by_tokens=tokenizer is not None,
        was=before.where(found.was) if found.was else (),
        now=after.where(found.now) if found.now else (),
        before=whole[at : at + SHOWN],
        after=text[at : at + SHOWN],
    )
