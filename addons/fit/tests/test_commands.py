"""`lect prompt --fit` and `lect why --carries`."""

import json

import pytest

from lect.cli import main
from lect.errors import PluginError

MESSAGES = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}]


@pytest.fixture
def agent(tmp_path):
    path = tmp_path / "agent.json"
    path.write_text(json.dumps(MESSAGES), "utf-8")
    return str(path)


def test_a_fitted_prompt_has_a_note_for_each_change(agent, capsys):
    assert main(["prompt", "some/model", "--adapter", "chatml", "--messages", agent, "--fit"]) == 0
    printed = capsys.readouterr()
    assert "<|im_start|>system\nBe brief." in printed.out
    assert printed.err == ("note: changed: messages[0].role: developer to system (the format does not know the role)\n")


def test_json_lists_the_changes(agent, capsys):
    assert main(["prompt", "some/model", "--adapter", "chatml", "--messages", agent, "--fit", "--json"]) == 0
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert (change["path"], change["step"]) == (["messages", 0, "role"], "developer to system")
    assert main(["prompt", "some/model", "--adapter", "chatml", "--messages", agent, "--json"]) == 0
    assert "changes" not in json.loads(capsys.readouterr().out)


HINT = "note: the format can carry all of it: --fit does that, by developer to system"


def test_a_prompt_that_loses_something_or_is_refused_names_the_option(agent, capsys):
    assert main(["prompt", "some/model", "--adapter", "chatml", "--messages", agent]) == 0
    assert capsys.readouterr().err.splitlines() == ["note: not in the prompt: messages[0].content (dropped)", HINT]
    assert main(["prompt", "some/model", "--adapter", "chatml", "--messages", agent, "--strict"]) != 0
    assert capsys.readouterr().err.splitlines()[0] == HINT
    assert main(["prompt", "some/model", "--adapter", "chatml", "Hi"]) == 0
    assert capsys.readouterr().err == ""


def test_a_text_that_names_a_file_is_noted(agent, capsys):
    assert main(["prompt", "some/model", "--adapter", "chatml", agent]) == 0
    printed = capsys.readouterr()
    assert agent in printed.out
    assert "is also a file; --messages reads it as messages" in printed.err


def test_why_says_what_a_format_carries(capsys):
    assert main(["why", "some/model", "--adapter", "chatml", "--carries"]) == 0
    out = capsys.readouterr().out
    assert "developer" in out.partition("\ncarries\n")[2]
    assert main(["why", "some/model", "--adapter", "chatml", "--carries", "--json"]) == 0
    carries = json.loads(capsys.readouterr().out)["carries"]
    assert carries["system after user"] == ""
    assert carries["developer"] == "the format does not know the role"
    assert main(["why", "some/model", "--adapter", "chatml", "--json"]) == 0
    assert "carries" not in json.loads(capsys.readouterr().out)


def test_without_the_package_it_says_what_to_install(agent, capsys, monkeypatch):
    import lect

    def absent(name, what=""):
        raise PluginError(f"{what or name} is in lect-fit")

    monkeypatch.setattr(lect._registry, "function", absent)
    assert main(["why", "some/model", "--adapter", "chatml", "--carries"]) != 0
    assert "lect why --carries is in lect-fit" in capsys.readouterr().err
    assert main(["prompt", "some/model", "--adapter", "chatml", "--messages", agent, "--fit"]) != 0
