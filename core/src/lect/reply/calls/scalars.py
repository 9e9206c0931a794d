"""Read a string, a number, a word or an unquoted key as it arrives, and pass it on as JSON."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from lect.reply.calls.texts import quoted
from lect.reply.events import CALL_ARGS
from lect.reply.reader import lookahead
from lect.reply.reader.lookahead import Finder
from lect.reply.reader.near import NO, TooLittleTextError, need_end
from lect.reply.reader.reader import CUT, DONE, Decision, Outcome, Reader, Text

QUOTE = re.compile(r"(?P<prefix>[rRbBuUfF]{0,2})(?P<quote>\"\"\"|'''|[\"'“”‘’])").match
JSON_QUOTE = re.compile(r"(?P<prefix>)(?P<quote>[\"'“”‘’])").match
QUOTE_SO_FAR = re.compile(r"[rRbBuUfF]{0,2}(?:\"{1,2}|'{1,2})?\Z").match
CLOSING = {"“": "”", "‘": "’"}
"""What closes a typographic quote; any other closes itself."""
SPECIAL = re.compile(r'["\\\x00-\x1f](?!(?<=\\)[/bfnrt])(?:(?<=\\)(\Z))?').search
"""What cannot be passed on unchanged inside a JSON string; the usual escapes can, when they are complete."""
UNESCAPED = "a quote that is not escaped"
HEX = "[0-9a-fA-F]"
JSON_ESCAPE = re.compile(rf'\\(?:["\\/bfnrt]|u{HEX}{{4}})').match
JSON_ESCAPE_SO_FAR = re.compile(rf"\\(?:u{HEX}{{0,3}})?\Z").match
PYTHON_ESCAPE = re.compile(
    rf"\\(?:x(?P<x>{HEX}{{2}})|U(?P<U>00(?:0{HEX}|10){HEX}{{4}})|(?P<octal>[0-7]{{1,3}})|[va\n])"
).match
PYTHON_ESCAPE_SO_FAR = re.compile(rf"\\(?:x{HEX}?|U{HEX}{{0,7}}|[0-7]{{1,2}})?\Z").match
DECODED = {"v": "\v", "a": "\a", "\n": ""}
LONGEST_WORD = 4096
WORDS = ("true", "false", "null")
FORGIVEN_WORDS = {"True": "true", "False": "false", "None": "null"}
NOT_FINITE = ("NaN", "nan", "Infinity", "-Infinity", "inf", "-inf")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").fullmatch
NUMBER_LIKE = re.compile(r"[-+]?\.?[0-9]").match
ZEROS_FIRST = re.compile(r"-?0[0-9]+").fullmatch
WORD = re.compile(r"[-+.\w]*").match
PYTHON_WORD = re.compile(r"[^\s,()\[\]{}:='\"]*").match
BARE_KEY = re.compile(r"[^:={}\[\],\"'“”‘’\n]{1,200}(?=[:=])").match
BARE_KEY_SO_FAR = re.compile(r"[^:={}\[\],\"'“”‘’\n]{0,200}\Z").match

Escape = Callable[[str, int, bool], tuple[str, int]]
"""Returns the JSON of an escape, and its length, 0 if the reply ends in it."""
Ends = Callable[[int], int]
"""Returns whether a string can end before a position: where it goes on, or NO."""


def held_string(reader: Reader, pieces: list[str], quote: str, escape: Escape, ends: Ends | None) -> Outcome:
    """Read a string that is passed on when it is complete."""
    text = Text()
    reader.growing.append(text)
    outcome = yield from string(reader, text, quote, escape, ends)
    reader.growing.pop()
    pieces.append("".join(text))
    return outcome


def string(reader: Reader, pieces: list[str], quote: str, escape: Escape, ends: Ends | None) -> Outcome:
    """Read a string up to a quote after which `ends` lets it end: models forget to escape quotes."""
    put, live = pieces.append, pieces is reader.pending
    find_special = _special(quote)
    put('"')
    while True:
        buffer, at = reader.buffer, reader.at
        found = find_special(buffer, at)
        end = found.start() if found else len(buffer)
        if end > at:
            put(buffer[at:end])
            reader.at = end
        if end == len(buffer):
            if reader.ended:
                return CUT
            if live:
                reader.pass_through(SPECIAL if escape is json_escape else find_special, CALL_ARGS)
            yield
            continue
        character = buffer[end]
        if character == quote[0]:
            rest = buffer[end : end + len(quote)]
            try:
                after = end + len(quote) if rest == quote else need_end(reader.ended or not quote.startswith(rest))
                closes = ends(after) if after >= 0 and ends is not None else after
            except TooLittleTextError:
                yield
                continue
            if closes == NO:
                if after >= 0:
                    reader.forgive(UNESCAPED)
                put(quoted(character)[1:-1])
                reader.at = end + 1
            else:
                reader.at = after
                goes_on = QUOTE(buffer, closes) if closes > after and escape is not json_escape else None
                if goes_on is None:
                    put('"')
                    return DONE
                reader.at = goes_on.end()
                quote = CLOSING.get(goes_on["quote"], goes_on["quote"])
                find_special = _special(quote)
                escape = escape_after(goes_on)
        elif character == "\\":
            written, length = yield from reader.sure(escape)
            if not length:
                return CUT
            if escape is json_escape and written != reader.buffer[reader.at : reader.at + length]:
                reader.forgive("an escape that JSON does not have")
            put(written)
            reader.at += length
        else:
            if escape is json_escape:
                reader.forgive("a control character that is not escaped")
            put(quoted(character)[1:-1])
            reader.at = end + 1


@lru_cache(maxsize=64)
def _special(quote: str) -> Finder:
    """Return a search for what may end a string in these quotes, or needs an escape in JSON."""
    return re.compile(rf'["\\\x00-\x1f{re.escape(quote[0])}]').search


def text_goes_on(buffer: str, after: int, ended: bool, following: str) -> int:
    """Return `after` if one of `following` comes next, where the next string begins if one does, or NO."""
    at = lookahead.space(buffer, after)
    if at == len(buffer):
        need_end(ended)
        return after
    if buffer[at] in following:
        return after
    if at == after:
        return NO
    # A string may go on in another pair of quotes, after white space.
    if not ended and QUOTE_SO_FAR(buffer, at):
        raise TooLittleTextError
    return at if QUOTE(buffer, at) else NO


def json_escape(buffer: str, at: int, ended: bool) -> tuple[str, int]:
    """Read an escape of JSON."""
    found = JSON_ESCAPE(buffer, at)
    if found is not None:
        return found[0], len(found[0])
    if JSON_ESCAPE_SO_FAR(buffer, at):
        need_end(ended)
        return ("", 0) if at + 1 == len(buffer) else ("\\\\", 1)
    # A backslash that escapes nothing stands for itself.
    return ("'", 2) if buffer[at + 1] == "'" else ("\\\\", 1)


def python_escape(buffer: str, at: int, ended: bool) -> tuple[str, int]:
    """Read an escape of Python, or of JSON."""
    is_json = buffer[at + 1 : at + 2] in ("n", "t", '"', "\\")
    if not is_json and PYTHON_ESCAPE_SO_FAR(buffer, at):
        need_end(ended)
        if at + 1 == len(buffer):
            return "\\\\", 1
    found = None if is_json else PYTHON_ESCAPE(buffer, at)
    if found is None:
        return json_escape(buffer, at, ended) if buffer[at + 1] != "/" else ("\\\\", 1)
    kind = found.lastgroup
    decoded = chr(int(found[kind], 8 if kind == "octal" else 16)) if kind else DECODED[found[0][1]]
    return quoted(decoded)[1:-1], len(found[0])


def no_escape(buffer: str, at: int, ended: bool) -> tuple[str, int]:
    """Read a backslash that escapes nothing, with the quote or backslash after it if there is one."""
    if at + 1 == len(buffer):
        need_end(ended)
        return "\\\\", 1
    return ("\\\\" + quoted(buffer[at + 1])[1:-1], 2) if buffer[at + 1] in "\"'\\" else ("\\\\", 1)


def escape_after(quote: re.Match[str]) -> Escape:
    """Return what reads the escapes in a string of Python, by what stands before its quote."""
    return no_escape if "r" in quote["prefix"].lower() else python_escape


class Dialect(NamedTuple):
    """How values are written."""

    python: bool = False  # Whether strings, numbers, tuples and sets are Python's.
    quotes: tuple[str, ...] = ()  # Marks around strings, besides the usual quotes.
    bare: bool = False  # Whether strings and keys may be unquoted.
    word: Callable[..., re.Match[str] | None] = WORD  # Matches a number, a word, or unquoted text.


JSON = Dialect()
PYTHON = Dialect(python=True, word=PYTHON_WORD)


def read_key(reader: Reader, pieces: list[str], dialect: Dialect) -> Outcome:
    """Read an unquoted key."""
    while (key := BARE_KEY(reader.buffer, reader.at)) is None:
        if not BARE_KEY_SO_FAR(reader.buffer, reader.at):
            return reader.broken()
        if reader.ended:
            return CUT
        yield
    if not dialect.bare:
        reader.forgive("keys without quotes")
    pieces.append(quoted(key[0].strip()))
    reader.at = key.end()
    return DONE


def names_key(reader: Reader) -> Decision:
    """Return whether a name and a sign come next: a key without quotes, not a value of a set."""
    while not reader.ended and BARE_KEY_SO_FAR(reader.buffer, reader.at):
        yield
    key = BARE_KEY(reader.buffer, reader.at)
    return key is not None and key[0].isidentifier() and key[0] not in FORGIVEN_WORDS


def read_word(reader: Reader, pieces: list[str], dialect: Dialect, types: frozenset[str]) -> Outcome:
    """Read a number, a word that stands for a value, or unquoted text."""
    while True:
        buffer, at = reader.buffer, reader.at
        found = dialect.word(buffer, at, at + LONGEST_WORD)
        assert found is not None, "the pattern also matches an empty text"
        if found.end() < len(buffer) or reader.ended:
            break
        yield
    word = found[0].strip()
    text = word if word in WORDS or NUMBER(word) else None
    if reader.ended and found.end() == len(buffer) and (text is None or dialect.bare or dialect.python):
        # At the end of a reply a word may just be unfinished.
        return CUT
    text = text or _forgiven_word(reader, word, dialect, types)
    if text is None and dialect.bare and word:
        text = quoted(word)
    if text is None:
        return reader.broken("bad_literal" if word or dialect.python else "unbalanced_json")
    pieces.append(text)
    reader.at = found.end()
    return DONE


def _forgiven_word(reader: Reader, word: str, dialect: Dialect, types: frozenset[str]) -> str | None:
    """Return the JSON of a word that is not JSON but still stands for a value, else None."""
    if word in FORGIVEN_WORDS:
        if not dialect.python:
            reader.forgive(word)
        return FORGIVEN_WORDS[word]
    if word in NOT_FINITE and not dialect.python:
        reader.forgive(f"{word}, which is null in JSON")
        return "null"
    if ZEROS_FIRST(word):
        # Neither Python nor JSON has numbers with leading zeros: without a schema it is a code, so text.
        reader.forgive(f"{word}, with a leading zero")
        return str(int(word)) if types & {"integer", "number"} else quoted(word)
    if not NUMBER_LIKE(word):
        return None
    try:
        number = str(int(word, 0))
    except ValueError:
        try:
            real = float(word)
        except ValueError:
            return None
        if abs(real) == float("inf"):
            return None
        number = repr(real)
    if not dialect.python:
        reader.forgive(f"the number {word}")
    return number
