"""The README's commands, run as a new user would: in a fresh copy, with nothing but Python and pip."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fresh_copy import fresh_copy
from pages import REPOSITORY


def commands(readme):
    """Return the `shell` blocks of a README: first the command that installs and runs, then the one that runs all
    checks."""
    text = (REPOSITORY / readme).read_text("utf-8")
    return re.findall(r"^```shell\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_first_command_installs_and_prints_a_prompt(readme, tmp_path):
    first = commands(readme)[0]
    # The interpreter that runs the tests comes first on the path, as a user's only one would.
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.base_prefix) / "bin"), os.environ["PATH"]])}
    for name in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME"):
        environment.pop(name, None)
    done = subprocess.run(
        first, shell=True, cwd=fresh_copy(tmp_path), env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n")


def test_ci_runs_the_exact_command_of_the_readme():
    second = commands("README.md")[1].strip()
    assert second in (REPOSITORY / ".ci/run").read_text("utf-8")
    assert second == commands("README.zh-CN.md")[1].strip()
