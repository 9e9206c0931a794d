"""Constrained decoding for every reply format: xgrammar's structural tags, llguidance's Lark, llama.cpp's GBNF."""

from lect_constrain.constraint import Constraint, constrain

__all__ = ["Constraint", "constrain"]
