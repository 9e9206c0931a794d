"""A machine without a network installs from the folder that `nox -s wheelhouse` has made, and from nothing else."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pages
import pytest
from wheelhouse import ONLY_WHEELS

if "LECT_WHEELHOUSE" not in os.environ:
    pytest.skip("there is no folder of wheels to install from; try: nox -s wheelhouse", allow_module_level=True)

FOLDER = Path(os.environ["LECT_WHEELHOUSE"])
OPTIONS = os.environ["LECT_WHEELHOUSE_OPTIONS"].split()
"""Of pip, for another platform."""
PAGE = pages.DOCS / "how-to/install-without-a-network.md"
EXTRAS = tomllib.loads((pages.REPOSITORY / "core/pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]


def run(command, folder, **options):
    """Run a command as on a machine without an index, whatever settings pip has here."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("LECT_", "PIP_", "PYTHON"))}
    # The interpreter that runs the tests comes first on the path, as a user's only one would.
    path = os.pathsep.join([str(Path(sys.base_prefix) / "bin"), kept["PATH"]])
    environment = {**kept, "PATH": path, "PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(bool(OPTIONS), reason="these wheels are for another platform")
def test_the_command_of_the_page_installs_from_the_folder_and_prints_a_prompt(tmp_path):
    (command,) = [block.text for block in pages.read_blocks(PAGE) if "--no-index" in block.text]
    (tmp_path / "wheelhouse").symlink_to(FOLDER)
    printed = run(command, tmp_path, shell=True)
    assert printed.endswith("<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n")


@pytest.mark.parametrize("wanted", [f"lect[{','.join(EXTRAS)}]", "lect[qwen]"])
def test_all_that_an_extra_needs_is_in_the_folder(wanted, tmp_path):
    target = [ONLY_WHEELS, *OPTIONS, "--target", tmp_path] if OPTIONS else ["--ignore-installed"]
    install = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "--find-links", FOLDER]
    printed = run([*install, *target, wanted], tmp_path)
    assert "Would install" in printed
