"""Where the facts of a constraint come from: a template, or a reply format alone."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from lect import MessageError, Prompt, Template, get_template, parse
from lect.addon import json_schema, probes
from lect.errors import saferepr
from lect.plugin.grammar import Grammar, Params, ReplyFormat, reply_format
from lect_constrain.arguments import Arguments
from lect_constrain.probes import NAME, CallShape, Pairs, Parts, Shape
from lect_constrain.shapes import format_shape, shape_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lect_constrain.marks import Marks

WORDS: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (True, ("true", "True")),
    (False, ("false", "False")),
    (None, ("null", "None")),
)
_shapes: WeakKeyDictionary[Template, dict[str, Shape]] = WeakKeyDictionary()


class Source:
    """Where the facts come from: a template, or a format alone."""

    def __init__(self, model: Any, given: Any, adapter: Any, options: Mapping[str, Any]):
        self.template: Template | None = None
        self.markers: tuple[str, ...] = ()
        self.tokens: tuple[str, ...] = ()
        self.stop: tuple[str, ...]
        if model is None:
            found = reply_format(given) if isinstance(given, str) else given
            found = ReplyFormat(found) if isinstance(found, Grammar) else found
            if not isinstance(found, ReplyFormat):
                msg = f"format is {saferepr(given)}; expected a reply format\n  try: a name from lect.reply_formats()"
                raise MessageError(msg)
            self.grammar, self.stop, self.name = found.grammar, tuple(found.stop), found.name
        elif isinstance(model, str | Template) and given is None:
            self.template = get_template(model, adapter=adapter) if isinstance(model, str) else model
            self.grammar = self.template.reply or reply_format("plain").grammar
            self.stop, self.markers = tuple(self.template.stop), tuple(self.template.markers)
            self.tokens = self.template.control_tokens
            self.name = self.template.name
        else:
            raise MessageError(
                f"model is {saferepr(model)} and format {saferepr(given)}; expected a model or a template, or a format"
            )
        self.options = options

    @cached_property
    def shape(self) -> Shape:
        if self.template is None:
            return format_shape(self.grammar)
        known = _shapes.setdefault(self.template, {})
        key = repr(sorted(self.options.items()))
        if key not in known:
            known[key] = shape_of(self.template, self.grammar, self.options)
        return known[key]

    @property
    def why(self) -> str:
        """Why there is no way to write calls."""
        if not self.grammar.sections and self.grammar.channels is None:
            return "its format has no calls"
        return "only in plain words, which any text may contain, or no example of its format shows how"

    def parse(self, text: str, tools: Any) -> Any:
        """Read a reply."""
        if self.template is not None:
            return self.template.parse(text, tools=tools, starts_in_reasoning=False)
        return parse(None, text, format=self.grammar, tools=tools, starts_in_reasoning=False)

    def arguments(self, call: CallShape, marks: Marks) -> Arguments | None:
        """Return what writes the arguments of calls one by one; None if they are JSON."""
        pairs = call.pairs
        if pairs is None:
            return None
        words = tuple(
            tuple(word for word in spelled if self.reads(call, pairs, value, word)) or spelled[:1]
            for value, spelled in WORDS
        )
        ends = tuple(mark for mark in marks.text if mark not in marks.strays)
        # Many marks mean nothing inside an argument, wherever they are.
        words_with = {mark: (f"x {mark} y", f"x {mark}", f"x\n{mark}\ny") for mark in marks.text}
        read = partial(self.reads, call, pairs)
        inside = tuple(
            mark
            for mark, each in words_with.items()
            if not all(read(word, word, probes.KEY, probes.LAST_KEY) for word in each)
        )
        return Arguments(pairs, words, inside, ends, partial(self.reads_key, call, pairs))

    def reads(self, call: CallShape, pairs: Pairs, value: Any, word: str, *keys: str) -> bool:
        """Return whether a word is read as the value of one argument, or of several."""
        kind, keys = json_schema.kind_of(value), keys or (probes.KEY,)
        tool = {
            "name": probes.NAMES[0],
            "parameters": {"type": "object", "properties": {key: {"type": kind} for key in keys}},
        }
        given = (f"{key}{pairs.equals_for(kind)}{word}{pairs.close.replace('{key}', key)}" for key in keys)
        text = _text(call, probes.NAMES[0], pairs.separator.join(f"{pairs.open}{each}" for each in given) + pairs.end)
        reply = self.parse(text, [{"type": "function", "function": tool}])
        return [each.arguments for each in reply.tool_calls] == [dict.fromkeys(keys, value)] and not reply.problems

    def reads_key(self, call: CallShape, pairs: Pairs, key: str, is_inside: bool) -> bool:
        """Return whether a key is read, that of an argument or that of an object in one."""
        if not is_inside:
            return self.reads(call, pairs, 7, "7", key)
        kind = pairs.kind
        tags = (f"{kind.open}{key}>", kind.close.format(key=key)) if isinstance(kind, Params) else (f"{{{key}:", "}")
        return self.reads(call, pairs, {key: 7}, f"{tags[0]}7{tags[1]}")

    def check_names(self, call: CallShape, schemas: Mapping[str, Any]) -> None:
        """Refuse a name that the format cannot write."""
        body = "{}" if call.pairs is None else call.pairs.none + call.pairs.end
        for name in schemas:
            tool = {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
            found = self.parse(_text(call, name, body), [tool]).tool_calls
            if [each.name for each in found] != [name]:
                msg = f"{self.name} cannot write the name {name!r}: it would be read as {[each.name for each in found]}"
                raise MessageError(msg)

    def said(self, prompt: Prompt | str | None) -> str:
        """Return what the prompt has already said on the model's behalf."""
        if prompt is None or self.template is None:
            return self.shape.opening
        text = prompt.text if isinstance(prompt, Prompt) else prompt
        header = self.shape.header
        starts = sorted((at for marker in self.markers if (at := header.rfind(marker)) >= 0), reverse=True)
        keys = [header[at:] for at in starts] or [header.lstrip()[-24:]]
        # The end of a header may be that of other marks, which are in replies too.
        key = next((each for each in keys if each in text and not self.shape.has(each)), keys[0])
        at = text.rfind(key) if key else -1
        if at >= 0:
            return text[at + len(key) :]
        opened = self.grammar.reasoning.open if self.grammar.reasoning else ()
        return opened[0] if opened and self.template.parse("x", prompt=text).reasoning else ""

    def after_thought(self, said: str) -> str | None:
        """Return what the prompt has said since it closed a thought; None if it did not."""
        closes = self.grammar.reasoning.close if self.grammar.reasoning else ()
        at, mark = max(((said.rfind(close), close) for close in closes), default=(-1, ""))
        return said[at + len(mark) :] if at >= 0 else None


def _text(call: CallShape, name: str, arguments: str) -> str:
    """Return one call as it is written."""
    return f"{_filled(call.first, name)}{arguments}{_filled(call.last, name)}"


def _filled(parts: Parts, name: str) -> str:
    return "".join(part if isinstance(part, str) else name if part is NAME else "0" * 9 for part in parts)
