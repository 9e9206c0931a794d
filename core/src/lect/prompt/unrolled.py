"""The shortest way: to read a short conversation and to write its prompt is one function without a loop.

Where a format has no more to say than a prefix and a suffix, a loop over the messages takes longer than all the rest.
So it is written out, message by message, and compiled: once for each number of messages. The roles and the literals of
a shape are then set in as its constants.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import FunctionType
from typing import Any

Write = Callable[[list[Mapping[str, Any]]], str | None]


def unrolled(roles: Sequence[str], literals: Sequence[str], order: tuple[int, ...]) -> Write:
    """Return a function that writes conversations of these roles.

    It returns None, or raises, for any other and for whatever is not plain.

    Args:
        roles: The role of each message.
        literals: What stands before, between and after the texts.
        order: Whose text stands in which place; there must be one.
    """
    blank = _compiled(len(roles), order, "".join(literals).isascii())
    meant = {f"r{index}": role for index, role in enumerate(roles)} | {
        f"p{place}": literal for place, literal in enumerate(literals)
    }
    constants = tuple(meant.get(constant, constant) for constant in blank.__code__.co_consts)
    return FunctionType(blank.__code__.replace(co_consts=constants), blank.__globals__)


@lru_cache(maxsize=64)
def _compiled(count: int, order: tuple[int, ...], ascii_alone: bool) -> FunctionType:
    """Return such a function with blanks for its roles and literals.

    This is its source where there are three messages and the first is left out:

    ```python
    def write(messages):
        m0, m1, m2, = messages
        odd = False
        if (
            m0["role"] == "r0" and (c0 := m0["content"]) and len(m0) == 2 and isinstance(c0, str)
            and m1["role"] == "r1" and (c1 := m1["content"]) and len(m1) == 2 and (c1.isascii() or (odd := True))
            and m2["role"] == "r2" and (c2 := m2["content"]) and len(m2) == 2 and (c2.isascii() or (odd := True))
        ):
            text = "".join(("p0", c1, "p1", c2, "p2"))
            if odd:
                text.encode("utf-16")
            return text
        return None
    ```

    What is written must be text, or it cannot be joined; what is left out is asked. To encode a prompt raises where
    half of a surrogate pair stands in it. In text of ASCII alone none does: where the literals are such, the whole
    prompt is asked at once.
    """
    conditions = []
    for index in range(count):
        conditions.append(
            f'm{index}["role"] == "r{index}" and (c{index} := m{index}["content"]) and len(m{index}) == 2'
        )
        if index not in order:
            conditions.append(f"isinstance(c{index}, str)")
        elif not ascii_alone:
            conditions.append(f"(c{index}.isascii() or (odd := True))")
    pieces = [f'"p{place}", c{index}' for place, index in enumerate(order)]
    source = f"""
def write(messages):
    {", ".join(f"m{index}" for index in range(count))}, = messages
    odd = False
    if {" and ".join(conditions)}:
        text = "".join(({", ".join([*pieces, f'"p{len(order)}"'])},))
        if {"not text.isascii()" if ascii_alone else "odd"}:
            text.encode("utf-16")
        return text
    return None
"""
    made: dict[str, Any] = {}
    # Nothing that anybody gave stands in the source, only numbers do.
    exec(source, made)  # noqa: S102
    write: FunctionType = made["write"]
    return write
