"""Everything that a template can call is charged before it runs, for each of its operands."""

from contextlib import suppress

import pytest

from lect import LimitError
from lect_jinja import load
from lect_jinja.charges import FREE_FILTERS, FREE_TESTS, METHOD_FILTERS
from lect_jinja.engine import Run, compiled
from lect_jinja.environment import ENVIRONMENT
from lect_jinja.functions import FUNCTIONS
from lect_jinja.limits import DEFAULT
from lect_jinja.methods import LIST_METHODS, LOOP_METHODS, MAPPING_METHODS, METHODS, TEXT_METHODS

SIZE = 1 << 13
TEXT = "x" * SIZE
ITEMS = list(range(SIZE))
COPIED = SIZE >> 4
"""The least that a text costs which is looked at; an item costs more than a character."""
BY_KEY = {"get"}
"""A look-up does not go through the mapping."""
RAISES = {"raise_exception"}
"""What is raised ends the render."""


def spent(call, *operands):
    """Return how much of its work a template has spent when it has called something, whether that failed or not."""
    context = Run(compiled("", "x", DEFAULT), "x", DEFAULT, {}, None, tracked=False).context
    context.start(DEFAULT._replace(work=10**9, string=10**9), lambda: (0, 0), None, tracked=False)
    with suppress(Exception):
        result = call(context, *operands)
        # Some filters begin when somebody asks for their items.
        list(result)
    return 10**9 - context.left


def uncharged(table):
    return {name for name, function in table.items() if not hasattr(function, "is_charged")}


def test_nothing_can_be_called_that_is_not_charged():
    assert uncharged(ENVIRONMENT.filters) == FREE_FILTERS | METHOD_FILTERS
    assert uncharged(ENVIRONMENT.tests) == FREE_TESTS
    assert [uncharged(table) for table in METHODS.values() if uncharged(table)] == []
    assert uncharged({name: function.call for name, function in FUNCTIONS.items()}) == set()
    assert ENVIRONMENT.globals == FUNCTIONS


@pytest.mark.parametrize("name", TEXT_METHODS)
def test_every_operand_of_a_text_method_is_charged(name):
    for operands in ((TEXT,), (TEXT, "a", "a"), ("a", TEXT), ("a", "a", TEXT), ("a", tuple(ITEMS))):
        if name != "join" or len(operands) == 2:
            assert spent(TEXT_METHODS[name], *operands) >= COPIED, operands[0][:1]


@pytest.mark.parametrize("name", sorted({*ENVIRONMENT.filters} - FREE_FILTERS))
def test_every_operand_of_a_filter_is_charged(name):
    more = ("a", "a") if name == "replace" else ()
    for value in (TEXT, ITEMS, dict.fromkeys(ITEMS, "")):
        assert spent(ENVIRONMENT.filters[name], value, *more) >= COPIED
    for operand in (TEXT, ITEMS):
        assert spent(ENVIRONMENT.filters[name], "a", operand, *more[1:]) >= COPIED


@pytest.mark.parametrize("name", sorted({*ENVIRONMENT.tests} - FREE_TESTS))
def test_every_operand_of_a_test_is_charged(name):
    for operands in ((TEXT, "a"), ("a", TEXT), (ITEMS, [1]), ([1], ITEMS)):
        assert spent(ENVIRONMENT.tests[name], *operands) >= COPIED


def test_every_operand_of_another_method_or_of_a_function_is_charged():
    mapping = dict.fromkeys(ITEMS, "")
    for name, method in MAPPING_METHODS.items():
        assert spent(method, mapping) >= COPIED or name in BY_KEY
        assert spent(method, {}, tuple(ITEMS)) >= COPIED or name not in BY_KEY
    for name, method in LIST_METHODS.items():
        assert spent(method, ITEMS, -1) >= COPIED, name
    for method in LOOP_METHODS.values():
        assert spent(method, None, ITEMS) >= COPIED
    for name, function in FUNCTIONS.items():
        assert spent(function.call, ITEMS) >= COPIED or name in RAISES


@pytest.mark.parametrize("name", sorted(FREE_TESTS - {"iterable", "sameas"}))
def test_what_is_free_does_not_look_into_values(name):
    class Untouchable(list):
        def __iter__(self):
            raise AssertionError

        __eq__ = __lt__ = __contains__ = __iter__
        __hash__ = None

    ENVIRONMENT.tests[name](Untouchable("ab"))


HASHES = 2**61 - 1
"""Multiples of this have the same hash."""


@pytest.mark.parametrize(
    ("limit", "source"),
    [
        ("work", f"{{{{ range(0, 9999 * {HASHES}, {HASHES}) | unique | list }}}}"),
        ("work", "{{ {" + ", ".join(f"{number * HASHES}: 1" for number in range(1, 99)) + "} }}"),
        ("work", "{{ dict([" + ", ".join(f"[({number}, 0.5), 1]" for number in range(1, 99)) + "]) }}"),
        ("work", "{{ namespace([" + ", ".join(f"[({number}, 0.5), 1]" for number in range(1, 99)) + "]) }}"),
        ("depth", "{% set ns = namespace(g=[1]) %}{% for i in range(9999) %}{% set ns.g = ns.g | map('abs') %}{% endfor %}"),
        ("depth", "{% set ns = namespace(g=[1]) %}{% for i in range(9999) %}{% set ns.g = ([ns.g] + []) | select %}{% endfor %}"),
        ("depth", "{% macro f() %}{{ varargs }}{% endmacro %}{% set ns = namespace(g=()) %}{% for i in range(99) %}{% set ns.g = (ns.g,) %}{% endfor %}"),
        ("work", "{{ [range(0, 2 ** 2000, 2 ** 1984) | list] | length }}"),
        ("work", "{% set n = 2 ** 2000 %}{% for i in range(9999) %}{% set l = [n + 1, n + 2, n + 3] * 9 %}{% endfor %}"),
        ("work", "{% macro f() %}{{ varargs | length }}{% endmacro %}{{ f(*('x' * 5000000)) }}"),
        ("work", "{% for i in range(99) %}{{ 1 == 1 in [1, 'x' * 10**6] == ('y' * 10**6 ~ 'x') in ['x' * 10**6] }}{% endfor %}"),
        ("work", "{% for i in range(9999) %}{% set x = [1]['x' * 5000] %}{% endfor %}"),
        ("work", "{% for i in range(99999) %}{% set x = 1.5 | round(300) %}{% endfor %}"),
    ],
)  # fmt: skip
def test_what_no_list_of_attacks_had(limit, source):
    with pytest.raises(LimitError) as caught:
        load(source).text([])
    assert caught.value.limit == limit


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ 1 < 2 in [2] }} {{ 1 < 2 < 3 }} {{ 1 < 2 not in [2] }} {{ 3 > 2 > 2 }}", "True True False False"),
        ("{{ 'a' in 'ab' in ['ab'] }} {{ 1 == 1 != 2 }}", "True True"),
        ("{{ 1 > 2 > x.y }}", "False"),
        (
            "{% macro f(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(*'abc', b=1, **{'c': 2}) }}",
            "a('b', 'c'){'b': 1, 'c': 2}",
        ),
        ("{{ {1: 'a', (1, 2): 'b', none: 'c'}[(1, 2)] }}", "b"),
        ("{{ dict([['a', 1], 'bc'])['b'] }}{{ dict({'a': 1}, b=2)['b'] }}", "c2"),
        ("{{ [3, 1, 2, 1] | unique | sort | join(',') }}", "1,2,3"),
    ],
)
def test_guarded_operations_give_what_jinja_gives(source, expected):
    assert load(source).text([]) == load(source).render([]).text == expected


def test_a_text_that_is_distrusted_many_times_is_charged_each_time():
    source = "{% set t = messages[0].content * 5000 %}{{ ([1] * 5000) | map(attribute=-9, default=t) | list | length }}"
    with pytest.raises(LimitError):
        load({"chat_template": source}).render([{"role": "user", "content": "Hi"}])
