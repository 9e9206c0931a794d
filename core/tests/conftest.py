"""What the tests of core share."""

import os

import pytest
from hypothesis import settings

import lect
from lect.plugin import CHATML, hookimpl
from lect.registry.registry import Registry

# Each test is one idea tried on a hundred texts at most; the machine may be busy, so none has a deadline.
# In CI the same examples are tried every time: it judges a change, and does not search.
settings.register_profile("core", deadline=None, max_examples=100, database=None, derandomize="CI" in os.environ)
settings.load_profile("core")


@pytest.fixture
def registry(monkeypatch):
    """A registry of this test alone, which finds nothing installed; the functions of `lect` and the command line use it
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
