"""Random programs that try to take long: what a template is charged bounds what it makes Python do.

Lines of Python are counted in every run. What happens inside C is counted by values that note when they are compared or
hashed, and measured as CPU time.
"""

import re
from functools import total_ordering

import pytest
from attacks import GRAMMAR, Attack
from counting import cpu_seconds, lines_run

from lect import LectError
from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.limits import DEFAULT
from lect_jinja.engine.methods import METHODS
from lect_jinja.engine.run import Run, compiled
from lect_jinja.engine.values import marked

COUNTED = 300
TIMED = 100
"""Programs, the latter times the scale."""
WORK = 20_000
DIGITS = 4
LINES = 8
"""Lines of Python, comparisons and hashes for each unit of work; the worst of 3,600 programs had six."""
OVERHEAD = 2000
"""Lines of a program that does nothing."""
RUNAWAY = 2
"""CPU seconds, several times what the slowest program took."""
MESSAGES = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]


@total_ordering
class Leaf:
    """A value that runs a line of Python when it is compared or hashed, even from C."""

    def __eq__(self, other):
        return isinstance(other, Leaf)

    def __lt__(self, other):
        return False

    def __hash__(self):
        return 1


def started(source, limits, leaf, *, tracked):
    """Return a render that has not begun, and whose messages add nothing to its limits."""
    variables = {"messages": marked(MESSAGES, ("messages",)) if tracked else MESSAGES, "leaf": leaf}
    run = Run(compiled(source, "x", limits), "x", limits, variables, None, tracked=tracked)
    run.context.start(limits, lambda: (0, 0), None, tracked=tracked)
    return run


def finish(run):
    """Run a template to its end, whatever that is."""
    try:
        for _ in run.pieces():
            pass
    except LectError:
        pass


def test_the_grammar_has_every_operation():
    rules = "\n".join(GRAMMAR.values())
    same = {
        "==": "eq",
        "equalto": "eq",
        "!=": "ne",
        ">": "gt",
        "greaterthan": "gt",
        ">=": "ge",
        "<": "lt",
        "lessthan": "lt",
        "<=": "le",
    }
    methods = {f".{name}(" for table in METHODS.values() for name in table}
    assert [name for name in methods if name not in rules] == []
    assert [name for name in ENVIRONMENT.filters if not re.search(rf"\| {name}\b|'{name}'", rules)] == []
    assert [name for name in ENVIRONMENT.tests if not re.search(rf"is {same.get(name, name)}\b|'{name}'", rules)] == []
    assert [name for name in ENVIRONMENT.globals if name != "raise_exception" and f"{name}(" not in rules] == []


@pytest.mark.parametrize("part", range(10))
def test_the_work_that_is_charged_bounds_what_is_done(part):
    limits = DEFAULT._replace(work=WORK)
    for seed in range(part, COUNTED, 10):
        source = Attack(seed, DIGITS).source
        run = started(source, limits, Leaf(), tracked=seed % 2 == 0)
        lines = lines_run(finish, run)
        assert lines <= OVERHEAD + LINES * (WORK - run.context.left), source


def test_no_program_takes_long(scale):
    for seed in range(TIMED * scale):
        source = Attack(seed).source
        for tracked in (False, True):
            run = started(source, DEFAULT, 7, tracked=tracked)
            assert cpu_seconds(finish, run) < RUNAWAY, source
