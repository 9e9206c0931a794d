"""What a row of the tables of filters, tests, methods and functions says, and how it is called.

There is one row for each thing that a template can call, and for each operator (`operators.py`), and a row has no
column that may be left out. Names, conditions, loops and calls themselves have none: `codegen.py` and `context.py` say
what they cost and follow.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from jinja2.runtime import Undefined

from lect_jinja.engine.guard import SIZED
from lect_jinja.engine.origins import ALL, distrusted, is_own
from lect_jinja.engine.strings import TEXTS
from lect_jinja.engine.values import InputInt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lect_jinja.engine.guard import Guard
    from lect_jinja.engine.origins import Operands

    Function = Callable[..., Any]
    Cost = Callable[..., int] | int
    Types = frozenset[type] | None

ANY: Types = None
"""Any value: the function says itself what it cannot take."""
VALUES: Types = frozenset()
"""Values to go through. Those that have no length become a list, each of them counted."""
WRITTEN: Types = frozenset({str})
"""Any value, as the text that it is written as in a prompt; texts stay as they are."""
NOTHING = frozenset({type(None), Undefined})
TEXT: Types = TEXTS | NOTHING
WHOLE = frozenset({int, bool, InputInt})
COUNT: Types = WHOLE | NOTHING
PATH: Types = TEXTS | NOTHING | {int, InputInt}
"""An attribute path, such as 'function.name', or the number of an item."""
INDENT: Types = TEXTS | WHOLE | {type(None)}
PAIR: Types = frozenset({list, tuple, type(None)})


class Operation(NamedTuple):
    """One thing that a template can call.

    Attributes:
        run: What it does, given the context and its operands.
        takes: The types of its operands by name, in order, the receiver being the first. Any others are of any type.
        cost: The work that it takes from the context before it runs, given the same; a number if that is always the
            same; None for a function that is not given the context, looks at types and lengths only, and is paid for
            by its node.
        follows: The operands whose origin its result keeps.
    """

    run: Function
    takes: Mapping[str, Types]
    cost: Cost | None
    follows: Operands


def called(name: str, row: Operation) -> Function:
    """Return the function that a template calls: it is given the context, checks, charges, runs and distrusts."""
    run, takes, cost, follows = row
    if cost is None:
        return run
    places = [*takes]
    goes_through = takes[places[0]] is VALUES
    is_written = takes[places[0]] is WRITTEN
    declared = [(place, each) for place, each in enumerate(takes.values()) if each and each is not WRITTEN]
    undeclared = declared[0][0] if declared else len(places)
    constant = cost if isinstance(cost, int) else 0
    counted: Any = cost
    others = ... in follows
    enough = 1 if 0 in follows else 0
    trusted = follows == ALL

    def refuse(key: str, operand: Any) -> NoReturn:
        msg = f"{name} takes no {key} of type {type(operand).__name__!r}"
        raise TypeError(msg)

    @wraps(run)
    def call(context: Guard, /, *operands: Any, **named: Any) -> Any:
        if goes_through and operands and type(operands[0]) not in SIZED and operands[0]:
            operands = (context.listed(operands[0]), *operands[1:])
        elif is_written and operands and type(operands[0]) not in TEXTS:
            operands = (context.shown(operands[0]), *operands[1:])
        given = len(operands)
        for place, accepted in declared if given > undeclared else ():
            if place < given and type(operands[place]) not in accepted:
                refuse(places[place], operands[place])
        if named:
            for key, operand in named.items():
                if (types := takes.get(key)) and type(operand) not in types:
                    refuse(key, operand)
            work: int = constant or counted(context, *operands, **named)
        else:
            work = constant or counted(context, *operands)
        # A cost may spend some of the work itself, so it is known before the subtraction begins.
        context.left -= work
        if context.left < 0:
            context.spend(0)
        if not named:
            result = run(context, *operands)
            if trusted or given <= enough or not context.tracked:
                return result
        else:
            result = run(context, *operands, **named)
            if trusted or not context.tracked:
                return result
        for where, operand in (*enumerate(operands), *named.items()):
            if not (where in follows or is_own(operand) or (others and where != 0)):
                return distrusted(context, result)
        return result

    return call


def without_context(function: Function) -> Function:
    """Return a function as one that is given the context."""
    return wraps(function)(lambda context, /, *operands, **named: function(*operands, **named))
