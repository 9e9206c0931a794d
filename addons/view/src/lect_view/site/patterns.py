r"""Patterns of tokenizers in the words of Python's `re`, which has no `\p{L}`."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

SPACES = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
r"""What `\s` is for them: Python's has four control characters more."""
_PARTS = re.compile(r"\\p\{(\^?\w+)\}|\\P\{(\w+)\}|\\([sS])|\\.|\[\^?|\]|.", re.DOTALL)


def translated(pattern: str) -> str:
    """Return a pattern for `re`."""
    written, inside = [], False
    for found in _PARTS.finditer(pattern):
        given, without, space = found.groups()
        ranges, negated = "", False
        if given or without:
            ranges, negated = characters((given or without).lstrip("^")), bool(without) or given.startswith("^")
        elif space:
            ranges, negated = SPACES, space == "S"
        if ranges and inside and negated:
            raise ValueError(f"{found[0]} in a set of characters")
        if ranges:
            written.append(ranges if inside else f"[{'^' * negated}{ranges}]")
            continue
        if inside and found[0].startswith("["):
            written.append("\\" + found[0])
        else:
            inside = found[0].startswith("[") or (inside and found[0] != "]")
            written.append(found[0])
    return "".join(written)


@cache
def characters(category: str) -> str:
    """Return the characters of a general category of Unicode, as the ranges of a set."""
    ranges: list[list[int]] = []
    for code in _by_category().get(category, ()) or _first_letter(category):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    if not ranges:
        raise ValueError(f"no characters are of the category {category}")
    return "".join(f"\\U{first:08x}" + f"-\\U{last:08x}" * (last > first) for first, last in ranges)


def _first_letter(category: str) -> list[int]:
    return sorted(code for name, codes in _by_category().items() if name[0] == category for code in codes)


@cache
def _by_category() -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for code in range(sys.maxunicode + 1):
        found.setdefault(unicodedata.category(chr(code)), []).append(code)
    return found
