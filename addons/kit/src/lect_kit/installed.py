"""The suite of the plugin that `lect check` names: `run_suite` puts it here, and pytest collects it from this file."""

from __future__ import annotations

from lect_kit.suite import AdapterSuite

TestInstalled: type[AdapterSuite]
