"""What the tests of core share."""

import os

import pytest
from hypothesis import settings

import idiolect
from idiolect.registry.registry import Registry

# Each test is one idea tried on a hundred texts at most; the machine may be busy, so none has a deadline.
# In CI the same examples are tried every time: it judges a change, and does not search.
settings.register_profile("core", deadline=None, max_examples=100, database=None, derandomize="CI" in os.environ)
settings.load_profile("core")


@pytest.fixture
def registry(monkeypatch):
    """A registry of this test alone, which finds nothing installed; the functions of `idiolect` use it too."""
    fresh = Registry(environ={}, find=list)
    monkeypatch.setattr(idiolect, "_registry", fresh)
    return fresh
