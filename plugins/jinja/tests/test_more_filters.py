"""Jinja2's own filters and tests do what they do in transformers; those that do not exist are listed."""

import re
from itertools import product

import pytest
from jinja2 import TemplateError
from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.filters import FILTERS as JINJA_FILTERS
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.tests import TESTS as JINJA_TESTS
from operations import operands
from pages import DOCS
from sampling import STRESS, in_turn, some

from lect import LectError, LimitError, Origin
from lect_jinja import load
from lect_jinja.engine.access import PLAIN
from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.methods import METHODS
from lect_jinja.engine.more_filters import MORE_FILTERS, MORE_TESTS

REFUSED_FILTERS = {"attr", "groupby", "pprint", "random", "urlize"}
REFUSED_FUNCTIONS = {"cycler", "joiner", "lipsum"}
REFUSED_METHODS = {"encode", "expandtabs", "format_map", "fromkeys", "isidentifier", "maketrans", "translate"}
TRANSFORMERS = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
VALUES = (
    "x", "'a' ~ x", "x|safe", "''", "'<b>a &amp; \"b\"</b> <!-- c --> &lt;'", "('ab cd-ef ' * 20)", "('ü' * 100)",
    "'a\\n\\nb c\\n'", "missing", "none", "true", "12", "1234567890", "-1.5", "'12e3'", "[1, 2, 3]", "[x, '<', 'b']",
    "{'a': x, 'b': none, 'c': 1, 'd': '\"<'}", "{'a b': 1}", "[('a', x), ('ü', 2)]", "[]", "range(5)", "('<'|safe)",
)  # fmt: skip
ARGUMENTS = {
    "batch": ("", "2", "2, 'z'", "1, x", "0", "'a'"),
    "center": ("", "9", "-1", "'a'"),
    "filesizeformat": ("", "true"),
    "slice": ("", "2", "3, 'z'", "0", "-1"),
    "truncate": ("", "5", "9, true", "9, false, 'ü'", "5, true, '', 0", "1", "5, leeway=-1", "9, end=x", "'a'"),
    "wordwrap": ("", "5", "3, false", "4, true, '<br>'", "4, break_on_hyphens=false", "0", "4, wrapstring=x"),
    "xmlattr": ("", "false"),
}
MESSAGE = {"role": "user", "content": "Ωμέγα <tag> one-two three", "n": 1500}


def said_by_transformers(source):
    x = MESSAGE["content"]
    try:
        return TRANSFORMERS.from_string(source).render(x=x)
    except (TemplateError, ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        return None


def said(source):
    """Return what a template writes, the same with and without origins; None for an error."""
    template = load(source)
    options = {"x": MESSAGE["content"]}
    try:
        text = template.text([MESSAGE], **options)
    except LectError:
        with pytest.raises(LectError):
            template.render([MESSAGE], **options)
        return None
    assert template.render([MESSAGE], **options).text == text
    return text


@pytest.mark.parametrize("name", in_turn(MORE_FILTERS, 6))
def test_a_filter_writes_what_it_writes_in_transformers(name):
    written = 0
    for value, arguments in some(product(VALUES, ARGUMENTS.get(name, ("", "1"))), name):
        made = f"({value})|{name}({arguments})"
        sources = [f"{{{{ {made} }}}}", f"{{{{ ({made}) ~ '<' ~ ({made})|length }}}}", f"{{{{ {made} + '<&' }}}}"]
        if name in ("batch", "slice"):
            # There they are generators, whose addresses are written.
            sources = [f"{{{{ ({made})|list }}}}"]
        for source in sources:
            expected = said_by_transformers(source)
            assert said(source) == expected, source
            written += expected is not None
    assert written > 5 or not STRESS


@pytest.mark.parametrize("name", MORE_TESTS)
def test_a_test_says_what_it_says_in_transformers(name):
    values = (*VALUES, "'upper'", "'divisibleby'", "x.upper", "range", "dict", "f", "'a'|e")
    for value in values:
        source = f"{{% macro f() %}}{{% endmacro %}}{{{{ ({value}) is {name} }}}}"
        assert said(source) == said_by_transformers(source), source


@pytest.mark.parametrize("name", sorted(MORE_FILTERS.keys() - {"wordcount", "batch", "slice"}))
def test_what_is_made_of_somebodys_text_is_never_the_templates(name):
    values = ("m.content", "m.n", "{'a': m.content}", "'a' ~ m.content", "(m.content|safe)")
    for value, arguments in product(values, ("", "m.n", "9, m.n", "9, true, m.content")):
        template = load(f"{{% for m in messages %}}{{{{ {value}|{name}({arguments}) }}}}{{% endfor %}}")
        try:
            segments = template.render([MESSAGE]).segments
        except LectError:
            continue
        own = "".join(segment.text for segment in segments if segment.origin is Origin.TEMPLATE)
        assert not re.search("[Ͱ-Ͽ]|tag|three|15", own), template.jinja


@pytest.mark.parametrize(
    "source",
    [
        "{{ ('a' * 10**6)|wordwrap(1) }}",
        "{{ ('a' * 10**4)|wordwrap(1, wrapstring='b' * 10**6) }}",
        "{{ ('a ' * 10**6)|wordwrap(1) }}",
        "{{ ('<a>' * 10**6)|striptags }}",
        "{{ ('<!--' * 10**5)|striptags }}",
        "{{ 'a'|center(10**9) }}",
        "{{ [1]|batch(10**9, 0) }}",
        "{{ [1]|slice(10**9) }}",
        "{{ ('<' * 10**7)|e|length }}",
        "{{ ('ü' * 10**6)|urlencode|length }}",
        "{{ ('1' * 10**6)|filesizeformat }}",
        "{{ {'a': '<' * 10**7}|xmlattr|length }}",
    ],
)
def test_no_filter_takes_long(source):
    with pytest.raises(LimitError):
        load(source).text([MESSAGE])


def test_what_is_missing_is_documented():
    assert JINJA_FILTERS.keys() - ENVIRONMENT.filters.keys() == REFUSED_FILTERS
    assert JINJA_TESTS.keys() == ENVIRONMENT.tests.keys()
    assert DEFAULT_NAMESPACE.keys() - ENVIRONMENT.globals.keys() == REFUSED_FUNCTIONS
    page = (DOCS / "how-to/run-a-models-own-template.md").read_text("utf-8")
    for name in REFUSED_FILTERS | REFUSED_FUNCTIONS | REFUSED_METHODS:
        assert f"`{name}`" in page


def test_the_methods_of_every_value_are_those_of_the_sandbox():
    for value in (make() for make in operands(64).values()):
        kind = PLAIN.get(type(value), type(value))
        assert METHODS.get(type(value)) is METHODS.get(kind)
        allowed = {name for name in dir(kind) if TRANSFORMERS.is_safe_attribute(value, name, getattr(value, name))}
        if kind in METHODS:
            assert allowed - METHODS[kind].keys() == allowed & REFUSED_METHODS, kind
            assert METHODS[kind].keys() <= allowed
        for name in allowed - METHODS.get(kind, {}).keys():
            with pytest.raises(LectError):
                load(f"{{{{ x.{name}() }}}}").text([MESSAGE], x=value)
