"""Constrained decoding for every reply format: xgrammar's structural tags, llguidance's Lark, llama.cpp's GBNF."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lect_constrain.constraint import Constraint, constrain

__all__ = ["Constraint", "constrain"]


def __getattr__(name: str) -> Any:
    # `lect --help` imports the package for its command, and must not wait for the rest.
    if name in __all__:
        from lect_constrain import constraint

        return getattr(constraint, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
