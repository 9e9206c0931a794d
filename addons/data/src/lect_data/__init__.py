"""Data sets of conversations as sequences to train on: `Formatter`, `pack`, and the command `lect dataset`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lect_data.formatter import Formatter
    from lect_data.packing import pack

__all__ = ["Formatter", "pack"]


def __getattr__(name: str) -> Any:
    # `lect --help` imports the package for its command, and must not wait for Arrow.
    if name == "Formatter":
        from lect_data.formatter import Formatter

        return Formatter
    if name == "pack":
        from lect_data.packing import pack

        return pack
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
