"""What cannot be compiled is named, and no file is looked for."""

import subprocess
import sys

import pytest

from lect.errors import PluginError
from lect_jinja import load

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
