"""The command line as a whole: starting, helping, failing and being cut short."""

import io
import subprocess
import sys

import pytest
from counting import HANGS

import lect
from lect.cli import COMMANDS, main
from lect.plugin import Family, Rule, Turn, TurnTemplate, hookimpl
from lect.registry.groups import COMMANDS as COMMANDS_GROUP
from lect.registry.registry import REGISTRY, Registry

ACME = TurnTemplate("acme", user=Turn("<user>", "</user>"), assistant=Turn("<bot>", "</bot>"), stop=["</bot>"])


@pytest.fixture(autouse=True)
def acme(registry):
    lect.register(Family("acme", Rule("acme", ACME)))


def python(*arguments, **more):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=HANGS, check=False, **more
    )


MODULES = {f"lect.cli.{name}" for name in COMMANDS}
HEAVY = {
    "jinja2",
    "rich",
    "json",
    "difflib",
    "datetime",
    "importlib.metadata",
    "importlib_metadata",
    "packaging.specifiers",
}


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_starting_imports_nothing_heavy(option):
    done = python("-X", "importtime", "-m", "lect", option)
    assert done.returncode == 0
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert {"lect", "lect.cli", "argparse"} <= imported
    assert not imported & HEAVY


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_starting_imports_no_adapter_and_none_of_our_commands(option):
    # What `import_module` imports is not in the table of -X importtime.
    done = python(
        "-c", f"import sys\nfrom lect.cli import main\nmain([{option!r}])\nprint(*sys.modules, file=sys.stderr)"
    )
    imported = set(done.stderr.split())
    assert "lect.cli" in imported
    assert not imported & {*HEAVY, *MODULES}
    # Help describes the commands of packages, which it must import for that.
    commands = (
        ()
        if option == "--version"
        else tuple({record.value.partition(".")[0] for record in REGISTRY.adapters.parts(COMMANDS_GROUP)})
    )
    assert not {name for name in imported if name.startswith("lect_") and not name.startswith(commands)}


def test_a_command_imports_no_other_command():
    done = python(
        "-c", "import sys\nfrom lect.cli import main\nmain(['why', '--help'])\nprint(*sys.modules, file=sys.stderr)"
    )
    assert set(done.stderr.split()) & MODULES == {"lect.cli.why"}


def test_the_version_is_printed(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"lect {lect.__version__}\n"


def test_help_names_every_command(capsys):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out and text in out for name, text in COMMANDS.items())
    assert 'lect prompt lmsys/vicuna-7b-v1.5 "Hello!"' in out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_explains_it_with_an_example(command, capsys):
    assert main([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: lect {command} ")
    assert f"\n  lect {command}" in out.partition("examples:")[2]
    assert "--json" in out


def test_without_a_command_help_is_a_usage_error(capsys):
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "commands:" in err


def test_a_mistyped_command_is_a_usage_error_that_names_the_nearest(capsys):
    assert main(["promt"]) == 2
    assert "there is no command 'promt'; did you mean 'prompt'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--nonsense"], ["why"], ["why", "a", "b"], ["plugins", "--lod"], ["plugins", "--loa"]]
)
def test_a_wrong_command_line_gives_2_and_the_usage(words, capsys):
    assert main(words) == 2
    assert capsys.readouterr().err.startswith("usage: lect")


def test_a_usage_error_shows_no_control_characters(capsys):
    assert main(["why", "a", "--\x1b[2J"]) == 2
    assert r"--\x1b[2J" in capsys.readouterr().err


def test_a_lect_error_gives_1_and_its_message_without_a_traceback(capsys):
    assert main(["prompt", "http://example.com/model", "Hello!"]) == 1
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith("lect: a URL is not a model path; nothing is fetched\n  try: ")
    assert "Traceback" not in err


def test_an_error_shows_no_control_characters_of_a_plugin(capsys):
    class Rude:
        name = "rude"

        @hookimpl
        def match(self):
            return True

        @hookimpl
        def get_template(self):
            raise RuntimeError("\x1b]0;owned\x07")

    undo = lect.register(Rude())
    assert main(["prompt", "something", "Hello!"]) == 1
    undo()
    err = capsys.readouterr().err
    assert r"RuntimeError: \x1b]0;owned\x07" in err
    assert "\x1b" not in err


@pytest.mark.usefixtures("broken")
def test_a_plugin_that_fails_is_warned_about_in_our_words(capsys):
    assert main(["prompt", "acme-7b", "Hello!"]) == 0
    out, err = capsys.readouterr()
    assert out == "<user>Hello!</user><bot>"
    assert err.startswith(
        "lect: warning: a lect plugin failed and is left out: broken: match: RuntimeError: closed\\x1b[2J\n  try: "
    )


def test_an_interrupt_ends_quietly(capsys, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(lect._registry, "resolve", interrupt)
    assert main(["prompt", "acme-7b", "Hello!"]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_closed_pipe_ends_quietly():
    # Standard output is a pipe whose reader has gone, as after `| head`.
    done = python(
        "-c",
        "import os, sys\nfrom lect.cli import main\nreader, writer = os.pipe()\nos.close(reader)\nos.dup2(writer, 1)\nsys.exit(main(['families']))",
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_arguments_of_the_process_are_the_default(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["lect", "prompt", "acme-7b", "Hello!"])
    assert main() == 0
    assert capsys.readouterr().out == "<user>Hello!</user><bot>"


def test_the_module_runs_as_the_command():
    done = python("-m", "lect", "prompt", "anything", "Hello!", "--adapter", "chatml", stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n"


def test_a_replaced_standard_output_is_written_to(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["prompt", "acme-7b", "Hello!"]) == 0
    assert stream.getvalue() == "<user>Hello!</user><bot>"


def test_help_works_where_settings_cannot_be_read(tmp_path, monkeypatch, capsys):
    (tmp_path / "lect.toml").write_text("blok = 3")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lect, "_registry", Registry(environ={}, find=list))
    for words in (["--help"], ["prompt", "--help"]):
        assert main(words) == 0
    assert "commands:" in capsys.readouterr().out
    assert main(["prompt", "acme", "Hello!"]) == 1
    assert "there is no key 'blok'" in capsys.readouterr().err
