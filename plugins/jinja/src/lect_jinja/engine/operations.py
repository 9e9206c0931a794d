"""What a row of the tables says about an operation of templates, and how it is called: charged here, before it runs.

There is one row for each thing that a template can do: its statements (`statements.py`), its operators
(`operators.py`), what it looks up and calls (`access.py`), and the methods, functions, filters and tests. A row has no
column that may be left out. The generated code does nothing else, but for `and`, `or`, `not`, conditions, names, and
comparisons with constants, which end where the constant does: their nodes pay for these (`codegen.py`).
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


class WhileMade(NamedTuple):
    """The cost of what is also charged for what it makes, while it makes it: nobody knows before what that will be.

    Attributes:
        before: The cost that is known before.
    """

    before: Cost


WHILE_MADE = WhileMade(0)
STATED = -1
"""The cost that the generated code states as the first operand: that of all nodes of the body that begins. It runs only
where origins are followed: it notes whose turn it is."""
BY_NODE = None
"""The cost of what looks at types and lengths only, or hands a value on: its node pays. It is called as it is."""


class Operation(NamedTuple):
    """One thing that a template can do.

    Attributes:
        run: What it does, given the context and its operands. Only with a cost of `WhileMade` does it charge itself.
        takes: The types of its operands by name, in order, the receiver being the first. Any others are of any type.
        cost: The work that is taken from the context before it runs, given the same; a number if that is always the
            same.
        follows: The operands whose origin its result keeps.
    """

    run: Function
    takes: Mapping[str, Types]
    cost: Cost | WhileMade | None
    follows: Operands


def called(name: str, row: Operation) -> Function:
    """Return the function that a template calls: it is given the context, checks, charges, runs and distrusts."""
    run, takes, stated, follows = row
    cost = stated.before if isinstance(stated, WhileMade) else stated
    places = [*takes]
    converted = [(place, each is VALUES) for place, each in enumerate(takes.values()) if each in (VALUES, WRITTEN)]
    declared = [(place, each) for place, each in enumerate(takes.values()) if each and each is not WRITTEN]
    undeclared = declared[0][0] if declared else len(places)
    others = ... in follows
    enough = 1 if 0 in follows else 0
    trusted = follows == ALL
    constant = cost if isinstance(cost, int) else 0
    counted: Any = cost if callable(cost) else lambda context, *operands, **named: 0

    def refuse(key: str, operand: Any) -> NoReturn:
        msg = f"{name} takes no {key} of type {type(operand).__name__!r}"
        raise TypeError(msg)

    def convert(context: Guard, operand: Any, *, is_list: bool) -> Any:
        if is_list:
            return context.listed(operand) if type(operand) not in SIZED and operand else operand
        return operand if type(operand) in TEXTS else context.shown(operand)

    def call(context: Guard, /, *operands: Any, **named: Any) -> Any:
        given = len(operands)
        for place, is_list in converted:
            if place < given:
                if type(operands[place]) is not str:
                    operand = convert(context, operands[place], is_list=is_list)
                    operands = (*operands[:place], operand, *operands[place + 1 :])
            elif places[place] in named:
                named[places[place]] = convert(context, named[places[place]], is_list=is_list)
        for place, accepted in declared if given > undeclared else ():
            if place < given and type(operands[place]) not in accepted:
                refuse(places[place], operands[place])
        if named:
            for key, operand in named.items():
                if (types := takes.get(key)) and types is not WRITTEN and type(operand) not in types:
                    refuse(key, operand)
            work = constant or counted(context, *operands, **named)
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

    return run if cost is BY_NODE else wraps(run)(call)


def asked(row: Operation) -> Function:
    """Return the method of the context that generated code asks: of operands of any type, and none by name."""
    run, _, cost, _ = row
    counted: Any = cost.before if isinstance(cost, WhileMade) else cost

    def begin(context: Guard, work: int, /, *operands: Any) -> None:
        context.left -= work
        if context.left < 0:
            context.spend(0)
        if context.tracked:
            run(context, *operands)

    def ask(context: Guard, /, *operands: Any) -> Any:
        work = counted(context, *operands)
        context.left -= work
        if context.left < 0:
            context.spend(0)
        return run(context, *operands)

    if cost is STATED:
        return wraps(run)(begin)
    return wraps(run)(ask) if callable(counted) else run


def without_context(function: Function) -> Function:
    """Return a function as one that is given the context."""
    return wraps(function)(lambda context, /, *operands, **named: function(*operands, **named))
