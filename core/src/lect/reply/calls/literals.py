"""Calls written as in Python, `name(key=literal, ...)`, or in a notation like it.

Each argument is passed on as JSON when it is complete.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lect.reply.calls.jsontext import DEEPEST, NUMBER, WORDS, spaces
from lect.reply.calls.objects import ObjectWriter
from lect.reply.calls.plaintext import quoted
from lect.reply.calls.pythontext import QUOTE, QUOTE_SO_FAR, python_text
from lect.reply.calls.schema import Schemas
from lect.reply.engine import lookahead
from lect.reply.engine.compiled import BARE_KEY, BARE_KEY_SO_FAR, PYTHON_KEY, PYTHON_KEY_SO_FAR
from lect.reply.engine.lookahead import MORE, NO
from lect.reply.engine.reader import CUT, DONE, Reader
from lect.reply.grammar import Literals

if TYPE_CHECKING:
    from collections.abc import Generator

    from lect.reply.engine.compiled import Found

LONGEST_WORD = 4096
WORD = re.compile(r"[^\s,()\[\]{}:='\"]*")
BARE_WORD = re.compile(r"[^,\[\]{}<]*")
NUMBER_LIKE = re.compile(r"[-+]?\.?[0-9]")


def literals_call(reader: Reader, found: Found) -> Generator[None, None, str]:
    """Read the arguments of a call, up to and with its closing bracket."""
    assert found.call is not None
    spec = found.call.syntax.arguments
    assert isinstance(spec, Literals)
    reader.begin_call(found.call.name(found.fields), found.fields.get("id"))
    writer = ObjectWriter(reader)
    pattern, so_far = (PYTHON_KEY, PYTHON_KEY_SO_FAR) if spec.assign == "=" else (BARE_KEY, BARE_KEY_SO_FAR)
    while True:
        if not (yield from spaces(reader)):
            return CUT
        if reader.buffer.startswith(spec.close, reader.at):
            writer.end()
            reader.at += len(spec.close)
            return DONE
        while (key := pattern.match(reader.buffer, reader.at)) is None or key.end() == len(reader.buffer):
            if key is None and not so_far.match(reader.buffer, reader.at):
                return reader.broken("bad_literal")
            if reader.ended:
                break
            yield
        if key is None:
            return CUT
        reader.at = key.end()
        pieces: list[str] = []
        outcome = yield from value(reader, spec, pieces)
        # What there is of a text is the beginning of JSON; what there is of a bracket may yet become another one.
        says = outcome == DONE or (outcome == CUT and pieces[:1] == ['"'])
        if says and writer.key(key[0][: -len(spec.assign)].strip()):
            reader.pending.append("".join(pieces))
        if outcome != DONE:
            return outcome
        if not (yield from spaces(reader)):
            return CUT
        if reader.buffer[reader.at] == ",":
            reader.at += 1
        elif not reader.buffer.startswith(spec.close, reader.at):
            return reader.broken("bad_literal")


class _Bracket:
    """A list, tuple, set or dict that is being read."""

    __slots__ = ("at", "close", "commas", "is_dict", "items", "key_at", "paired", "round")

    def __init__(self, character: str, at: int, *, is_dict: bool):
        self.close = {"[": "]", "(": ")", "{": "}"}[character]
        self.round = character == "("
        self.at = at
        self.is_dict = is_dict
        self.items = 0
        self.commas = 0
        self.key_at = at + 1
        self.paired = False


def value(reader: Reader, spec: Literals, pieces: list[str]) -> Generator[None, None, str]:
    """Read one literal into `pieces` of JSON."""
    stack: list[_Bracket] = []
    bare_keys = spec.assign != "="
    complete = text_before = False
    while True:
        if not (yield from spaces(reader)):
            return DONE if complete and not stack else CUT
        character = reader.buffer[reader.at]
        inner = stack[-1] if stack else None
        # A text may go on in another pair of quotes.
        goes_on = complete and text_before and character in "'\"" and not spec.quotes
        if complete and inner is None and not goes_on:
            return DONE
        if complete and inner is not None and (character == "," or (character == ":" and not bare_keys)):
            if not (_is_pair(inner) if character == "," else _makes_pair(inner, pieces)):
                return reader.broken("bad_literal")
            pieces.append(", " if character == "," else ": ")
            if character == ",":
                inner.commas += 1
                inner.key_at = len(pieces)
                inner.paired = False
            reader.at += 1
            complete = False
        elif (
            inner is not None and character == inner.close and (complete or inner.items == inner.commas) and not goes_on
        ):
            if complete and not _is_pair(inner):
                return reader.broken("bad_literal")
            reader.at += 1
            stack.pop()
            _close(inner, pieces)
            complete, text_before = True, False
        elif complete and not goes_on:
            return reader.broken("bad_literal")
        elif inner is not None and inner.is_dict and bare_keys and not inner.paired:
            outcome = yield from _bare_key(reader, pieces)
            if outcome != DONE:
                return outcome
            inner.paired = True
        elif character in "[({":
            if len(stack) == DEEPEST:
                return reader.broken("too_deep")
            if inner is not None:
                inner.items = inner.commas + 1
            pieces.append("{" if character == "{" else "[")
            stack.append(_Bracket(character, len(pieces) - 1, is_dict=character == "{" and bare_keys))
            reader.at += 1
        else:
            outcome = yield from _scalar(reader, spec, pieces, goes_on=goes_on)
            if outcome != DONE:
                return outcome
            if inner is not None:
                inner.items = inner.commas + 1
            complete, text_before = True, pieces[-1] == '"'


def _is_pair(inner: _Bracket) -> bool:
    return inner.paired or not inner.is_dict


def _makes_pair(inner: _Bracket, pieces: list[str]) -> bool:
    """Note that a bracket holds pairs; keys become texts, as JSON wants them."""
    if inner.close != "}" or inner.paired or (inner.commas and not inner.is_dict):
        return False
    inner.is_dict = inner.paired = True
    key = "".join(pieces[inner.key_at :])
    if not key.startswith('"'):
        del pieces[inner.key_at :]
        pieces.append(quoted(key))
    return True


def _close(bracket: _Bracket, pieces: list[str]) -> None:
    if bracket.items and pieces[-1] == ", ":
        pieces.pop()
    if bracket.close == "}" and (bracket.is_dict or not bracket.items):
        pieces.append("}")
    elif bracket.round and bracket.items == 1 and not bracket.commas:
        pieces[bracket.at] = ""
    else:
        pieces[bracket.at] = "["
        pieces.append("]")


def _bare_key(reader: Reader, pieces: list[str]) -> Generator[None, None, str]:
    while (key := BARE_KEY.match(reader.buffer, reader.at)) is None:
        if not BARE_KEY_SO_FAR.match(reader.buffer, reader.at):
            return reader.broken("bad_literal")
        if reader.ended:
            return CUT
        yield
    pieces.append(f"{quoted(key[0][:-1].strip())}: ")
    reader.at = key.end()
    return DONE


def _scalar(reader: Reader, spec: Literals, pieces: list[str], *, goes_on: bool) -> Generator[None, None, str]:
    """Read a text, a number or a word."""
    for mark in spec.quotes:
        while (end := lookahead.literal(reader.buffer, reader.at, mark, reader.ended)) == MORE:
            yield
        if end != NO:
            reader.at = end
            return (yield from _marked_text(reader, mark, pieces))
    while not reader.ended and QUOTE_SO_FAR.match(reader.buffer, reader.at):
        yield
    quote = QUOTE.match(reader.buffer, reader.at)
    if quote is not None:
        if goes_on:
            pieces.pop()
        else:
            pieces.append('"')
        raw = "r" in quote[0].lower()
        reader.at = quote.end()
        return (yield from python_text(reader, quote["quote"], pieces, raw=raw))
    return (yield from _word(reader, spec, pieces))


def _word(reader: Reader, spec: Literals, pieces: list[str]) -> Generator[None, None, str]:
    pattern = BARE_WORD if spec.quotes else WORD
    while True:
        buffer, at = reader.buffer, reader.at
        found = pattern.match(buffer, at, at + LONGEST_WORD)
        assert found is not None, "the pattern matches nothing too"
        if found.end() < len(buffer) or reader.ended:
            break
        yield
    word = found[0].strip()
    if reader.ended and found.end() == len(buffer):
        return CUT
    text = WORDS.get(word) or (word if NUMBER(word) else _python_number(word))
    if text is None and spec.quotes and word:
        text = quoted(word)
    if text is None:
        return reader.broken("bad_literal")
    pieces.append(text)
    reader.at = found.end()
    return DONE


def _python_number(word: str) -> str | None:
    if not NUMBER_LIKE.match(word):
        return None
    try:
        return str(int(word, 0))
    except ValueError:
        pass
    if word.isdigit():
        # Neither Python nor JSON has numbers with zeros in front; what looks so is a code.
        return quoted(word)
    try:
        number = float(word)
    except ValueError:
        return None
    return repr(number) if abs(number) < float("inf") else None


def _marked_text(reader: Reader, mark: str, pieces: list[str]) -> Generator[None, None, str]:
    """Read a text up to the mark that closes it."""
    pieces.append('"')
    while True:
        buffer, at = reader.buffer, reader.at
        end = buffer.find(mark, at)
        # The last characters may be the beginning of the mark.
        last = end if end >= 0 else len(buffer) if reader.ended else max(at, len(buffer) - len(mark) + 1)
        pieces.append(quoted(buffer[at:last])[1:-1])
        reader.at = last
        if end >= 0:
            reader.at = end + len(mark)
            pieces.append('"')
            return DONE
        if reader.ended:
            return CUT
        yield


def literal_as_json(text: str) -> str | None:
    """Return the JSON of a text that is one Python literal; None where it is none."""
    reader = Reader(Schemas(None))
    reader.buffer, reader.ended = text, True
    pieces: list[str] = []
    steps = value(reader, Literals(), pieces)
    try:
        while True:
            next(steps)
    except StopIteration as stop:
        return "".join(pieces) if stop.value == DONE and not text[reader.at :].strip() else None
