"""Text without given marks as an automaton, for notations that have no complement."""

from __future__ import annotations

from collections import deque


class Automaton:
    """States that texts without certain marks go through (Aho and Corasick).

    Attributes:
        states: For each state the characters that lead to another than the first, and where: None where `end` is
            complete. A character that completes one of the other marks leads nowhere, and is None too, in `forbidden`.
    """

    def __init__(self, without: tuple[str, ...], end: str = ""):
        self.children: list[dict[str, int]] = [{}]
        self.final: dict[int, bool] = {}
        for mark in (*without, end):
            if mark:
                self._add(mark, mark == end)
        self.states: list[dict[str, int]] = []
        self.forbidden: list[str] = []
        self.ending: list[str] = []
        self._link()

    def _add(self, mark: str, is_end: bool) -> None:
        at = 0
        for char in mark:
            if char not in self.children[at]:
                self.children.append({})
                self.children[at][char] = len(self.children) - 1
            at = self.children[at][char]
        self.final[at] = self.final.get(at, False) or is_end

    def _link(self) -> None:
        fail = [0] * len(self.children)
        queue = deque(self.children[0].values())
        order = [0]
        while queue:
            state = queue.popleft()
            order.append(state)
            for char, child in self.children[state].items():
                back = fail[state]
                while back and char not in self.children[back]:
                    back = fail[back]
                found = self.children[back].get(char, 0)
                fail[child] = found if found != child else 0
                if fail[child] in self.final:
                    self.final.setdefault(child, self.final[fail[child]])
                queue.append(child)
        steps: dict[int, dict[str, int]] = {}
        for state in order:
            steps[state] = {**(steps[fail[state]] if state else {}), **self.children[state]}
        live = [state for state in order if state not in self.final]
        number = {state: index for index, state in enumerate(live)}
        for state in live:
            moves = steps[state]
            self.states.append({char: number[to] for char, to in moves.items() if to not in self.final and to})
            self.ending.append("".join(char for char, to in moves.items() if self.final.get(to)))
            self.forbidden.append(
                "".join(char for char, to in moves.items() if to in self.final and not self.final[to])
            )
