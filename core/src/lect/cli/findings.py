"""What a check of `lect doctor` finds."""

from __future__ import annotations

from traceback import format_exception
from typing import NamedTuple


class Finding(NamedTuple):
    """Something that is broken, or worth knowing."""

    broken: bool
    what: str
    traceback: str = ""

    @classmethod
    def of(cls, error: BaseException, what: str) -> Finding:
        """Return what is broken, with the traceback of an error."""
        return cls(True, what, "".join(format_exception(error)))
