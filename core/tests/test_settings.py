"""Settings: from the environment, and from a config file."""

import os

import pytest

from lect.errors import LectError
from lect.registry.discover import Record
from lect.registry.settings import Pin, read_settings

QWERTY = Record("lect-qwerty", "1.0", "qwerty", "lect_qwerty:adapter")
ACME = Record("lect-acme", "1.0", "acme", "lect_acme:adapter")
ALL_KEYS = """
block = ["lect-acme"]
only = ["lect-qwerty"]
fallback = false
[pins]
"acme/*" = "acme"
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working directory inside others, none of which has a config file."""
    place = tmp_path / "a" / "b"
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    return place


def test_a_file_sets_everything_that_the_environment_sets(tmp_path):
    path = tmp_path / "team.toml"
    path.write_text(ALL_KEYS)
    settings = read_settings({"LECT_CONFIG": str(path)})
    assert settings.pins == (Pin("acme/*", "acme", str(path)),)
    assert settings.blocks(ACME) == f"block in {path}"
    assert settings.blocks(QWERTY) is None
    assert settings.no_fallback == f"fallback = false in {path}"
    assert settings.config == str(path)


def test_a_variable_replaces_the_key_and_pins_come_first(tmp_path):
    path = tmp_path / "lect.toml"
    path.write_text(ALL_KEYS)
    settings = read_settings({
        "LECT_CONFIG": str(path),
        "LECT_PINS": "acme/*=mine",
        "LECT_DISABLE_PLUGINS": "qwerty",
        "LECT_LOAD_PLUGINS": "acme, qwerty",
        "LECT_FALLBACK": "1",
    })  # fmt: skip
    assert [(pin.adapter, pin.source) for pin in settings.pins] == [("mine", "LECT_PINS"), ("acme", str(path))]
    assert settings.blocks(ACME) is None
    assert settings.blocks(QWERTY) == "LECT_DISABLE_PLUGINS"
    assert settings.no_fallback == ""


def test_an_empty_variable_leaves_the_key_as_it_is_except_that_of_plugins_to_load(tmp_path):
    path = tmp_path / "lect.toml"
    path.write_text('block = ["acme"]\nfallback = false\nonly = ["acme", "qwerty"]')
    empty = {"LECT_PINS": "", "LECT_DISABLE_PLUGINS": " ", "LECT_FALLBACK": ""}
    settings = read_settings({"LECT_CONFIG": str(path), **empty})
    assert settings.blocks(ACME) == f"block in {path}"
    assert settings.blocks(QWERTY) is None
    assert settings.no_fallback
    assert read_settings({"LECT_CONFIG": str(path), "LECT_LOAD_PLUGINS": ""}).blocks(QWERTY) == "LECT_LOAD_PLUGINS"


def test_the_nearest_file_upward_is_found(place):
    (place.parent.parent / "lect.toml").write_text("fallback = false")
    assert read_settings({}, search=True).config == str(place.parent.parent / "lect.toml")
    (place.parent / "pyproject.toml").write_text('[tool.lect]\nblock = ["acme"]\n')
    settings = read_settings({}, search=True)
    assert settings.config == str(place.parent / "pyproject.toml")
    assert settings.blocks(ACME) == f"block in {place.parent / 'pyproject.toml'}"
    assert settings.no_fallback == "", "one file counts, not all of them"
    (place.parent / "lect.toml").write_text("")
    assert read_settings({}, search=True).config == str(place.parent / "lect.toml")


def test_no_file_is_searched_for_unless_asked(place):
    (place / "lect.toml").write_text("fallback = false")
    assert read_settings({}).config == ""


def test_a_named_file_is_used_and_none_is_searched_for(place, tmp_path):
    (place / "lect.toml").write_text("fallback = false")
    (tmp_path / "team.toml").write_text("")
    assert read_settings({"LECT_CONFIG": str(tmp_path / "team.toml")}, search=True).no_fallback == ""


@pytest.mark.parametrize(
    "text",
    ["", "[project]\nname = 'lect'\n", "[tool.lect-metadata]\nwords = 3\n", '[project.entry-points."lect.hints"]\n'],
)
def test_a_pyproject_without_our_table_is_skipped(place, text):
    (place / "pyproject.toml").write_text(text)
    (place.parent / "lect.toml").write_text("")
    assert read_settings({}, search=True).config == str(place.parent / "lect.toml")


@pytest.mark.parametrize(
    "text",
    ["[tool.lect]\nfallback=false", "[tool]\nlect = {fallback = false}", "tool.lect.fallback = false", '[tool."lect"]\nfallback = false',
     "[ tool . lect ]\nfallback = false"],
)  # fmt: skip
def test_our_table_is_found_however_it_is_written(place, text):
    (place / "pyproject.toml").write_text(text)
    assert read_settings({}, search=True).no_fallback


def test_a_working_directory_that_is_gone_has_no_config_file(place):
    place.rmdir()
    assert read_settings({}, search=True).config == ""


@pytest.mark.parametrize(
    ("text", "problem", "advice"),
    [
        ("blok = []", "there is no key 'blok'", "one of pins, block, only, fallback"),
        ("fallback = 0", "fallback is 0; expected true or false", "fallback = false"),
        ('block = "acme"', "block is 'acme'; expected a list of plugins or packages", 'block = ["lect-acme"]'),
        ("only = [3]", "only is [3]; expected a list of plugins or packages", 'only = ["lect-acme", "lect-other"]'),
        ('block = [" "]', "block is [' ']; expected a list of plugins or packages", 'block = ["lect-acme"]'),
        (
            'pins = ["acme"]',
            "pins is ['acme']; expected a table of patterns, each with an adapter or template",
            'pins = {"acme/*" = "lect-acme:acme"}',
        ),
    ],
)
def test_a_wrong_key_or_value_is_one_error_with_the_key(tmp_path, text, problem, advice):
    path = tmp_path / "lect.toml"
    path.write_text(text)
    with pytest.raises(LectError) as error:
        read_settings({"LECT_CONFIG": str(path)})
    assert str(error.value) == f"the config file {str(path)!r} cannot be used: {problem}\n  try: {advice}"


def test_a_named_pyproject_must_have_the_table(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text("[project]\nname = 'acme'\n")
    with pytest.raises(LectError, match=r"it has no table \[tool\.lect\]"):
        read_settings({"LECT_CONFIG": str(path)})
    path.write_text("[tool]\nlect = 3\n")
    with pytest.raises(LectError, match=r"tool\.lect is 3"):
        read_settings({"LECT_CONFIG": str(path)})


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_one_error(place):
    (place / "lect.toml").write_text("")
    (place / "lect.toml").chmod(0)
    with pytest.raises(LectError, match="Permission denied\n  try: "):
        read_settings({}, search=True)
