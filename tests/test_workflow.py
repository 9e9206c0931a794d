"""Pull requests are checked with everything that `nox` runs, and what it only samples is run in full elsewhere."""

import re

import sampling
from repository import REPOSITORY, STREETS


def test_every_sampled_test_is_run_in_full_elsewhere():
    """The sessions find the files that are sampled by what they import, so none chooses by itself."""
    files = [path for place in ("core", *STREETS, "tests") for path in (REPOSITORY / place).rglob("test_*.py")]
    others = [path for path in files if re.search(r"environ.*LECT_(?:STRESS|FULL)\b", path.read_text("utf-8"))]
    assert [path.relative_to(REPOSITORY).as_posix() for path in others] == []
    using = [path for path in files if re.search("^from sampling import", path.read_text("utf-8"), re.MULTILINE)]
    assert len(using) > 15


def test_the_sample_rotates_and_covers_everything(monkeypatch):
    monkeypatch.setattr(sampling, "ROTATING", 0)
    tried = set()
    for seed in range(100):
        monkeypatch.setattr(sampling, "SEED", str(seed))
        chosen = sampling.in_turn(range(50), 8, "name")
        assert chosen == sampling.in_turn(range(50), 8, "name")
        assert 6 <= len(chosen) <= 7
        tried.update(chosen)
    assert tried == set(range(50))
    assert sampling.in_turn(["only"], 8) == ["only"]
    assert sampling.in_turn([], 8) == []
    monkeypatch.setattr(sampling, "ROTATING", 1)
    assert sampling.in_turn(range(50), 8) == list(range(50))
    monkeypatch.setattr(sampling, "ROTATING", 2)
    assert sampling.in_turn(range(50), 8) in (list(range(50))[::2], list(range(50))[1::2])


def test_the_workflow_and_ci_run_what_pull_requests_must_pass_and_all_that_it_leaves_out():
    commands = re.findall(r"run: (nox.*)", (REPOSITORY / ".github/workflows/checks.yml").read_text("utf-8"))
    assert {"nox", "nox -s full", "nox -s release"} <= set(commands)
    last = (REPOSITORY / ".ci/run").read_text("utf-8").splitlines()[-2:]
    assert last[0].endswith(".venv/bin/nox")
    assert last[1] == "LECT_FULL=8 .venv/bin/nox -s full"


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
