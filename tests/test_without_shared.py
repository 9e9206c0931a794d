"""The tests themselves, where the makers' templates are not beside the repository, as for nearly everyone who runs them:
what needs those says that it is skipped, and nothing fails."""

import subprocess
import sys

from fresh_copy import fresh_copy

ASK_THE_MAKERS = ["jinja_oracles", "makers_details", "oracles", "own_templates", "put_right", "stops"]


def test_what_asks_the_makers_is_skipped_and_nothing_fails(tmp_path):
    files = [f"tests/test_{name}.py" for name in ASK_THE_MAKERS]
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(run, cwd=fresh_copy(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "the makers' templates are not here: ../shared is missing" in done.stdout
