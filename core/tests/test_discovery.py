"""Everything installed is found, or its damage is shown: nothing is lost silently."""

import json
import sys
import zipfile

import pytest
from installs import install

import lect
from lect.cli import main
from lect.errors import PluginError, PluginWarning, UnknownModelError
from lect.registry.discover import distributions
from lect.registry.registry import Registry

FAMILY = """
from lect.plugin import Family, Rule, Turn, TurnTemplate
adapter = Family("{0}", Rule("{0}", TurnTemplate("{0}", user=Turn("U"), assistant=Turn("A"))))
"""
DAMAGES = {
    "missing": lambda text: None,
    "empty": lambda text: b"",
    "blank": lambda text: b"\n \n",
    "binary": lambda text: bytes(range(256)),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16-BE": lambda text: text.encode("utf-16-be"),
    "Latin-1": lambda text: text.replace("\n", "\n# \xe9\n", 1).encode("latin-1"),
}


@pytest.fixture(autouse=True)
def fresh(monkeypatch, site):
    """A registry that sees only the directory of the test, and a healthy family there."""
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])

    def find():
        whole, sys.path = sys.path, [entry for entry in sys.path if str(site) in str(entry) or "\0" in str(entry)]
        try:
            return distributions()
        finally:
            sys.path = whole

    install(site, "disc-healthy", "healthy", FAMILY.format("healthy"), hints=("healthy",))
    registry = Registry({}, find)
    monkeypatch.setattr(lect, "_registry", registry)
    yield registry
    for module in [name for name in sys.modules if name.startswith("disc_")]:
        del sys.modules[module]


def damage(site, dist, file, how):
    path = site / f"{dist.replace('-', '_')}-0.1.0.dist-info" / file
    contents = DAMAGES[how](path.read_text("utf-8"))
    path.unlink()
    if contents is not None:
        path.write_bytes(contents)


def findings(capsys):
    main(["doctor", "--json"])
    return [(each["what"], each["broken"]) for each in json.loads(capsys.readouterr().out)["findings"]]


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("file", ["METADATA", "entry_points.txt"])
def test_a_damaged_distribution_is_shown_and_the_others_are_found(site, capsys, file, how):
    install(site, "disc-damaged", "damaged", FAMILY.format("damaged"), hints=("damaged",), requires=["lect>=0.1"])
    damage(site, "disc-damaged", file, how)
    assert [what for what, _ in findings(capsys) if "disc-damaged" in what and file in what], how
    assert lect.resolve("healthy-7b").package == "disc-healthy"


def test_what_is_damaged_is_warned_about_and_named_in_the_error(site):
    install(site, "disc-damaged", "damaged", FAMILY.format("damaged"))
    damage(site, "disc-damaged", "METADATA", "empty")
    with (
        pytest.warns(
            PluginWarning, match="disc-damaged .disc-damaged 0.1.0.: discover: PluginError: its METADATA is empty"
        ),
        pytest.raises(UnknownModelError, match=r"failed: disc-damaged \(disc-damaged 0.1.0\): discover: "),
    ):
        lect.resolve("damaged-7b")


def test_entry_points_that_were_installed_and_are_missing_are_broken(site, capsys):
    install(site, "lect-damaged", "damaged", FAMILY.format("damaged"))
    (site / "lect_damaged-0.1.0.dist-info/RECORD").write_text("lect_damaged-0.1.0.dist-info/entry_points.txt,,\n")
    damage(site, "lect-damaged", "entry_points.txt", "missing")
    ((what, broken),) = [each for each in findings(capsys) if "lect-damaged" in each[0]]
    assert broken
    assert what.endswith("its entry_points.txt is missing\n  try: pip install --force-reinstall lect-damaged")


def test_a_program_that_uses_lect_is_not_broken(site, capsys):
    install(site, "disc-program", "", "", requires=["lect"])
    (site / "disc_program-0.1.0.dist-info/entry_points.txt").write_text("[console_scripts]\nrun = disc_program:run\n")
    install(site, "disc-library", "", "", requires=["lect-tools"])
    assert [what for what, _ in findings(capsys) if "disc-program" in what or "disc-library" in what] == []
    (site / "disc_program-0.1.0.dist-info/entry_points.txt").unlink()
    ((_, broken),) = [each for each in findings(capsys) if "disc-program" in each[0]]
    assert not broken


def test_a_package_of_this_project_that_is_only_imported_is_not_reported(site, capsys):
    install(site, "lect-apis", "", "", requires=["lect"])
    (site / "lect_apis-0.1.0.dist-info/entry_points.txt").unlink()
    assert [what for what, _ in findings(capsys) if str(site) in what] == []


def test_a_stale_second_installation_is_an_error_that_names_both(site, capsys):
    install(site, "disc-twice", "twice", FAMILY.format("twice"), hints=("twice",))
    install(site, "disc-twice", "twice", FAMILY.format("twice"), hints=("twice",), version="0.0.9")
    both = [str(site / f"disc_twice-{version}.dist-info") for version in ("0.0.9", "0.1.0")]
    with pytest.warns(PluginWarning), pytest.raises(UnknownModelError) as caught:
        lect.resolve("twice-7b")
    assert f"discover: PluginError: it is installed twice in one place: {both[0]} and {both[1]}\n" in str(caught.value)
    with pytest.raises(PluginError, match="disc-twice:twice cannot be used"):
        lect.resolve("anything", adapter="twice")
    ((_, broken),) = [each for each in findings(capsys) if "installed twice" in each[0]]
    assert broken
    assert lect.resolve("healthy-7b").package == "disc-healthy"


def test_what_an_interrupted_pip_left_behind_is_not_a_second_installation(site):
    (site / "disc_healthy-0.1.0.dist-info").rename(site / "~isc_healthy-0.1.0.dist-info")
    install(site, "disc-healthy", "healthy", FAMILY.format("healthy"), hints=("healthy",))
    assert lect.resolve("healthy-7b").package == "disc-healthy"


def test_a_copy_in_a_later_directory_of_the_path_is_not_a_second_installation(site, monkeypatch):
    other = site / "other"
    other.mkdir()
    install(other, "disc-healthy", "healthy", FAMILY.format("healthy"), hints=("healthy",), version="0.0.9")
    monkeypatch.setattr(sys, "path", [str(site), str(other), str(site), *sys.path])
    assert lect.resolve("healthy-7b").adapter.version == "0.1.0"


@pytest.mark.parametrize("entry", ["\0", "a\0b.egg", "\ud800", "x" * 10000, 7, None, b"bytes"], ids=ascii)
def test_anything_may_be_in_the_path(monkeypatch, entry):
    monkeypatch.setattr(sys, "path", [entry, *sys.path])
    assert [each.name for each in distributions() if each.name == "disc-healthy"] == ["disc-healthy"]
    # At the end, because Python itself imports nothing that comes after a NUL.
    monkeypatch.setattr(sys, "path", [*sys.path[1:], entry])
    assert lect.resolve("healthy-7b").package == "disc-healthy"


def test_a_finder_that_raises_hides_nothing(monkeypatch):
    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            return None

        @staticmethod
        def find_distributions(context=None):
            raise SystemExit

    monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])
    assert lect.resolve("healthy-7b").package == "disc-healthy"


def test_thousands_of_entry_points_do_no_harm(site):
    names = [f"many{number}" for number in range(2000)]
    install(site, "disc-many", "many", FAMILY.format("many"), hints=names, templates=names)
    points = site / "disc_many-0.1.0.dist-info/entry_points.txt"
    more = "".join(f"{name} = disc_many:adapter\n" for name in names)
    points.write_text(points.read_text("utf-8").replace("[lect]\n", f"[lect]\n{more}"), "utf-8")
    assert lect.resolve("healthy-7b").package == "disc-healthy"
    assert len(lect.plugins()) == 2002
    with pytest.raises(UnknownModelError) as caught:
        lect.resolve("unheard-of")
    assert len(str(caught.value)) < 2000
    assert max(len(verdict.why) for verdict in caught.value.candidates) < 2000


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([f"many{number}" for number in range(20_000)], "has more than 10,000 entry points"),
        (["many" * 25_000], "has an entry point for lect of more than 1,000 characters"),
    ],
    ids=["many", "long"],
)
@pytest.mark.parametrize("group", ["hints", "templates"])
def test_a_package_that_declares_too_much_is_refused_by_its_name(site, capsys, group, names, said):
    install(site, "disc-many", "many", FAMILY.format("many"), **{group: names})
    with pytest.warns(PluginWarning, match="disc-many"):
        assert lect.resolve("healthy-7b").package == "disc-healthy"
    assert [what for what, broken in findings(capsys) if broken and "disc-many" in what and said in what]
    with pytest.raises(UnknownModelError, match=said) as caught:
        lect.resolve("unheard-of")
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize("header", ["Name", "Version"])
def test_a_package_with_an_endless_name_or_version_is_refused(site, capsys, header):
    install(site, "disc-endless", "endless", FAMILY.format("endless"))
    metadata = site / "disc_endless-0.1.0.dist-info/METADATA"
    metadata.write_text(metadata.read_text("utf-8").replace(f"{header}: ", f"{header}: {'9' * 100_000}"), "utf-8")
    with pytest.warns(PluginWarning, match="disc-endless"):
        assert lect.resolve("healthy-7b").package == "disc-healthy"
    assert [what for what, broken in findings(capsys) if broken and "has a Name or a Version of more than" in what]
    assert main(["plugins"]) == 0
    assert len(capsys.readouterr().out) < 10_000


def test_a_zip_on_the_path_works(site, monkeypatch, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("zipped")
    install(elsewhere, "disc-zipped", "zipped", FAMILY.format("zipped"), hints=("zipped",))
    archive = site / "zipped.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in elsewhere.rglob("*"):
            file.write(path, path.relative_to(elsewhere))
    monkeypatch.setattr(sys, "path", [str(archive), *sys.path])
    assert lect.resolve("zipped-7b").package == "disc-zipped"
    assert lect.resolve("healthy-7b").package == "disc-healthy"


def test_what_is_installed_meanwhile_is_found_by_a_rescan(site, monkeypatch):
    lect.resolve("healthy-7b")
    install(site, "disc-new", "new", FAMILY.format("new"), hints=("new",))
    install(site, "disc-late", "late", "import disc_dependency\n" + FAMILY.format("late"), hints=("late",))
    with pytest.raises(UnknownModelError):
        lect.resolve("new-7b")
    lect.rescan()
    assert lect.resolve("new-7b").package == "disc-new"
    with pytest.warns(PluginWarning, match="No module named 'disc_dependency'"), pytest.raises(UnknownModelError):
        lect.resolve("late-7b")
    (site / "disc_dependency.py").write_text("")
    lect.rescan()
    assert lect.resolve("late-7b").package == "disc-late"
    assert {info.status for info in lect.plugins()} == {"loaded"}


def test_what_is_removed_meanwhile_is_gone_after_a_rescan(site):
    lect.resolve("healthy-7b")
    for path in (site / "disc_healthy-0.1.0.dist-info").iterdir():
        path.unlink()
    (site / "disc_healthy-0.1.0.dist-info").rmdir()
    lect.rescan()
    with pytest.raises(UnknownModelError):
        lect.resolve("healthy-7b")


def test_a_rescan_reads_the_settings_again_and_keeps_what_is_registered(fresh):
    environ = {}
    registry = Registry(environ, list)
    registry.pin("b", "chatml")
    registry.adapters.records()
    environ["LECT_PINS"] = "a=chatml"
    registry.adapters.rescan()
    assert [pin.pattern for pin in registry.pins()] == ["b", "a"]
    environ["LECT_PINS"] = "nonsense"
    with pytest.raises(PluginError, match="which is not a pin"):
        registry.adapters.rescan()
    assert [pin.pattern for pin in registry.pins()] == ["b", "a"], "what cannot be read changes nothing"
