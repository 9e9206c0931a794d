"""Classes of characters as ranges, and how those that a string cannot contain unescaped are written in it."""

from __future__ import annotations

from lect_constrain.nodes import Chars, Lit, Node, alt, seq

Ranges = tuple[tuple[int, int], ...]
"""Ranges of code points, sorted and apart from each other."""

LAST = 0x10FFFF
ESCAPES = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}
"""The control characters that have escapes of their own."""
CONTROLS: Ranges = ((0, 0x1F), (0x7F, 0x7F))
NUL: Ranges = ((0, 0),)
HYPHEN: Ranges = ((45, 45),)
CARET: Ranges = ((94, 94),)
DIGITS: Ranges = ((48, 57),)
WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
SPACES: Ranges = ((9, 13), (32, 32), (160, 160), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
                  (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF))  # fmt: skip
LINE_ENDS: Ranges = ((10, 10), (13, 13), (0x2028, 0x2029))


def joined(ranges: Ranges) -> Ranges:
    """Return ranges in order, those that touch as one."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


def outside(ranges: Ranges) -> Ranges:
    """Return all other characters."""
    found, at = [], 0
    for low, high in joined(ranges):
        found += [(at, low - 1)] * (low > at)
        at = high + 1
    return (*found, *[(at, LAST)] * (at <= LAST))


def shared(one: Ranges, other: Ranges) -> Ranges:
    """Return the characters of both."""
    return outside((*outside(one), *outside(other)))


def written(ranges: Ranges, quote: str) -> Node:
    """Return one character in a string: unescaped, or as the escape that JSON has for it. Raw strings have no quote."""
    special: Ranges = (*CONTROLS, (92, 92), *((ord(char), ord(char)) for char in quote)) if quote else ()
    plain = shared(ranges, outside(special))
    found: list[Node] = [_one(plain)] if plain else []
    escaped = [code for low, high in shared(ranges, special) for code in range(low, high + 1)] if special else []
    found += [Lit(escape(code)) for code in escaped if code in ESCAPES or chr(code) in ("\\", quote)]
    controls = [escape(code)[-2:] for code in escaped if code not in ESCAPES and chr(code) not in ("\\", quote)]
    for first in dict.fromkeys(code[0] for code in controls):
        last = joined(tuple((ord(code[1]), ord(code[1])) for code in controls if code[0] == first))
        found.append(seq(f"\\u00{first}", _one(last)))
    return alt(found)


def _one(ranges: Ranges) -> Node:
    ((low, high), *more) = ranges
    return Lit(chr(low)) if low == high and not more else Chars(spelled(ranges), 1, 1)


def escape(code: int) -> str:
    """Return the escape of a character that a string cannot contain."""
    return ESCAPES.get(code) or (f"\\{chr(code)}" if 0x20 <= code < 0x7F else f"\\u{code:04x}")


def spelled(ranges: Ranges) -> str:
    """Return ranges as the inside of a class that every notation reads."""
    if ranges[-1][1] == LAST:
        # An empty class has no complement in any notation.
        return "^" + _class(outside(ranges) or NUL)
    return _class(ranges)


def _class(ranges: Ranges) -> str:
    r"""Return ranges in a row.

    A hyphen comes first and a caret late, where all notations take them for themselves. Control characters come last:
    xgrammar takes any digits after `\x` for more of the code.
    """
    plain = shared(ranges, outside((*HYPHEN, *CARET, *CONTROLS)))
    parts = ["-"] * (shared(ranges, HYPHEN) == HYPHEN) + [*map(_range, plain)]
    parts += ["^"] * (shared(ranges, CARET) == CARET) + [*map(_range, shared(ranges, CONTROLS))]
    return "".join(parts)


def _range(bounds: tuple[int, int]) -> str:
    low, high = (
        f"\\x{code:02x}" if code < 0x20 or code == 0x7F else f"\\{chr(code)}" if chr(code) in "[]\\" else chr(code)
        for code in bounds
    )
    return low if low == high else f"{low}-{high}"
