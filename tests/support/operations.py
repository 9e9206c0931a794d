"""Every operation that a template can perform, with operands of every type, each as a template that repeats it.

The names come from the environment: a filter, test, method or function that is added is tried without being named here.
"""

from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.limits import DEFAULT
from lect_jinja.engine.methods import METHODS
from lect_jinja.engine.run import Run, compiled
from lect_jinja.engine.strings import joined
from lect_jinja.engine.values import marked

WORK = 300_000
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", "in", "and", "or"]
FORMS = [
    *(f"a {sign} b" for sign in [*OPERATORS, "not in"]),
    "-a", "+a", "not a", "a if b else a", "a[b]", "a[b:]", "a[:b]", "a[::b]", "a.name", "a[0]", "a['name']", "[a, b]", "(a, b)", "{a: 1, b: 2}", "{1: a}",
    "a == b == a", "a ~ b ~ a", "f(a, b)", "f(*a)", "f(**a)", "f(b, **a)", "ns.a == a",
    *(form.format(name) for name in sorted(ENVIRONMENT.filters) for form in (
        "a | {}", "a | {}(b)", "a | {}(b, b)", "a | {}('a', b)", "a | {}(1, 'a', b)", "a | {}(attribute=b)", "[a, b] | map('{}') | list", "[a, a] | map('{}', b) | list",
    )),
    *(f"a | {call}" for call in (
        "tojson(indent=b)", "tojson(separators=b)", "tojson(separators=(b, b))", "tojson(sort_keys=b)", "tojson(ensure_ascii=b)", "sum(start=b)", "default(b, true)", "indent(width=b)",
        "map(attribute='a', default=b) | list", "selectattr('a', 'eq', b) | list", "dictsort(by='value')", "sort(reverse=b)", "wordwrap(wrapstring=b)", "truncate(end=b)",
    )),
    *(form.format(name) for name in sorted(ENVIRONMENT.tests) for form in ("a is {}", "a is {}(b)", "[a, a] | select('{}', b) | list") if name.isalpha() or "select" in form),
    *(form.format(name) for name in sorted({name for table in METHODS.values() for name in table}) for form in (
        "a.{}()", "a.{}(b)", "a.{}('a', b)", "a.{}(b, b)", "a.{}(sep=b)", "a.{}(*b)", "a.{}(**b)", "loop.{}(a, b)",
    )),
    *(form.format(name) for name in sorted(ENVIRONMENT.globals) if name != "raise_exception" for form in ("{}(a)", "{}(a, b)", "{}(a, **b)", "{}(**a)", "{}(*a)", "{}(c=a)")),
]  # fmt: skip
"""Expressions of two operands."""
STATEMENTS = [
    "{% set x %}{{ a }}{{ b }}{% endset %}",
    "{% filter upper %}{{ a }}{% endfilter %}",
    "{% filter replace(a, b) %}{{ a }}{% endfilter %}",
    "{% with c = a %}{% if c == b %}{% endif %}{% endwith %}",
    "{% for c in a %}{% if c == b %}{% endif %}{% endfor %}",
    "{% for c in a if c == b %}{% endfor %}",
    "{% for c, d in a %}{% endfor %}",
    "{% for c in a recursive %}{{ loop(b) }}{% endfor %}",
    "{% for c in a %}{{ loop.length }}{{ loop.last }}{{ loop.changed(b) }}{% endfor %}",
    "{% macro m(c=a, d=(a == b)) %}{% endmacro %}{% set x = m() %}",
    "{% macro m() %}{{ caller(a) }}{% endmacro %}{% call(c, d=(a == b)) m() %}{% endcall %}",
    "{% set ns.a = a %}{% set ns.b = [b] %}",
    "{% set c, d = a %}",
    "{% generation %}{{ a }}{% endgeneration %}",
    "{{ a }}{{ b }}",
    "x{{ a }}{{ b }}",
    "{% if a == b %}{% elif b == a %}{% else %}{% endif %}",
    "{% for c in a %}{% if c == b %}{% break %}{% else %}{% continue %}{% endif %}{% else %}{% endfor %}",
    "{% set x | upper %}{{ a }}{% endset %}",
]
PROGRAM = (
    "{{% macro f() %}}{{{{ varargs | length }}}}{{{{ kwargs | length }}}}{{% endmacro %}}{{% set ns = namespace(a=b) %}}"
    "{{% for i in range({times}) %}}{body}{{% endfor %}}"
)


def sources(times, statements=STATEMENTS):
    """Return a template for every operation, by what it does; or for other statements."""
    bodies = {form: f"{{% set x = {form} %}}" for form in FORMS if statements is STATEMENTS}
    bodies |= {each: each for each in statements}
    return {what: PROGRAM.format(times=times, body=body) for what, body in bodies.items()}


def operands(size):
    """Return a function that makes an operand of about so many bytes, for each type and shape. No two share a text."""
    word = size // 64
    texts = lambda: [f"{number:064}" for number in range(word)]  # noqa: E731
    return {
        "text": lambda: "x" * size,
        "astral": lambda: "𝕏" * (size // 4),
        "words": lambda: "a, b\n" * (size // 5),
        "tags": lambda: "<&%{" * (size // 4),
        "form": lambda: "%s{}" * (size // 4),
        "digits": lambda: "9" * size,
        "path": lambda: "0." * (size // 2) + "0",
        "given": lambda: marked("x" * size, ("messages", 0, "content")),
        "joined": lambda: joined([marked("ab cd ef", ("messages", 0, "content")), "x" * 8] * (size // 512)),
        "numbers": lambda: list(range(size // 36)),
        "texts": texts,
        "copies": lambda: ["x" * (size // 4)] * 4,
        "pairs": lambda: [["a", str(number)] for number in range(size // 200)],
        "nested": lambda: _nested("x" * size, 60),
        "tuple": lambda: ("x" * size, "y"),
        "mapping": lambda: {"x" * size: "x" * size},
        "many": lambda: dict.fromkeys(texts(), "y"),
        "keys": lambda: {"x" * size: 1}.keys(),
        "items": lambda: {("x" * size,): 1}.items(),
        "values": lambda: {1: "x" * size}.values(),
        "range": lambda: range(size // 36),
        "iterator": lambda: iter(texts()),
        "whole": lambda: 2**4000 + 1,
        "number": lambda: 5,
        "decimal": lambda: 1.5,
        "nothing": lambda: None,
        "yes": lambda: True,
    }


def _nested(value, depth):
    for _ in range(depth):
        value = [value]
    return value


def started(source, a, b, *, tracked, work=WORK):
    """Return a render that has not begun, and whose operands add nothing to its limits."""
    limits = DEFAULT._replace(work=work)
    run = Run(compiled(source, "x", limits), "x", limits, {"a": a, "b": b}, None, tracked=tracked)
    run.context.start(limits, lambda: (0, 0), None, tracked=tracked)
    return run
