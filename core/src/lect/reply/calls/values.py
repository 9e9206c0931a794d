"""Read one value as it arrives, JSON or a literal of another notation, and pass on nothing but valid JSON text.

Valid JSON passes as it is. What a model writes beside the rules is read as it was meant, as far as that is certain, and
the reader notes what it had to forgive.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from lect.reply.calls.texts import quoted
from lect.reply.engine import lookahead
from lect.reply.engine.lookahead import MORE, NO
from lect.reply.engine.reader import CUT, DONE, Reader, Text
from lect.reply.events import CALL_ARGS
from lect.reply.grammar import SPACE

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

DEEPEST = 200
"""How deep values may lie in each other. Python's own reader gives up not far beyond."""
LONGEST_WORD = 4096
WORDS = {"true": "true", "false": "false", "null": "null"}
FORGIVEN_WORDS = {"True": "true", "False": "false", "None": "null"}
NOT_FINITE = ("NaN", "nan", "Infinity", "-Infinity", "inf", "-inf")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").fullmatch
NUMBER_LIKE = re.compile(r"[-+]?\.?[0-9]").match
ZEROS_FIRST = re.compile(r"-?0[0-9]+").fullmatch
WORD = re.compile(r"[-+.\w]*").match
PYTHON_WORD = re.compile(r"[^\s,()\[\]{}:='\"]*").match
BARE_KEY = re.compile(r"[^:{}\[\],\"'\n]{1,200}(?=:)").match
BARE_KEY_SO_FAR = re.compile(r"[^:{}\[\],\"'\n]{0,200}\Z").match
QUOTE = re.compile(r"(?P<prefix>[rRbBuUfF]{0,2})(?P<quote>\"\"\"|'''|\"|')").match
QUOTE_SO_FAR = re.compile(r"[rRbBuUfF]{0,2}(?:\"{1,2}|'{1,2})?\Z").match
COMMENT = re.compile(r"//[^\n]*\n|/\*.*?\*/|#[^\n]*\n", re.DOTALL).match
PLAIN = re.compile(
    r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
    r"|(?:-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,99})?(?:[eE][-+]?[0-9]{1,99})?|true|false|null)(?=[ \t\r\n,\]}])"
).match
"""A text, a number or a word of JSON that has arrived whole: nearly all that is written."""
MATTERS = re.compile(r'["\\\x00-\x1f](?!(?<=\\)[/bfnrt])').search
"""What is not passed on as it stands inside of a JSON string; the usual escapes are."""
HEX = re.compile(r"[0-9a-fA-F]*").match
OCTAL = re.compile(r"[0-7]{1,3}").match
DECODED = {"v": "\v", "a": "\a", "\n": ""}
CODES = {"x": 2, "U": 8}

VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA = range(6)


class Dialect(NamedTuple):
    """How values are written."""

    python: bool = False
    """Whether texts, numbers, tuples and sets are Python's."""
    quotes: tuple[str, ...] = ()
    """Marks that stand round texts, besides the usual quotes."""
    bare: bool = False
    """Whether texts and keys may stand without quotes."""
    word: Callable[..., re.Match[str] | None] = WORD
    """Matches a number, a word, or text without quotes."""


JSON = Dialect()
PYTHON = Dialect(python=True, word=PYTHON_WORD)


CLOSES = {"[": "]", "{": "}", "(": ")"}


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
    types: frozenset[str] = frozenset(),
) -> Generator[None, None, str]:
    """Read one value and append its JSON to `pieces`.

    Args:
        reader: What is read from.
        pieces: Where the JSON goes; of a Python literal, a list of its own.
        dialect: How it is written.
        live: Whether `pieces` is what the reader says now.
        text_ends: Where a text in quotes is the whole value: says whether it can end at a quote before this place.
        types: The types that the schema allows.

    Returns:
        DONE behind the value; BROKEN before the character that cannot stand there, with `reader.why` set; CUT at the
        end of the reply.
    """
    put = pieces.append
    wrong = "bad_literal" if dialect.python else "unbalanced_json"
    strict = dialect is JSON
    stack: list[_Bracket] = []
    inner: _Bracket | None = None
    want = VALUE
    # A comma and the white space behind it wait: where a bracket closes, there is one too many.
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
            reader.at = lookahead.space(buffer, at)
            (comma or pieces).append(buffer[at : reader.at])
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
                outcome = yield from scalar(
                    reader, pieces, dialect, is_key=is_key, live=live, text_ends=None if stack else text_ends,
                    types=frozenset() if stack else types,
                )  # fmt: skip
                if outcome != DONE:
                    return outcome
            want = COLON if is_key and not (inner is not None and inner.is_set) else COMMA
        if inner is None:
            return DONE


def _close(bracket: _Bracket, pieces: list[str], *, filled: bool) -> None:
    if bracket.is_set:
        pieces[bracket.at] = "["
    if bracket.close == ")" and filled and not bracket.commas:
        # Brackets round a single value are no tuple.
        pieces[bracket.at] = ""
    else:
        pieces.append("}" if bracket.close == "}" and not bracket.is_set else "]")


def spaces(reader: Reader, pieces: list[str] | None = None) -> Generator[None, None, bool]:
    """Read white space; return whether anything follows it."""
    while True:
        buffer, at = reader.buffer, reader.at
        found = lookahead.SPACES(buffer, at)
        assert found is not None, "the pattern matches nothing too"
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
    """Read over a comment; return whether there is one."""
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


def scalar(
    reader: Reader,
    pieces: list[str],
    dialect: Dialect,
    *,
    is_key: bool = False,
    live: bool = False,
    text_ends: Callable[[int], int] | None = None,
    types: frozenset[str] = frozenset(),
) -> Generator[None, None, str]:
    """Read a text, a number, a word or a key.

    This and `string` hand on the generator of what they find, because every chunk passes through all that are open.
    """
    if dialect.python or dialect.quotes:
        return _scalar_of(dialect, reader, pieces, is_key, live, text_ends, types)
    return _json_scalar(reader, pieces, dialect, is_key, live, text_ends, types)


def _scalar_of(
    dialect: Dialect,
    reader: Reader,
    pieces: list[str],
    is_key: bool,
    live: bool,
    text_ends: Callable[[int], int] | None,
    types: frozenset[str],
) -> Generator[None, None, str]:
    """Read one that may begin with a mark or a prefix, of which the end has perhaps not arrived."""
    for mark in dialect.quotes:
        while (end := lookahead.literal(reader.buffer, reader.at, mark, reader.ended)) == MORE:
            yield
        if end != NO:
            reader.at = end
            return (yield from string(reader, pieces, mark, _no_escape, live=live))
    if not dialect.python:
        return (yield from _json_scalar(reader, pieces, dialect, is_key, live, text_ends, types))
    while not reader.ended and QUOTE_SO_FAR(reader.buffer, reader.at):
        yield
    quote = QUOTE(reader.buffer, reader.at)
    if quote is None:
        return (yield from _word(reader, pieces, dialect, types))
    reader.at = quote.end()
    escape = _no_escape if "r" in quote["prefix"].lower() else _python_escape
    return (yield from string(reader, pieces, quote["quote"], escape, text_ends or _ends_in(reader)))


def _json_scalar(
    reader: Reader,
    pieces: list[str],
    dialect: Dialect,
    is_key: bool,
    live: bool,
    text_ends: Callable[[int], int] | None,
    types: frozenset[str],
) -> Generator[None, None, str]:
    character = reader.buffer[reader.at]
    if character == '"':
        reader.at += 1
        ends = None if not dialect.bare else text_ends or _ends_in(reader)
        return string(reader, pieces, '"', _json_escape, ends, live=live)
    if character == "'":
        reader.at += 1
        reader.forgive("single quotes")
        return string(reader, pieces, "'", _python_escape, text_ends or _ends_in(reader))
    return _bare_key(reader, pieces, dialect) if is_key else _word(reader, pieces, dialect, types)


# Texts


def string(
    reader: Reader,
    pieces: list[str],
    quote: str,
    escape: Callable[[str, int, bool], tuple[str, int] | None],
    ends: Callable[[int], int] | None = None,
    *,
    live: bool = False,
) -> Generator[None, None, str]:
    """Read a text up to its closing quote: one behind which `ends` lets it end. Models forget to escape quotes."""
    if live:
        return _characters(reader, pieces.append, quote, escape, ends, live=live)
    return _held(reader, pieces, quote, escape, ends)


def _held(
    reader: Reader,
    pieces: list[str],
    quote: str,
    escape: Callable[[str, int, bool], tuple[str, int] | None],
    ends: Callable[[int], int] | None,
) -> Generator[None, None, str]:
    """Read a text that is said when it is complete."""
    text = Text()
    reader.growing.append(text)
    outcome = yield from _characters(reader, text.append, quote, escape, ends)
    reader.growing.pop()
    pieces.append("".join(text))
    return outcome


def _characters(
    reader: Reader,
    put: Callable[[str], None],
    quote: str,
    escape: Callable[[str, int, bool], tuple[str, int] | None],
    ends: Callable[[int], int] | None,
    *,
    live: bool = False,
) -> Generator[None, None, str]:
    plain = _plain(quote)
    put('"')
    while True:
        buffer, at = reader.buffer, reader.at
        found = plain(buffer, at)
        assert found is not None, "the pattern matches nothing too"
        end = found.end()
        if end > at:
            put(buffer[at:end])
            reader.at = end
        if end == len(buffer):
            if reader.ended:
                return CUT
            if live and quote == '"' and ends is None:
                reader.let_pass(MATTERS, CALL_ARGS)
            yield
            continue
        character = buffer[end]
        if character == quote[0]:
            after = lookahead.literal(buffer, end, quote, reader.ended)
            closes = ends(after) if after >= 0 and ends is not None else after
            if closes == MORE:
                yield
            elif closes == NO:
                put(quoted(character)[1:-1])
                reader.at = end + 1
            else:
                reader.at = after
                goes_on = QUOTE(buffer, closes) if closes > after and escape is not _json_escape else None
                if goes_on is None:
                    put('"')
                    return DONE
                reader.at = goes_on.end()
                quote = goes_on["quote"]
                plain = _plain(quote)
                escape = _no_escape if "r" in goes_on["prefix"].lower() else _python_escape
        elif character == "\\":
            decoded = escape(buffer, end, reader.ended)
            if decoded is None:
                yield
                continue
            written, length = decoded
            if not length:
                return CUT
            if escape is _json_escape and written != buffer[end : end + length]:
                reader.forgive("an escape that JSON does not have")
            put(written)
            reader.at = end + length
        else:
            if escape is _json_escape:
                reader.forgive("a control character that is not escaped")
            put(quoted(character)[1:-1])
            reader.at = end + 1


@lru_cache(maxsize=64)
def _plain(quote: str) -> Callable[[str, int], re.Match[str] | None]:
    """Return what matches text in which nothing ends or must be escaped."""
    return re.compile(rf'[^"\\\x00-\x1f{re.escape(quote[0])}]*').match


def _ends_in(reader: Reader) -> Callable[[int], int]:
    """Return what says whether a text in brackets can end before a place, by what stands there."""
    return lambda after: text_goes_on(reader.buffer, after, reader.ended, ",)]}:")


def text_goes_on(buffer: str, after: int, ended: bool, following: str) -> int:
    """Return `after` where one of `following` comes next, and where the next text begins if one does; NO or MORE."""
    at = lookahead.space(buffer, after)
    if at == len(buffer):
        return after if ended else MORE
    if buffer[at] in following:
        return after
    if at == after:
        return NO
    # A text may go on in another pair of quotes, with white space between.
    if not ended and QUOTE_SO_FAR(buffer, at):
        return MORE
    return at if QUOTE(buffer, at) else NO


def _json_escape(buffer: str, at: int, ended: bool) -> tuple[str, int] | None:
    """Return the JSON of an escape, and its length, 0 where the reply ends in it; None where more text must tell."""
    if at + 1 == len(buffer):
        return ("", 0) if ended else None
    character = buffer[at + 1]
    if character in '"\\/bfnrt':
        return buffer[at : at + 2], 2
    if character == "'":
        return "'", 2
    if character == "u":
        digits = HEX(buffer, at + 2, at + 6)
        if digits is not None and digits.end() == at + 6:
            return buffer[at : at + 6], 6
        if not ended and digits is not None and digits.end() == len(buffer):
            return None
    # A backslash that escapes nothing stands for itself.
    return "\\\\", 1


def _python_escape(buffer: str, at: int, ended: bool) -> tuple[str, int] | None:
    """Return the same of an escape that may be one of Python's own."""
    if at + 1 == len(buffer):
        return ("\\\\", 1) if ended else None
    character = buffer[at + 1]
    if character in DECODED:
        return quoted(DECODED[character])[1:-1], 2
    if character == "/":
        return "\\\\", 1
    if character in CODES:
        length = CODES[character]
        digits = HEX(buffer, at + 2, at + 2 + length)
        assert digits is not None, "the pattern matches nothing too"
        if len(digits[0]) == length and int(digits[0], 16) < 0x110000:
            return quoted(chr(int(digits[0], 16)))[1:-1], 2 + length
        return None if not ended and digits.end() == len(buffer) and len(digits[0]) < length else ("\\\\", 1)
    octal = OCTAL(buffer, at + 1)
    if octal is not None:
        if len(octal[0]) < 3 and octal.end() == len(buffer) and not ended:
            return None
        return quoted(chr(int(octal[0], 8)))[1:-1], 1 + len(octal[0])
    return _json_escape(buffer, at, ended)


def _no_escape(buffer: str, at: int, ended: bool) -> tuple[str, int] | None:
    """Return a backslash that escapes nothing, with the quote or backslash behind it where there is one."""
    if at + 1 == len(buffer):
        return ("\\\\", 1) if ended else None
    return ("\\\\" + quoted(buffer[at + 1])[1:-1], 2) if buffer[at + 1] in "\"'\\" else ("\\\\", 1)


# Words


def _bare_key(reader: Reader, pieces: list[str], dialect: Dialect) -> Generator[None, None, str]:
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


def _word(reader: Reader, pieces: list[str], dialect: Dialect, types: frozenset[str]) -> Generator[None, None, str]:
    """Read a number, a word that stands for a value, or text without quotes."""
    while True:
        buffer, at = reader.buffer, reader.at
        found = dialect.word(buffer, at, at + LONGEST_WORD)
        assert found is not None, "the pattern matches nothing too"
        if found.end() < len(buffer) or reader.ended:
            break
        yield
    word = found[0].strip()
    text = known_word(word)
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


def known_word(word: str) -> str | None:
    """Return the JSON of a word of JSON."""
    return WORDS.get(word) or (word if NUMBER(word) else None)


def _forgiven_word(reader: Reader, word: str, dialect: Dialect, types: frozenset[str]) -> str | None:
    """Return the JSON of a word that is none of JSON's and still stands for a value."""
    if word in FORGIVEN_WORDS:
        if not dialect.python:
            reader.forgive(word)
        return FORGIVEN_WORDS[word]
    if word in NOT_FINITE and not dialect.python:
        reader.forgive(f"{word}, which is null in JSON")
        return "null"
    if ZEROS_FIRST(word):
        # Neither Python nor JSON has numbers with zeros in front: without a schema it is a code, and text.
        reader.forgive(f"{word}, with a zero in front")
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


def read_whole(text: str, dialect: Dialect = JSON) -> str | None:
    """Return the JSON of a text that is one value and nothing else; None where it is none."""
    reader = Reader()
    reader.buffer, reader.ended = text, True
    pieces: list[str] = []
    steps = value(reader, pieces, dialect)
    try:
        while True:
            next(steps)
    except StopIteration as stop:
        return "".join(pieces) if stop.value == DONE and not text[reader.at :].strip() else None
