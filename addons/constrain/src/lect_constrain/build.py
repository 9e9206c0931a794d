"""The tree of a constraint: how a template writes replies, with the tools and the choice among them."""

from __future__ import annotations

from dataclasses import dataclass
from os.path import commonprefix
from typing import TYPE_CHECKING, Any

from lect_constrain.marks import Marks, first_mark
from lect_constrain.nodes import DIGITS, EMPTY, Lit, Node, Rep, Seq, Text, alt, optional, seq, spread
from lect_constrain.notations import JSON
from lect_constrain.probes import CONTENT, COUNT, ID, NAME, REASONING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lect.plugin.grammar import Grammar
    from lect_constrain.probes import Form, Parts, Pieces, Shape


@dataclass(frozen=True, eq=False)
class Block:
    """Calls, and what may come before them.

    Attributes:
        before: What may come before them, as pieces.
        opened: The text with which they begin.
        mark: The mark at its beginning, at which a text before them ends.
        calls: The rest.
        trigger: What opens them.
    """

    before: list[Pieces]
    opened: str
    mark: str
    calls: Node
    trigger: str


class Builder:
    """Builds the tree of a constraint.

    Args:
        shape: How the template writes replies.
        marks: The marks that free text must not contain.
        ids: The ids of calls.
        content: What the content is, if it is not free.
        grammar: How replies are read.

    Attributes:
        headed: Whether content has a header of its own.
        closes: What closes thoughts.
    """

    def __init__(self, shape: Shape, marks: Marks, ids: Node, grammar: Grammar, content: Node | None = None):
        self.shape, self.marks, self.ids, self.content = shape, marks, ids, content
        self.headed = grammar.channels is not None
        self.closes = grammar.reasoning.close if grammar.reasoning else ()
        barred = "".join(f"\\{char}" for char in marks.first)
        self.first = f"{barred} \\n\\t\\r" if barred else ""
        self.texts: dict[tuple[str, ...], Text] = {}

    def reply(self, blocks: list[Block], *, answers: bool, reasoning: bool | None, closed: bool = False) -> Node | None:
        """Return all replies: without calls if `answers`, and with those of the blocks; None if there is none.

        Without reasoning they begin as such replies do, or, if it is `closed`, as they go on after it.

        Reasoning is what most replies have in common. Where what follows it differs only in white space from replies
        without, it is written once: engines take long to compile free text.
        """
        rows: list[tuple[Pieces, Block | None]] = [(pieces, None) for pieces in self.shape.answers] if answers else []
        rows += [(pieces, block) for block in blocks for pieces in block.before]
        bare = [row for row in rows if (REASONING, "") not in row[0] and reasoning is not True]
        if reasoning is False:
            # Answers, or calls, that no rendering has without reasoning are what follows it.
            begun = [(self.thought(pieces), block) for pieces, block in rows if (REASONING, "") in pieces]
            rests = [(self.unclosed(thought[2]), block) for thought, block in begun if thought]
            ended = [(rest if closed else _begun(rest), block) for rest, block in rests]
            first, second = (ended, bare) if closed else (bare, ended)
            shown = {block for _, block in first}
            bare = [*first, *(row for row in second if row[1] not in shown)]
        thoughts: dict[str, tuple[Node, list[tuple[Pieces, Block | None]]]] = {}
        for pieces, block in rows:
            if (REASONING, "") in pieces and reasoning is not False:
                thought = self.thought(pieces)
                if thought is not None:
                    opened, node, rest = thought
                    thoughts.setdefault(opened, (node, []))[1].append((rest, block))
        if len(thoughts) == 1:
            ((node, following),) = thoughts.values()
            if bare and {_stripped(row) for row in following} == {_stripped(row) for row in bare}:
                return self._joined(optional(node), [*following, *bare])
        found = [self._joined(node, following) for node, following in thoughts.values()]
        found += [self._joined(EMPTY, bare)] if bare else []
        replies = [each for each in found if each is not None]
        return alt(replies) if replies else None

    def _joined(self, before: Node, rows: list[tuple[Pieces, Block | None]]) -> Node | None:
        """Return replies that begin alike: answers, and calls with what comes before them."""
        found: list[Node] = []
        for block in dict.fromkeys(block for _, block in rows):
            pieces = dict.fromkeys(each for each, of in rows if of is block)
            nodes = [
                node for each in pieces if (node := self.row(each, block.opened if block else "", before)) is not None
            ]
            if block is not None and any(_is_text_until(node, block.mark) for node in nodes):
                # White space before the calls is text too.
                nodes = [node for node in nodes if not isinstance(node, Lit)]
            if block is not None and nodes:
                rest = block.opened[len(block.mark) :]
                rows_before = alt(_without(node, rest) for node in nodes)
                found.append(spread(rows_before, block.calls) if self.headed else seq(rows_before, rest, block.calls))
            else:
                found += _distinct(nodes)
        return seq(before, alt(found)) if found else None

    def thought(self, pieces: Pieces) -> tuple[str, Node, Pieces] | None:
        """Return the reasoning with which a reply begins: what opens it, the whole of it, and the pieces after it."""
        at = pieces.index((REASONING, ""))
        opened = "".join(text for _, text in pieces[:at]).rstrip()
        following = pieces[at + 1][1] if at + 1 < len(pieces) else ""
        end, mark = first_mark(following, self.marks.reasoning)
        if not mark or any(kind for kind, _ in pieces[:at]):
            return None
        without = tuple(each for each in self.marks.reasoning if each != mark)
        return opened, seq(opened, Text(without, mark)), (("", following[end + len(mark) :]), *pieces[at + 2 :])

    def unclosed(self, pieces: Pieces) -> Pieces:
        """Return the pieces after a thought without the rest of what closes it, with whose first mark it ends."""
        following = pieces[0][1]
        rests = [close[len(mark) :] for close in self.closes for mark in self.marks.reasoning if close.startswith(mark)]
        rest = max((each for each in rests if following.startswith(each)), key=len, default="")
        return (("", following[len(rest) :]), *pieces[1:])

    def block(self, form: Form, tools: Mapping[str, Node], *, several: bool, text: bool) -> Block:
        """Return calls; `text` is whether content may precede or follow them."""
        call = form.call
        begins = _leading(call.first)
        # A header is in one piece with the name in it: reasoning has one that begins alike.
        opened = "" if self.headed else begins
        _, mark = first_mark(opened, self.marks.text)
        mark = mark if mark and opened.startswith(mark) else ""
        before = [pieces for pieces in form.before if (text and (mark or self.headed)) or (CONTENT, "") not in pieces]
        # Where no rendering has content beside calls, it still may come before them.
        shown = self.shape.content_follows or self.headed or any((CONTENT, "") in pieces for pieces in form.before)
        if text and mark and not shown:
            before += [(*pieces, (CONTENT, ""), ("", "")) for pieces in before]
        middle = call.first[1:] if opened else call.first
        body = self.each(middle, tools)
        found, last = body, self.parts(call.last, "")
        if several and call.further is not None:
            gap = _leading(call.further)
            gap, further = ("", call.further) if self.headed or not gap else (gap, call.further[1:])
            close = ""
            if isinstance(last, Lit) and last.text[-1:].isspace():
                # What every call ends with is no part of the gap: the white space after the last call would begin one.
                close = commonprefix([gap, last.text.rstrip()])  # noqa: RUF071  # of texts, not of paths
                gap, last = gap[len(close) :], Lit(last.text[len(close) :])
            again = seq(gap, body if further == middle else self.each(further, tools), close)
            found = seq(body, close, Rep(again, 0, None))
        found = seq(found, _trailing(last))
        if text and self.shape.content_follows:
            found = seq(found, self.free(self.marks.text))
        for stop in self.shape.stops:
            found = seq(found, optional(Lit(stop)))
        return Block(before, opened, mark, found, mark or begins.strip())

    def each(self, parts: Parts, tools: Mapping[str, Node]) -> Node:
        """Return a call of any tool: what is around its name, and its arguments."""
        return alt(seq(self.parts(parts, name), arguments) for name, arguments in tools.items())

    def parts(self, parts: Parts, name: str) -> Node:
        """Return what is around a call."""
        places: dict[int, Any] = {id(NAME): name, id(ID): self.ids, id(COUNT): DIGITS}
        return seq(*(part if isinstance(part, str) else places[id(part)] for part in parts))

    def row(self, pieces: Pieces, following: str, before: Node) -> Node | None:
        """Return what comes after reasoning as nodes, up to calls that begin with `following`; None if it cannot be."""
        found: list[Node | str] = []
        rest = [*pieces, ("", following)]
        while rest:
            kind, literal = rest.pop(0)
            while rest and not rest[0][0]:
                literal += rest.pop(0)[1]
            if not kind:
                # Content may begin with any white space, which the prompt may have written.
                found += [
                    literal.rstrip() if rest else literal,
                    JSON.gap() if rest and self.content is not None else "",
                ]
                continue
            at, mark = first_mark(literal, self.marks.text)
            is_first = before is EMPTY and not any(each.strip() if isinstance(each, str) else each for each in found)
            if self.content is not None:
                found += [self.content, literal if literal.strip() else optional(Lit(literal)) if literal else ""]
            elif mark:
                found.append(
                    self.free(tuple(each for each in self.marks.text if each != mark), mark, is_first=is_first)
                )
                rest.insert(0, ("", literal[at + len(mark) :]))
            elif literal.strip():
                return None
            else:
                found.append(self.free(self.marks.text, is_first=is_first))
        return seq(*found)

    def free(self, without: tuple[str, ...], end: str = "", *, is_first: bool = False) -> Text:
        """Return free content, the same node for the same content."""
        first = self.first if is_first else ""
        return self.texts.setdefault((*without, end, first), Text(without, end, first))


def _stripped(row: tuple[Pieces, Block | None]) -> tuple[Any, ...]:
    return tuple((kind, text.strip()) for kind, text in row[0] if kind or text.strip()), id(row[1])


def _is_text_until(node: Node, mark: str) -> bool:
    """Return whether a row begins with any text up to a mark."""
    first = node.items[0] if isinstance(node, Seq) else node
    return isinstance(first, Text) and first.end == mark and not first.first


def _begun(pieces: Pieces) -> Pieces:
    """Return pieces without the white space at their beginning."""
    return (("", pieces[0][1].lstrip()), *pieces[1:])


def _distinct(nodes: list[Node]) -> list[Node]:
    """Return nodes without those that are there already: rows that differ only in white space."""
    return list({id(node): node for node in nodes}.values())


def _leading(parts: Parts) -> str:
    return parts[0] if parts and isinstance(parts[0], str) else ""


def _without(node: Node, end: str) -> Node:
    """Return a row of nodes without the text at its end."""
    if not end:
        return node
    items = list(node.items) if isinstance(node, Seq) else [node]
    last = items.pop()
    assert isinstance(last, Lit)
    return seq(*items, last.text.removesuffix(end))


def _trailing(node: Node) -> Node:
    """Return a node whose last white space may be missing."""
    items = list(node.items) if isinstance(node, Seq) else [node]
    last = items[-1]
    if not isinstance(last, Lit) or last.text == last.text.rstrip():
        return node
    bare = last.text.rstrip()
    return seq(*items[:-1], bare, optional(Lit(last.text[len(bare) :])))
