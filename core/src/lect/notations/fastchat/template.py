"""A conversation's separator style as a template: OpenAI-shaped messages in, segments out."""

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.notations.fastchat.styles import NEVER
from lect.notations.fastchat.writing import PLACEHOLDER, plan_of, write_system, write_turns
from lect.prompt.template import Template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lect.notations.fastchat.conversation import Conversation
    from lect.prompt.chat import Chat
    from lect.prompt.messages import Message
    from lect.prompt.writer import Writer

IMAGE_PARTS = frozenset({"image", "image_url"})
# What a tokenizer would know as a special token: <|im_end|>, </s>, <<SYS>>, [INST], [|Human|].
_SPECIAL = r"<<?[^<>\s]+>>?|\[/?[A-Z]+\]|\[\|[^|\]\s]+\|\]"


class Fields(NamedTuple):
    """What of a conversation decides how it is written."""

    name: str
    roles: tuple[str, ...]
    sep_style: int
    sep: str | None
    sep2: str | None
    system_template: str
    examples: tuple[tuple[str, Any], ...]


class StyleTemplate(Template):
    """FastChat's way to write a conversation.

    The last system message replaces the default text, wherever it stands, as FastChat's server has it. Messages of
    other roles than system, user and assistant have no place and are reported as unused.

    Args:
        conversation: What holds the separator style and its fields. Its first messages, up to the offset, are examples
            that every prompt begins with.
        source: Where the format is written down.
    """

    __slots__ = ("fields",)

    fields: Fields

    def __init__(self, conversation: "Conversation", *, source: str = ""):
        self.fields = fields = Fields(
            conversation.name,
            tuple(conversation.roles),
            conversation.sep_style,
            conversation.sep,
            conversation.sep2,
            conversation.system_template,
            tuple((role, text) for role, text in conversation.messages[: conversation.offset]),
        )
        style = plan_of(fields).style
        stop = conversation.stop_str
        stops = (stop,) if isinstance(stop, str) else tuple(stop or ())
        markers, plain = find_markers(fields, stops)
        takes_system = style.when != NEVER and PLACEHOLDER in fields.system_template
        super().__init__(
            fields.name,
            self._write,
            stop=stops,
            stop_token_ids=conversation.stop_token_ids or (),
            bos=style.opening,
            markers=markers,
            text_separators=plain,
            default_system=conversation.system_message if takes_system else "",
            capabilities=[word for word, has in (("system", takes_system), ("images", style.images)) if has],
            looks_for=style.looks_for,
            source=source,
        )

    def _write(self, chat: "Chat", out: "Writer") -> None:
        fields = self.fields
        the_plan = plan_of(fields)
        style = the_plan.style
        if chat.bos:
            out.append(chat.bos)
        system: Message | None = None
        for message in chat.messages:
            if message.role == "system":
                system = message
        out.turn(system)
        write_system(out, the_plan, fields, self.default_system if system is None else system.content)
        out.turn(None)
        turns = list(self._turns(chat, out, style.images))
        if style.last is not None:
            turns = turns[-style.last :]
        write_turns(out, the_plan, fields, _marked(out, turns))

    def _turns(self, chat: "Chat", out: "Writer", images: str | None) -> "Iterator[tuple[str, Any, Message | None]]":
        """Yield role, text and message of every turn."""
        fields = self.fields
        for role, example in fields.examples:
            yield role, example, None
        for message in chat.messages:
            if message.role not in ("user", "assistant"):
                continue
            text: Any = message.content
            pictures = [part for part in message.parts if part.type in IMAGE_PARTS]
            if pictures:
                if images is None:
                    chat.refuse(
                        f"messages[{message.index}] has images, for which the format has no place",
                        instead="the text alone",
                    )
                if images:
                    for part in pictures:
                        out.used(*part.path)
                text = (message.content, pictures)
            yield fields.roles[message.role == "assistant"], text, message
        if chat.add_generation_prompt:
            yield fields.roles[1], "", None


def _marked(out: "Writer", turns: "Iterable[tuple[str, Any, Message | None]]") -> "Iterator[tuple[str, Any]]":
    """Yield role and text of every turn; what is written meanwhile belongs to its message."""
    for role, text, message in turns:
        out.turn(message)
        yield role, text
    out.turn(None)


def find_markers(fields: Fields, stops: "Iterable[str]") -> tuple[list[str], bool]:
    """Return the control markers of a style, and whether some of its turns are set apart by plain text alone."""
    style = plan_of(fields).style
    literals = (
        *fields.roles,
        fields.sep,
        fields.sep2,
        fields.system_template,
        style.opening,
        style.colon,
        style.end[1],
        style.without_system,
    )
    special = re.compile(_SPECIAL)
    found: dict[str, None] = {}
    for literal in (*literals, *style.marks, *stops):
        found.update(dict.fromkeys(special.findall(literal or "")))
    found.update(dict.fromkeys(stop.strip() for stop in stops if stop.strip()))
    plain = [role for role in fields.roles if role.strip() and not special.search(role) and not style.marks]
    found.update(dict.fromkeys((role + style.colon.partition("<")[0]).strip() for role in plain))
    # Where there is no marker at all, nothing keeps the turns apart but the texts themselves.
    return list(found), bool(plain) or not found
