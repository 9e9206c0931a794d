"""The tests without the makers' templates next to the repository, as nearly everyone runs them: those that need them
are skipped with a reason, and nothing fails."""

import subprocess
import sys

from fresh_copy import fresh_copy

ASK_THE_MAKERS = ["jinja_oracles", "makers_details", "oracles", "own_templates", "normalize", "stops"]


def test_tests_that_need_the_makers_templates_are_skipped_and_nothing_fails(tmp_path):
    files = [f"tests/test_{name}.py" for name in ASK_THE_MAKERS]
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(run, cwd=fresh_copy(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "the makers' templates are not available: ../shared is missing" in done.stdout
