"""A registry of its own for each test, which finds what is installed."""

import pytest

import lect
from lect.registry.registry import Registry


@pytest.fixture
def registry(monkeypatch):
    fresh = Registry(environ={})
    monkeypatch.setattr(lect, "_registry", fresh)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return fresh
