"""Every public callable refuses a wrong value by an error of ours, whatever the value is and wherever it is.

A wrong signature is a TypeError in Python's own words. What a docstring lists under "Raises" may be raised too, and so
may what the caller's own object raises.
"""

import inspect
import random
import re
import traceback
from collections import Counter

import example_calls
import pytest
from sampling import STRESS

import lect
from lect.errors import LectError

CALLS = 100_000 if STRESS else 5000
DEPTH = 100_000


class OwnError(Exception):
    """What the caller's own objects raise."""


class Raising:
    """An object of the caller's that can do nothing."""

    def _raise(self, *asked):
        raise OwnError

    __getattr__ = __len__ = __iter__ = __eq__ = __bool__ = __getitem__ = __contains__ = __call__ = _raise
    __repr__ = __str__ = __int__ = __float__ = __index__ = __fspath__ = _raise
    __hash__ = object.__hash__


class RaisingList(list):
    """A list that cannot be read."""

    __getitem__ = __len__ = __iter__ = __eq__ = Raising._raise
    __hash__ = None


def nested(wrap):
    value = None
    for _ in range(DEPTH):
        value = wrap(value)
    return value


def raising():
    yield "a"
    raise OwnError


LISTS, DICTIONARIES = nested(lambda value: [value]), nested(lambda value: {"a": value})
CYCLE = []
CYCLE.append(CYCLE)
WRONG = [
    lambda: None, lambda: True, lambda: 0, lambda: -1, lambda: 7, lambda: 10**30, lambda: 10**5000, lambda: 1.5,
    lambda: float("nan"), lambda: float("inf"), lambda: 1j, lambda: "", lambda: "text", lambda: "\ud800", lambda: "\0",
    lambda: "x" * 10_000, lambda: b"bytes", lambda: bytearray(b"x"), list, lambda: [None], lambda: [5], lambda: ["a", 5],
    lambda: [[]], lambda: [{}], lambda: ["\udfff"], tuple, lambda: (1, "a"), dict, lambda: {"a": 1}, lambda: {5: 5},
    lambda: {None: {}}, lambda: {(1, 2): "a"}, lambda: {"role": 5}, lambda: {"type": []}, set, lambda: {1, "a"}, object,
    lambda: (each for each in "ab"), raising, Raising, RaisingList, lambda: [Raising()], lambda: int, lambda: len,
    lambda: LISTS, lambda: DICTIONARIES, lambda: CYCLE, lambda: lambda *given: given, lambda: range(3), lambda: lect,
    *example_calls.INSTANCES.values(), example_calls.events, lect.LossPolicy, lambda: example_calls.REPLIES,
    lambda: lect.Origin.INPUT,
]  # fmt: skip
"""Functions that return values of all kinds, which are right nowhere or in few places."""


def places(value, at=()):
    """Yield the path of everything in an argument: the argument itself first."""
    yield at
    items = value.items() if type(value) is dict else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, item in items:
        yield from places(item, (*at, key))


def replaced(value, path, other):
    """Return a value with something else at a path."""
    if not path:
        return other
    if isinstance(value, tuple):
        items = list(value)
        items[path[0]] = replaced(value[path[0]], path[1:], other)
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


def raises(function):
    """Return the names of the errors that the docstring of a callable lists."""
    return set(re.findall(r"^ +(\w+(?:Error|Exit)): ", inspect.getdoc(function) or "", re.MULTILINE))


def spent(result):
    """Read what a callable returns, as far as it is computed then."""
    if inspect.isgenerator(result):
        for _ in result:
            pass


FOUND = example_calls.calls()


@pytest.fixture
def registry(monkeypatch):
    """Whatever is registered by mistake is gone after the test."""
    from lect.registry.registry import Registry

    monkeypatch.setattr(lect, "_registry", Registry())


@pytest.mark.filterwarnings("ignore")
def test_every_public_callable_has_an_example_that_works(registry):
    for name, function in FOUND.items():
        make, arguments = example_calls.example(name, function)
        try:
            example_calls.called(make(), {key: value() for key, value in arguments.items()})
        except LectError:
            continue  # It is refused for what was not done before, such as sampling.
        except Exception as error:
            error.add_note(f"in {name}: see tests/support/example_calls.py")
            raise


def foreign(chosen):
    """Return an error that a call with one wrong value must not raise, and where; None if all is well."""
    name = chosen.choice(list(FOUND))
    make, examples = example_calls.example(name, FOUND[name])
    if not examples:
        return None
    function, arguments = make(), {key: value() for key, value in examples.items()}
    wrong = chosen.choice(list(arguments))
    path = chosen.choice(list(places(arguments[wrong])))
    arguments[wrong] = replaced(arguments[wrong], path, chosen.choice(WRONG)())
    try:
        spent(example_calls.called(function, arguments))
    except (LectError, OwnError):
        return None
    except Exception as error:  # all are counted
        if not raises(FOUND[name]).isdisjoint(each.__name__ for each in type(error).__mro__):
            return None
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{name}({wrong}): {type(error).__name__} at {last.filename.rpartition('/')[2]}:{last.lineno}"
        return where, error


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("registry")
def test_a_wrong_value_in_any_argument_is_accepted_or_refused_by_an_error_of_ours():
    chosen, counted = random.Random(7), Counter()
    for _ in range(CALLS):
        if (found := foreign(chosen)) is not None:
            counted[found[0]] += 1
    assert not counted, "\n".join(f"{number} {where}" for where, number in counted.most_common())
