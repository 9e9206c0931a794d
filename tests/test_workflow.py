"""Pull requests are checked with everything that `nox` runs."""

import ast
import re

from goldens import REPOSITORY


def test_the_workflow_runs_every_session_of_nox():
    noxfile = (REPOSITORY / "noxfile.py").read_text("utf-8")
    sessions = ast.literal_eval(
        re.search(r"^nox\.options\.sessions = (\[.*?\])$", noxfile, re.DOTALL | re.MULTILINE)[1]
    )
    workflow = (REPOSITORY / ".github/workflows/checks.yml").read_text("utf-8")
    commands = re.findall(r"run: nox -s (.+)", workflow)
    run = {word.partition("-")[0] for command in commands for word in command.split()}
    assert set(sessions) <= run
