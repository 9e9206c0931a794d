"""GBNF, the grammars of llama.cpp; xgrammar reads the same as EBNF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lect_constrain.automaton import Automaton
from lect_constrain.rules import RuleWriter

if TYPE_CHECKING:
    from lect_constrain.nodes import Chars, Node, Quoted, Text

ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
IN_CLASS = {**ESCAPES, "]": "\\]", "[": "\\[", "^": "\\^", "-": "\\-"}
ESCAPED = '"\\\\" (["\\\\bfnrt] | "u" [0-9a-fA-F]{4})'
CONTROLS = "\\x00-\\x1f\\x7f"
HALVES = "\\ud800-\\udfff"
"""Halves of surrogate pairs: engines take their bytes for characters, and decoders replace each byte by one."""


class Gbnf(RuleWriter):
    """Writes GBNF. It has no complement: text without marks is an automaton, a rule for each state."""

    define, root = "{name} ::= {body}", "root"

    def literal(self, text: str) -> str:
        return '"' + "".join(ESCAPES.get(char, char) for char in text) + '"'

    def text(self, node: Text) -> str:
        if not node.without and not node.end and not node.first:
            return outside("\\x00") + "*"
        first = self.automaton(Automaton(node.without, node.end), "", None if node.end else '""')
        # What it must not begin with are brackets and white space, with which no mark begins.
        return self.rules[first].replace("[^", f"[^{node.first}", 1) if node.first else first

    def quoted(self, node: Quoted) -> str:
        quote = self.literal(node.quote)
        begin = "" if node.is_open else f"{quote} "
        escaped = ESCAPED if node.quote == '"' else ESCAPED.replace("[", f"[{node.quote}", 1)
        never = f"{IN_CLASS.get(node.quote, node.quote)}\\\\{CONTROLS}"
        if node.without:
            inside = self.automaton(Automaton(node.without), never, '""', escaped)
            return f"{begin}({inside}) {quote}"
        char = self.body(f"{outside(never)} | {escaped}")
        return f"{begin}{self.repeated(char, node.low, node.high)} {quote}"

    def automaton(self, made: Automaton, never: str, stop: str | None, escaped: str = "") -> str:
        """Return the first state of an automaton; the others get rules. `stop` is what may follow in any state."""
        names = [self.named("s") for _ in made.states]
        for index, moves in enumerate(made.states):
            branches = [] if stop is None else [stop]
            by_target: dict[int, str] = {}
            for char, to in moves.items():
                by_target[to] = by_target.get(to, "") + IN_CLASS.get(char, char)
            branches += [f"[{chars}] {names[to]}" for to, chars in by_target.items()]
            if made.ending[index]:
                branches.append("[" + "".join(IN_CLASS.get(char, char) for char in made.ending[index]) + "]")
            if escaped:
                branches.append(f"{escaped} {names[0]}")
            known = "".join(IN_CLASS.get(char, char) for char in (*moves, *made.ending[index], *made.forbidden[index]))
            branches.append(f"{outside(known + never)} {names[0]}")
            self.rules[names[index]] = " | ".join(branches)
        return names[0]

    def chars(self, node: Chars) -> str:
        allowed = outside(node.allowed[1:]) if node.allowed.startswith("^") else f"[{node.allowed}]"
        return self.repeated(allowed, node.low, node.high)

    def word(self, node: Node) -> str:
        return self.expression(node)


def outside(chars: str) -> str:
    """Return one character that is none of these."""
    return f"[^{chars}{HALVES}]"
