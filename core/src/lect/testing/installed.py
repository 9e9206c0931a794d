"""The suite of whatever plugin `lect check` names: pytest collects it from this file, and `run_suite` puts it here."""

from __future__ import annotations

from lect.testing.suite import AdapterSuite

TestInstalled: type[AdapterSuite]
