"""Read one value as it arrives, JSON or a literal of another notation, and pass on nothing but valid JSON text.

Valid JSON is passed on unchanged. What breaks the rules is read as it was meant, as far as that is certain, and the
reader notes what it had to forgive.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lect.reply.calls.strings import QUOTE, QUOTE_SO_FAR, ends_in, json_escape, no_escape, python_escape, string
from lect.reply.calls.texts import quoted
from lect.reply.calls.words import JSON, LONGEST_WORD, Dialect, read_key, read_word
from lect.reply.grammar import SPACE
from lect.reply.reader import lookahead
from lect.reply.reader.lookahead import MORE, NO
from lect.reply.reader.reader import CUT, DONE, Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

DEEPEST = 200
"""How deeply values may be nested. Python's own parser gives up not far beyond that."""
COMMENT = re.compile(r"//[^\n]*\n|/\*.*?\*/|#[^\n]*\n", re.DOTALL).match
PLAIN = re.compile(
    r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
    r"|(?:-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,99})?(?:[eE][-+]?[0-9]{1,99})?|true|false|null)(?=[ \t\r\n,\]}])"
).match
"""A string, a number or a word of JSON that has arrived whole: nearly everything that models write."""

VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA = range(6)
CLOSES = {"[": "]", "{": "}", "(": ")"}
NONE: frozenset[str] = frozenset()


class _Bracket:
    """A list, an object, a tuple or a set that is being read."""

    __slots__ = ("at", "close", "commas", "is_set", "key_at")

    def __init__(self, character: str, at: int):
        self.close = CLOSES[character]
        self.at = at
        self.commas = 0
        self.key_at = at + 1
        self.is_set = False


def value(
    reader: Reader,
    pieces: list[str],
    dialect: Dialect = JSON,
    *,
    live: bool = False,
    text_ends: Callable[[int], int] | None = None,
    types: frozenset[str] = NONE,
) -> Generator[None, None, str]:
    """Read one value and append its JSON to `pieces`.

    Args:
        reader: The reader to read from.
        pieces: Where the JSON goes; for a Python literal, a separate list.
        dialect: How it is written.
        live: Whether `pieces` is the reader's pending text.
        text_ends: If a quoted string is the whole value: tells whether it can end at a quote before a position.
        types: The types that the schema allows.

    Returns:
        DONE after the value; BROKEN before the character that cannot be there, with `reader.why` set; CUT at the
        end of the reply.
    """
    put = pieces.append
    wrong = "bad_literal" if dialect.python else "unbalanced_json"
    strict = dialect is JSON
    is_marked = dialect.python or bool(dialect.quotes)
    stack: list[_Bracket] = []
    inner: _Bracket | None = None
    want = VALUE
    # A comma and the white space after it are held back: before a closing bracket it is one too many.
    comma: list[str] = []
    while True:
        buffer, at = reader.buffer, reader.at
        if at == len(buffer):
            if reader.ended:
                return CUT
            yield
            continue
        character = buffer[at]
        if character in SPACE:
            end = at + 1
            if end < len(buffer) and buffer[end] in SPACE:
                end = lookahead.space(buffer, at)
            reader.at = end
            (comma or pieces).append(buffer[at:end])
            continue
        if comma and character not in "/#":
            if character in "}])":
                if not dialect.python:
                    reader.forgive("an extra comma")
                want = COMMA
            else:
                put("".join(comma))
            comma.clear()
        if character in "{[" or (character == "(" and dialect.python):
            if want > VALUE_OR_END:
                return reader.broken(wrong)
            if len(stack) == DEEPEST:
                return reader.broken("too_deep")
            inner = _Bracket(character, len(pieces))
            stack.append(inner)
            put("{" if character == "{" else "[")
            reader.at = at + 1
            want = KEY_OR_END if character == "{" else VALUE_OR_END
            continue
        if inner is not None and character == inner.close:
            if want == COLON and dialect.python and not inner.commas:
                inner.is_set = True
            elif want not in (COMMA, KEY_OR_END, VALUE_OR_END):
                return reader.broken(wrong)
            stack.pop()
            _close(inner, pieces, filled=want in (COMMA, COLON))
            inner = stack[-1] if stack else None
            reader.at = at + 1
            want = COMMA
        elif want == COLON and character == ":" and inner is not None and not inner.is_set:
            if dialect.python and not pieces[inner.key_at].startswith('"'):
                pieces[inner.key_at :] = [quoted("".join(pieces[inner.key_at :]))]
            put(": " if dialect.python else ":")
            reader.at = at + 1
            want = VALUE
            continue
        elif character == "," and inner is not None and (want == COMMA or (want == COLON and dialect.python)):
            if want == COLON:
                if inner.commas:
                    return reader.broken(wrong)
                inner.is_set = True
            comma.append(", " if dialect.python else ",")
            reader.at = at + 1
            inner.commas += 1
            inner.key_at = len(pieces) + 1
            want = KEY if inner.close == "}" and not inner.is_set else VALUE
            continue
        elif character in "/#" and (yield from _comment(reader)):
            continue
        elif want > KEY_OR_END:
            return reader.broken(wrong)
        else:
            is_key = want in (KEY, KEY_OR_END)
            plain = PLAIN(buffer, at) if strict and (character == '"' or not is_key) else None
            if plain is not None:
                put(plain[0])
                reader.at = plain.end()
            else:
                read = _marked_scalar if is_marked else scalar
                ends, allowed = (None, NONE) if stack else (text_ends, types)
                outcome = yield from read(reader, pieces, dialect, is_key, live, ends, allowed)
                if outcome != DONE:
                    return outcome
            want = COLON if is_key and not (inner is not None and inner.is_set) else COMMA
        if inner is None:
            return DONE


def _close(bracket: _Bracket, pieces: list[str], *, filled: bool) -> None:
    if bracket.is_set:
        pieces[bracket.at] = "["
    if bracket.close == ")" and filled and not bracket.commas:
        # Parentheses around a single value do not make a tuple.
        pieces[bracket.at] = ""
    else:
        pieces.append("}" if bracket.close == "}" and not bracket.is_set else "]")


def spaces(reader: Reader, pieces: list[str] | None = None) -> Generator[None, None, bool]:
    """Read white space; return whether anything follows it."""
    while True:
        buffer, at = reader.buffer, reader.at
        found = lookahead.SPACES(buffer, at)
        assert found is not None, "the pattern also matches an empty text"
        end = found.end()
        if end > at:
            if pieces is not None:
                pieces.append(buffer[at:end])
            reader.at = end
        if end < len(buffer):
            return True
        if reader.ended:
            return False
        yield


def _comment(reader: Reader) -> Generator[None, None, bool]:
    """Skip a comment; return whether there is one."""
    while True:
        buffer, at = reader.buffer, reader.at
        found = COMMENT(buffer, at)
        if found is not None:
            reader.at = found.end()
            reader.forgive("a comment")
            return True
        begins = buffer.startswith(("//", "/*", "#"), at) or buffer[at:] == "/"
        if not begins or reader.ended or len(buffer) - at > LONGEST_WORD:
            return False
        yield


def _marked_scalar(
    reader: Reader,
    pieces: list[str],
    dialect: Dialect,
    is_key: bool,
    live: bool,
    text_ends: Callable[[int], int] | None,
    types: frozenset[str],
) -> Generator[None, None, str]:
    """Read a scalar that may also begin with another mark or a prefix, whose end may not have arrived yet."""
    for mark in dialect.quotes:
        while (end := lookahead.literal(reader.buffer, reader.at, mark, reader.ended)) == MORE:
            yield
        if end != NO:
            reader.at = end
            return (yield from string(reader, pieces, mark, no_escape, live=live))
    if not dialect.python:
        return (yield from scalar(reader, pieces, dialect, is_key, live, text_ends, types))
    while not reader.ended and QUOTE_SO_FAR(reader.buffer, reader.at):
        yield
    quote = QUOTE(reader.buffer, reader.at)
    if quote is None:
        return (yield from read_word(reader, pieces, dialect, types))
    reader.at = quote.end()
    escape = no_escape if "r" in quote["prefix"].lower() else python_escape
    return (yield from string(reader, pieces, quote["quote"], escape, text_ends or ends_in(reader)))


def scalar(
    reader: Reader,
    pieces: list[str],
    dialect: Dialect,
    is_key: bool,
    live: bool = False,
    text_ends: Callable[[int], int] | None = None,
    types: frozenset[str] = NONE,
) -> Generator[None, None, str]:
    """Read a string, a number, a word or a key, in JSON's quotes.

    This and `string` return the generator for what they find, because every chunk passes through all that are open.
    """
    character = reader.buffer[reader.at]
    if character == '"':
        reader.at += 1
        ends = None if not dialect.bare else text_ends or ends_in(reader)
        return string(reader, pieces, '"', json_escape, ends, live=live)
    if character == "'":
        reader.at += 1
        reader.forgive("single quotes")
        return string(reader, pieces, "'", python_escape, text_ends or ends_in(reader))
    return read_key(reader, pieces, dialect) if is_key else read_word(reader, pieces, dialect, types)


def read_whole(text: str, dialect: Dialect = JSON) -> str | None:
    """Return the JSON of a text that is one value and nothing else; otherwise None."""
    reader = Reader()
    reader.buffer, reader.ended = text, True
    pieces: list[str] = []
    steps = value(reader, pieces, dialect)
    try:
        while True:
            next(steps)
    except StopIteration as stop:
        return "".join(pieces) if stop.value == DONE and not text[reader.at :].strip() else None
