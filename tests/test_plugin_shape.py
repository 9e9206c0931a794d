"""All plugins have the same shape: if you know one, you know them all. Addons have one of their own."""

import importlib
import json
import re
import tomllib

import make_corpus
import make_metadata
import pytest
from repository import REPOSITORY, folder
from together import together

import lect
from lect.prompt.unused import MESSAGE_FIELDS
from lect_kit.corpus import CORPUS

# Packages that whoever only writes prompts can do without; `hub`, which downloads, is one of them.
ADDONS = [name for name in make_metadata.PLUGINS if make_metadata.is_apart(name)]
NAMES = [name for name in make_metadata.PLUGINS if name not in ADDONS]
# Packages with only reply formats, names or a notation have no adapter.
WITH_ADAPTER = [name for name in NAMES if name not in ("dialects", "jinja", "ollama", "paddlenlp", "providers")]
CORE = tomllib.loads((REPOSITORY / "core/pyproject.toml").read_text("utf-8"))["project"]
# A package is tested with those of its own version, and with no older ones.
BOUND = f">={CORE['version'].rpartition('.')[0]},<1"
NEEDS = {
    "data": [*(f"lect-{name}{BOUND}" for name in ("rows", "tokens")), "pyarrow>=17"],
    "explain": [f"lect-{name}{BOUND}" for name in ("apis", "tokens")],
    "hub": [f"lect-jinja{BOUND}", "huggingface_hub>=0.30"],
    "jinja": ["jinja2>=3.1.6"],
    "kit": ["pytest>=8", "hypothesis>=6.100"],
    "paddlenlp": [f"lect-jinja{BOUND}"],
    "serve": [
        *(f"lect-{name}{BOUND}" for name in ("apis", "constrain", "explain", "fit", "rollout", "tokens", "view")),
        "httpx>=0.27",
        "starlette>=0.37",
        "tokenizers>=0.21",
        "uvicorn>=0.30",
    ],
    "view": [f"lect-tokens{BOUND}"],
    **{key: [f"lect-{name}{BOUND}" for name in ("apis", "constrain")] for key in ("sglang", "vllm")},
}
"""What packages need besides core."""
# It tests the inside of core, which may change in any version.
PINNED = {"kit"}
# They are imported by their users alone, so they have no entry points.
LIBRARIES = {"apis"}
# Their entry points are those of the servers that load them.
HOSTED = {"sglang", "vllm"}
# Groups without adapters for names.
PARTS = {"lect.replies", "lect.notations", "lect.commands", "lect.paths"}
GROUPS = {"lect", "lect.fallback", "lect.hints", "lect.templates", *PARTS}
TABLES = {"build-system", "project", "tool"}
METADATA = {"words", "owners", "models", "models-zh", "group", "sources"}
KEYS = [
    "name", "version", "description", "readme", "requires-python", "license", "license-files", "authors", "keywords",
    "classifiers", "dependencies", "urls", "entry-points",
]  # fmt: skip

FIELD = re.compile(r"""\b(message|system|result|following)\.raw(?:\.get\(|\[)"(\w+)"|field_of\(\w+, \w+, "(\w+)"\)""")

every_package = together("name", [*NAMES, *ADDONS])
every_package_with_parts = together("name", sorted({*NAMES, *ADDONS} - LIBRARIES - HOSTED))
every_plugin = together("name", NAMES)
every_addon = pytest.mark.parametrize("name", ADDONS)
every_adapter = pytest.mark.parametrize("name", WITH_ADAPTER)


def project(name):
    return tomllib.loads((folder(name) / "pyproject.toml").read_text("utf-8"))


def entry_points(name, group):
    return project(name)["project"].get("entry-points", {}).get(group, {})


@pytest.fixture
def plugin(name, monkeypatch):
    """The module of a plugin as it is in the repository, installed or not."""
    monkeypatch.syspath_prepend(str(folder(name) / "src"))
    return importlib.import_module(f"lect_{name}")


def test_there_are_plugins():
    assert NAMES


@every_package
def test_the_project_file_has_the_same_keys(name):
    tables = project(name)
    assert set(tables) == TABLES
    assert list(tables["project"]) == (KEYS[:-1] if name in LIBRARIES else KEYS)
    assert tables["build-system"] == {"requires": ["flit_core>=3.11,<5"], "build-backend": "flit_core.buildapi"}
    assert tables["tool"].keys() == {"lect-metadata"}
    assert tables["tool"]["lect-metadata"].keys() <= METADATA


def test_a_small_family_is_small():
    code = (folder("orion") / "src/lect_orion/__init__.py").read_text("utf-8")
    assert len(code.splitlines()) <= 40
    assert len((folder("orion") / "pyproject.toml").read_text("utf-8").splitlines()) <= 26


@every_package
def test_the_project_metadata_is_the_same(name):
    said = project(name)["project"]
    assert said["name"] == f"lect-{name}"
    assert said["readme"] == "README.md"
    for key in ("version", "requires-python", "license", "license-files", "keywords", "classifiers", "urls"):
        assert said[key] == CORE[key]
    assert "for lect" in said["description"]
    bound = f"=={CORE['version']}" if name in PINNED else BOUND
    assert said["dependencies"] == [f"lect{bound}", *NEEDS.get(name, [])]


@every_plugin
def test_the_entry_points_lead_to_one_adapter(name):
    points = project(name)["project"].get("entry-points", {})
    assert set(points) <= GROUPS
    own = [group for group in ("lect", "lect.fallback") if group in points]
    if not own:
        assert points, "a package without an adapter has reply formats or a notation"
        assert set(points) <= PARTS
        return
    assert len(own) == 1
    assert points[own[0]] == {name: f"lect_{name}:adapter"}
    others = {value for group, rows in points.items() if group not in PARTS for value in rows.values()}
    assert others == {f"lect_{name}:adapter"}


@every_addon
def test_the_entry_points_of_an_addon_are_commands_and_functions(name):
    commands, functions = entry_points(name, "lect.commands"), entry_points(name, "lect.functions")
    assert commands == {command: f"lect_{name}.cli.{command}" for command in commands}
    assert all(value.startswith(f"lect_{name}:") for value in functions.values())
    # The others are for `lect doctor`, `lect why`, notebooks, templates and prompts: nobody calls them.
    called_by_lect = {"carried", "doctor_tokens", "effort", "expanded", "media_places", "picture", "own_numbers"}
    assert functions.keys() <= {*lect.__all__, *called_by_lect}


def test_generated_files_are_up_to_date():
    stale = [
        str(path.relative_to(REPOSITORY))
        for path, text in make_metadata.files().items()
        if path.read_text("utf-8") != text
    ]
    assert stale == [], "try: python tests/support/make_metadata.py"


def test_the_corpus_is_up_to_date():
    assert CORPUS.read_text("utf-8") == make_corpus.text(), "try: python tests/support/make_corpus.py"


@every_package_with_parts
def test_the_conformance_kit_is_run_on_it_with_every_golden_file(name):
    tests = (folder(name) / f"tests/test_{name}.py").read_text("utf-8")
    assert "(AdapterSuite):\n" in tests
    assert f'    plugin = "{name}"\n' in tests
    assert [path.name for path in folder(name).glob("tests/golden/*--*.json") if path.name not in tests] == []


@every_package
def test_the_same_files_are_there(name):
    for file in (
        "README.md",
        "LICENSE",
        "NOTICE",
        f"src/lect_{name}/__init__.py",
        f"src/lect_{name}/py.typed",
        f"tests/test_{name}.py",
    ):
        assert (folder(name) / file).is_file(), file
    assert (folder(name) / "deviations.json").is_file() == (name not in ADDONS)
    assert [path.name for path in (folder(name) / "src").iterdir()] == [f"lect_{name}"]


@every_package
def test_the_readme_names_every_template(name):
    text = (folder(name) / "README.md").read_text("utf-8")
    assert text.startswith(f"# lect-{name}\n")
    assert [template for template in entry_points(name, "lect.templates") if f"`{template}`" not in text] == []


@every_plugin
def test_every_deviation_has_a_case_and_a_reason(name):
    for row in json.loads((folder(name) / "deviations.json").read_text("utf-8")):
        assert {"slug", "case", "reason"} <= set(row), row
        assert row["reason"].strip()


@every_adapter
def test_the_module_names_its_api_and_its_adapter(name, plugin):
    assert plugin.__lect_api__ == "~=1.0"
    assert plugin.__doc__
    assert plugin.adapter.name == name


def test_core_offers_every_plugin_as_an_extra():
    extras = CORE["optional-dependencies"]
    assert {name for name in extras if extras[name] == [f"lect-{name}"]} - set(ADDONS) == set(NAMES)
    assert sorted(extras["all"]) == [f"lect-{name}" for name in NAMES]


def test_addons_have_extras_of_their_own():
    extras = {name: name for name in ADDONS} | {"kit": "testing"}
    # `lect-tokens` reads tokenizers with a package that `lect-data` does without where it writes texts, and
    # `lect-media` reads unusual images with one that it does without for all others.
    others = {"tokens": ["tokenizers>=0.21"], "media": ["pillow>=10"]}
    assert {name: CORE["optional-dependencies"][extra] for name, extra in extras.items()} == {
        name: [f"lect-{name}", *others.get(name, ())] for name in ADDONS
    }


@every_plugin
def test_every_field_of_a_message_that_a_format_reads_is_known(name):
    """Whatever else a message holds is reported as unknown to every format."""
    for path in (folder(name) / "src").rglob("*.py"):
        read = {field for match in FIELD.finditer(path.read_text("utf-8")) for field in match.groups()[1:] if field}
        assert read <= MESSAGE_FIELDS, path
