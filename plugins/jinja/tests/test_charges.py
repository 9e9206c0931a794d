"""No operation is free: each is charged for its operands before it runs, whatever their types are.

Every run counts the work that is charged for large operands, and states the least of it. `LECT_STRESS=1` also measures
that no operation takes longer than its work allows.
"""

import gc
import inspect
import re
import sys
import time
from itertools import product
from weakref import ref

import pytest
from counting import no_collector, slowness
from jinja2 import nodes
from jinja2.runtime import Context
from operations import WORK, operands, sources, started
from sampling import STRESS, some
from together import together

from lect import LectError, LimitError, MessageError
from lect_jinja import load
from lect_jinja.engine import charges, context, filters, functions, guard, methods, operations, origins
from lect_jinja.engine.codegen import REFUSED, GuardedCode, Guarding
from lect_jinja.engine.environment import ENVIRONMENT

SIZE = 1 << 13
TIMES = 4
LEAST = {"text": SIZE >> 5, "given": SIZE >> 5, "numbers": SIZE // 36, "texts": SIZE // 64, "many": SIZE // 64}
"""The least work that is charged for two equal operands of this size, by their type: half of what copying a text costs,
and one for each item."""
HANDED_ON = {
    "a and b", "a or b", "not a", "a if b else a", "a.name", "a[0]", "a['name']", "[a, b]", "(a, b)", "{1: a}", "f(a, b)", "a.get('a', b)",
    "a | default(b, true)", "dict(c=a)", "namespace(c=a)", "{% set ns.a = a %}{% set ns.b = [b] %}",
    "{% generation %}{{ a }}{% endgeneration %}", "{{ a }}{{ b }}", "x{{ a }}{{ b }}",
    *(form.format(name) for name in ("count", "length", "d", "default") for form in (
        "a | {}", "a | {}(b)", "a | {}(b, b)", "a | {}('a', b)", "[a, b] | map('{}') | list",
    )),
    *(f"a is {name}" for name, row in filters.TEST_ROWS.items() if row.cost is operations.BY_NODE),
}  # fmt: skip
"""What looks at types and lengths only, keeps a value, or writes it: what is written is bounded by the limit `output`."""
LARGE = 1 << 20
REPEATED = 100
SECONDS_PER_WORK = 1e-6
"""Processor time for each unit of work on the machine on which bounds are measured, several times what it was there."""
OVERHEAD = 0.02
"""Processor time of a render that does nothing, and of one operation that is refused for the types of its operands."""
TRIES = 4


def finish(run):
    """Run a template to its end; return the error that it ends with."""
    try:
        for _ in run.pieces():
            pass
    except LectError as error:
        return error
    return None


ASKED = re.compile(r"\bcontext\.(\w+)")


def code_of(source):
    """Return the code that is generated for a template."""
    generator = GuardedCode(ENVIRONMENT, "")
    generator.visit(Guarding().visit(ENVIRONMENT.parse(source)))
    return generator.stream.getvalue()


def test_every_operation_is_in_a_table():
    assert ENVIRONMENT.filters.keys() == filters.ROWS.keys()
    assert ENVIRONMENT.tests.keys() == filters.TEST_ROWS.keys()
    assert ENVIRONMENT.globals.keys() == functions.FUNCTIONS.keys() == functions.ROWS.keys()
    asked = {name for source in sources(1).values() for name in ASKED.findall(code_of(source))}
    of_jinja = {*dir(Context), *vars(Context(ENVIRONMENT, {}, None, {}))}
    # `reached` tells how much is written; a sum asks for `add`, which asks for sums of two.
    assert asked - of_jinja - {"reached"} == context.ROWS.keys() - {"plus"}


TABLES = {
    "statements, operators, look-ups and calls": context.ROWS, "filters": filters.ROWS, "tests": filters.TEST_ROWS,
    "functions": functions.ROWS, "texts": methods.TEXT_ROWS, "mappings": methods.MAPPING_ROWS,
    "lists": methods.LIST_ROWS, "loops": methods.LOOP_ROWS,
}  # fmt: skip


def test_no_column_of_a_row_is_left_out():
    for rows in TABLES.values():
        for name, (run, takes, cost, follows) in rows.items():
            known = cost in (operations.BY_NODE, operations.STATED) or isinstance(cost, operations.WhileMade)
            assert known or callable(cost) or cost > 0, name
            assert callable(run), name
            assert isinstance(takes, dict), name
            assert isinstance(follows, tuple), name
    # The generated code hands on what it likes, and by position; these rows say themselves whose their result is.
    for name, (_, takes, cost, follows) in context.ROWS.items():
        before = cost.before if isinstance(cost, operations.WhileMade) else cost
        assert callable(before) or cost in (operations.BY_NODE, operations.STATED, operations.WHILE_MADE), name
        assert {*takes.values()} <= {operations.ANY}, name
        assert follows == origins.ALL, name
    assert not operations.Operation._field_defaults


ENGINE = inspect.getsourcefile(operations)
NOT_BODIES = {__file__, *(inspect.getsourcefile(module) for module in (charges, guard, origins))}
"""Where costs are counted, values gone through and weighed, and results distrusted."""


def who_charges():
    """Return the functions that have asked for work to be counted, from the innermost up to what is called by a row."""
    frame, found = sys._getframe(2), []
    while frame.f_code.co_filename not in ("", ENGINE):
        found.append(frame.f_code)
        frame = frame.f_back
    # What a value weighs, and whose it is, is counted while it is gone through, for whatever asks.
    is_guards = {"_weigh", "distrusted"} & {code.co_name for code in found}
    return () if is_guards or all(code.co_filename in NOT_BODIES for code in found) else tuple(found)


def test_only_rows_that_say_so_charge_while_they_run(monkeypatch):
    found = set()

    def watched(method):
        def spend(self, *operands):
            found.add(who_charges())
            return method(self, *operands)

        return spend

    for name in ("spend", "check_string"):
        monkeypatch.setattr(guard.Guard, name, watched(getattr(guard.Guard, name)))
    makers = operands(1 << 9)
    for source in some(sources(1).values(), "charges"):
        for kind in ("text", "given", "form", "texts", "mapping", "iterator", "number"):
            finish(started(source, makers[kind](), makers[kind](), tracked=True, work=10**6))
    say_so = {
        inspect.unwrap(row.run).__code__
        for rows in TABLES.values()
        for row in rows.values()
        if isinstance(row.cost, operations.WhileMade)
    }
    assert [codes[-1].co_name for codes in found - {()} if not say_so.intersection(codes)] == []
    assert len(found) > 10


def test_every_calculation_is_written_as_a_call_to_the_context():
    kinds = {kind.__name__ for kind in nodes.BinExpr.__subclasses__()} - {"And", "Or"}
    assert {name.removeprefix("visit_") for name in vars(GuardedCode)} >= kinds


def kinds_of(base):
    """Yield the classes of nodes that have no subclass: those that a tree may have."""
    for kind in base.__subclasses__():
        yield from kinds_of(kind) if kind.__subclasses__() else (kind,)


NEVER_PARSED = {
    "EnvironmentAttribute", "ExtensionAttribute", "ImportedName", "InternalName", "ContextReference",
    "DerivedContextReference", "ExprStmt", "MarkSafe", "MarkSafeIfAutoescape", "OverlayScope",
}  # fmt: skip
"""Nodes that only extensions of Jinja2 make."""


def test_every_kind_of_node_is_tried_or_refused():
    tried = {type(node) for source in sources(1).values() for node in ENVIRONMENT.parse(source).find_all(nodes.Node)}
    left = {kind for kind in kinds_of(nodes.Node) if kind not in tried and not issubclass(kind, REFUSED)}
    assert {kind.__name__ for kind in left} - {"Template"} == NEVER_PARSED


class Leaf:
    """A value of which it can be asked whether it is still kept."""


KEEPING = [
    "{% set ns.me = ns %}{% set ns.a = a %}",
    "{% macro m() %}{{ a }}{{ m() }}{% endmacro %}",
    "{% set c = a %}{% macro m() %}{{ c }}{{ k() }}{% endmacro %}{% macro k() %}{{ m() }}{% endmacro %}",
    "{% for c in [a] recursive %}{% set ns.loop = loop %}{% set ns.a = c %}{% endfor %}",
    "{% macro m() %}{% set ns.caller = caller %}{% endmacro %}{% call m() %}{{ ns.caller }}{{ a }}{% endcall %}",
    "{% set ns.name = ns.get %}{% set ns.all = [ns, a] %}{% set ns.none = ns.all.missing %}",
    "{% set ns.a = a %}{% set ns.me = ns %}{{ 1 / 0 }}",
]


@together("what, source", [*sources(1).items(), *sources(1, KEEPING).items()], ids=lambda each: each[:60])
def test_all_that_a_template_kept_is_free_when_it_ends(what, source):
    with no_collector():
        leaf = Leaf()
        kept = ref(leaf)
        run = started(source, leaf, leaf, tracked=True, work=10**6)
        finish(run)
        del run, leaf
        assert kept() is None


@together("what, source", some(sources(TIMES).items(), "charges"), ids=lambda each: each[:60])
def test_large_operands_are_charged_each_time(what, source):
    for kind, least in LEAST.items():
        make = operands(SIZE)[kind]
        run = started(source, make(), make(), tracked=True, work=10**7)
        failed = finish(run)
        assert failed or what in HANDED_ON or 10**7 - run.context.left >= TIMES * least, kind


def seconds(source, make, other, *, tracked):
    """Return the processor time that a render takes beyond what its work allows."""
    run = started(source, make(), other(), tracked=tracked)
    gc.disable()
    begun = time.process_time()
    finish(run)
    taken = time.process_time() - begun
    gc.enable()
    return taken / slowness() - OVERHEAD - SECONDS_PER_WORK * min(WORK, WORK - run.context.left)


@pytest.mark.parametrize("what", sources(REPEATED) if STRESS else [])
def test_no_operation_takes_longer_than_its_work_allows(what):
    source, makers = sources(REPEATED)[what], operands(LARGE)
    # Each operand of every type: beside one of its own, and beside a text.
    pairs = dict.fromkeys(pair for kind in makers for pair in ((kind, kind), (kind, "text"), ("text", kind)))
    assert [
        (kind, other, tracked)
        for (kind, other), tracked in product(pairs, (False, True))
        # Another process may disturb one measurement, and not each of some.
        if all(seconds(source, makers[kind], makers[other], tracked=tracked) > 0 for _ in range(TRIES))
    ] == []


LONG = "x" * 300_000
EQUAL = "{% set a = 'x' * 300000 %}{% set b = 'x' * 300000 %}"
HASHES = 2**61 - 1
"""Multiples of this have the same hash."""


@pytest.mark.parametrize(
    ("limit", "source"),
    [
        ("work", f"{{{{ range(0, 9999 * {HASHES}, {HASHES}) | unique | list }}}}"),
        ("work", "{{ {" + ", ".join(f"{number * HASHES}: 1" for number in range(1, 99)) + "} }}"),
        ("work", "{{ dict([" + ", ".join(f"[({number}, 0.5), 1]" for number in range(1, 99)) + "]) }}"),
        ("work", "{{ namespace([" + ", ".join(f"[({number}, 0.5), 1]" for number in range(1, 99)) + "]) }}"),
        ("depth", "{% macro f() %}{{ varargs }}{% endmacro %}{% set ns = namespace(g=()) %}{% for i in range(99) %}{% set ns.g = (ns.g,) %}{% endfor %}"),
        ("work", EQUAL + "{% for i in range(9999) %}{% if a is sameas b %}{% endif %}{% endfor %}"),
        ("work", EQUAL + "{% for i in range(9999) %}{% set d = {a: 1, b: 2} %}{% endfor %}"),
        ("work", EQUAL + "{% set d, e = {a: 1}, {b: 1} %}{% for i in range(9999) %}{% set x = namespace(d, **e) %}{% endfor %}"),
        ("work", EQUAL + f"{{% for i in range(9999) %}}{{% if a == '{LONG}' %}}{{% endif %}}{{% endfor %}}"),
        ("work", EQUAL + f"{{% for i in range(9999) %}}{{% if a in ('{LONG}', 'y') %}}{{% endif %}}{{% endfor %}}"),
        ("work", EQUAL + f"{{% set d = {{a: 1}} %}}{{% for i in range(9999) %}}{{% if d.{LONG} %}}{{% endif %}}{{% endfor %}}"),
        ("work", "{% macro m(" + ", ".join(f"a{number}" for number in range(3000)) + ") %}{% endmacro %}{% for i in range(9999) %}{{ m() }}{% endfor %}"),
        ("work", "{% macro m() %}{% for i in range(9999) %}{{ caller() }}{% endfor %}{% endmacro %}{% call(" + ", ".join(f"a{number}=1" for number in range(1500)) + ") m() %}{% endcall %}"),
        ("work", "{% set p = '0.' * 3000 ~ '0' %}{{ range(20000) | map('string') | sum(attribute=p, start='') | length }}"),
        ("work", "{{ range(20000) | map('string') | map(attribute=(('x' * 5000,) * 9)) | list | length }}"),
        ("bits", "{{ 0x" + "f" * 1_000_000 + " }}"),
        ("bits", "{{ 1" + "_000" * 450 + " }}"),
        ("string", "{{ ([1] * 3000) | tojson(separators=('x' * 1000000, ':')) }}"),
        ("work", "{% set a = '𝕏' * 2000000 %}{% set ns = namespace(l=[]) %}{% for i in range(20) %}{% set ns.l = ns.l + [a ~ i] %}{% endfor %}"),
        ("work", "{% set a = '𝕏' * 100000 %}{% set ns = namespace() %}" + "".join(f"{{% set ns.a{number} = a[1:] %}}" for number in range(100))),
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


@pytest.mark.parametrize(
    "filtered", ["map('default', c)", "map('upper')", "select", "reject('none')", "unique", "items"]
)
def test_no_value_holds_the_one_that_it_is_made_of(filtered):
    made = "{'a': ns.g} | items" if filtered == "items" else f"ns.g | {filtered}"
    source = f"{{% for i in range(9999) %}}{{% set ns.g = {made} %}}{{% endfor %}}"
    template = load("{% set c = messages[0].content %}{% set ns = namespace(g=['a']) %}" + source + "x")
    for way in (template.text, template.render):
        assert str(way([{"role": "user", "content": "Hi"}])) == "x"


@pytest.mark.parametrize(
    "operands",
    [
        "separators={0: 'a', 1: 'b'}",
        "separators='ab'",
        "separators=[1, 2]",
        "separators=['a']",
        "indent=1.5",
        "indent=[]",
    ],
)
def test_json_takes_declared_types_only(operands):
    with pytest.raises(MessageError):
        load(f"{{{{ [1] | tojson({operands}) }}}}").text([])


def test_a_text_that_is_distrusted_many_times_is_charged_each_time():
    source = "{% set t = messages[0].content * 5000 %}{{ ([1] * 5000) | map(attribute=-9, default=t) | list | length }}"
    with pytest.raises(LimitError):
        load({"chat_template": source}).render([{"role": "user", "content": "Hi"}])
