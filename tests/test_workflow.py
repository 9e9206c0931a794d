"""Pull requests are checked with everything that `nox` runs, and what it only samples is run in full elsewhere."""

import ast
import re

from repository import REPOSITORY, STREETS


def test_every_sampled_test_is_run_in_full_under_stress():
    noxfile = (REPOSITORY / "noxfile.py").read_text("utf-8")
    sampled = re.search(r"^SAMPLED = \[(.*?)^\]", noxfile, re.DOTALL | re.MULTILINE)[1]
    files = [path for place in ("core", *STREETS, "tests") for path in (REPOSITORY / place).rglob("test_*.py")]
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


def test_only_what_nox_has_checked_is_uploaded_only_for_a_tag_and_only_by_the_job_that_may():
    workflow = (REPOSITORY / ".github/workflows/release.yml").read_text("utf-8")
    assert re.findall(r"^on:\n((?:  .*\n)+)", workflow, re.MULTILINE) == ['  push:\n    tags: ["v*"]\n']
    build, publish = re.split(r"^  publish:\n", workflow, flags=re.MULTILINE)
    assert "run: nox -s release" in build
    assert "id-token" not in build
    assert "id-token: write" in publish
    assert "needs: build" in publish
    assert "environment: release" in publish
    assert "run:" not in publish
    # The file and the environment are those that maintainers name to the index.
    page = (REPOSITORY / "docs/releasing.md").read_text("utf-8")
    assert "the workflow `release.yml`, the environment `release`" in page


def test_every_session_is_in_the_table_of_contributing():
    sessions = re.findall(
        r"^@nox\.session.*\ndef (\w+)\(", (REPOSITORY / "noxfile.py").read_text("utf-8"), re.MULTILINE
    )
    assert len(sessions) > 15
    named = set(re.findall(r"`nox -s ([^`]+)`", (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")))
    words = {word.partition("-")[0] for each in named for word in each.partition(" --")[0].split()}
    assert set(sessions) <= words
