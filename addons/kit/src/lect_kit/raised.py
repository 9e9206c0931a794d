"""What a plugin's own code raises, in a few lines: the error, where it was raised, and what was given there."""

from __future__ import annotations

import ast
import linecache
import sys
from contextlib import contextmanager
from inspect import getargvalues
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING

from lect.contain import format_error
from lect.errors import saferepr

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import FrameType

    from lect.reply.grammar import Grammar

LONGEST_TEXT = 200
"""Characters of a text that a failure shows."""
LONGEST_VALUE = 60
"""Characters of a value that a function was given."""


@contextmanager
def reading(text: str, grammar: Grammar | None, packages: Collection[str]) -> Iterator[None]:
    """If reading a text fails, say so in a note, with the line of the packages that defines the grammar."""
    try:
        yield
    except Exception as error:  # a grammar is a plugin's, and may raise anything
        error.add_note(f"  while reading {saferepr(text, LONGEST_TEXT)}")
        if grammar is not None:
            error.add_note(f"  by {next(_definitions(grammar.name, packages), f'the grammar {grammar.name!r}')}")
        raise


def explained(error: BaseException, packages: Collection[str]) -> str:
    """Return an error with the last line of some packages that it came through, and the arguments of its function."""
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    frames = [each for cause in causes for each in walk_tb(cause.__traceback__) if _package(each[0]) in packages]
    places = [_place(*frames[-1])] if frames else []
    notes = [note for cause in causes for note in getattr(cause, "__notes__", ())]
    told, _, advice = format_error(error).partition("\n  try: ")
    return "\n".join([told, *notes, *places, *(f"  try: {line}" for line in advice.splitlines()[:1])])


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _place(frame: FrameType, line: int) -> str:
    code = frame.f_code
    names, rest, keywords, values = getargvalues(frame)
    shown = [name for name in (*names, rest, keywords) if name not in (None, "self")]
    given = ", ".join(f"{name}={saferepr(values.get(name), LONGEST_VALUE)}" for name in shown)
    where = f"  at {_file(code.co_filename)}:{line}: {linecache.getline(code.co_filename, line).strip()}"
    return f"{where}\n  in {code.co_name}({given})" if given else where


def _file(path: str) -> str:
    """Return a file with its folder: `lect_acme/__init__.py`."""
    return "/".join(Path(path).parts[-2:])


def _definitions(name: str, packages: Collection[str]) -> Iterator[str]:
    """Yield the lines of packages in which something is made that has a name: `Grammar("acme", ...)`."""
    modules = [each for path, each in sys.modules.items() if path.partition(".")[0] in packages]
    for file in filter(None, (getattr(module, "__file__", None) for module in modules)):
        lines = linecache.getlines(file)
        for node in ast.walk(ast.parse("".join(lines))):
            if isinstance(node, ast.Call) and any(
                isinstance(value, ast.Constant) and value.value == name
                for value in (*node.args[:1], *(each.value for each in node.keywords if each.arg == "name"))
            ):
                yield f"{_file(file)}:{node.lineno}: {lines[node.lineno - 1].strip()}"
