"""Read one value as it arrives, JSON or a literal of another notation, and pass on nothing but valid JSON text."""

import json
import re
from collections.abc import Callable, Generator

from lect.reply.calls import scalars
from lect.reply.calls.scalars import CLOSING, JSON, JSON_QUOTE, LONGEST_WORD, QUOTE, QUOTE_SO_FAR, Dialect, Ends, Escape
from lect.reply.calls.texts import quoted
from lect.reply.grammar import SPACE
from lect.reply.reader import lookahead
from lect.reply.reader.near import NO, need_end
from lect.reply.reader.reader import CUT, DONE, Outcome, Reader

DEEPEST = 200
"""How deeply values may be nested. Python's own parser gives up not far beyond that."""
COMMENT = re.compile(r"//[^\n]*\n|/\*.*?\*/|#[^\n]*\n", re.DOTALL).match
TEXT = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
WORD = r"(?:-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,99})?(?:[eE][-+]?[0-9]{1,99})?|true|false|null)(?=[ \t\r\n,\]}])"
PLAIN_KEY = re.compile(rf"{TEXT}( ?: ?)?").match
PLAIN_VALUE = re.compile(rf'(?:{TEXT}|{WORD})(, ?(?=["\w{{\[-]))?').match
"""What is JSON and has arrived whole, with the sign after it: nearly everything that models write."""

VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA, END = range(7)
SIGNS = frozenset("{}[](),:=")
CLOSES = {"[": "]", "{": "}", "(": ")"}


class _Bracket:
    """A list, an object, a tuple or a set that is being read."""

    commas = 0
    is_set = doubled = False

    def __init__(self, character: str, at: int):
        self.close, self.at = CLOSES[character], at


class ValueReader:
    """Reads one value, and appends its JSON to `pieces`: valid JSON unchanged, anything else as it was meant.

    If `pieces` is not the reader's pending text, `begin`, if given, is called before what it holds is passed on ahead
    of a string. `text_ends` tells whether a quoted string that is the whole value can end at a quote before a position,
    and `types` are those that the schema allows. The `member` of `read` is called with each key of an object that is
    the whole value: it reads the value, or returns nothing.
    """

    want, key_at = VALUE, 0
    level = 1  # How many brackets there are around the members that are read by `member`.
    unsure = 0  # How many of the brackets may still become others: `{` is a dict or a set, `(` a tuple or nothing.

    def __init__(
        self,
        reader: Reader,
        pieces: list[str],
        dialect: Dialect = JSON,
        *,
        begin: Callable[[], object] | None = None,
        text_ends: Ends | None = None,
        types: frozenset[str] = frozenset(),
    ):
        self.reader, self.pieces, self.dialect = reader, pieces, dialect
        self.begin, self.text_ends, self.types = begin, text_ends, types
        self.wrong = "bad_literal" if dialect.python else "unbalanced_json"
        self.brackets: list[_Bracket] = []
        # A comma and the white space after it are held back: before a closing bracket it is one too many.
        self.comma: list[str] = []

    def read(self, member: Callable[[str], Outcome] | None = None) -> Outcome:
        """Read the value; return DONE after it, BROKEN before what cannot be there, or CUT at the end of the reply."""
        reader, pieces, comma = self.reader, self.pieces, self.comma
        is_json = self.dialect is JSON
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
                (comma or pieces).append(buffer[at:end])
                reader.at = end
                continue
            # Where strings may be unquoted, a value can begin like a comment.
            if character in "/#" and not self.dialect.bare:
                end = yield from reader.sure(_comment)
                if end != NO:
                    reader.at = end
                    reader.forgive("a comment")
                    continue
            if comma:
                if character not in "}])":
                    pieces.extend(comma)
                else:
                    self.want = COMMA
                    if not self.dialect.python:
                        reader.forgive("an extra comma")
                comma.clear()
            if member and self.want == VALUE and 0 < len(self.brackets) <= self.level:
                key = decoded(pieces[self.key_at].rstrip(": "))
                pieces.clear()
                self.level = len(self.brackets)
                outcome = yield from member(key)
                if outcome == DONE:
                    self.want = COMMA
                    pieces.clear()
                    continue
                if outcome:
                    return outcome
            outcome = self.sign(character) if character in SIGNS else ""
            if not outcome:
                want = self.want
                if want > KEY_OR_END:
                    return reader.broken(self.wrong)
                is_key = want >= KEY
                self.want = COLON if is_key else COMMA
                plain = (PLAIN_KEY if is_key else PLAIN_VALUE)(buffer, at) if is_json and self.brackets else None
                self.key_at = len(pieces)
                if plain is None:
                    outcome = yield from (yield from self.scalar(is_key))
                else:
                    pieces.append(plain[0])
                    reader.at = plain.end()
                    if plain.lastindex:
                        self.want = VALUE if is_key or self.brackets[-1].close == "]" else KEY
                    outcome = DONE
            if outcome != DONE or not self.brackets:
                return outcome

    def sign(self, character: str) -> str:
        """Read a bracket, a colon or a comma; return DONE, BROKEN, or nothing if it is none here."""
        reader, pieces, python = self.reader, self.pieces, self.dialect.python
        inner = self.brackets[-1] if self.brackets else None
        if inner is not None and character in (inner.close, ","):
            if self.want == COLON and python and not inner.commas:
                # The first key has no value: this is a set.
                inner.is_set, self.want = True, COMMA
                pieces[inner.at] = "["
                self.unsure -= 1
            if self.want in (VALUE, KEY, COLON) or (character == "," and self.want != COMMA):
                return reader.broken(self.wrong)
            if character == ",":
                self.unsure -= inner.close == ")" and not inner.commas
                inner.commas += 1
                self.comma.append(", " if python else ",")
                self.want = KEY if inner.close == "}" and not inner.is_set else VALUE
            elif inner.doubled:
                inner.doubled, self.want = False, END
            else:
                self.close(self.brackets.pop())
        elif self.want == COLON and character in ":=":
            assert inner is not None, "only an object has keys"
            if character == "=":
                reader.forgive("= instead of :")
            if python:
                self.unsure -= not inner.commas
                if not pieces[self.key_at].startswith('"'):
                    pieces[self.key_at] = quoted(pieces[self.key_at])
            pieces.append(": " if python else ":")
            self.want = VALUE
        elif self.want == KEY_OR_END and character == "{" and inner is not None and not inner.doubled:
            reader.forgive("doubled braces")
            inner.doubled = True
        elif character in "{[" or (character == "(" and python):
            if self.want > VALUE_OR_END or len(self.brackets) == DEEPEST:
                return reader.broken(self.wrong if self.want > VALUE_OR_END else "too_deep")
            self.brackets.append(_Bracket(character, len(pieces)))
            self.unsure += python and character != "["
            pieces.append("{" if character == "{" else "[")
            self.want = KEY_OR_END if character == "{" else VALUE_OR_END
        else:
            return ""
        reader.at += 1
        return DONE

    def close(self, bracket: _Bracket) -> None:
        self.unsure -= self.want in (KEY_OR_END, VALUE_OR_END) and self.dialect.python and bracket.close != "]"
        if bracket.close == ")" and self.want == COMMA and not bracket.commas:
            # Parentheses around a single value do not make a tuple.
            self.pieces[bracket.at] = ""
            self.unsure -= 1
        else:
            self.pieces.append("}" if bracket.close == "}" and not bracket.is_set else "]")
        self.want = COMMA

    def scalar(self, is_key: bool) -> Generator[None, None, Outcome]:
        """Return what reads the string, number, word or key that begins here, when enough has arrived to tell."""
        reader, dialect = self.reader, self.dialect
        for mark in dialect.quotes:
            end = yield from reader.sure(lookahead.literal, mark)
            if end != NO:
                reader.at = end
                return self.text(is_key, mark, scalars.no_escape)
        while dialect.python and not reader.ended and QUOTE_SO_FAR(reader.buffer, reader.at):
            yield
        quote = (QUOTE if dialect.python else JSON_QUOTE)(reader.buffer, reader.at)
        if quote is None:
            if is_key and (not dialect.python or (yield from scalars.names_key(reader))):
                return scalars.read_key(reader, self.pieces, dialect)
            return scalars.read_word(reader, self.pieces, dialect, frozenset() if self.brackets else self.types)
        reader.at = quote.end()
        mark = CLOSING.get(quote["quote"], quote["quote"])
        is_json = mark == '"' and not dialect.python
        if is_json and not dialect.bare:
            return self.text(is_key, mark, scalars.json_escape)
        if not is_json and (mark in "“”‘’" or not dialect.python):
            reader.forgive("single quotes" if mark == "'" else "typographic quotes")
        ends = None if self.brackets else self.text_ends
        ends = ends or (lambda after: scalars.text_goes_on(reader.buffer, after, reader.ended, ",)]}:"))
        return self.text(is_key, mark, scalars.json_escape if is_json else scalars.escape_after(quote), ends)

    def text(self, is_key: bool, quote: str, escape: Escape, ends: Ends | None = None) -> Outcome:
        """Read a string after its quote, and pass it on as it arrives if all before it is certain."""
        reader, pieces = self.reader, self.pieces
        # Without quotes of its own, a notation has only text, and the schema says what it stands for.
        converted = self.dialect.bare and not self.brackets and self.types and "string" not in self.types
        if self.begin is not None and not (is_key or self.unsure or converted):
            self.begin()
            reader.pending.extend(pieces)
            pieces.clear()
            pieces = reader.pending
        read = scalars.string if pieces is reader.pending else scalars.held_string
        return read(reader, pieces, quote, escape, ends)


def decoded(text: str) -> str:
    """Return the value of a JSON string."""
    return str(json.loads(text)) if "\\" in text else text[1:-1]


def _comment(buffer: str, at: int, ended: bool) -> int:
    """Return where the comment at `at` ends, or NO."""
    found = COMMENT(buffer, at)
    begins = buffer.startswith(("//", "/*", "#"), at) or buffer[at:] == "/"
    return found.end() if found else need_end(ended or not begins or len(buffer) - at > LONGEST_WORD)


def read_whole(text: str, dialect: Dialect = JSON) -> str | None:
    """Return the JSON of a text that is one value and nothing else; otherwise None."""
    reader = Reader()
    reader.buffer, reader.ended = text, True
    pieces: list[str] = []
    steps = ValueReader(reader, pieces, dialect).read()
    try:
        while True:
            next(steps)
    except StopIteration as stop:
        return "".join(pieces) if stop.value == DONE and not text[reader.at :].strip() else None
