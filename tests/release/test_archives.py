"""What is uploaded is complete: every file, the licences, and a page whose links work where it is shown."""

import os
import re
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import PurePosixPath

import pages
import pytest
from packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename
from repository import FOLDERS

trove = pytest.importorskip("trove_classifiers", reason="classifiers are checked by `nox -s release`")

PACKAGES = [
    pages.REPOSITORY / "core",
    *FOLDERS.values(),
]
PROJECT = tomllib.loads((pages.REPOSITORY / "core/pyproject.toml").read_text("utf-8"))["project"]

LONGEST_SUMMARY = 512
"""An index refuses a longer one."""

every_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)


def named(package):
    """Return the name of a package as in its file names."""
    return "lect" if package.name == "core" else f"lect_{package.name}"


def sdist_files(dist, package):
    """Return the files of an sdist, by path."""
    with tarfile.open(dist / f"{named(package)}-{PROJECT['version']}.tar.gz") as archive:
        files = {member.name.partition("/")[2]: archive.extractfile(member) for member in archive if member.isfile()}
        return {name: file.read() for name, file in files.items()}


def wheel_files(dist, package):
    """Return the files of a wheel, by path; metadata files without their directory."""
    with zipfile.ZipFile(dist / f"{named(package)}-{PROJECT['version']}-py3-none-any.whl") as archive:
        return {re.sub(r"^[^/]+\.dist-info/", "", name): archive.read(name) for name in archive.namelist()}


def test_every_package_has_an_sdist_and_a_wheel_of_one_version(dist):
    wheels = {parse_wheel_filename(path.name)[:2] for path in dist.glob("*.whl")}
    sdists = {parse_sdist_filename(path.name) for path in dist.glob("*.tar.gz")}
    assert wheels == sdists
    assert len(wheels) == len(PACKAGES)
    assert {str(version) for _, version in wheels} == {PROJECT["version"]}
    assert len(list(dist.iterdir())) == 2 * len(PACKAGES)


@every_package
def test_a_package_is_named_alike_everywhere(dist, package):
    name = message_from_bytes(wheel_files(dist, package)["METADATA"])["Name"]
    assert name == canonicalize_name(name) == named(package).replace("_", "-")
    assert name == ("lect" if package.name == "core" else f"lect-{package.name}")


@pytest.mark.skipif(os.environ.get("GITHUB_REF_TYPE") != "tag", reason="this commit is not being released")
def test_the_tag_is_the_version_whose_changes_are_dated():
    assert os.environ["GITHUB_REF_NAME"] == f"v{PROJECT['version']}"
    changes = (pages.REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## {re.escape(PROJECT['version'])} \(\d{{4}}-\d\d-\d\d\)$", changes, re.MULTILINE)


@every_package
def test_licence_and_notice_are_inside(dist, package):
    sdist, wheel = sdist_files(dist, package), wheel_files(dist, package)
    for name in ("LICENSE", "NOTICE"):
        assert sdist[name] == wheel[f"licenses/{name}"] == (package / name).read_bytes()


@every_package
def test_a_wheel_has_every_file_of_the_package_and_no_other(dist, package):
    source = package / "src"
    written = {path.relative_to(source) for path in source.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert {name for name in wheel_files(dist, package) if PurePosixPath(name).parts[0] == named(package)} == {
        path.as_posix() for path in written
    }


@every_package
def test_the_metadata_is_what_an_index_shows(dist, package):
    wheel = wheel_files(dist, package)
    metadata = message_from_bytes(wheel["METADATA"])
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    classifiers = set(metadata.get_all("Classifier"))
    assert classifiers == set(PROJECT["classifiers"])
    assert classifiers <= trove.classifiers
    assert f"{named(package)}/py.typed" in wheel, "Typing :: Typed"
    assert 0 < len(metadata["Summary"]) <= LONGEST_SUMMARY
    assert set(PROJECT["keywords"]) <= set(metadata["Keywords"].split(","))
    urls = dict(line.split(", ") for line in metadata.get_all("Project-URL"))
    assert urls == PROJECT["urls"]
    assert all(url.startswith(PROJECT["urls"]["Homepage"]) for url in urls.values())
    assert message_from_bytes(sdist_files(dist, package)["PKG-INFO"]).items() == metadata.items()


@every_package
def test_the_page_of_a_package_has_absolute_links_only(dist, package):
    page = message_from_bytes(wheel_files(dist, package)["METADATA"]).get_payload(decode=True).decode("utf-8")
    targets = re.findall(r"\]\(([^)\s]+)", pages.BLOCK.sub("", page))
    assert targets
    assert [target for target in targets if not target.startswith("https://")] == []
