"""The README's commands, run as a new user would: in a fresh copy, with nothing but Python and pip."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fresh_copy import fresh_copy
from repository import PACKAGES, REPOSITORY
from sampling import FULL


def commands(readme):
    """Return the `shell` blocks of a README: the command that installs and runs, the one that installs everything, and
    the one that runs all checks."""
    text = (REPOSITORY / readme).read_text("utf-8")
    return re.findall(r"^```shell\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def run(command, folder):
    """Run a command as a user would, and return what it prints."""
    # The interpreter that runs the tests comes first on the path, as a user's only one would.
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.base_prefix) / "bin"), os.environ["PATH"]])}
    for name in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME"):
        environment.pop(name, None)
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readmes_have_the_same_commands():
    assert len(commands("README.md")) == 3
    assert commands("README.md") == commands("README.zh-CN.md")


def test_the_first_command_installs_and_prints_a_prompt(tmp_path):
    printed = run(commands("README.md")[0], fresh_copy(tmp_path))
    assert printed.endswith("<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n")


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md", "docs/how-to/on-windows.md"])
def test_the_first_command_for_windows_is_the_same_one(page):
    text = (REPOSITORY / page).read_text("utf-8")
    (command,) = re.findall(r"^```powershell\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    of_posix = commands("README.md")[0].replace("python3 -m venv .venv && . .venv/bin/activate", "py -m venv .venv")
    assert command == re.sub(r" && (pip|lect)\b", r"; .venv\\Scripts\\\1", of_posix)


@pytest.mark.skipif(not FULL, reason="it installs every package: `nox -s full` does this")
def test_the_second_command_installs_every_package(tmp_path):
    folder = fresh_copy(tmp_path)
    printed = run(f"python3 -m venv .venv && . .venv/bin/activate && {commands('README.md')[1]} pip list", folder)
    installed = set(re.findall(r"^lect-(\w+)", printed, re.MULTILINE))
    assert installed == set(PACKAGES)


def test_ci_runs_the_exact_command_of_the_readme():
    assert commands("README.md")[2].strip() in (REPOSITORY / ".ci/run").read_text("utf-8").splitlines()
