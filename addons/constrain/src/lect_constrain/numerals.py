"""Numbers between two bounds as nodes."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from lect_constrain.nodes import EMPTY, Chars, Lit, Node, Rep, alt, optional, seq

MORE = Chars("0-9", 0, None)
ZEROS = Rep(Lit("0"), 0, None)
NOT_ZERO = seq(ZEROS, Chars("1-9", 1, 1), MORE)
"""Digits of which one is not zero."""
FRACTION = optional(seq(".", Chars("0-9", 1, None)))
EXPONENT = optional(
    seq(
        alt([Lit("e"), Lit("E")]),
        Chars("+\\-", 0, 1),
        # Beyond these a number is infinite.
        alt([Chars("0-9", 1, 2), seq(Chars("0-2", 1, 1), Chars("0-9", 2, 2)), seq("30", Chars("0-7", 1, 1))]),
    )
)
WHOLE = alt([Lit("0"), seq(Chars("1-9", 1, 1), MORE)])


class Bound(NamedTuple):
    """An end of a range of numbers."""

    value: Decimal
    is_excluded: bool


def integers(low: int | None, high: int | None) -> list[Node]:
    """Return the whole numbers from one to the other; None is no bound."""
    if low is not None and high is not None and low > high:
        return []
    if low is None or low < 0:
        below = high is None or high >= 0
        least, most = 1 if high is None or below else -high, None if low is None else -low
        return [seq("-", each) for each in integers(least, most)] + (integers(0, high) if below else [])
    longest = len(str(low if high is None else high))
    found = [
        _digits(str(max(low, 10 ** (length - 1) if length > 1 else 0)), str(most if high is None else min(high, most)))
        for length in range(len(str(low)), longest + 1)
        for most in [10**length - 1]
    ]
    return [*found, seq(Chars("1-9", 1, 1), Chars("0-9", longest, None))] if high is None else found


def numbers(low: Bound | None, high: Bound | None) -> list[Node]:
    """Return the numbers from one to the other, in digits; where a bound is zero or absent, with exponents too."""
    found = []
    if low is None or low.value < 0:
        least = Bound(-high.value, high.is_excluded) if high is not None and high.value <= 0 else None
        most = None if low is None else Bound(-low.value, low.is_excluded)
        found += [seq("-", each) for each in _positive(least, most)]
    if high is None or high.value >= 0:
        found += _positive(low if low is not None and low.value >= 0 else None, high)
    return found


def _positive(low: Bound | None, high: Bound | None) -> list[Node]:
    """Return the numbers from zero on, between two bounds."""
    low = low or Bound(Decimal(0), is_excluded=False)
    exponent: Node = EXPONENT if high is None and low.value == 0 else EMPTY
    first, fraction = _parts(low.value)
    last, ending = (None, None) if high is None else _parts(high.value)
    between = integers(first + 1, None if last is None else last - 1)
    found = [seq(alt(between), FRACTION, exponent)] if between else []
    ends: list[tuple[int, str | None, bool, str | None, bool]] = [
        (first, fraction, low.is_excluded, ending if last == first else None, bool(high and high.is_excluded))
    ]
    if last is not None and last > first:
        ends.append((last, None, False, ending, bool(high and high.is_excluded)))
    for whole, least, above, most, below in ends if last is None or last >= first else ():
        is_whole, digits = _fraction(least, above, most, below)
        found += [seq(str(whole), exponent)] if is_whole else []
        found += [seq(str(whole), ".", digits, exponent)] if digits is not None else []
    return found


def _parts(value: Decimal) -> tuple[int, str]:
    """Return the whole part of a number, and the digits after its point."""
    whole, _, fraction = format(value, "f").partition(".")
    return int(whole), fraction.rstrip("0")


def _fraction(low: str | None, above: bool, high: str | None, below: bool) -> tuple[bool, Node | None]:
    """Return whether no digits after a point are between two rows of digits, and those that are; None is no bound."""
    low = None if low == "" and not above else low
    is_empty = low is None and (high is None or bool(high) or not below)
    if low is None and high is None:
        return is_empty, Chars("0-9", 1, None)
    if high == "":
        return is_empty, Rep(Lit("0"), 1, None) if is_empty else None
    if low == "" and high is None:
        return is_empty, NOT_ZERO
    least, most = int((low or "0")[0]), 9 if high is None else int(high[0])
    inside = [*range(least + (low is not None), most + (high is None))]
    found = [seq(Chars(f"{inside[0]}-{inside[-1]}", 1, 1), MORE)] if inside else []
    for digit in _ends(low, high, least, most):
        rest = _fraction(
            (low or "")[1:] if low is not None and digit == least else None,
            above,
            high[1:] if high is not None and digit == most else None,
            below,
        )
        found += [Lit(str(digit))] * rest[0] + ([seq(str(digit), rest[1])] if rest[1] is not None else [])
    return is_empty, alt(found) if found else None


def _ends(low: str | None, high: str | None, least: int, most: int) -> list[int]:
    """Return the first digits that decide nothing yet."""
    found = [least] * (low is not None) + [most] * (high is not None)
    return [*dict.fromkeys(found)] if least <= most else []


def _digits(low: str, high: str) -> Node:
    """Return the numbers from one to another of the same length."""
    rest = len(low) - 1
    if not low:
        return EMPTY
    if low[0] == high[0]:
        return seq(low[0], _digits(low[1:], high[1:]))
    first, last = int(low[0]), int(high[0])
    found: list[Node] = []
    if low[1:].strip("0"):
        found.append(seq(low[0], _digits(low[1:], "9" * rest)))
        first += 1
    if high[1:].strip("9"):
        found.append(seq(high[0], _digits("0" * rest, high[1:])))
        last -= 1
    if first <= last:
        found.append(seq(Chars(f"{first}-{last}", 1, 1), Chars("0-9", rest, rest) if rest else ""))
    return alt(found)
