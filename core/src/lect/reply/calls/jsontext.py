"""Read JSON as it comes in, and pass on nothing but valid JSON text.

What a model writes inside a string is kept even where JSON does not allow it: a bare line end, or a backslash before a
character that needs none, is escaped on its way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lect.reply.engine.reader import CUT, DONE

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from lect.reply.engine.reader import Reader

DEEPEST = 200
"""How deep values may lie in each other. Python's own reader gives up not far beyond."""
LONGEST_NUMBER = 4096
PLAIN = re.compile(r'[^"\\\x00-\x1f]*').match
MATTERS = re.compile(r'["\\\x00-\x1f]').search
SPACES = re.compile(r"[ \t\r\n]*").match
WORD = re.compile(r"[-+.\w]*").match
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").fullmatch
HEX = re.compile(r"[0-9a-fA-F]*").match
WORDS = {"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
"""The words that stand for values, in JSON and in Python."""

VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA = range(6)


def ignore(text: str) -> None:
    """Say nothing of what is read."""


def value(reader: Reader, put: Callable[[str], None], *, live: bool) -> Generator[None, None, str]:
    """Read one value and `put` its text; `live` where that is what the reader says now.

    Returns:
        DONE behind the value; BROKEN before the character that cannot stand there, with `reader.why` set; CUT at the
        end of the reply.
    """
    stack: list[str] = []
    want = VALUE
    while True:
        if not (yield from spaces(reader, put)):
            return CUT
        buffer, at = reader.buffer, reader.at
        character = buffer[at]
        if character == '"':
            if want > KEY_OR_END:
                return reader.broken()
            outcome = yield from string(reader, put, live=live)
            if outcome != DONE:
                return outcome
            want = COLON if want in (KEY, KEY_OR_END) else COMMA
        elif character in "{[":
            if want > VALUE_OR_END:
                return reader.broken()
            if len(stack) == DEEPEST:
                return reader.broken("too_deep")
            put(character)
            reader.at = at + 1
            stack.append(character)
            want = KEY_OR_END if character == "{" else VALUE_OR_END
            continue
        elif character in "}]":
            opening = "{" if character == "}" else "["
            if (
                not stack
                or stack[-1] != opening
                or want not in (COMMA, KEY_OR_END if character == "}" else VALUE_OR_END)
            ):
                return reader.broken()
            put(character)
            reader.at = at + 1
            stack.pop()
            want = COMMA
        elif character in ":,":
            if want != (COLON if character == ":" else COMMA):
                return reader.broken()
            put(character)
            reader.at = at + 1
            want = VALUE if character == ":" or stack[-1] == "[" else KEY
            continue
        else:
            if want > VALUE_OR_END:
                return reader.broken()
            outcome = yield from _word(reader, put)
            if outcome != DONE:
                return outcome
            want = COMMA
        if not stack:
            return DONE


def spaces(reader: Reader, put: Callable[[str], None] = ignore) -> Generator[None, None, bool]:
    """Read white space; return whether anything follows it."""
    while True:
        buffer, at = reader.buffer, reader.at
        found = SPACES(buffer, at)
        assert found is not None, "the pattern matches nothing too"
        end = found.end()
        if end > at:
            put(buffer[at:end])
            reader.at = end
        if end < len(buffer):
            return True
        if reader.ended:
            return False
        yield


def string(reader: Reader, put: Callable[[str], None], *, live: bool) -> Generator[None, None, str]:
    """Read a string, from quote to quote."""
    put('"')
    reader.at += 1
    while True:
        buffer, at = reader.buffer, reader.at
        found = PLAIN(buffer, at)
        assert found is not None, "the pattern matches nothing too"
        end = found.end()
        if end > at:
            put(buffer[at:end])
            reader.at = end
        if end == len(buffer):
            if reader.ended:
                return CUT
            if live:
                reader.quiet = MATTERS
            yield
            continue
        character = buffer[end]
        if character == '"':
            put('"')
            reader.at = end + 1
            return DONE
        if character != "\\":
            put(
                f"\\u{ord(character):04x}"
                if character not in "\n\r\t"
                else {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[character]
            )
            reader.at = end + 1
            continue
        length = _escape(buffer, end, reader.ended)
        if length is None:
            yield
            continue
        if length:
            put(buffer[end : end + length])
            reader.at = end + length
        elif reader.ended and end + 1 == len(buffer):
            return CUT
        else:
            # A backslash that escapes nothing stands for itself.
            put("\\\\")
            reader.at = end + 1


def _escape(buffer: str, at: int, ended: bool) -> int | None:
    """Return the length of the escape at `at`: 0 where it is none, None where more text must tell."""
    if at + 1 == len(buffer):
        return 0 if ended else None
    character = buffer[at + 1]
    if character in '"\\/bfnrt':
        return 2
    if character != "u":
        return 0
    found = HEX(buffer, at + 2, at + 6)
    assert found is not None, "the pattern matches nothing too"
    if found.end() == at + 6:
        return 6
    return None if not ended and found.end() == len(buffer) else 0


def _word(reader: Reader, put: Callable[[str], None]) -> Generator[None, None, str]:
    """Read a number, or true, false or null; Python's own words for these are taken for what they mean."""
    while True:
        buffer, at = reader.buffer, reader.at
        found = WORD(buffer, at, at + LONGEST_NUMBER)
        assert found is not None, "the pattern matches nothing too"
        end = found.end()
        if end < len(buffer) or reader.ended:
            break
        yield
    word = buffer[at:end]
    known = WORDS.get(word) or (word if NUMBER(word) else None)
    if known is None:
        # At the end of a reply a word may just be unfinished.
        return (
            CUT
            if reader.ended and end == len(buffer) and word
            else reader.broken("bad_literal" if word else "unbalanced_json")
        )
    put(known)
    reader.at = end
    return DONE
