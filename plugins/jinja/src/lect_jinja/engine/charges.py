"""What the operators, methods, filters, tests and functions of a template cost: taken from its work before they run.

A row of their tables (see `operations.py`) names one of these functions. `weights`, the weights of all operands, is
right for most; the others are for what takes the items of a container without looking into them (`shallow`), and for
what costs more than a look at each operand: a search, a split, a text that grows. These are the worst cases of
CPython, not the usual ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lect_jinja.engine.guard import (
    CHARACTER,
    CHARACTERS,
    INTEGERS,
    ITEM,
    KEPT,
    MAPPINGS,
    SCALARS,
    SEQUENCES,
    SIZED,
    VIEWS,
    WORD_BITS,
    WRITE,
)
from lect_jinja.engine.strings import TEXTS, Safe, pieces_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lect_jinja.engine.guard import Guard

    Cost = Callable[..., int]

WRITABLE = TEXTS | SCALARS | SEQUENCES | MAPPINGS
CALL = 8
"""The work of calling anything: all the cost of what asks the context, or another operation, which are charged for the
operands."""
PART = 8
"""The work of creating one part of a text, with its origin."""
COMPARED = 7
"""A unit of work pays for two to the power of this many characters that are compared in a search."""
SHORT, MEDIUM = 2500, 30_000
"""Below these lengths CPython compares a needle, or at least 100 characters of it, at every place of a text; in longer
texts it begins cleverer algorithms after six."""
STEP = 4
"""The work of a character of an attribute path, which has a name for every two characters at most."""
MOST_DIGITS = 300
"""Digits to which a float may be rounded."""
FORM = 2
"""A unit of work pays for two to the power of this many characters of a form."""
FIELD = 16
"""The work of one field of a form."""
MOST_SIZE = 10
"""Digits of a width or of a precision."""
SLICED = 2
"""A unit of work pays for copying two to the power of this many items of a list."""
ESCAPED = 5
"""Characters of the longest entity that HTML escapes become."""
SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
SPACES += "\u2028\u2029\u202f\u205f\u3000"
WORD = 8
"""The work of a character of a text that is cut into words: each of them may be a text of its own."""
LIST = 16
"""The work of creating a list."""
LINE_ENDS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"


def searching(length: int, needle: int) -> int:
    """Return the work of searching a text from its beginning, for a needle of some length."""
    most = needle if length < SHORT else 100 if length < MEDIUM else 6
    return length * min(needle, most) >> COMPARED


def weights(context: Guard, *operands: Any, **named: Any) -> int:
    """Return the weights of all operands: what most operations cost."""
    work = CALL + sum(map(context.weight, operands))
    return work + sum(map(context.weight, named.values())) if named else work


def comparing(context: Guard, left: Any, right: Any) -> int:
    """Return the cost of comparing two values, which ends where one of them does."""
    return context.lesser(left, right)


def alike(context: Guard, value: Any, other: Any) -> int:
    """Return the cost of a test that compares two values."""
    return CALL + context.lesser(value, other)


def weighing(context: Guard, value: Any) -> int:
    """Return the weight of a value."""
    return context.weight(value)


def keeping(context: Guard, value: Any) -> int:
    """Return the cost of keeping something until the render ends."""
    return KEPT


def noting(context: Guard, value: Any) -> int:
    """Return nothing: that a new value is weighed is counted while it is gone through."""
    context.weight(value)
    return 0


def looking_up(context: Guard, values: Any, key: Any) -> int:
    """Return the cost of looking something up: the key is hashed, and compared with an equal one."""
    return 0 if type(key) in SCALARS else context.weight(key)


def calculating(context: Guard, left: Any, right: Any) -> int:
    """Return the cost of calculating with numbers; views of mappings would be sets.

    Raises:
        TypeError: If one of them is a view of a mapping.
    """
    work = 0
    for each in (left, right):
        if type(each) in VIEWS:
            msg = f"unsupported operand type: {type(each).__name__!r}"
            raise TypeError(msg)
        if type(each) in INTEGERS:
            work += context.weight(each)
    return work


def adding(context: Guard, left: Any, right: Any) -> int:
    """Return the cost of a sum, whose length is checked if it is a text."""
    if isinstance(left, str) and isinstance(right, str):
        context.check_string(len(left) + len(right), left, right)
        if not (isinstance(left, Safe) or isinstance(right, Safe)):
            return len(pieces_of(left)) + len(pieces_of(right))
        context.check_string(ESCAPED * (len(left) + len(right)))
        return context.weight(left) + context.weight(right)
    if type(left) in SEQUENCES and type(right) in SEQUENCES:
        return len(left) + len(right)
    return calculating(context, left, right)


def multiplying(context: Guard, left: Any, right: Any) -> int:
    """Return the cost of a product, whose size is checked, or of repeating a text or a list."""
    if isinstance(left, int) and isinstance(right, int):
        return _sized(context, left, right, left.bit_length() + right.bit_length() - 1)
    repeated, times = (right, left) if isinstance(left, int) else (left, right)
    times = max(times, 0) if isinstance(times, int) else 0
    if isinstance(repeated, str):
        context.check_string(len(repeated) * times, repeated)
        return 0 if type(repeated) is str else len(pieces_of(repeated)) * times
    return len(repeated) * times * ITEM if type(repeated) in SEQUENCES else 0


def raising(context: Guard, left: Any, right: Any) -> int:
    """Return the cost of a power, whose size is checked."""
    is_whole = isinstance(left, int) and isinstance(right, int)
    return _sized(context, left, right, left.bit_length() * max(right, 0) if is_whole else 0)


def _sized(context: Guard, left: Any, right: Any, bits: int) -> int:
    if bits > context.limits.bits:
        context.refuse("bits", "it creates an integer that is too large")
    return calculating(context, left, right)


def modulo(context: Guard, left: Any, right: Any) -> int:
    """Return the cost of a remainder, or of looking for the fields of a text."""
    return filling("%")(context, left) if isinstance(left, str) else calculating(context, left, right)


def filling(signs: str) -> Cost:
    """Return the cost of looking for the fields of a form, each of which begins or ends with one of some signs."""

    def cost(context: Guard, form: Any, *operands: Any, **named: Any) -> int:
        fields = FIELD * sum(str.count(form, sign) for sign in signs) if isinstance(form, str) else 0
        return weights(context, form, *operands, **named) + (_length(form) >> FORM) + fields

    return cost


def check_size(context: Guard, *sizes: str | None) -> None:
    """Check the width and the precision of a field before it is written."""
    for size in sizes:
        if size and len(size) > MOST_SIZE:
            context.refuse("string", "it writes a value with an endless width")
        context.check_string(int(size or 0))
        context.spend(int(size or 0) >> FORM)


def dating(context: Guard, form: Any) -> int:
    """Return the cost of writing a date."""
    if _length(form) > context.limits.bits:
        context.refuse("bits", f"it asks for a date in a format of {len(form):,} characters")
    # The C library pads a field to any width.
    check_size(context, *re.findall(r"\d+", form if isinstance(form, str) else ""))
    return filling("%")(context, form)


def ranging(context: Guard, *bounds: Any) -> int:
    """Return the cost of going through the numbers of a range, which must not be too many."""
    numbers = range(*bounds)
    # `len` fails for a range that is too long for an index.
    length = max(0, (numbers.stop - numbers.start + numbers.step - (1 if numbers.step > 0 else -1)) // numbers.step)
    if length > context.limits.work * 1000:
        context.refuse("work", f"it creates a range of {length:,} numbers")
    bits = max(each.bit_length() for each in (numbers.start, numbers.stop, numbers.step))
    return weights(context, *bounds) + length * ITEM * (1 + bits // WORD_BITS)


def containing(context: Guard, value: Any, values: Any) -> int:
    """Return the cost of looking for a value; what is gone through for that is counted when it is."""
    kind = type(values)
    if kind in TEXTS:
        is_text = isinstance(value, str)
        return (len(values) >> CHARACTERS) + searching(len(values), len(value)) if is_text else 0
    return context.weight(value) + (context.weight(values) if kind in SEQUENCES else 0)


def slicing(context: Guard, values: Any, key: slice) -> int:
    """Return the cost of a slice."""
    if type(values) in TEXTS:
        return context.weight(values)
    return len(range(*key.indices(len(values)))) >> SLICED if type(values) in SEQUENCES else 0


def searched(context: Guard, text: Any, needle: Any = None, *operands: Any, **named: Any) -> int:
    """Return the cost of a search from the beginning of a text."""
    work = weights(context, text, needle, *operands, **named)
    return work + searching(_length(text), _length(needle) + sum(map(_length, named.values())))


def compared_everywhere(context: Guard, text: Any, needle: Any = None, *operands: Any, **named: Any) -> int:
    """Return the cost of a search from the end, or for each of some characters: nothing in it is clever."""
    if needle is None and not named:
        return CALL + context.weight(text)
    work = weights(context, text, needle, *operands, **named)
    return work + (_length(text) * (_length(needle) + sum(map(_length, named.values()))) >> COMPARED)


def split(search: Cost) -> Cost:
    """Return the cost of a search that cuts a text into parts, and of creating them."""

    def cost(context: Guard, text: Any, sep: Any = None, *operands: Any, **named: Any) -> int:
        context.spend(search(context, text, sep, *operands, **named))
        if isinstance(sep, str):
            return _parts(text, (sep,))
        context.spend(context.weight(text))
        return _parts(text, SPACES)

    return cost


def lines(context: Guard, text: Any, *operands: Any, **named: Any) -> int:
    """Return the cost of cutting a text into lines."""
    return weights(context, text, *operands, **named) + _parts(text, LINE_ENDS)


def _parts(text: Any, separators: Any) -> int:
    """Return the work of creating the parts of a text."""
    return PART * (1 + sum(str.count(text, each) for each in separators if each and isinstance(text, str)))


def replaced(context: Guard, text: Any, *operands: Any, **named: Any) -> int:
    """Return the cost of replacing parts of a text, whose length is checked."""
    context.spend(searched(context, text, *operands, **named))
    arguments = dict(zip(("old", "new", "count"), operands, strict=False)) | named
    old, new, count = (arguments.get(name) for name in ("old", "new", "count"))
    if not (isinstance(text, str) and isinstance(old, str) and isinstance(new, str)):
        return 0
    times = str.count(text, old)
    if isinstance(count, int) and count >= 0:
        times = min(times, count)
    context.check_string(len(text) + max(len(new) - len(old), 0) * times, text, new)
    return PART * times


def padded(context: Guard, text: Any, width: Any = 0, *fill: Any, **named: Any) -> int:
    """Return the cost of padding a text, whose length is checked."""
    repeated = "".join(each for each in fill if isinstance(each, str))
    context.check_string(width if isinstance(width, int) and width > 0 else 0, repeated)
    return weights(context, text, width, *fill, **named)


def letters(context: Guard, text: Any, *operands: Any) -> int:
    """Return the cost of changing letters, which CPython does in twelve bytes for each that is not ASCII."""
    work = weights(context, text, *operands) if operands else CALL + context.weight(text)
    return work if text.isascii() else work + (len(text) >> 2)


def indenting(context: Guard, text: Any, width: Any = 4, *operands: Any, **named: Any) -> int:
    """Return the cost of indenting the lines of a text, whose length is checked."""
    count = 1 + sum(str.count(text, end) for end in LINE_ENDS)
    context.check_string(len(text) + (_length(width) + 1 if isinstance(width, str) else max(width, 0) + 1) * count)
    return lines(context, text, width, *operands, **named) + context.weight(text)


def words(context: Guard, value: Any, *operands: Any) -> int:
    """Return the cost of Jinja2's own title case, which cuts a text into words first."""
    return weights(context, value, *operands) + PART * _length(value)


def shallow(context: Guard, value: Any, *operands: Any, **named: Any) -> int:
    """Return the cost of taking the items of a container without looking into them."""
    return weights(context, *operands, **named) + _taking(value)


def _taking(value: Any) -> int:
    kind = type(value)
    return (CHARACTER if kind in TEXTS else ITEM) * len(value) if kind in SIZED else 0


def joining(context: Guard, between: Any, texts: Any = ()) -> int:
    """Return the cost of joining texts, whose length is checked."""
    context.spend(_taking(texts))
    if type(texts) not in SIZED:
        return CALL
    context.check_string(sum(map(_length, texts)) + len(between) * len(texts))
    return context.weight(between) * (1 + len(texts)) + sum(map(context.weight, texts))


def by_key(context: Guard, mapping: Any, *operands: Any, **named: Any) -> int:
    """Return the cost of a look-up, which does not go through the mapping."""
    return weights(context, *operands[:1], **named)


def made(context: Guard, *operands: Any, **named: Any) -> int:
    """Return the cost of putting values together: what they weigh is noted when they are."""
    return 2 * CALL + ITEM * (len(operands) + len(named))


def each(position: int | None = None) -> Cost:
    """Return the cost of a filter that calls something for each value, or follows an attribute path in each.

    Args:
        position: The place of the path among the operands after the receiver; None for one that is only named.
    """

    def cost(context: Guard, value: Any, *operands: Any, **named: Any) -> int:
        path = _following(context, attribute(position, operands, named))
        items = len(value) if type(value) in SIZED else 1
        return weights(context, *operands, **named) + path + (CALL + path) * items

    return cost


def _following(context: Guard, path: Any) -> int:
    """Return the work of following an attribute path in one value."""
    if path is None:
        return 0
    return CALL + (STEP * len(path) if isinstance(path, str) else context.weight(path))


def attribute(position: int | None, operands: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    """Return the attribute path among the operands of a filter; None if there is none."""
    if position is not None and len(operands) > position:
        return operands[position]
    return named.get("attribute")


def json(context: Guard, value: Any, *operands: Any, **named: Any) -> int:
    """Return the cost of writing JSON, whose length is checked."""
    arguments = dict(zip(("ensure_ascii", "indent", "separators"), operands, strict=False)) | named
    indent, separators = arguments.get("indent"), arguments.get("separators")
    if type(value) not in WRITABLE:
        # JSON says itself what it cannot write.
        return CALL
    if indent is not None or separators is not None:
        level = indent if isinstance(indent, int) else _length(indent)
        between = sum(map(_length, separators or ()))
        depth = context.known(value).depth
        context.check_string(context.weight(value) * (between + max(level, 0) * depth + 1))
    context.about_to_write(value)
    return weights(context, *operands, **named) + WRITE * CALL


def reading(context: Guard, value: Any, *operands: Any, **named: Any) -> int:
    """Return the cost of reading a number, which must not have too many digits."""
    if _length(value) > context.limits.bits // 4:
        context.refuse("bits", f"it reads a number of {len(value):,} characters")
    return weights(context, value, *operands, **named)


def sizing(context: Guard, value: Any, *operands: Any, **named: Any) -> int:
    """Return the cost of writing a size of a file, which looks through a list of units."""
    return reading(context, value, *operands, **named) + LIST


def rounded(context: Guard, value: Any, *operands: Any, **named: Any) -> int:
    """Return the cost of rounding a number, digit by digit."""
    digits = [min(abs(each), MOST_DIGITS) for each in (*operands, *named.values()) if isinstance(each, int)]
    return weights(context, value, *operands, **named) + sum(digits)


def escaping(context: Guard, text: str) -> int:
    """Return the cost of escaping a text for HTML, whose length is checked."""
    context.check_string(ESCAPED * len(text))
    return weights(context, text)


def counting(context: Guard, text: str) -> int:
    """Return the cost of counting the words of a text."""
    return weights(context, text) + 2 * len(text)


def cutting(context: Guard, text: Any, *operands: Any, **named: Any) -> int:
    """Return the cost of cutting off the end of a text, which is copied."""
    context.check_string(_length(text))
    return weights(context, text, *operands, **named)


def stripping(context: Guard, text: str) -> int:
    """Return the cost of removing tags from a text: the rest of it is copied at each."""
    return weights(context, text) + WORD * len(text) + (len(text) * str.count(text, "<") >> 4)


def into_lists(context: Guard, values: Any, count: Any, fill: Any = None) -> int:
    """Return the cost of dividing values into lists, as many as they are or as a number says, perhaps filled up."""
    items = len(values) if type(values) in SIZED else 0
    most = max(count, 0) if isinstance(count, int) else 0
    return weights(context, values, count, fill) + _taking(values) + LIST * (items + most)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 0
