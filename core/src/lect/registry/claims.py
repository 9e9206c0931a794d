"""Read and check what `match` returned: a claim may rest only on what is in the path."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from lect.errors import PluginError, shown
from lect.registry.refs import words_of
from lect.values import Kind, Match, Specificity

if TYPE_CHECKING:
    from lect.registry.refs import ModelRef

LONGEST_CLAIM = 300
"""How much of a claim a message shows."""


def read_claim(returned: object, ref: ModelRef) -> Match | None:
    """Return the claim that an adapter made; None if it made none.

    Raises:
        PluginError: If it is not a claim, or rests on something that is not in the path.
    """
    if returned is None or returned is False:
        return None
    if returned is True:
        return Match(Specificity.FAMILY, "", reason="match() returned True")
    if not isinstance(returned, Match):
        msg = f"match() returned {shown(returned)}; expected a Match, True, False or None"
        raise PluginError(msg)
    problem = _malformed(returned) or _unfounded(returned, ref)
    if problem:
        msg = f"match() returned {shown(returned, LONGEST_CLAIM)}; {problem}"
        raise PluginError(msg)
    return returned


def _malformed(claim: Match) -> str:
    """Return which field has the wrong type; empty if none has."""
    specificity, literal, template, kind, reason = tuple[object, ...](claim)
    if not isinstance(specificity, Specificity) or not isinstance(literal, str):
        return "expected a Specificity and a text"
    if not isinstance(template, str) or not isinstance(reason, str):
        return "expected texts for template and reason"
    if kind not in get_args(Kind):
        return f"the kind is {shown(kind)}; expected one of {', '.join(map(repr, get_args(Kind)))}"
    return ""


def _unfounded(claim: Match, ref: ModelRef) -> str:
    """Return why a claim is unfounded; empty if it is not.

    Without this a plugin could claim every model as strongly as a family claims its own.
    """
    literal, path = claim.literal.lower(), ref.path.lower()
    if claim.specificity is Specificity.REPO and literal != path:
        return f"REPO rests on the whole of {shown(ref.path)}"
    if not literal and claim.specificity in (Specificity.NAME, Specificity.TOKEN):
        return f"{claim.specificity.name} rests on a part of the path"
    if literal in path or _in_order(words_of(literal), ref.words):
        return ""
    return f"{shown(claim.literal)} is not in the path"


def _in_order(wanted: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Return whether words occur in a name in this order, as the words that a rule's pattern matched do."""
    rest = iter(words)
    return bool(wanted) and all(word in rest for word in wanted)
