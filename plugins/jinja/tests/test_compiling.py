"""What cannot be compiled is named, and no file is looked for."""

import subprocess
import sys

import pytest
from counting import lines_run
from sampling import in_turn

from lect.errors import LimitError, PluginError
from lect_jinja import load
from lect_jinja.engine.limits import DEFAULT
from lect_jinja.engine.run import compiled

MESSAGES = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]


@pytest.mark.parametrize("word", ["break", "continue"])
@pytest.mark.parametrize(
    "source",
    [
        "{}",
        "{{% if messages %}}{}{{% endif %}}",
        "{{% for m in messages %}}{{% else %}}{}{{% endfor %}}",
        "{{% for m in messages %}}{{% macro f() %}}{}{{% endmacro %}}{{% endfor %}}",
        "{{% for m in messages %}}{{% call f() %}}{}{{% endcall %}}{{% endfor %}}",
        "{{% for m in messages %}}{{% endfor %}}{{% set x %}}{}{{% endset %}}",
    ],
)
def test_a_jump_outside_of_loops_is_named(source, word):
    with pytest.raises(PluginError, match=rf"line 2: {word} is not inside a loop"):
        load("\n" + source.format(f"{{% {word} %}}"))


@pytest.mark.parametrize(
    "body",
    [
        "{% break %}",
        "{% if m %}{% break %}{% endif %}",
        "{% for n in messages %}{% else %}x{% endfor %}{% break %}",
        "{% for n in [] %}{% else %}{% break %}{% endfor %}",
        "{% with x = 1 %}{% break %}{% endwith %}",
        "{% generation %}{% break %}{% endgeneration %}",
    ],
)
def test_a_jump_inside_of_a_loop_is_one(body):
    assert load(f"{{% for m in messages %}}{{{{ m.content }}}}{body}{{% endfor %}}").text(MESSAGES) == "a"


OPENING = """
import os, sys, lect_jinja
from lect import LectError

def said(source):
    try:
        lect_jinja.load(source).render([{"role": "user", "content": "a"}])
    except LectError:
        return

said("{% for m in messages %}{{ m.content }}{% endfor %}{{ x.y }}")
opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
for source in ("{% break %}", "{{ x.y }}", "{{ 1 / 0 }}", "{% for a in b %}" * 25 + "{% endfor %}" * 25, "{{ '" + "\\\\N" + "' }}"):
    said(source)
# Modules are imported by their whole paths.
print([name for name in opened if name and not os.path.isabs(name)])
"""


def test_no_file_is_opened_to_show_the_line_of_an_error(tmp_path):
    done = subprocess.run([sys.executable, "-c", OPENING], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("[]\n", "")


WIDE = [
    "{{% set a{0} = 1 %}}", "{{% if a %}}{{% set b{0} = 1 %}}{{% endif %}}", "{{% for a{0} in b %}}{{% endfor %}}",
    "{{% macro m{0}(a, b=m) %}}{{% endmacro %}}", "{{% call m() %}}{{% endcall %}}", "{{% with a{0} = 1 %}}{{% endwith %}}",
    "{{% generation %}}{{{{ a{0} }}}}{{% endgeneration %}}", "{{% filter upper %}}a{{% endfilter %}}", "{{{{ a{0} }}}}",
]  # fmt: skip
JOINED = [*(f" {sign} " for sign in ("<", "==", "in", "and", "or", "+", "*", "~", "%")), ", "]
TIMES = 64


def built(times):
    """Return templates in which something of each kind occurs so many times, by what it is."""
    found = {form: "".join(form.format(number) for number in range(times)) for form in WIDE}
    # Not deeper than a tree may be: there are more of these side by side.
    found |= {sign: "{{ [" + ", ".join([sign.join("abcdefgh")] * (times // 8)) + "] }}" for sign in JOINED}
    found |= {f"all {sign}": "{{ " + sign.join(["a"] * times) + " }}" for sign in ("<", "in", "~", "==")}
    return found


@pytest.mark.parametrize("what", in_turn(built(1), 3))
def test_compiling_takes_work_in_proportion_to_the_size(what):
    few, many = (lines_run(compiled, built(times)[what], "x", DEFAULT) for times in (TIMES, 4 * TIMES))
    assert many < 8 * few


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("{% for a in b %}", "{% endfor %}"),
        ("{% macro m() %}", "{% endmacro %}"),
        ("{% call m() %}", "{% endcall %}"),
        ("{% generation %}", "{% endgeneration %}"),
    ],
)
def test_many_nodes_in_many_loops_or_macros_are_refused(opening, closing):
    inside = "".join(f"{{% set a{number} = 1 %}}" for number in range(1000))
    with pytest.raises(LimitError) as caught:
        load(opening * 18 + inside + closing * 18)
    assert caught.value.limit == "nodes"
