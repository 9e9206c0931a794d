"""Commands of installed packages: the group `lect.commands`."""

import pytest
from installs import install, registry_of

import lect
from lect.addon import commands
from lect.cli import COMMANDS, main

GREET = """
from lect.errors import LectError

class adapter:
    HELP = "greet somebody"

    @staticmethod
    def configure(parser):
        parser.add_argument("name")

    @staticmethod
    def run(arguments):
        if arguments.name == "nobody":
            raise LectError("there is nobody")
        if arguments.name == "all":
            raise SystemExit("closed")
        print("Hello", arguments.name)
        return 3
"""


@pytest.fixture
def only(site, monkeypatch):
    """Install commands, each with one source, and let lect see only those."""

    def see(command="greet", **sources):
        for name, source in sources.items():
            install(site, f"command-{name}", command, source, group="lect.commands")
        monkeypatch.setattr(lect, "_registry", registry_of(*(f"command-{name}" for name in sources)))

    return see


def test_a_command_is_listed_and_run(only, capsys):
    only(whole=GREET)
    assert main(["--help"]) == 0
    assert "  greet       greet somebody\n" in capsys.readouterr().out
    assert main(["greet", "Ada"]) == 3
    assert capsys.readouterr().out == "Hello Ada\n"
    assert main(["greet", "--help"]) == 0
    assert "usage: lect greet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nobody", "lect: there is nobody"),
        ("all", "lect: the command 'greet' of command-raises failed: SystemExit: closed"),
    ],
)
def test_what_a_command_raises_is_one_line(only, capsys, name, said):
    only(raises=GREET)
    assert main(["greet", name]) == 1
    assert capsys.readouterr().err == f"{said}\n"


def test_our_own_command_wins(only, capsys):
    only("families", hides=GREET)
    assert main(["families"]) == 0
    assert "installed" in capsys.readouterr().out


def test_a_broken_command_is_listed_as_failed(only, capsys):
    only(broken="raise RuntimeError('closed')")
    assert main(["--help"]) == 0
    assert "  greet       (failed; see `lect doctor`: command-broken)\n" in capsys.readouterr().out
    assert main(["greet"]) == 1
    assert "the command 'greet' of command-broken cannot be loaded" in capsys.readouterr().err
    assert main(["doctor"]) == 1
    assert "RuntimeError: closed" in capsys.readouterr().out


def test_the_parsers_of_all_commands_that_can_be_loaded_are_those_that_parse(only):
    only(whole=GREET)
    greet = list(commands.parsers())[-1]
    assert [each.prog for each in commands.parsers()] == [f"lect {name}" for name in (*COMMANDS, "greet")]
    assert greet.parse_args(["Ada"]).name == "Ada"


@pytest.mark.filterwarnings("ignore:a lect plugin failed")
@pytest.mark.parametrize(("command", "source"), [("families", GREET), ("greet", "raise RuntimeError('closed')")])
def test_no_parser_is_there_twice_or_of_a_command_that_is_broken(only, command, source):
    only(command, it=source)
    assert [each.prog for each in commands.parsers()] == [f"lect {name}" for name in COMMANDS]


def test_two_packages_with_the_same_command_are_named(only, capsys):
    only(one=GREET, two=GREET)
    assert main(["greet", "Ada"]) == 1
    assert "both command-one and command-two have a command 'greet'" in capsys.readouterr().err


def test_a_mistyped_command_is_recognised(only, capsys):
    only(near=GREET)
    assert main(["gret"]) == 2
    assert "did you mean 'greet'?" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "package"), [("new", "kit"), ("convert", "convert"), ("audit", "jinja")])
def test_a_command_of_a_package_that_is_not_installed_says_what_to_install(only, capsys, command, package):
    only()
    assert main([command, "acme"]) == 2
    assert capsys.readouterr().err.endswith(
        f"lect: error: the command '{command}' is in lect-{package}, which is not installed\n"
        f"  try: pip install lect-{package}\n"
    )
    assert main(["--help"]) == 0
    assert f"  {command:10}  (in lect-{package})\n" in capsys.readouterr().out


def test_a_command_of_a_package_that_is_blocked_says_so(site, monkeypatch, capsys):
    install(site, "lect-kit", "new", GREET, group="lect.commands")
    monkeypatch.setattr(lect, "_registry", registry_of("lect-kit", environ={"LECT_DISABLE_PLUGINS": "lect-kit"}))
    assert main(["new", "acme"]) == 2
    assert "the command 'new' is in lect-kit, which is blocked\n  try: lect plugins" in capsys.readouterr().err
