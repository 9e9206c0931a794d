"""What a check of `lect doctor` finds."""

from typing import NamedTuple


class Finding(NamedTuple):
    """Something that is broken, or worth knowing."""

    broken: bool
    what: str
    traceback: str = ""
