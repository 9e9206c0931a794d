"""What the statements of a template do besides what Python does for them, one row each (`operations.py`).

`Guarding` (`codegen.py`) writes how much the nodes of each body cost into the code that begins it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect_jinja.engine.charges import keeping
from lect_jinja.engine.guard import PIECE
from lect_jinja.engine.operations import ANY, BY_NODE, STATED, WHILE_MADE, Operation
from lect_jinja.engine.operators import together
from lect_jinja.engine.origins import ALL
from lect_jinja.engine.strings import pieces_of
from lect_jinja.engine.values import InputDict, InputInt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jinja2.runtime import Macro

    from lect_jinja.engine.guard import Guard


def _body(context: Guard) -> None:
    """Begin the body of a macro, or an iteration in one: what it writes belongs to the turn of its caller."""


def _chosen(context: Guard, values: Iterable[Any], cost: int) -> Iterator[Any]:
    """Go through the values of a loop that has a condition."""
    return context.counted(values, cost)


def at(context: Guard, item: Any) -> None:
    """Note whose turn it is: that of the message that a loop has reached, and nobody's after the outermost loop."""
    kind = type(item)
    if kind is InputDict:
        if _is_message(item):
            context.turn = item.path[1]
    elif kind is int or kind is InputInt:
        # Inside a loop over messages, numbers are not turns.
        if context.turn is None or context.index is not None:
            context.index = item
    elif item is None:
        context.turn = context.index = None
    elif kind is dict:
        # A template may build messages of its own; they are written in the turn of their content.
        path: tuple[Any, ...] = getattr(item.get("content"), "path", ())
        if path[:1] == ("messages",):
            context.turn = path[1]


def _is_message(value: InputDict) -> bool:
    return len(value.path) == 2 and value.path[0] == "messages"


def reached(context: Guard, key: Any, value: Any) -> None:
    """Note that a template that loops over the numbers of messages has looked one up."""
    if key == context.index and type(value) is InputDict and _is_message(value):
        at(context, value)


def _mark(context: Guard, start: int) -> None:
    """Note what a generation block has written since the prompt had reached `start`."""
    end = context.reached()
    if start < end:
        # Blocks inside it have ended before.
        while context.marks and context.marks[-1][0] >= start:
            context.marks.pop()
        context.marks.append((start, end))


def _defined(context: Guard, macro: Macro) -> Macro:
    """Return a macro, which is kept until the end: it can call itself, so that nothing else would free it."""
    context.macros.append(macro)
    return macro


def _written(context: Guard, value: Any) -> str:
    """Return a value that is not a plain text as the prompt gets it: each of its pieces becomes a segment."""
    text = context.shown(value)
    context.spend(PIECE * len(pieces_of(text)))
    return text


ROWS: dict[str, Operation] = {
    "iteration": Operation(at, {"item": ANY}, STATED, ALL),
    "body": Operation(_body, {}, STATED, ALL),
    "chosen": Operation(_chosen, {"values": ANY, "cost": ANY}, WHILE_MADE, ALL),
    "turn_after": Operation(at, {"item": ANY}, BY_NODE, ALL),
    "mark": Operation(_mark, {"start": ANY}, BY_NODE, ALL),
    "defined": Operation(_defined, {"macro": ANY}, keeping, ALL),
    # What the body of a macro or of a block has written.
    "captured": Operation(together, {"texts": ANY}, WHILE_MADE, ALL),
    "written": Operation(_written, {"value": ANY}, WHILE_MADE, ALL),
}
