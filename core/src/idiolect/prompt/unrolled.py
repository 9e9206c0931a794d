"""The shortest way: for a short conversation, to read its messages and to write its prompt is one function without a loop.

Where a format has no more to say than a prefix and a suffix, a loop over the messages takes longer than all the rest. So it is written out, message by
message, and compiled: once for each number of messages, for all templates.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

Write = Callable[[list[Mapping[str, Any]]], str | None]


def unrolled(roles: Sequence[str], literals: Sequence[str], order: tuple[int, ...]) -> Write | None:
    """Return a function that writes conversations of these roles; it returns None, or raises, for any other and for whatever is not plain.

    Args:
        roles: The role of each message.
        literals: What stands before, between and after the texts.
        order: Whose text stands in which place.
    """
    around = "".join(literals)
    try:
        around.encode()
    except UnicodeEncodeError:
        return None
    return _maker(len(roles), order, around.isascii())(*roles, *literals)


@lru_cache(maxsize=64)
def _maker(count: int, order: tuple[int, ...], ascii_alone: bool) -> Callable[..., Write]:
    """Return what makes such functions of roles and literals. For a system text that is left out and two turns, its source is:

    ```python
    def make(r0, r1, r2, p0, p1, p2):
        def write(messages):
            m0, m1, m2, = messages
            odd = False
            if (
                len(m0) == 2 and m0["role"] == r0 and (c0 := m0["content"]) and isinstance(c0, str)
                and len(m1) == 2 and m1["role"] == r1 and (c1 := m1["content"]) and (c1.isascii() or (odd := True))
                and len(m2) == 2 and m2["role"] == r2 and (c2 := m2["content"]) and (c2.isascii() or (odd := True))
            ):
                text = "".join((p0, c1, p1, c2, p2))
                if odd:
                    text.encode("utf-16")
                return text
            return None
        return write
    ```

    What is written must be text, or it cannot be joined; what is left out is asked. To encode it raises where it holds half of a surrogate pair, and
    text of ASCII alone holds none: where the literals are such, the whole prompt is asked at once.
    """
    every = range(count)
    parameters = [*(f"r{index}" for index in every), *(f"p{place}" for place in range(len(order) + 1))]
    pieces = [f"p{place}, c{index}, " for place, index in enumerate(order)]
    conditions = []
    for index in every:
        conditions.append(f'len(m{index}) == 2 and m{index}["role"] == r{index} and (c{index} := m{index}["content"])')
        if index not in order:
            conditions.append(f"isinstance(c{index}, str)")
        elif not ascii_alone:
            conditions.append(f"(c{index}.isascii() or (odd := True))")
    source = f"""
def make({", ".join(parameters)}):
    def write(messages):
        {"".join(f"m{index}, " for index in every)} = messages
        odd = False
        if ({" and ".join(conditions)}):
            text = "".join(({"".join(pieces)}p{len(order)},))
            if {"not text.isascii()" if ascii_alone else "odd"}:
                text.encode("utf-16")
            return text
        return None
    return write
"""
    made: dict[str, Any] = {}
    # Nothing that anybody gave stands in the source: numbers do.
    exec(source, made)  # noqa: S102
    make: Callable[..., Write] = made["make"]
    return make
