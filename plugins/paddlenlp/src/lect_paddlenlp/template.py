"""A chat_template.json as a template of lect: OpenAI-shaped messages in, segments out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect import Origin
from lect.plugin import Template, plain_str, unknown

if TYPE_CHECKING:
    from lect.plugin import Chat, Message, Writer
    from lect_paddlenlp.fields import Field, Fields

OWN = frozenset({"user", "bot", "query", "index", "length", "is_first", "is_last", "system"})
"""The variables that come from the conversation; all others are options."""


class PaddleTemplate(Template):
    """What PaddleNLP writes: the system text, earlier rounds, the last question.

    A system message is the variable `system`. A conversation that ends with an answer is written as rounds alone.

    Args:
        name: Its public name.
        fields: The fields of the chat_template.json.
        facts: Arguments for `Template`: stop, source, ...
    """

    __slots__ = ("fields",)

    fields: Fields

    def __init__(self, name: str, fields: Fields, **facts: Any):
        self.fields = fields
        own: dict[str, Any] = {
            "options": sorted(fields.variables - OWN),
            "capabilities": ["system"] if "system" in fields.variables else [],
            "markers": sorted({marker for field in fields if field is not None for marker in field.template.markers}),
            # The tokenizer is unknown.
            "text_separators": True,
        }
        super().__init__(name, self._write, **own | facts)

    def stated(self) -> dict[str, Any]:
        facts = super().stated()
        del facts["program"]
        return facts | {"fields": self.fields}

    @property
    def table(self) -> Template | None:
        from lect_paddlenlp.tables import turn_table

        return turn_table(self, self.fields)

    @property
    def beyond_table(self) -> str:
        return "a field has more in it than one place for a text, or the last question is written differently"

    def _write(self, chat: Chat, out: Writer) -> None:
        rounds = _rounds(chat)
        is_asked = bool(rounds) and len(rounds[-1]) == 1
        values: dict[str, Any] = {"is_training": False, **chat.options}
        if chat.system is not None:
            values["system"] = chat.system.content
        out.turn(chat.system)
        _put(out, chat, self.fields.system, values)
        if is_asked:
            values["length"] = len(rounds)
        for index, messages in enumerate(rounds[:-1] if is_asked else rounds):
            if self.fields.user is None:
                chat.refuse("there is no place for earlier rounds", instead="the last question alone")
            values |= {"is_first": index == 0, "is_last": not is_asked and index == len(rounds) - 1}
            texts = {"user": messages[0].content, "bot": messages[1].content, "index": index}
            for message, field in zip(messages, (self.fields.user, self.fields.bot), strict=True):
                out.turn(message)
                _put(out, chat, field, {**texts, **values})
        if is_asked:
            (question,) = rounds[-1]
            out.turn(question)
            _put(out, chat, self.fields.query, {**values, "query": question.content, "index": len(rounds) - 1})
        out.turn(None)


def _rounds(chat: Chat) -> list[list[Message]]:
    messages = chat.without_system
    chat.require_alternation(messages)
    for message in messages:
        if message.role not in ("user", "assistant"):
            chat.refuse(f"there is no place for the role {message.role!r} of messages[{message.index}]")
    return [list(messages[index : index + 2]) for index in range(0, len(messages), 2)]


def _put(out: Writer, chat: Chat, field: Field | None, values: dict[str, Any]) -> None:
    """Write a field; the caller's texts keep their origin."""
    if field is None:
        return
    given = field.given(values)
    plain: dict[str, Any] = {
        name: plain_str(value) if isinstance(value, str) else value for name, value in given.items()
    }
    if not chat.tracked:
        out.append(field.template.text([], **plain))
        return
    for segment in field.template.render([], on_control="allow", **plain).segments:
        source = given.get(str(segment.path[-1])) if segment.path else None
        if segment.origin is Origin.TEMPLATE:
            out.append(segment.text)
        elif isinstance(source, str) and segment.start >= 0:
            out.append(source[segment.start : segment.start + len(segment.text)])
        else:
            out.append(unknown(segment.text))
