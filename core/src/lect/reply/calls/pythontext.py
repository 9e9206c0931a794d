"""Texts in quotes, as in Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lect.reply.calls.plaintext import quoted
from lect.reply.engine import lookahead
from lect.reply.engine.lookahead import MORE, NO
from lect.reply.engine.reader import CUT, DONE

if TYPE_CHECKING:
    from collections.abc import Generator

    from lect.reply.engine.reader import Reader

QUOTE = re.compile(r"[rRbBuUfF]{0,2}(?P<quote>\"\"\"|'''|\"|')")
QUOTE_SO_FAR = re.compile(r"[rRbBuUfF]{0,2}(?:\"{1,2}|'{1,2})?\Z")
ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "a": "\a",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "\n": "",
}
CODES = {"x": 2, "u": 4, "U": 8}
HEX = re.compile(r"[0-9a-fA-F]*")
OCTAL = re.compile(r"[0-7]{1,3}")


def python_text(reader: Reader, quote: str, pieces: list[str], *, raw: bool) -> Generator[None, None, str]:
    """Read a text up to its closing quote: one behind which the literal can end. Models forget to escape quotes."""
    plain = re.compile(rf"[^{quote[0]}\\]*").match
    while True:
        buffer, at = reader.buffer, reader.at
        found = plain(buffer, at)
        assert found is not None, "the pattern matches nothing too"
        end = found.end()
        if end > at:
            pieces.append(quoted(buffer[at:end])[1:-1])
            reader.at = end
        if end == len(buffer):
            if reader.ended:
                return CUT
            yield
            continue
        if buffer[end] == "\\":
            decoded = _escape(buffer, end, raw=raw, ended=reader.ended)
            if decoded is None:
                yield
                continue
            text, length = decoded
            pieces.append(quoted(text)[1:-1])
            reader.at = end + length
            continue
        closes = _closes(buffer, end, quote, reader.ended)
        if closes == MORE:
            yield
        elif closes == NO:
            pieces.append(quoted(quote[0])[1:-1])
            reader.at = end + 1
        else:
            pieces.append('"')
            reader.at = closes
            return DONE


def _closes(buffer: str, at: int, quote: str, ended: bool) -> int:
    end = lookahead.literal(buffer, at, quote, ended)
    if end < 0:
        return end
    after = lookahead.space(buffer, end)
    if after == len(buffer):
        return end if ended else MORE
    if not ended and QUOTE_SO_FAR.match(buffer, after):
        return MORE
    return end if buffer[after] in ",)]}:" or QUOTE.match(buffer, after) else NO


def _escape(buffer: str, at: int, *, raw: bool, ended: bool) -> tuple[str, int] | None:
    """Return what an escape says, and its length; None where more text must tell."""
    if at + 1 == len(buffer):
        return ("\\", 1) if ended else None
    character = buffer[at + 1]
    if raw:
        return "\\" + character, 2
    if character in ESCAPES:
        return ESCAPES[character], 2
    if character in CODES:
        length = CODES[character]
        digits = HEX.match(buffer, at + 2, at + 2 + length)
        assert digits is not None, "the pattern matches nothing too"
        if len(digits[0]) == length:
            code = int(digits[0], 16)
            return (chr(code), 2 + length) if code < 0x110000 else ("\\", 1)
        return None if not ended and digits.end() == len(buffer) else ("\\", 1)
    octal = OCTAL.match(buffer, at + 1)
    if octal:
        if len(octal[0]) < 3 and octal.end() == len(buffer) and not ended:
            return None
        return chr(int(octal[0], 8)), 1 + len(octal[0])
    return "\\", 1
