"""Fixtures shared by the tests of core."""

import pytest

import lect
from lect.plugin import CHATML, hookimpl
from lect.registry.registry import Registry


@pytest.fixture
def registry(monkeypatch):
    """A registry for one test, which finds nothing installed; the functions of `lect` and the command line use it
    too."""
    fresh = Registry(environ={}, find=list)
    monkeypatch.setattr(lect, "_registry", fresh)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return fresh


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A directory of installed distributions."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def published(monkeypatch):
    """Advice on what to install does not depend on how core is installed here."""
    monkeypatch.setattr("lect.installing._checkout", lambda: None)


@pytest.fixture
def broken(registry):
    """A plugin that fails whenever it is asked."""

    class Broken:
        name = "broken"

        @hookimpl
        def match(self):
            raise RuntimeError("closed\x1b[2J")

        @hookimpl
        def get_template(self):
            return CHATML

    lect.register(Broken())
