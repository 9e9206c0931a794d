"""Our own reading of metadata finds what importlib-metadata finds, however a plugin was installed."""

import os
import shutil
import zipfile

import pytest
from sandbox import REPOSITORY, family, write_project

LITTLE = family("acme-wheel", "wheel", ("wheel", "acme", "<u>"), hints=("wheel",), templates=("acme",))
# In the last one, the package is next to pyproject.toml: setuptools then installs a finder and no path.
EDITABLE = {
    "flit": ("flit", "src"),
    "setuptools": ("setuptools", "src"),
    "hatchling": ("hatchling", "src"),
    "flat": ("setuptools", ""),
}

# Reports what both find, whether ours needed the other, and which plugins are listed.
COMPARE = """
from lect import values
from lect.registry import discover, groups, metafiles
ours = sorted(discover.distributions())
alone = "importlib_metadata" not in sys.modules and "importlib.metadata" not in sys.modules
import importlib_metadata
theirs = {}
for dist in importlib_metadata.distributions():
    try:
        points = [(p.group, p.name, p.module + (f":{p.attr}" if p.attr else "")) for p in dist.entry_points if p.group in groups.GROUPS]
        theirs.setdefault(values.normal_name(dist.metadata["Name"]), (dist.version, sorted(points)))
    except Exception as error:
        print("cannot be read:", type(error).__name__, file=sys.stderr)
answer = {
    "ours": [(dist.name, dist.version, sorted(dist.entry_points)) for dist in ours if not dist.problem],
    "theirs": sorted((name, *found) for name, found in theirs.items() if found[1]),
    "again": sorted(discover.distributions()) == ours,
    "alone": alone,
    "plugins": [f"{info.package} {info.version} {info.name} {' '.join(info.hints)}" for info in lect.plugins()],
}
"""


def compare(environment, before="", **environ):
    """Assert that both find the same; return the plugins, and whether ours worked without the other."""
    answer = environment.ask(f"{before}\n{COMPARE}", **environ)
    assert answer["ours"] == answer["theirs"]
    assert answer["again"], "importlib_metadata changes the finders of a process, and nothing may depend on that"
    return answer["plugins"], answer["alone"]


def resolved(environment, path, before="", **environ):
    return environment.ask(f"{before}\nanswer = lect.resolve({path!r}).adapter.id", **environ)


def test_a_wheel_is_found(sandbox):
    environment = sandbox.environment(LITTLE)
    assert compare(environment) == (["acme-wheel 0.1.0 wheel wheel"], True)
    assert resolved(environment, "wheel-7b") == "acme-wheel:wheel"


@pytest.fixture(scope="session")
def workshop(sandbox):
    """One environment with an editable install by each backend."""
    environment = sandbox.fresh()
    sandbox.install_build_tools(environment)
    projects = []
    for name, (backend, layout) in EDITABLE.items():
        plugin = family(f"acme-{name}", name, (name, "acme", "<u>"), hints=(name,), backend=backend, layout=layout)
        projects += ["-e", write_project(plugin, sandbox.root / "editable" / name)]
    environment.pip("install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", *projects)
    return environment


def test_editable_installs_are_found(workshop):
    plugins, alone = compare(workshop)
    assert plugins == [f"acme-{name} 0.1.0 {name} {name}" for name in sorted(EDITABLE)]
    assert alone


@pytest.mark.parametrize("name", EDITABLE)
def test_a_plugin_that_is_installed_editable_works(workshop, name):
    assert resolved(workshop, f"{name}-7b") == f"acme-{name}:{name}"


def test_a_plugin_in_a_zip_on_the_path_is_found_and_works(sandbox):
    environment = sandbox.environment()
    archive = {"PYTHONPATH": str(sandbox.wheel(LITTLE))}
    assert compare(environment, **archive) == (["acme-wheel 0.1.0 wheel wheel"], False)
    assert resolved(environment, "wheel-7b", **archive) == "acme-wheel:wheel"


def test_fastchat_works_from_a_zip_too(sandbox):
    code = """
import lect_fastchat
answer = [
    lect_fastchat.__file__.partition(".whl")[1], lect_fastchat.get_conversation_template("young-geng/koala").name,
    len(lect_fastchat.conv_templates), lect.resolve("young-geng/koala").package,
    lect.template("fastchat:koala_v1").written_at.rpartition(":")[0].rpartition(".")[2],
]
"""
    answer = sandbox.environment().ask(code, PYTHONPATH=str(sandbox.wheel(REPOSITORY / "plugins/fastchat")))
    assert answer == [".whl", "koala_v1", 102, "lect-fastchat", "json"]


def test_a_plugin_in_an_unpacked_egg_is_found_and_works(sandbox, tmp_path):
    egg = tmp_path / "acme_wheel-0.1.0-py3.egg"
    with zipfile.ZipFile(sandbox.wheel(LITTLE)) as wheel:
        wheel.extractall(egg)
    (egg / "acme_wheel-0.1.0.dist-info").rename(egg / "EGG-INFO")
    (egg / "EGG-INFO/METADATA").rename(egg / "EGG-INFO/PKG-INFO")
    environment = sandbox.environment()
    assert compare(environment, PYTHONPATH=str(egg)) == (["acme-wheel 0.1.0 wheel wheel"], False)
    assert resolved(environment, "wheel-7b", PYTHONPATH=str(egg)) == "acme-wheel:wheel"


FINDER = """
import importlib.metadata
class Dist(importlib.metadata.Distribution):
    def read_text(self, name):
        return {
            "METADATA": "Name: Acme.Found\\nVersion: 2.0\\n",
            "entry_points.txt": "[lect]\\nfound = acme_found : adapter [extra]\\n[lect.hints]\\nfound = acme_found:adapter\\n",
        }.get(name)
    def locate_file(self, path):
        raise NotImplementedError
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return None
    @staticmethod
    def find_distributions(context=None):
        yield Dist()
sys.meta_path.append(Finder)
import types
from lect.plugin import CHATML, Family, Rule
sys.modules["acme_found"] = types.ModuleType("acme_found")
sys.modules["acme_found"].adapter = Family("found", Rule("found", CHATML))
"""


def test_a_plugin_that_only_a_foreign_finder_knows_is_found_and_works(sandbox):
    environment = sandbox.environment(LITTLE)
    plugins, _ = compare(environment, FINDER)
    assert plugins == ["acme-found 2.0 found found", "acme-wheel 0.1.0 wheel wheel"]
    assert resolved(environment, "found-7b", FINDER) == "acme-found:found"


@pytest.fixture(scope="session")
def untidy(sandbox):
    """An environment with the damage that accumulates over years."""
    environment = sandbox.fresh(LITTLE)
    site = environment.site_packages
    info = site / "acme_wheel-0.1.0.dist-info"
    # An interrupted pip leaves such a copy behind.
    shutil.copytree(info, site / "~cme_wheel-0.0.9.dist-info")
    (site / "nameless-1.0.dist-info").mkdir()
    (site / "nameless-1.0.dist-info/entry_points.txt").write_text("[lect]\nnameless = nothing:adapter\n", "utf-8")
    (site / "unreadable-1.0.dist-info").mkdir()
    (site / "unreadable-1.0.dist-info/METADATA").write_text("Name: unreadable\nVersion: 1.0\n", "utf-8")
    (site / "unreadable-1.0.dist-info/entry_points.txt").write_bytes(b"[console_scripts]\ncaf\xe9 = x:y\n")
    (site / "old.egg-info").write_text("Name: old\nVersion: 1.0\n", "utf-8")
    points = info / "entry_points.txt"
    points.write_text(
        "# by hand\n"
        + points.read_text("utf-8").replace("wheel=acme_wheel:adapter", "wheel = acme_wheel : adapter [extra]", 1),
        "utf-8",
    )
    return environment


@pytest.mark.parametrize("archive", [False, True], ids=["read by us", "read by importlib-metadata"])
def test_broken_metadata_does_not_hide_a_plugin(untidy, sandbox, archive):
    path = [
        str(untidy.directory / "no-such-directory"),
        *([str(next(sandbox.wheelhouse.glob("pluggy*.whl")))] if archive else []),
    ]
    environ = {"PYTHONPATH": os.pathsep.join(path)}
    before = "import pathlib\nsys.path.append(pathlib.Path('.'))"
    plugins, alone = compare(untidy, "" if archive else before, **environ)
    assert plugins == ["acme-wheel 0.1.0 wheel wheel", "nameless 1.0 nameless "], "what nobody can name is shown"
    assert alone is not archive
    assert resolved(untidy, "wheel-7b", **environ) == "acme-wheel:wheel"


def test_the_first_of_two_installations_of_one_plugin_counts(sandbox, tmp_path):
    with zipfile.ZipFile(sandbox.wheel(LITTLE)) as wheel:
        wheel.extractall(tmp_path)
    (tmp_path / "acme_wheel-0.1.0.dist-info").rename(tmp_path / "acme_wheel-9.0.dist-info")
    metadata = tmp_path / "acme_wheel-9.0.dist-info/METADATA"
    metadata.write_text(metadata.read_text("utf-8").replace("Version: 0.1.0", "Version: 9.0"), "utf-8")
    plugins, _ = compare(sandbox.environment(LITTLE), PYTHONPATH=str(tmp_path))
    assert plugins == ["acme-wheel 9.0 wheel wheel"]


def test_a_distribution_without_entry_points_hides_a_later_one_of_its_name(sandbox, tmp_path):
    (tmp_path / "acme_wheel-9.0.dist-info").mkdir()
    (tmp_path / "acme_wheel-9.0.dist-info/METADATA").write_text(
        "Metadata-Version: 2.1\nName: Acme.Wheel\nVersion: 9.0\n", "utf-8"
    )
    plugins, _ = compare(sandbox.environment(LITTLE), PYTHONPATH=str(tmp_path))
    assert plugins == []
