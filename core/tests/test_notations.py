"""Templates in other notations: `lect.load_template` and the group `lect.notations`."""

import os

import pytest
from installs import install, registry_of

import lect
from lect import PluginError, SourceError
from lect.errors import PluginWarning

LINES = r"""
from lect import SourceError
from lect.plugin import Turn, TurnTemplate

class Lines:
    def recognises(self, source):
        return isinstance(source.data, dict) and "lines" in source.data

    def read(self, source):
        if not isinstance(source.data["lines"], list):
            raise SourceError("lines is no list")
        user, bot = source.data["lines"]
        return TurnTemplate("lines", user=Turn(user, "\n"), assistant=Turn(bot, "\n"))

adapter = Lines()
"""
GIVEN = {"lines": ["U:", "B:"]}


@pytest.fixture
def only(site, monkeypatch):
    """Install notations, each with one source, and let lect see only those."""

    def see(**sources):
        for name, source in sources.items():
            install(site, f"notation-{name}", "lines", source, group="lect.notations")
        monkeypatch.setattr(lect, "_registry", registry_of(*(f"notation-{name}" for name in sources)))

    return see


def written(template):
    return template.text([{"role": "user", "content": "Hi"}], add_generation_prompt=True)


@pytest.mark.parametrize("given", [str, lambda path: path])
def test_a_file_is_read_by_the_notation_that_recognises_it(only, tmp_path, given):
    only(file=LINES)
    path = tmp_path / "template.json"
    path.write_text('\ufeff{"lines": ["U:", "B:"]}', "utf-8")
    assert written(lect.load_template(given(path))) == "U:Hi\nB:"


@pytest.mark.parametrize("source", [GIVEN, '{"lines": ["U:", "B:"]}'])
def test_a_mapping_or_a_text_is_read_directly(only, source):
    only(given=LINES)
    assert written(lect.load_template(source)) == "U:Hi\nB:"
    assert written(lect.load_template(source, notation="lines")) == "U:Hi\nB:"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nowhere.json", "cannot read 'nowhere.json': No such file or directory"),
        ("a\0b", "cannot read"),
        ("{% if %}", "not a template in any installed notation"),
        ({"rows": 1}, "not a template in any installed notation"),
        ('{"lines": 1, "lines": 2}', "the key 'lines' occurs twice in one object"),
        ('{"lines": 1}', "lines is no list"),
        (7, "not a template in any installed notation"),
        ("[" * 100_000 + "{", "not a template in any installed notation"),
    ],
)
def test_what_cannot_be_read_is_one_clear_error(only, source, said, tmp_path, monkeypatch):
    only(strict=LINES)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match=said):
        lect.load_template(source)


def test_a_pipe_is_not_waited_for(only, tmp_path):
    only(pipe=LINES)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="it is not a regular file"):
        lect.load_template(tmp_path / "pipe")


def test_a_directory_and_a_file_that_is_not_text_are_left_to_the_notations(only, tmp_path):
    only(places=LINES.replace("return isinstance", "return source.text is source.data is None or isinstance"))
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for path in (tmp_path, tmp_path / "binary"):
        with pytest.raises(PluginError, match=r"the notation 'lines' failed on .*TypeError"):
            lect.load_template(path)


def test_two_notations_that_recognise_a_source_are_named(site, monkeypatch):
    install(site, "notation-lines", "lines", LINES, group="lect.notations")
    install(site, "notation-rows", "rows", LINES, group="lect.notations")
    monkeypatch.setattr(lect, "_registry", registry_of("notation-lines", "notation-rows"))
    with pytest.raises(SourceError, match="several notations: lines, rows\n  try: notation='lines'"):
        lect.load_template(GIVEN)
    assert written(lect.load_template(GIVEN, notation="rows")) == "U:Hi\nB:"


def test_two_packages_with_the_same_notation_are_named(only):
    only(one=LINES, two=LINES)
    with pytest.raises(PluginError, match="both notation-one and notation-two have a notation 'lines'"):
        lect.load_template(GIVEN)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("exits", "raise SystemExit(3)"),
        ("is-a-number", "adapter = 7"),
        ("fails-when-looked-at", "class Odd:\n    read = property(lambda self: 1 / 0)\nadapter = Odd()"),
    ],
)
def test_a_broken_notation_is_left_out_and_named(only, name, source):
    only(**{name: source})
    with pytest.warns(PluginWarning, match=f"notation-{name}"), pytest.raises(PluginError, match="cannot be loaded"):
        lect.load_template("{x}", notation="lines")


def test_without_notations_the_error_says_what_to_install(only):
    only()
    with pytest.raises(SourceError, match=r"no installed package reads templates.*\n  try: pip install lect-jinja"):
        lect.load_template("{x}")
    with pytest.raises(SourceError, match="has a notation 'lines'\n  try: pip install lect-jinja"):
        lect.load_template("{x}", notation="lines")


@pytest.mark.parametrize(
    ("notation", "package"), [("jinja", "lect-jinja"), ("response-template", "lect-jinja"), ("ollama", "lect-ollama")]
)
def test_a_notation_whose_package_is_not_installed_says_what_to_install(only, notation, package):
    only(lines=LINES)
    with pytest.raises(SourceError) as caught:
        lect.load_template(GIVEN, notation=notation)
    assert str(caught.value) == (
        f"the notation {notation!r} is in {package}, which is not installed\n  try: pip install {package}"
    )


def test_a_notation_that_can_only_be_written_reads_nothing(only):
    only(writes="class Writes:\n    def write(self, template): pass\nadapter = Writes()\n")
    with pytest.raises(SourceError, match="'lines' can be written, but not read"):
        lect.load_template("{x}", notation="lines")
    with pytest.raises(SourceError, match="no installed package reads"):
        lect.load_template("{x}")
