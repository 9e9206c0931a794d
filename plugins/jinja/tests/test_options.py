"""The options of a template are the names that it reads from outside, and not those that it sets itself."""

import pytest
from jinja2 import meta
from sampling import in_turn
from shared import SHARED
from together import together

from lect import LectError
from lect_jinja import load
from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.functions import FUNCTIONS
from lect_jinja.identity.cases import answer
from lect_jinja.identity.compare import CONVERSATIONS
from lect_jinja.identity.template import GIVEN

ORACLES = sorted([*SHARED.glob("oracles/jinja/*.jinja"), *SHARED.glob("oracles/more/jinja/*.jinja")])
FROM_OUTSIDE = {
    "read": "{{ x }}",
    "set if it is not given": "{% if not x is defined %}{% set x = 1 %}{% endif %}{{ x }}",
    "set to itself": "{% set x = x | default(1) %}{{ x }}",
    "set in one branch and read after it": "{% if tools %}{% set x = 1 %}{% endif %}{{ x }}",
    "set in one of two branches": "{% if tools %}{% set x = 1 %}{% elif messages %}a{% else %}{% set x = 2 %}{% endif %}{{ x }}",
    "set in a loop and read after it": "{% for m in messages %}{% set x = 1 %}{% endfor %}{{ x }}",
    "read in a loop before it is set": "{% for m in messages %}{{ x }}{% set x = 1 %}{% endfor %}",
    "set in a block of generation": "{% generation %}{% set x = 1 %}{% endgeneration %}{{ x }}",
    "set in a captured text": "{% set y %}{% set x = 1 %}{% endset %}{{ x }}",
    "read in a macro": "{% macro f(a) %}{{ x }}{% endmacro %}{{ f(1) }}",
    "a default of a macro": "{% macro f(a=x) %}{{ a }}{% endmacro %}{{ f() }}",
    "in a condition alone": "{{ 'a' if x else 'b' }}",
    "the filter of a loop": "{% for m in messages if x %}{% endfor %}",
    "a namespace": "{% set x.y = 1 %}",
    "after a loop that may go on": "{% for m in messages %}{% if m %}{% continue %}{% endif %}{{ x }}{% endfor %}",
    "an argument of a filter of a block": "{% filter replace('a', x) %}a{% endfilter %}",
}
ITS_OWN = {
    "set and read in one branch": "{% if tools %}{% set x = 1 %}{{ x }}{% endif %}",
    "set in every branch": "{% if tools %}{% set x = 1 %}{% elif messages %}{% set x = 3 %}{% else %}{% set x = 2 %}{% endif %}{{ x }}",
    "set unless it refuses": "{% if messages %}{% set x = 1 %}{% else %}{{ raise_exception('no') }}{% endif %}{{ x }}",
    "set unless it goes on": "{% for m in messages %}{% if m %}{% set x = 1 %}{% else %}{% continue %}{% endif %}{{ x }}{% endfor %}",
    "the variable of a loop": "{% for x in messages %}{{ x }}{{ loop.index }}{% endfor %}",
    "one of two of them": "{% for y, x in messages[0].items() %}{{ y }}{{ x }}{% endfor %}",
    "an argument of a macro": "{% macro f(x) %}{{ x }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, 2, a=3) }}",
    "a macro": "{% macro f(a) %}{{ x(a) if a }}{% endmacro %}{% macro x(a) %}{{ f(0) }}{% endmacro %}{{ f(1) }}",
    "a block's own": "{% with x = 1 %}{{ x }}{% endwith %}",
    "captured": "{% set x %}a{% endset %}{{ x }}",
    "a namespace": "{% set x = namespace(y=1) %}{% set x.y = 2 %}{{ x.y }}",
    "of a caller": "{% macro f() %}{{ caller(1) }}{% endmacro %}{% call(x) f() %}{{ x }}{% endcall %}",
}


@pytest.mark.parametrize("source", FROM_OUTSIDE.values(), ids=FROM_OUTSIDE)
def test_a_name_that_is_read_from_outside_on_some_way_is_an_option(source):
    assert "x" in load(source).options


@pytest.mark.parametrize("source", ITS_OWN.values(), ids=ITS_OWN)
def test_a_name_that_the_template_always_sets_before_is_none(source):
    template = load(source)
    assert tuple(template.options) == ()
    with pytest.raises(LectError, match=r"options\.x"):
        template.render([{"role": "user", "content": "Hello"}], tools=[], strict=True, x=1)


@pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in a maker's template
@together("path", in_turn(ORACLES, 12), ids=lambda path: path.stem)
def test_what_is_left_out_makes_no_difference(path):
    source = path.read_text("utf-8")
    template = load(source)
    undeclared = meta.find_undeclared_variables(ENVIRONMENT.parse(source)) - FUNCTIONS.keys() - GIVEN
    options = set(template.options) - {"date"}
    assert options <= undeclared
    left_out = sorted(undeclared - options - {"date"})
    prompts = [answer(template, conversation) for conversation in CONVERSATIONS]
    asked = template.but(options=[*template.options, *left_out])
    given = dict.fromkeys(left_out, "Xgivenx")
    assert [answer(asked, conversation._replace(options=given)) for conversation in CONVERSATIONS] == prompts
