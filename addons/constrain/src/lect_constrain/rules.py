"""What writers of rules have in common: Lark's and GBNF's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from lect_constrain.lost import Lost
from lect_constrain.nodes import Alt, Chars, Lit, Node, Quoted, Ref, Rep, Seq, Text, Word
from lect_constrain.notations import Begun, Value
from lect_constrain.progress import Counted
from lect_constrain.values import Values

if TYPE_CHECKING:
    from collections.abc import Callable

    from lect_constrain.schema import Schema


class RuleWriter(ABC):
    """Writes a tree as rules: those of nodes that occur again, and of what cannot be inlined, have names."""

    define, root = "{name}: {body}", "start"

    def __init__(self) -> None:
        self.rules: dict[str, str] = {}
        self.names: dict[int, str] = {}
        self.texts: dict[str, str] = {}
        self.alive: list[Node] = []
        """The nodes that have names: their identities must not be used again."""
        self.refs: dict[tuple[int, str], str] = {}
        self.lost = Lost()
        self.counted = Counted()

    def written(self, node: Node) -> str:
        """Return the whole grammar."""
        self.rules[self.root] = ""
        self.rules[self.root] = self.expression(node, outer=True)
        return "\n".join(self.define.format(name=each, body=body) for each, body in self.rules.items()) + "\n"

    def expression(self, node: Node, *, outer: bool = False) -> str:
        """Return a node as an expression; an `outer` one needs no brackets."""
        self.counted.meet(node)
        match node:
            case Lit(text):
                return self.literal(text)
            case Text():
                return self.once(node, self.text)
            case Quoted():
                return self.once(node, self.quoted)
            case Chars():
                return self.chars(node)
            case Word(item):
                return self.word(item)
            case Value():
                return self.once(node, self.value)
            case Begun(item, lost):
                self.lost.add(lost)
                return self.expression(item, outer=outer)
            case Ref():
                return self.ref(node)
            case Seq(items):
                row = " ".join(map(self.expression, items))
                return row if outer else f"({row})"
            case Alt(items):
                if not outer and len(items) > 1:
                    return self.shared(node)
                return " | ".join(self.expression(each, outer=True) for each in items)
            case Rep(item, low, high):
                inner = self.expression(item, outer=True)
                return self.repeated(f"({inner})" if " " in inner else inner, low, high)
        raise AssertionError(node)

    def shared(self, node: Node) -> str:
        """Return the name of a node's own rule."""
        if id(node) not in self.names:
            name = self.named("r")
            self.names[id(node)] = name
            self.alive.append(node)
            self.rules[name] = self.expression(node, outer=True)
        return self.names[id(node)]

    def once(self, node: Node, write: Callable[[Any], str]) -> str:
        """Return the name of a rule for a node, which is written once, and shared by those that are written alike."""
        if id(node) not in self.names:
            body = write(node)
            self.names[id(node)] = body if body in self.texts.values() else self.body(body)
            self.alive.append(node)
        return self.names[id(node)]

    def body(self, body: str, prefix: str = "t", mark: str = "") -> str:
        """Return the name of a rule with this body; `mark` follows the name where it is defined."""
        if body not in self.texts:
            self.texts[body] = f"{prefix}{len(self.rules)}"
            self.rules[self.texts[body] + mark] = body
        return self.texts[body]

    def named(self, prefix: str) -> str:
        name = f"{prefix}{len(self.rules)}"
        self.rules[name] = ""
        return name

    def value(self, node: Value) -> str:
        """Return the body of a rule for a value."""
        values = Values(node, left=self.left(node))
        self.lost.add(values.lost)
        return self.expression(values.root, outer=True)

    def left(self, node: Value) -> Callable[[Schema], bool] | None:
        """Return which schemas inside a value the engine writes itself; None if there are none."""
        return None

    def ref(self, node: Ref) -> str:
        key = id(node.rules), node.name
        if key not in self.refs:
            self.alive.append(node)
            self.refs[key] = rule = self.named("v")
            self.rules[rule] = self.expression(node.rules[node.name], outer=True)
        return self.refs[key]

    def repeated(self, item: str, low: int, high: int | None) -> str:
        """Return an expression so many times."""
        if (low, high) in ((0, 1), (0, None), (1, None)):
            return item + {(0, 1): "?", (0, None): "*"}.get((low, high), "+")
        if high in (0, 1) and low == high:
            return item if high else self.literal("")
        return f"{item}{{{low},{'' if high is None else high}}}" if low != high else f"{item}{{{low}}}"

    @abstractmethod
    def literal(self, text: str) -> str:
        """Return exactly a text."""

    @abstractmethod
    def text(self, node: Text) -> str:
        """Return the body of a rule for a text."""

    @abstractmethod
    def quoted(self, node: Quoted) -> str:
        """Return the body of a rule for a string."""

    @abstractmethod
    def chars(self, node: Chars) -> str:
        """Return characters."""

    @abstractmethod
    def word(self, node: Node) -> str:
        """Return what must stay in one piece."""
