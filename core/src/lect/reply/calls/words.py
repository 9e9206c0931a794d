"""Read a number, a word or an unquoted key as it arrives, and pass it on as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from lect.reply.calls.texts import quoted
from lect.reply.reader.reader import CUT, DONE, Answer, Outcome, Reader

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


def names_key(reader: Reader) -> Answer:
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
