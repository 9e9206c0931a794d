"""Constrain what a model writes: one grammar reads its replies, writes them and forces them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from lect import MessageError
from lect.errors import saferepr
from lect.plugin import boundary
from lect_constrain.after import after, after_any
from lect_constrain.build import Block, Builder
from lect_constrain.gbnf import Gbnf
from lect_constrain.lark import Lark
from lect_constrain.lost import Lost
from lect_constrain.marks import marks_of
from lect_constrain.members import UnwritableError
from lect_constrain.nodes import Alt, Chars, Node, alt
from lect_constrain.normal import normal
from lect_constrain.notations import JSON, Value
from lect_constrain.progress import Counted, Seen, unseen
from lect_constrain.schema import in_order_of_keys
from lect_constrain.source import Source
from lect_constrain.tag import Tag
from lect_constrain.tools import chosen, schemas_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lect import Prompt, Template
    from lect.plugin.grammar import Grammar, ReplyFormat

NOTATIONS = ("lark", "gbnf", "xgrammar")


@boundary
class Constraint:
    """What a model may write after a prompt, for engines that constrain decoding.

    Attributes:
        node: The constraint as a tree.
        triggers: The marks that open calls, for engines that apply a grammar only once one of them was written.
        name: The name of the template or the format.
        calls: The nodes of calls, tool by tool.
        strays: Control tokens of the template that no reply has. xgrammar does not exclude them where a mark of the
            format is text: to compile that would take seconds.
    """

    def __init__(
        self,
        node: Node,
        *,
        name: str,
        triggers: tuple[str, ...],
        tokens: Mapping[str, int],
        strays: frozenset[str],
        lost: Lost,
        strict: bool,
        calls: Sequence[Node] = (),
    ):
        self.node, self.name, self.triggers = node, name, triggers
        self.strays = strays
        self.calls = calls
        self._lost: dict[str, Lost] = {}
        self._tokens, self._always, self._strict = tokens, lost, strict

    def structural_tag(self, *, seen: Seen = unseen) -> dict[str, Any]:
        """Return the structural tag that xgrammar reads, and with it vLLM and SGLang.

        Args:
            seen: Is called with how many tools are written, and of how many.

        Raises:
            MessageError: With `strict`, if there is something that it cannot honour.
        """
        written: dict[str, Any] = self._checked("xgrammar", seen)
        return written

    def lark(self, *, seen: Seen = unseen) -> str:
        """Return the grammar that llguidance reads; otherwise as `structural_tag`."""
        return str(self._checked("lark", seen))

    def gbnf(self, *, seen: Seen = unseen) -> str:
        """Return the grammar that llama.cpp reads; otherwise as `structural_tag`."""
        return str(self._checked("gbnf", seen))

    @cached_property
    def loose(self) -> dict[str, tuple[str, ...]]:
        """The keywords of schemas that a notation does not honour, as paths, by notation.

        With `any_order`, `/any_order` after the path of an object says that it keeps the order of its schema.
        """
        return {notation: self.lost(notation).every("loose") for notation in NOTATIONS}

    @cached_property
    def tight(self) -> dict[str, tuple[str, ...]]:
        """The keywords of schemas of which a notation allows less than they do, as paths, by notation."""
        return {notation: self.lost(notation).every("tight") for notation in NOTATIONS}

    def lost(self, notation: str) -> Lost:
        """Return the keywords of schemas that a notation does not honour exactly."""
        if notation not in self._lost:
            self._written(notation)
        return self._lost[notation]

    def _written(self, notation: str, seen: Seen = unseen) -> tuple[Any, Lost]:
        """Return the constraint in a notation, and the keywords that it does not honour there."""
        writer: Tag | Lark | Gbnf
        if notation == "xgrammar":
            writer = Tag(self._tokens, self.strays)
        else:
            writer = Lark(self._tokens) if notation == "lark" else Gbnf()
        writer.counted = Counted(self.calls, seen)
        written, lost = writer.written(self.node), Lost()
        lost.add(self._always)
        lost.add(writer.lost)
        self._lost[notation] = lost
        return written, lost

    def _checked(self, notation: str, seen: Seen) -> Any:
        written, lost = self._written(notation, seen)
        if self._strict and len(lost):
            paths = ", ".join(lost.every("loose") + lost.every("tight"))
            raise MessageError(f"{notation} cannot honour {paths} in the format of {self.name}\n  try: strict=False")
        return written

    def __repr__(self) -> str:
        return f"<Constraint {self.name!r}>"


@boundary
def constrain(
    model: str | Template | None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    *,
    tool_choice: Any = "auto",
    parallel: bool = True,
    reasoning: bool | None = None,
    prompt: Prompt | str | None = None,
    content_schema: Any = None,
    any_order: bool = False,
    tokenizer: Any = None,
    strict: bool = False,
    format: str | Grammar | ReplyFormat | None = None,  # noqa: A002  # as in lect.parse
    adapter: Any = None,
    seen: Seen = unseen,
    **options: Any,
) -> Constraint:
    """Return what a model may write, from the grammar that reads its replies and the template's own renderings.

    Args:
        model: A model path or a template; None if `format` alone decides.
        tools: OpenAI tool schemas.
        tool_choice: `auto`, `none`, `required`, or the one tool to call, as `{"name": ...}` or as OpenAI writes it.
        parallel: Whether there may be several calls, where the format can write them.
        reasoning: Whether the reply must begin with reasoning, or must not; by default, as the prompt leaves it.
        prompt: The prompt that the reply follows. Its end tells what is already said; by default, that of the template.
        content_schema: The JSON Schema of the content, where it is not free.
        any_order: Whether the keys of objects may come in any order, up to four of them; otherwise in that of the
            schema.
        tokenizer: The tokenizer, or a mapping of control tokens to ids: then they are tokens, not text. By default, the
            ids that the template states.
        strict: Refuse what a notation cannot honour exactly, which is otherwise listed in `Constraint.loose` and
            `Constraint.tight`.
        format: A reply format, where there is no model: its name, a `Grammar` or a `ReplyFormat`.
        adapter: As in `lect.get_template`.
        seen: Is called with how many tools are read, and of how many.
        options: The options of the template with which the prompt was rendered.

    Raises:
        MessageError: If an argument is wrong, a schema fits nothing, or the format cannot write such a reply.
        LimitError: If tools or schemas are too large.
    """
    source = Source(model, format, adapter, options)
    schemas = schemas_of(tools, any_order=any_order, seen=seen)
    kind, left = chosen(schemas, tool_choice)
    marks = marks_of(source.grammar, source.stop, source.tokens, schemas)
    shape = source.shape
    content = None
    if content_schema is not None:
        content = Value(normal(content_schema, "the content", any_order=any_order), JSON)
    builder = Builder(shape, marks, _ids(source.grammar), source.grammar, content)
    lost = Lost()
    triggers: list[str] = []
    blocks: list[Block] = []
    calls: list[Node] = []
    if left and not shape.forms and kind != "auto":
        raise MessageError(f"{source.name} cannot write calls: {source.why}\n  try: tool_choice='none'")
    for form in shape.forms if left else ():
        arguments = source.arguments(form.call, marks)
        try:
            written = {name: in_order_of_keys(schema) for name, schema in left.items()} if form.call.is_sorted else left
            nodes = {
                name: arguments.node(schema) if arguments else Value(schema, JSON) for name, schema in written.items()
            }
        except UnwritableError as error:
            raise MessageError(f"{source.name} cannot write a call: {error}") from None
        source.check_names(form.call, left)
        blocks.append(builder.block(form, nodes, several=parallel and kind != "named", text=kind == "auto"))
        calls += nodes.values()
        if arguments:
            lost.add(arguments.lost)
        triggers += [blocks[-1].trigger] * bool(blocks[-1].trigger)
    answers = kind in ("auto", "none")
    node = builder.reply(blocks, answers=answers, reasoning=reasoning)
    if node is None:
        msg = f"{source.name} cannot write such a reply: reasoning={reasoning!r}, tool_choice={tool_choice!r}"
        raise MessageError(msg)
    said = source.said(prompt)
    begun = [after(node, said)]
    closed = source.after_thought(said)
    if reasoning is not True and (closed is not None or not said.startswith(shape.opening)):
        # A prompt that was rendered with other options may have closed a thought in its own way, or opened none.
        bare = builder.reply(blocks, answers=answers, reasoning=False, closed=closed is not None)
        texts = [said] if closed is None else [said, closed, closed.lstrip()]
        further = [after_any(each, texts) for each in (bare.items if isinstance(bare, Alt) else [bare] if bare else [])]
        begun = further if closed is not None else [*begun, *further]
    left_over = [each for each in begun if each is not None]
    if not left_over:
        msg = f"no reply of {source.name} begins with what the prompt says: {said[-60:]!r}\n  try: prompt=None"
        raise MessageError(msg)
    return Constraint(
        alt(left_over),
        name=source.name,
        triggers=tuple(triggers),
        tokens=_tokens(tokenizer, source),
        strays=marks.strays,
        lost=lost,
        strict=strict,
        calls=calls,
    )


def _ids(grammar: Grammar) -> Node:
    """Return the ids that a model may give its calls."""
    if grammar.ids.startswith("call_{") or "{name}" in grammar.ids:
        return Chars("A-Za-z0-9_", 1, 32)
    length = len(grammar.id_of("f", 0))
    return Chars("A-Za-z0-9", length, length)


def _tokens(tokenizer: Any, source: Source) -> dict[str, int]:
    """Return the control tokens whose ids are known."""
    if tokenizer is None:
        known = source.template.markers if source.template is not None else {}
        stops = source.template.stop if source.template is not None else {}
        return {mark: number for mark, number in [*known.items(), *stops.items()] if isinstance(number, int)}
    for method in ("control_tokens", "get_added_vocab"):
        if hasattr(tokenizer, method):
            return dict(getattr(tokenizer, method)())
    if hasattr(tokenizer, "get_added_tokens_decoder"):
        return {token.content: number for number, token in tokenizer.get_added_tokens_decoder().items()}
    if isinstance(tokenizer, dict):
        return dict(tokenizer)
    msg = f"tokenizer is {saferepr(tokenizer)}; expected a tokenizer, or a mapping of control tokens to ids"
    raise MessageError(msg)
