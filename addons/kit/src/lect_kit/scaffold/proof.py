"""Check that a new package does what it was written for."""

from __future__ import annotations

import runpy
from typing import TYPE_CHECKING

from lect.errors import LectError
from lect.format.compare import CONVERSATIONS, first_difference

if TYPE_CHECKING:
    from pathlib import Path

    from lect.format.template import Template
    from lect.registry.family import Family
    from lect_kit.scaffold.names import Names

PLAIN = ("a question", "a question and its answer")
"""The conversations that every template must be able to write."""


def check_package(directory: Path, names: Names, template: Template | None) -> None:
    """Run the adapter of a package, and compare it with the template that it was made from, if any.

    Raises:
        LectError: If its prompts differ from the template's, or the template cannot write any.
    """
    adapter: Family = runpy.run_path(str(directory / "src" / names.module / "__init__.py"))["adapter"]
    if template is None:
        return
    try:
        for messages, add_generation_prompt in map(CONVERSATIONS.__getitem__, PLAIN):
            template.text(messages, add_generation_prompt=add_generation_prompt)
    except LectError as error:
        raise LectError(
            f"{template.label!r} does not write a question and its answer: {str(error).splitlines()[0]}\n"
            "  try: --from with the model's directory, or its tokenizer_config.json, which has the special tokens too"
        ) from error
    difference = first_difference(template, adapter.templates[names.template])
    if difference is not None:
        raise LectError(
            f"{template.label!r} cannot be written as a package that renders the same: {difference}\n"
            f"  try: lect new {names.name}, and edit the table"
        )
