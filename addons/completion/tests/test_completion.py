"""What is completed: bash is asked for it with the script, zsh and fish where they are."""

import json
import shutil
import subprocess

import pytest

import lect
from lect.cli import main
from lect.plugin import Family, Rule, Turn, TurnTemplate
from lect_completion import script
from lect_completion.offered import offered
from lect_kit import AdapterSuite


class TestCompletion(AdapterSuite):
    plugin = "completion"
    examples = {}


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    """Return a function that completes a line, up to the cursor, as bash does."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not here")
    path = tmp_path_factory.mktemp("bash") / "lect"
    path.write_text(script("bash"), "utf-8")

    def completed(line, breaks=""" \t\n"'@><=;|&(:"""):
        code = 'source "$1"; COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDBREAKS=$3; _lect; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(
            ["bash", "--norc", "-c", code, "bash", path, line, breaks],
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        assert done.stderr == ""
        return done.stdout.split()

    return completed


def test_commands_are_completed(bash):
    assert bash("lect pro") == ["prompt"]
    assert set(bash("lect ")) >= {"prompt", "parse", "why", "completion", "--help", "--version"}
    assert bash("lect --v") == ["--version"]
    assert bash("lect nothing-of-the-kind") == bash("lect nothing ") == []


def test_every_command_has_its_options(bash):
    known = offered()
    assert {command.name for command in known.commands} == set(bash("lect ")) - {"--help", "--version"}
    for command in known.commands:
        names = {name for option in command.options for name in option.names}
        assert names >= {"-h", "--help"}
        assert set(bash(f"lect {command.name} -")) == names


def test_options_are_completed_behind_arguments(bash):
    assert bash("lect prompt some/model --show-s") == ["--show-segments"]
    assert bash('lect prompt some/model "Hello" --show-s') == ["--show-segments"]


def test_an_option_is_followed_by_what_it_takes(bash):
    assert bash("lect completion ") == ["bash", "zsh", "fish"]
    assert bash("lect prompt some/model --adapter chatm") == ["chatml"]
    assert "think" in bash("lect parse - --format thi")
    assert bash("lect prompt some/model --messages ") == []  # bash itself completes the names of files


def test_bash_gets_what_is_behind_its_own_ends_of_words(bash):
    assert bash("lect prompt lect:chatm") == ["chatml"]
    assert bash("lect prompt lect:chatm", breaks=" \t\n") == ["lect:chatml"]
    assert bash("lect prompt some/model --adapter=chatm") == ["chatml"]
    assert bash("lect prompt some/model --adapter=lect:chatm") == ["chatml"]


def test_only_what_is_before_the_cursor_counts(bash):
    assert bash("lect  why   lect:chatm") == ["chatml"]


def test_families_and_templates_are_those_that_are_declared(bash):
    owned = lect.templates()
    assert set(bash("lect prompt some/model --default ")) >= owned.keys()
    full = {f"{owner}:{name}" for owner, names in owned.items() for name in names}
    assert set(bash("lect why ", breaks=" \t\n")) == full


ODD = TurnTemplate("$(touch here) `x`;'\"", user=Turn("<u>", "\n"), assistant=Turn("<a>", "\n"), stop=["\n"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_name_that_a_shell_would_run_is_not_offered(shell, registry):
    lect.register(Family("acme", Rule("acme", ODD)))
    assert any("touch" in name for names in lect.templates().values() for name in names)
    assert "touch" not in script(shell)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_another_shell_takes_its_script(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    path = tmp_path / "script"
    path.write_text(script(shell), "utf-8")
    subprocess.run([shell, "-n", path], check=True)


def test_fish_completes_a_line(tmp_path):
    if shutil.which("fish") is None:
        pytest.skip("fish is not here")
    path = tmp_path / "lect.fish"
    path.write_text(script("fish"), "utf-8")
    line = "lect prompt some/model --adapter chatm"
    done = subprocess.run(
        ["fish", "-c", f"source {path}; complete -C {json.dumps(line)}"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.split() == ["chatml"]


def test_scripts_of_other_shells_have_commands_options_and_names():
    zsh, fish = script("zsh"), script("fish")
    assert "        prompt)\n            options='-h --help --system" in zsh
    assert "        names='audit check completion " in zsh
    assert "complete -c lect -n '__fish_seen_subcommand_from prompt' -l adapter -x -a \"$_lect_adapters\" -d " in fish
    assert "complete -c lect -n '__fish_seen_subcommand_from constrain' -l to -x -a 'xgrammar lark gbnf' -d " in fish
    for text in (zsh, fish):
        assert "lect:chatml" in text
        assert "@" not in text.replace("$@", "")


def test_the_command_writes_the_script(capsys, registry):
    assert main(["completion", "bash"]) == 0
    assert capsys.readouterr().out.startswith("# lect completion bash\n_lect_templates='")
    assert main(["completion", "csh"]) == 2
    with pytest.raises(lect.MessageError, match="shell is 'csh'; expected one of 'bash', 'zsh'"):
        script("csh")
