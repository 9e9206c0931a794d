"""The names of a new package and of what is in it."""

from __future__ import annotations

import re
from typing import NamedTuple

from lect.errors import LectError, saferepr
from lect.registry.packages import RESERVED

LONGEST_NAME = 40
_NAME = re.compile(r"(?!lect-)[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


class Names(NamedTuple):
    """All names that follow from that of a family, such as `acme` or `acme-code`."""

    name: str

    @property
    def package(self) -> str:
        """The distribution: `lect-acme-code`."""
        return f"lect-{self.name}"

    @property
    def module(self) -> str:
        """What Python imports: `lect_acme_code`."""
        return self.package.replace("-", "_")

    @property
    def template(self) -> str:
        """The template: `acme-code-chat`."""
        return f"{self.name}-chat"

    @property
    def constant(self) -> str:
        """The template in the module: `ACME_CODE_CHAT`."""
        return self.template.replace("-", "_").upper()

    @property
    def title(self) -> str:
        """The family, for people: `Acme Code`."""
        return self.name.replace("-", " ").title()

    @property
    def model(self) -> str:
        """A model that might exist: `acme-code/Acme-Code-7B-Chat`."""
        return f"{self.name}/{self.title.replace(' ', '-')}-7B-Chat"


def names_of(name: str) -> Names:
    """Return the names that follow from that of a family.

    Raises:
        LectError: If it is invalid, or the name of one of this project's packages.
    """
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise LectError(
            f"{saferepr(name)} is not a name for a family; expected at most {LONGEST_NAME} lower-case letters, digits "
            f"and single hyphens, beginning with a letter\n  try: the name {_nearest(name)}"
        )
    names = Names(name)
    if names.package in RESERVED:
        raise LectError(f"{names.package} is a package of lect itself\n  try: another name, such as lect new my-{name}")
    return names


def _nearest(name: str) -> str:
    """Return the valid name that is nearest to what was given."""
    words = re.findall(r"[a-z0-9]+", name[:200].lower())
    joined = "-".join(words).removeprefix("lect-").lstrip("-0123456789")
    return joined[:LONGEST_NAME].rstrip("-") or "acme"
