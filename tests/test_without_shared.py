"""The tests without the makers' templates next to the repository, as nearly everyone runs them: those that need them
are skipped with a reason, and nothing fails."""

import re
import subprocess
import sys
from functools import cache

import pytest
from fresh_copy import fresh_copy
from repository import REPOSITORY
from sampling import in_turn, sampling_environment
from shared import SHARED

if not SHARED.exists():
    pytest.skip("all tests run without the makers' templates: ../shared is missing", allow_module_level=True)
SUPPORT = {path.stem: path for path in (REPOSITORY / "tests/support").glob("*.py")}
PARTS = [REPOSITORY / part for part in ("core", "plugins", "addons", "tests")]
TESTS = sorted(path for part in PARTS for path in part.rglob("test_*.py"))
IMPORTED = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
BESIDE = re.compile(r"""/ *f?["']shared\b""")
# Of every test one case: what all of them need is imported and skipped alike.
RUN = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "one_of_each"]


@cache
def knows_the_folder(path):
    """Return whether a file imports the module that names the folder, or another that does."""
    imported = SUPPORT.keys() & IMPORTED.findall(path.read_text("utf-8"))
    return "shared" in imported or any(knows_the_folder(SUPPORT[name]) for name in imported)


def test_one_module_names_the_folder():
    naming = [path.name for path in (*TESTS, *SUPPORT.values()) if BESIDE.search(path.read_text("utf-8"))]
    assert naming == ["shared.py"]


def test_tests_that_need_the_makers_templates_are_skipped_and_nothing_fails(tmp_path):
    needing = in_turn([path.relative_to(REPOSITORY) for path in TESTS if knows_the_folder(path)], 6)
    # Apart, so that one case is also one of those that are tried together; and no more cases than in an ordinary run.
    apart = {**sampling_environment(), "LECT_APART": "1"}
    copy = fresh_copy(tmp_path)
    done = subprocess.run([*RUN, *needing], cwd=copy, env=apart, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert re.search(r"\.\./shared\S* is missing", done.stdout)
