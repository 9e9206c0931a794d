"""Templates with equal syntax trees write equal prompts, and what looks equal and is not has another tree."""

import random

import jinja2
import pytest
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from lect_jinja.engine.environment import ENVIRONMENT
from lect_jinja.engine.tree import ATTRIBUTES, tree_fingerprint


class Generation(Extension):
    """The tag `generation` as transformers has it: a call whose body is a scope of its own."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("body"), [], [], body).set_lineno(line)

    def body(self, caller):
        return caller()


JINJA = ImmutableSandboxedEnvironment(extensions=[Generation, loopcontrols], trim_blocks=True, lstrip_blocks=True)
LOOP = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
GIVEN = {"messages": [{"role": "user", "content": "Hi", "items": "a key"}], "x": 5}


def rendered(source, *each_given):
    """Return what Jinja2 writes, or the type of the error, for each of several sets of variables."""
    try:
        template = JINJA.from_string(source)
        return [template.render(**given) for given in each_given]
    except (jinja2.TemplateError, TypeError, SyntaxError) as error:
        return type(error)


def is_equal(one, other):
    return tree_fingerprint(ENVIRONMENT.parse(one)) == tree_fingerprint(ENVIRONMENT.parse(other)) != ""


@pytest.mark.parametrize(
    "same",
    [
        "{# saved by another tool #}" + LOOP,
        LOOP.replace("{{ m.role }}: ", "{{ m.role }}{# a role #}:{##} "),
        LOOP.replace("%}{{", "%}\n   {{-"),
        LOOP.replace("m.role", "m['role']").replace("m.content", 'm["content"]'),
        LOOP.replace("m.role }}", "m.role}}"),
        LOOP.replace("{{ m.content }}", "{% generation %}{{ m.content }}{% endgeneration +%}"),
        LOOP.replace("\n{% endfor", "\r\n{% endfor"),
        LOOP + "\n",
    ],
)
def test_what_changes_no_prompt_does_not_change_the_tree(same):
    assert is_equal(LOOP, same)
    assert rendered(LOOP, GIVEN) == rendered(same, GIVEN) == ["user: Hi\n"]


MARKED = "{% generation %}BODY{% endgeneration %}"
DIFFERENT = {
    "a method and a key": ("{{ messages[0].items }}", "{{ messages[0]['items'] }}"),
    "a sum and two outputs": ("{{ 'a' + x }}", "a{{ x }}"),
    "an assignment that leaves no generation block": (
        "{% generation %}{% set x = 1 %}{% endgeneration %}{{ x }}",
        "{% set x = 1 %}{{ x }}",
    ),
    "an assignment in a branch of a generation block": (
        "{% generation %}{% if x %}{% set x = 1 %}{% endif %}{% endgeneration %}{{ x }}",
        "{% if x %}{% set x = 1 %}{% endif %}{{ x }}",
    ),
    "a macro in a generation block": (
        "{% generation %}{% macro x() %}{% endmacro %}{% endgeneration %}{{ x }}",
        "{% macro x() %}{% endmacro %}{{ x }}",
    ),
    "an option that is set after a generation block": (
        "{% generation %}{{ x }}{% endgeneration %}{% set x = 1 %}",
        "{{ x }}{% set x = 1 %}",
    ),
    "an option that another branch sets": (
        "{% if y %}{% generation %}{{ x }}{% endgeneration %}{% endif %}{% if x %}{% set x = 1 %}{% else %}{% endif %}",
        "{% if y %}{{ x }}{% endif %}{% if x %}{% set x = 1 %}{% else %}{% endif %}",
    ),
    "an end of the loop in a generation block": (
        "{% for m in messages %}{% generation %}{% break %}{% endgeneration %}{% endfor %}",
        "{% for m in messages %}{% break %}{% endfor %}",
    ),
    "a caller in a generation block": (
        "{% macro f() %}{% generation %}{{ caller() }}{% endgeneration %}{% endmacro %}{% call f() %}a{% endcall %}",
        "{% macro f() %}{{ caller() }}{% endmacro %}{% call f() %}a{% endcall %}",
    ),
    "a number and a truth": ("{{ 1 }}", "{{ true }}"),
    "a whole number and another": ("{{ 1 }}", "{{ 1.0 }}"),
    "texts that differ in white space": ("{{ 'a ' }}", "{{ 'a' }}"),
    "a filter": ("{{ x | string | trim }}", "{{ x | string }}"),
    "an option by another name": ("{{ x }}", "{{ y }}"),
    "a loop over fewer": ("{% for m in messages %}a{% endfor %}", "{% for m in messages if m.tools %}a{% endfor %}"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_can_change_a_prompt_changes_the_tree(name):
    assert not is_equal(*DIFFERENT[name])


def test_a_local_by_another_name_is_another_tree():
    assert not is_equal(LOOP, LOOP.replace("m.", "n.").replace("m in", "n in"))


def test_no_version_of_python_has_an_attribute_that_is_taken_for_a_key():
    kinds = (str, bytes, list, tuple, dict, set, int, float, bool, range, slice, type({}.keys()), type({}.items()))
    found = {name for kind in (*kinds, type(None), type(each for each in ())) for name in dir(kind) if name[0] != "_"}
    assert found <= ATTRIBUTES


def test_the_fingerprint_is_the_same_everywhere():
    source = LOOP + "{% set x = 0x1F if y is defined else 1.5 %}{{ x ~ 'é' | tojson(indent=2) }}"
    assert (
        tree_fingerprint(ENVIRONMENT.parse(source))
        == "0f40151d28666bec0b9e2f0dc4c10e54ba219ecb7e479170e07e2c9d0e2e1785"
    )


def program(draw, depth=0):
    """Return a random program over two names, with generation marks."""
    name, other = draw.choice("xy"), draw.choice("xy")
    leaves = [f"{{{{ {name} }}}}", f"{{% set {name} = {draw.randrange(9)} %}}", "a", f"{{% set {name} = {other} %}}"]
    if depth == 3:
        return draw.choice(leaves)
    inner, again = ("".join(program(draw, depth + 1) for _ in range(draw.randrange(1, 4))) for _ in range(2))
    return draw.choice([
        *leaves, MARKED.replace("BODY", inner), MARKED.replace("BODY", inner), inner + again,
        f"{{% if {name} %}}{inner}{{% endif %}}", f"{{% if {name} %}}{inner}{{% else %}}{again}{{% endif %}}",
        f"{{% for {name} in [1, 2] %}}{inner}{{% endfor %}}", f"{{% set {name} %}}{inner}{{% endset %}}",
        f"{{% with {name} = {other} %}}{inner}{{% endwith %}}",
        f"{{% macro {name}() %}}{inner}{{% endmacro %}}{{{{ {name}() if {name} is callable }}}}",
    ])  # fmt: skip


def test_generation_marks_are_left_out_only_where_they_change_nothing():
    equal = different = 0
    for seed in range(600):
        marked = program(random.Random(seed))
        plain = marked.replace("{% generation %}", "").replace("{% endgeneration %}", "")
        if marked == plain:
            continue
        answers = [rendered(each, {"x": 7, "y": 8}, {"x": 7}, {}) for each in (marked, plain)]
        if is_equal(marked, plain):
            equal += 1
            assert answers[0] == answers[1], marked
        else:
            different += answers[0] != answers[1]
    assert equal > 20
    assert different > 20
