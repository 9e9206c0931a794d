"""What an error says to install is a command that works here."""

import json
import shlex
import subprocess
import sys

import importlib_metadata
import pytest

from lect import installing
from lect.plugin import install_command

CHECKOUT = installing._checkout.__wrapped__


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout that core was installed from."""
    stated = {
        "plugins/acme": 'dependencies = ["lect>=1,<2"]',
        "addons/tool": 'dependencies = ["lect==1", "lect-acme==1", "other>=2"]',
    }
    for folder, line in stated.items():
        place = tmp_path / "a checkout" / folder
        place.mkdir(parents=True)
        (place / "pyproject.toml").write_text(f'[project]\nname = "lect-{place.name}"\n{line}\n', "utf-8")
    installed(monkeypatch, {"url": (tmp_path / "a checkout/core").as_uri(), "dir_info": {}})
    return tmp_path / "a checkout"


def installed(monkeypatch, direct_url):
    class Core:
        def read_text(self, name):
            assert name == "direct_url.json"
            return direct_url if direct_url is None or isinstance(direct_url, str) else json.dumps(direct_url)

    monkeypatch.setattr(importlib_metadata, "distribution", lambda name: Core())
    monkeypatch.setattr(installing, "_checkout", CHECKOUT)


def test_in_a_checkout_its_own_folder_is_installed(checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    assert install_command("lect-acme") == "pip install ./plugins/acme"


def test_elsewhere_the_whole_path_is_given(checkout, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert shlex.split(install_command("lect-acme")) == ["pip", "install", str(checkout / "plugins/acme")]


def test_what_a_package_needs_of_the_checkout_is_installed_with_it(checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    assert install_command("lect-tool") == "pip install ./plugins/acme ./addons/tool"


def test_a_package_that_the_checkout_does_not_have_is_named(checkout):
    assert install_command("lect-other") == "pip install lect-other"


@pytest.mark.parametrize(
    "direct_url",
    [
        None,
        "",
        "no JSON",
        "[]",
        {"url": "https://example.com/lect.whl", "archive_info": {}},
        {"url": "file:///wheels/lect-0.1.0-py3-none-any.whl", "archive_info": {}},
        {"url": "file:///gone/core", "dir_info": {}},
    ],
)
def test_a_wheel_knows_only_published_names(monkeypatch, direct_url):
    installed(monkeypatch, direct_url)
    assert install_command("lect-acme") == "pip install lect-acme"


def test_a_directory_that_is_gone_does_no_harm(tmp_path):
    # Python 3.13 imports nothing from a directory that is gone, so this comes first.
    program = (
        "import os, importlib_metadata, json, shlex, urllib.parse, urllib.request\n"
        "from lect.plugin import install_command\n"
        f"os.chdir({str(tmp_path)!r}); os.rmdir({str(tmp_path)!r}); print(install_command('lect-x'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "pip install lect-x\n"
