"""The proof that a new package does what it was written for."""

from __future__ import annotations

import runpy
from typing import TYPE_CHECKING

from lect.errors import LectError
from lect.format.compare import first_difference

if TYPE_CHECKING:
    from pathlib import Path

    from lect.format.template import Template
    from lect.registry.family import Family
    from lect.scaffold.names import Names


def check_package(directory: Path, names: Names, template: Template | None) -> None:
    """Run the adapter of a package, and compare it with the template that it was made from, if any.

    Raises:
        LectError: If it writes another prompt than the template.
    """
    adapter: Family = runpy.run_path(str(directory / "src" / names.module / "__init__.py"))["adapter"]
    if template is None:
        return
    difference = first_difference(template, adapter.templates[names.template])
    if difference is not None:
        msg = (
            f"{template.label!r} cannot be written as a package that gives the same: {difference}\n"
            f"  try: lect new {names.name}, and edit the table"
        )
        raise LectError(msg)
