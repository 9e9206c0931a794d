"""The context of a running template: its variables, its budget, and all that it may do.

The code generated for a template (`codegen.py`) does nothing by itself that could take long: it asks its context, which
counts the work and follows the origin of texts.
"""

from __future__ import annotations

from lect_jinja.engine import access, operators, statements
from lect_jinja.engine.guard import Guard
from lect_jinja.engine.operations import Operation, asked

ROWS: dict[str, Operation] = {**statements.ROWS, **operators.ROWS, **access.ROWS}
"""All that the generated code asks of its context, by the name of the method."""


class GuardedContext(Guard):
    """The context of one render. Each row of the table is a method of it."""


for _name, _row in ROWS.items():
    setattr(GuardedContext, _name, asked(_row))
