"""What commands say of mistakes is said in words of the command line: thousands of wrong lines, made from the parsers."""

import re
import warnings

import pytest
import wrong_commands
from sampling import in_turn

from lect.cli import main, parsers

PYTHON = re.compile(
    r"lect\.\w+\(|\b[A-Z]\w+\(|\b\w+\(\.\.\.|get_\w+\(|\.\w+\(\)|NoneType|Traceback|TypeError"
    r"|(?<!--option )(?<!--limit )(?<!--column )(?<!such as )(?<![\w-])[a-z_]+=(?:True|False|None|['\"{\[]|\.\.\.)"
)
"""What only a Python program can do."""
COMMANDS = {parser.prog.partition(" ")[2]: parser for parser in parsers()}
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
ADVISED = re.compile(r"^ *(?:try|or): (.*)$", re.MULTILINE)
SLOW = {"doctor", "check"}
"""They try all that is installed, whatever they are given."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("files")
    wrong_commands.write_files(place)
    return place


def lines(command):
    found = {tuple(words): None for name, words in wrong_commands.wrong_lines() if name == command}
    return in_turn(found, 8, command)


def advice_of(text):
    """Yield each piece of advice that is for the command itself, not for another one."""
    for found in ADVISED.findall(text):
        yield re.split(r"\blect [a-z]+\b", found)[0]


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in SLOW])
def test_no_error_speaks_python_or_names_an_option_that_is_not_there(command, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    known = {option for action in COMMANDS[command]._actions for option in action.option_strings}
    for words in lines(command):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            main([command, *words])
        said = capsys.readouterr().err
        shown = f"lect {command} {' '.join(words)}\n{said}"
        assert not PYTHON.search(said), shown
        assert {option for each in advice_of(said) for option in OPTION.findall(each)} <= known, shown


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_that_is_spelt_almost_right_is_named(command, capsys):
    options = [each for action in COMMANDS[command]._actions for each in action.option_strings if len(each) > 5]
    for option in options:
        for wrong in (
            option[:-1],
            f"{option}s",
            f"{option[:3]}{option[4:]}=x",
            option.replace("-", "_").replace("__", "--"),
        ):
            if wrong.partition("=")[0] in options:
                continue
            required = [
                action.metavar or action.dest for action in COMMANDS[command]._actions if not action.option_strings
            ]
            with pytest.raises(SystemExit):
                COMMANDS[command].parse_args([*required, wrong])
            said = capsys.readouterr().err
            assert "unrecognized" not in said or "did you mean '--" in said, (wrong, said)
