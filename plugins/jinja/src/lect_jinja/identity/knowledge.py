"""Published templates by their fingerprints, by which a model's own template is recognised."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from lect_jinja.files.tokens import NAMES

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping


EARLIER = "an earlier"
TODAY = "9999"
"""The date of a text that nobody has changed."""


def fingerprint(text: str) -> str:
    """Return the sha256 of a template's text, with line endings as Jinja reads them."""
    return sha256(text.replace("\r\n", "\n").removesuffix("\n").encode()).hexdigest()


def named_by_text(source: str, tokens: Mapping[str, str]) -> str:
    """Return the name of our template that is known to write what this text writes with these tokens; empty if none."""
    row = fingerprints().get(fingerprint(source))
    return _only_name([row] if row else [], source, tokens)


def known_text(source: str, current: str = "", revisions: Container[str] = ()) -> str:
    """Return which model a published text is the template of, who has it and as of when; empty if it is not known.

    Args:
        source: The text.
        current: The name of our template for the model that is asked about.
        revisions: The names of all templates that its maker has published.
    """
    row = fingerprints().get(fingerprint(source))
    if row is None or "model" not in row:
        return ""
    date = f", as of {row['date']}" if "date" in row else ""
    same_model = (each for each in fingerprints().values() if each.get("model") == row["model"])
    dates = [each.get("date", TODAY) for each in same_model if each.get("template") == current]
    mine = row.get("template", "")
    is_earlier = mine.rpartition(":")[2] in revisions or row.get("date", TODAY) < max(dates, default="")
    which = "the" if not dates or mine == current else EARLIER if is_earlier else "another"
    return f"{which} template of {row['model']}{date}, as in {row['source']}"


def named_by_tree(tree: str, source: str, tokens: Mapping[str, str]) -> str:
    """Return the same for any text with this syntax tree."""
    return _only_name((row for row in fingerprints().values() if row.get("tree") == tree), source, tokens)


def _only_name(rows: Iterable[Mapping[str, Any]], source: str, tokens: Mapping[str, str]) -> str:
    """Return the one name that known templates with these tokens have; empty if there are several.

    One tree may stand for two names, with other stops and other replies.
    """
    # Tokens of the usual names are in a row if the template reads them; a model may have others.
    unusual = [name for name in tokens if name not in NAMES and name in source]
    ours = (row for row in rows if "template" in row)
    fitting = [row for row in ours if _fits(row.get("tokens", {}), tokens, unusual)]
    names = {row["template"] for row in fitting}
    return "" if len(names) != 1 or any(row.get("differs") for row in fitting) else str(names.pop())


def _fits(known: Mapping[str, str], tokens: Mapping[str, str], unusual: Iterable[str]) -> bool:
    return all(tokens.get(name, "") == known.get(name, "") for name in (*known, *unusual))


@cache
def fingerprints() -> dict[str, dict[str, Any]]:
    """Return what is known of published templates, such as our equivalents, by the fingerprint of the text."""
    import json
    from pkgutil import get_data

    return json.loads(get_data(__package__, "fingerprints.json") or b"{}")["templates"]  # type: ignore[no-any-return]
