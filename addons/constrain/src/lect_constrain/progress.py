"""How far the work on a constraint is, for whoever wants to know: many tools take seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Seen = Callable[[int, int], object]
"""Is called with how many tools are done, and of how many."""


def unseen(done: int, tools: int) -> None:
    """Say nothing of how far work is."""


class Counted:
    """Says how many nodes of certain ones are being written, or were.

    Args:
        nodes: The nodes.
        seen: Is told.
    """

    def __init__(self, nodes: Iterable[object] = (), seen: Seen = unseen):
        self._nodes, self._seen = {id(node) for node in nodes}, seen
        self._met = set[int]()

    def meet(self, node: object) -> None:
        """A node is being written."""
        if id(node) in self._nodes and id(node) not in self._met:
            self._seen(len(self._met), len(self._nodes))
            self._met.add(id(node))
