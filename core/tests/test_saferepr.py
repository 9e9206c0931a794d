"""A value in a message is short and printable, and no more of it is read than is shown."""

import datetime
from collections import OrderedDict, UserList, defaultdict, deque
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from lect import LossPolicy, Origin, Row
from lect.errors import saferepr
from lect.plugin import CHATML, Input

LONGEST = 80


class Hostile:
    """Whatever it is asked, it runs the caller's code."""

    def _ask(self, *asked, **more):
        raise AssertionError(asked)

    __repr__ = __str__ = __len__ = __iter__ = __getattr__ = __eq__ = __bool__ = __format__ = _ask
    __hash__ = object.__hash__


class OfHostileClass(type):
    """Whatever its classes are asked, they run the caller's code."""

    __getattribute__ = __instancecheck__ = __subclasscheck__ = __repr__ = Hostile._ask


class Odd(metaclass=OfHostileClass):
    """Its class cannot be asked for anything."""


class Disguised:
    """Says that it is a text, as a proxy or a mock of one does."""

    __class__ = str


class Proxy(Hostile):
    """Runs the caller's code when it is asked what it is."""

    __class__ = property(Hostile._ask)
    __getattribute__ = Hostile._ask


def hostile(base, *made):
    """Return a value of a subclass that reads what it contains only through its own methods."""
    names = ("__repr__", "__str__", "__len__", "__iter__", "__getitem__", "items", "keys", "__format__", "bit_length")
    return type("Own", (base,), dict.fromkeys(names, Hostile._ask))(*made)


class Counted:
    """Counts how often one of it is printed."""

    printed = 0

    def __repr__(self):
        Counted.printed += 1
        return "x"


Counted.__module__ = "lect"  # Others are not asked to print themselves.


def nested(depth, wrap):
    value = None
    for _ in range(depth):
        value = wrap(value)
    return value


CYCLE = []
CYCLE.append(CYCLE)
COMPLETE = [
    None, True, 5, -1.5, float("nan"), 1j, b"a", "a", [], [1, [2]], (), (1,), (1, 2), {1}, frozenset({1}), frozenset(),
    {}, {"a": {1: [None]}}, int, len, datetime.date(2026, 11, 18), PurePosixPath("a"), Origin.INPUT, CHATML, bytearray(b"a"),
]  # fmt: skip


@pytest.mark.parametrize("value", COMPLETE, ids=repr)
def test_a_short_value_is_printed_as_python_prints_it(value):
    assert saferepr(value) == repr(value)


SHOWN = {
    "<int of 16,610 bits>": 10**5000,
    "<Hostile object>": Hostile(),
    "[<Hostile object>]": [Hostile()],
    "<Odd object>": Odd(),
    "<OfHostileClass object>": Odd,
    "<Disguised object>": Disguised(),
    "<Proxy object>": Proxy(),
    "{<Hostile object>: 1}": {Hostile(): 1},
    "Own({'a': 1})": hostile(dict, {"a": 1}),
    "Own([1])": hostile(list, [1]),
    "'a'": hostile(str, "a"),
    "7": hostile(int, 7),
    "OrderedDict({'a': 1})": OrderedDict(a=1),
    "defaultdict({})": defaultdict(int),
    "Row(messages=[], tools=None, weights=None, chosen=None, rejected=None, rest={})": Row(
        [], None, None, None, None, {}
    ),
    "<deque object>": deque([1]),
    "<UserList object>": UserList([1]),
    "<ValueError object>": ValueError([1]),
    "<LossPolicy object>": LossPolicy(),
    "set()": set(),
    r"['\x1b[31m']": ["\x1b[31m"],
    f"'{'x' * 77}...'": Input("x" * 200),
    f"['{'x' * 75}...": ["x" * 200],
}


@pytest.mark.parametrize("said", SHOWN)
def test_any_value_can_be_shown_in_a_message(said):
    assert saferepr(SHOWN[said]) == said


@pytest.mark.parametrize(
    "value",
    [
        [Counted()] * 1_000_000,
        ([Counted()] * 1_000_000,),
        dict.fromkeys(range(1_000_000), Counted()),
        [[[Counted()] * 1000] * 1000] * 1000,
        {"a": [{"b": [Counted()] * 1_000_000}]},
        Row([Counted()] * 1_000_000, None, None, None, None, {}),
    ],
    ids=["list", "tuple", "dict", "nested", "mixed", "named"],
)
def test_no_more_is_read_than_is_shown(value):
    Counted.printed = 0
    assert len(saferepr(value)) <= LONGEST
    assert Counted.printed <= LONGEST


@pytest.mark.parametrize(
    "value",
    [CYCLE, nested(100_000, lambda value: [value]), nested(100_000, lambda value: {"a": value}), 1 << 3_000_000],
    ids=["cycle", "lists", "dictionaries", "integer"],
)
def test_a_value_of_any_depth_or_length_is_shown(value):
    assert len(saferepr(value)) <= LONGEST


scalars = some.none() | some.booleans() | some.integers() | some.floats() | some.text() | some.binary()
values = some.recursive(
    scalars,
    lambda inner: (
        some.lists(inner) | some.tuples(inner, inner) | some.dictionaries(some.text() | some.integers(), inner)
    ),
    max_leaves=50,
)


@settings(max_examples=200, deadline=None)
@given(values)
def test_what_is_shown_begins_like_what_python_prints(value):
    shown = saferepr(value)
    if not isinstance(value, str):
        assert len(shown) <= LONGEST
        whole = repr(value) if repr(value).isprintable() else ascii(repr(value))[1:-1]
        assert shown == whole or (shown.endswith("...") and whole.startswith(shown[:-3]))
