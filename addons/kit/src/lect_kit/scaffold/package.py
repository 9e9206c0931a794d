"""A new package: its files, written all at once or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from lect.errors import LectError, saferepr
from lect.plugin import owned
from lect_kit.scaffold.models import hint_of, owner_of
from lect_kit.scaffold.source import written
from lect_kit.scaffold.texts import filled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lect_kit.scaffold.adapter import Adapter
    from lect_kit.scaffold.names import Names

BOUND = ">=0.1,<1"
"""The versions of lect, and of its plugins, that a new package is written for."""
UNHEARD = {
    "pytest": "import pytest\n",
    "expected": """
    @pytest.mark.xfail(reason="no reply= is stated: calls that a model writes are content", strict=True)
    def test_replies_round_trip(self):
        super().test_replies_round_trip()
""",
}
"""What the tests import and expect where calls are not parsed yet."""


class File(NamedTuple):
    """A file of a package: what it is for, and its text."""

    path: str
    purpose: str
    text: str


def files_of(names: Names, models: Sequence[str], adapter: Adapter, *, is_unheard: bool = False) -> list[File]:
    """Return the files of a package.

    Args:
        names: What the package and its parts are called.
        models: The models that it is for.
        adapter: Its module.
        is_unheard: Whether calls that its models write are not parsed yet.
    """
    name, package, module = names.name, names.package, names.module
    hints = dict.fromkeys(hint_of(model, name) for model in models)
    pyproject = filled(
        "pyproject.toml",
        name=name,
        package=package,
        module=module,
        title=names.title,
        template=names.template,
        bound=BOUND,
        address=f"https://github.com/{owner_of(models, name)}/{package}",
        dependencies=", ".join(f'"{needed}{BOUND}"' for needed in ("lect", *adapter.requires)),
        hints="\n".join(f'"{hint}" = "{module}:adapter"' for hint in hints),
    )
    rows = "\n".join(f"| {model} | `{names.template}` |" for model in models)
    readme = filled("README.md", package=package, module=module, title=names.title, model=models[0], rows=rows)
    examples = written(dict.fromkeys(models, names.template), indent=4, taken=len("examples = "))
    suite = f"Test{names.title.replace(' ', '')}"
    unheard = UNHEARD if is_unheard else dict.fromkeys(UNHEARD, "")
    test = filled("test.py", name=name, title=names.title, suite=suite, examples=examples, **unheard)
    source = f"src/{module}"
    return [
        File("pyproject.toml", "name, version, dependencies, and the entry points by which lect finds it", pyproject),
        File("README.md", "what people see on PyPI", readme),
        File("LICENSE", "the MIT licence; choose yours", filled("LICENSE", package=package)),
        File(f"{source}/__init__.py", "the adapter: the format, and the names of its models", adapter.source),
        *(File(f"{source}/{file}", "the model's own template", text) for file, text in adapter.files.items()),
        File(f"{source}/py.typed", "marks the package as typed", ""),
        File(f"tests/test_{name.replace('-', '_')}.py", "the tests that every adapter should pass", test),
        File(".github/workflows/test.yml", "runs them on GitHub", filled("test.yml")),
    ]


def write_package(directory: Path, files: Sequence[File], check: Callable[[Path], None]) -> None:
    """Write a package into a directory that does not exist yet.

    Args:
        directory: Where to put it.
        files: What it consists of.
        check: Is given its directory, and raises if it is unusable: then nothing is left behind.

    Raises:
        LectError: If the directory already exists, or cannot be written.
    """
    with owned(directory):
        _write_owned(directory, files, check)


def _write_owned(directory: Path, files: Sequence[File], check: Callable[[Path], None]) -> None:
    if os.path.lexists(directory):
        msg = f"{saferepr(str(directory))} already exists; nothing was written\n  try: another name, or --into DIR"
        raise LectError(msg)
    try:
        # Beside the target, so that it can be moved there in one step.
        with TemporaryDirectory(prefix=".lect-new-", dir=directory.parent) as scratch:
            made = Path(scratch, directory.name)
            for file in files:
                path = made / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.text.encode("utf-8"))
            check(made)
            made.rename(directory)
    except OSError as error:
        raise LectError(
            f"cannot write {saferepr(str(directory))}: {error.strerror or error}\n"
            "  try: --into DIR, with a writable directory"
        ) from error
