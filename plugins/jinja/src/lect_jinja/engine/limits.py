"""How much a template may do: far more than a real one needs, and far less than a hostile one wants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lect.errors import LectError, LimitError, saferepr

WORK_PER_MESSAGE = 100_000
CHARACTERS_PER_COPY = 8
"""Each message adds the work of copying all input a few times: some templates put their prompt together like that."""
WORK_PER_CHARACTER = 4
SIZE_PER_CHARACTER = 8
"""The limits hold for an empty conversation; the caller's input adds to them."""


class Limits(NamedTuple):
    """The bounds of one template.

    Attributes:
        source: Characters of the template's text.
        nodes: Nodes of its syntax tree. Those inside loops, macros and generation blocks, each counted in every one
            around it, may be five times as many.
        work: Steps of a render. A loop iteration or a macro call counts its nodes and their constants, an operation the
            sizes of its operands, and a text that is created a sixteenth of its characters, an eighth if it is not
            ASCII. Each message adds 100,000 and an eighth of the characters of input, and each character of
            input adds four.
        string: Characters of one text that is created. Each character of input adds eight.
        output: Characters of a prompt. Each character of input adds eight, and the template's own text is free.
        depth: Levels to which macros may call macros, and values may be nested.
        bits: Bits of an integer.
        seconds: Wall-clock seconds of a render, in a worker process.
        memory: Bytes that a worker process may use, where the system can limit that.
    """

    source: int = 1 << 20
    nodes: int = 4_000
    work: int = 1_000_000
    string: int = 10_000_000
    output: int = 1 << 21
    depth: int = 64
    bits: int = 4096
    seconds: float = 10
    memory: int = 1 << 29


DEFAULT = Limits()


def exceeded(template: str, limits: Limits, limit: str, what: str) -> LimitError:
    """Return the error that says which limit a template exceeds, and how to raise it."""
    allowed = getattr(limits, limit)
    msg = (
        f"template {template!r}: {what}; the limit {limit} is {allowed:,}\n"
        f"  try: limits={{'{limit}': {allowed * 10}}}, if you trust the template"
    )
    return LimitError(msg, limit=limit, most=allowed)


def read_limits(given: Any) -> Limits:
    """Return the limits that were given, with defaults for the others.

    Raises:
        LectError: If one of them does not exist, or is not a positive number.
    """
    if given is None:
        return DEFAULT
    if isinstance(given, Limits):
        given = given._asdict()
    if not isinstance(given, Mapping):
        msg = f"limits is {saferepr(given)}\n  try: limits={{'work': {DEFAULT.work * 10}}}"
        raise LectError(msg)
    for name, value in given.items():
        if name not in Limits._fields:
            msg = f"there is no limit {saferepr(name)}\n  try: one of {', '.join(Limits._fields)}"
            raise LectError(msg)
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            msg = f"the limit {name} is {saferepr(value)}; expected a positive number"
            raise LectError(msg)
    return DEFAULT._replace(**given)
