"""Checks of the package: its entry points, what it needs, and what importing it costs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from lect.contain import StageError
from lect.errors import PluginError
from lect.registry.groups import ADAPTERS, FUNCTIONS, HINTS, NOTATIONS, REPLIES, TEMPLATES
from lect_kit.base import SuiteBase, check
from lect_kit.raised import explained
from lect_kit.subject import PARTS, loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.specifiers import Specifier, SpecifierSet

    from lect.registry.metafiles import EntryPoint

HEAVY = (
    "aiohttp", "datasets", "flax", "httpx", "huggingface_hub", "jax", "jinja2", "keras", "matplotlib",
    "numpy", "openai", "pandas", "pyarrow", "pydantic", "requests", "rich", "scipy", "sentencepiece", "tensorflow",
    "tiktoken", "tokenizers", "torch", "transformers",
)  # fmt: skip
"""Packages that take too long to import just to resolve a name."""
_IMPORT = (
    "import sys, importlib, lect\nfor module in sys.argv[1:]: importlib.import_module(module)\nprint(*sys.modules)"
)
_HINT = re.compile(r":|[a-z0-9][a-z0-9._-]*:?")


class PackageChecks(SuiteBase):
    """The package is put together so that lect finds all of it, and nobody pays for what they do not use."""

    @check("see docs/reference/hooks.md for the hooks and their arguments, and `lect doctor` for the traceback")
    def test_hooks_are_valid(self) -> Iterator[str]:
        """The adapter can be imported, and lect knows its hooks and their arguments: otherwise it is left out."""
        try:
            adapter = self.subject.load()
            if adapter is not None:
                adapter.list_templates()
        except PluginError as error:
            # Its own error has the line.
            found = loaded(self.subject.point) if self.subject.point else None
            yield explained(found if isinstance(found, BaseException) else error, self.subject.packages)
        except StageError as failed:
            yield f"{failed.stage}() fails: {explained(failed.error, self.subject.packages)}"
        else:
            if adapter is None:
                pytest.skip("it has no adapter")

    @check("correct the entry point in pyproject.toml, and run `pip install` again")
    def test_parts_can_be_loaded(self) -> Iterator[str]:
        """Every reply format, notation, command and function can be imported and is of the right kind.

        A reply format has the name of its grammar.
        """
        points = self.subject.points(*PARTS)
        if not points:
            pytest.skip("it has no reply format, notation, command or function")
        for point in points:
            found = loaded(point)
            if isinstance(found, BaseException):
                yield f"{_shown(point)} cannot be loaded: {explained(found, self.subject.packages)}"
            elif problem := _unfit(point.group, found):
                yield f"{_shown(point)} is {found!r}; expected {problem}"
            elif point.group == REPLIES and point.name != found.name:
                yield f"{_shown(point)} is a format whose grammar is called {found.name!r}; name the entry point so too"

    @check(
        "let hints and templates name the object that the adapter's own entry point names, as `name = module:object`"
    )
    def test_entry_points_belong_together(self) -> Iterator[str]:
        """Hints and declared templates belong to an adapter of the package; lect ignores those that do not."""
        adapters = {point.value for point in self.subject.points(*ADAPTERS)}
        for point in self.subject.points(HINTS, TEMPLATES):
            if point.value not in adapters:
                yield f"{_shown(point)} belongs to no adapter of {self.subject.dist.name}"
            elif point.group == HINTS and not _HINT.fullmatch(point.name):
                yield f"the hint {point.name!r} is not a word in lower case: it may never occur in a path"

    @check('list them all in `[project.entry-points."lect.templates"]`, and no others')
    def test_templates_are_declared(self) -> Iterator[str]:
        """Every template is declared, so that it is found by name without importing each plugin there is."""
        listed = {name for name in self.subject.adapter.list_templates() if name in self.subject.templates}
        point = self.subject.point
        declared = {each.name for each in self.subject.points(TEMPLATES) if point and each.value == point.value}
        yield from (f"list_templates() gives {name!r}, which is not declared" for name in sorted(listed - declared))
        missing = sorted(declared - set(self.subject.adapter.list_templates()))
        yield from (f"{name!r} is declared, but list_templates() does not return it" for name in missing)

    @check("bound it on both sides, by what was tested and by the next version that may break it: `lect>=0.1,<1`")
    def test_the_version_of_lect_is_bounded(self) -> Iterator[str]:
        """The package says with which versions of lect it works, so that pip never installs it beside another."""
        import lect

        bounds = [bound for requirement in _requirements(self.subject.dist.name) for bound in requirement]
        operators = {bound.operator for bound in bounds}
        if not bounds:
            yield f"{self.subject.dist.name} does not bound the version of lect that it needs"
        elif operators.isdisjoint({">=", ">", "~=", "=="}):
            yield f"{self.subject.dist.name} needs {_joined(bounds)}, which has no lower bound"
        elif operators.isdisjoint({"<=", "<", "~=", "=="}):
            yield f"{self.subject.dist.name} needs {_joined(bounds)}, which has no upper bound"
        elif not all(bound.contains(lect.__version__, prereleases=True) for bound in bounds):
            yield f"{self.subject.dist.name} needs {_joined(bounds)}, and this is {lect.__version__}"

    @check("put an empty file `py.typed` beside the `__init__.py` of the package; a module must become one first")
    def test_it_is_typed(self) -> Iterator[str]:
        """The package has a `py.typed`: without it, type checkers do not look at its annotations."""
        for name in sorted(self.subject.packages):
            spec = find_spec(name)
            places = spec.submodule_search_locations if spec else None
            if spec and not any(os.path.isfile(os.path.join(place, "py.typed")) for place in places or ()):
                yield f"{name} has no py.typed"

    @check("import it inside the function that needs it, or leave it to an extra")
    def test_it_is_light_to_import(self) -> Iterator[str]:
        """Importing the adapter imports nothing heavy: everyone who resolves a name pays for it, in every process."""
        modules = {point.value.partition(":")[0] for point in self.subject.points(*ADAPTERS)}
        if not modules:
            pytest.skip("it has no adapter")
        environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", _IMPORT, *sorted(modules)]
        ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)  # noqa: S603  # our own
        imported = {name.partition(".")[0] for name in ran.stdout.split()}
        yield from (f"importing {' and '.join(sorted(modules))} imports {name}" for name in HEAVY if name in imported)


def _shown(point: EntryPoint) -> str:
    return f"{point.name!r} of [{point.group}], {point.value!r},"


def _unfit(group: str, found: object) -> str:
    """Return what the object of an entry point should be; empty if it is one."""
    from lect.reply.grammar import ReplyFormat

    if group == REPLIES:
        return "" if isinstance(found, ReplyFormat) else "a ReplyFormat"
    if group == NOTATIONS:
        reads = callable(getattr(found, "recognises", None)) and callable(getattr(found, "read", None))
        return "" if reads or callable(getattr(found, "write", None)) else "recognises() and read(), or write()"
    if group == FUNCTIONS:
        return "" if callable(found) else "a function"
    fits = isinstance(getattr(found, "HELP", None), str) and callable(getattr(found, "configure", None))
    return "" if fits and callable(getattr(found, "run", None)) else "a module with HELP, configure and run"


def _requirements(package: str) -> list[SpecifierSet]:
    """Return a package's version requirements for lect, however it is installed."""
    import importlib_metadata as metadata
    from packaging.requirements import Requirement

    requirements = [Requirement(line) for line in metadata.requires(package) or ()]
    unconditional = [each for each in requirements if each.marker is None or each.marker.evaluate({"extra": ""})]
    return [each.specifier for each in unconditional if each.name.lower() == "lect"]


def _joined(bounds: list[Specifier]) -> str:
    return f"lect{','.join(sorted(map(str, bounds)))}"
