"""What the documentation says is so: its examples run, and its reference pages leave nothing out."""

import inspect
import re

import pages
import pytest

import idiolect.errors
import idiolect.plugin
from idiolect.cli import COMMANDS
from idiolect.registry import hookspecs, settings

REFERENCE = pages.DOCS / "reference"
# The tutorial's commands need its own package: test_tutorial.py runs them where that is installed.
TUTORIAL = pages.DOCS / "tutorial" / "first-adapter.md"
WITH_PYTHON = [page for page in pages.all_pages() if pages.python_examples(page)]
WITH_COMMANDS = [page for page in pages.all_pages() if pages.console_examples(page) and page != TUTORIAL]
TABLED = ["README.md", "README.zh-CN.md"]


def check(page, example, printed):
    if example.printed is not None and not pages.fits(printed, example.printed):
        # Compared again, for the sake of the difference that pytest shows.
        assert printed.rstrip("\n") == example.printed.rstrip("\n"), f"{pages.name(page)}, line {example.line}"


@pytest.mark.parametrize("page", WITH_PYTHON, ids=pages.name)
def test_python_prints_what_the_page_says(page, tmp_path):
    examples = pages.python_examples(page)
    for example, printed in zip(examples, pages.run_program(examples, tmp_path), strict=True):
        check(page, example, printed)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=pages.name)
def test_commands_print_what_the_page_says(page, tmp_path):
    for name, text in pages.files(page).items():
        (tmp_path / name).write_text(text, "utf-8")
    for example in pages.console_examples(page):
        check(page, example, pages.run_command(example.code, tmp_path))


@pytest.mark.parametrize("page", pages.all_pages(), ids=pages.name)
def test_links_lead_somewhere(page):
    prose = pages.BLOCK.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)", prose):
        assert target.startswith("https://") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", pages.all_pages(), ids=pages.name)
def test_what_is_to_be_installed_is_there(page):
    for block in pages.read_blocks(page):
        if block.language == "shell":
            for path in re.findall(r"(?<= )\./\S+", block.text):
                assert (pages.REPOSITORY / path / "pyproject.toml").exists(), path


@pytest.mark.parametrize("command", ["idiolect", *(f"idiolect {name}" for name in COMMANDS)])
def test_help_is_documented(command, tmp_path):
    page = (REFERENCE / "command-line.md").read_text("utf-8")
    assert f"```console\n$ {command} --help\n{pages.run_command(f'{command} --help', tmp_path)}```\n" in page


def hooks():
    functions = inspect.getmembers(hookspecs, inspect.isfunction)
    return {name: list(inspect.signature(function).parameters) for name, function in functions if hasattr(function, f"{hookspecs.PROJECT}_spec")}


@pytest.mark.parametrize("hook", hooks())
def test_hooks_are_documented(hook):
    assert f"\n### `{hook}({', '.join(hooks()[hook])})`\n" in (REFERENCE / "hooks.md").read_text("utf-8")


def documented(values):
    """Return `(name of a value, name of a field)` for all fields, or arguments, of some values."""
    return [(value.__name__, field) for value in values for field in inspect.signature(value).parameters if field != "facts"]


VALUES = [
    idiolect.Template, idiolect.plugin.TurnTemplate, idiolect.plugin.Turn, idiolect.Segment, idiolect.Control, idiolect.Unused, idiolect.Reply,
    idiolect.plugin.ToolCall, idiolect.plugin.Part, idiolect.plugin.Call,
]  # fmt: skip
HOOK_VALUES = [idiolect.plugin.ModelRef, idiolect.plugin.Match, idiolect.plugin.Rule, idiolect.plugin.Family]


def section(page, heading):
    """Return the part of a page under the heading of a value, up to the next heading of that level or a higher one."""
    text = pages.BLOCK.sub("", (REFERENCE / page).read_text("utf-8"))
    found = re.search(rf"^(##+) {heading}$(.*?)(?=^##+ |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"{page} has no section {heading}"
    return found[2]


@pytest.mark.parametrize(("value", "field"), documented(VALUES))
def test_the_fields_of_values_are_documented(value, field):
    assert f"`{field}`" in section("templates.md", value)


@pytest.mark.parametrize(("value", "field"), documented(HOOK_VALUES))
def test_the_fields_of_values_that_hooks_handle_are_documented(value, field):
    assert f"`{field}`" in section("hooks.md", value)


@pytest.mark.parametrize("name", [name for name, value in vars(idiolect.errors).items() if isinstance(value, type) and issubclass(value, Exception)])
def test_errors_and_warnings_are_documented(name):
    text = (REFERENCE / "errors.md").read_text("utf-8")
    assert f"\n## {name}\n" in text


@pytest.mark.parametrize("variable", [settings.PINS, settings.DISABLE, settings.LOAD, settings.CONFIG])
def test_variables_are_documented(variable):
    assert f"\n## `{variable}`\n" in (REFERENCE / "environment.md").read_text("utf-8")


@pytest.mark.parametrize("readme", TABLED)
def test_families_table(readme):
    tabled = re.findall(r"^\| \[(\S+)\]\(plugins/\1/README\.md\) \|", (pages.REPOSITORY / readme).read_text("utf-8"), re.MULTILINE)
    assert tabled == sorted(path.parent.name for path in (pages.REPOSITORY / "plugins").glob("*/pyproject.toml"))
