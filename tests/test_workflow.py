"""Pull requests are checked with everything that `nox` runs, and what it only samples is run in full elsewhere."""

import ast
import re

from goldens import REPOSITORY


def test_every_sampled_test_is_run_in_full_under_stress():
    noxfile = (REPOSITORY / "noxfile.py").read_text("utf-8")
    sampled = re.search(r"^SAMPLED = \[(.*?)^\]", noxfile, re.DOTALL | re.MULTILINE)[1]
    files = [path for place in ("core", "plugins", "tests") for path in (REPOSITORY / place).rglob("test_*.py")]
    using = [path for path in files if re.search("^from sampling import", path.read_text("utf-8"), re.MULTILINE)]
    assert len(using) > 5
    for path in using:
        place = path.relative_to(REPOSITORY).as_posix()
        assert f'"{path.stem.removeprefix("test_")}"' in sampled or f'"{place}"' in sampled, place


def test_the_workflow_runs_every_session_of_nox():
    noxfile = (REPOSITORY / "noxfile.py").read_text("utf-8")
    sessions = ast.literal_eval(
        re.search(r"^nox\.options\.sessions = (\[.*?\])$", noxfile, re.DOTALL | re.MULTILINE)[1]
    )
    workflow = (REPOSITORY / ".github/workflows/checks.yml").read_text("utf-8")
    commands = re.findall(r"run: nox -s (.+)", workflow)
    run = {word.partition("-")[0] for command in commands for word in command.split()}
    assert set(sessions) <= run
