"""A conversation's separator style as a template: OpenAI-shaped messages in, segments out."""

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.plugin import Template
from lect_fastchat.data import data_path, read_data
from lect_fastchat.styles import NEVER
from lect_fastchat.writing import PLACEHOLDER, fill_style, write_system, write_turns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lect.plugin import Chat, Message, Writer

# What a tokenizer would know as a special token: <|im_end|>, </s>, <<SYS>>, [INST], [|Human|].
_SPECIAL = r"<<?[^<>\s]+>>?|\[/?[A-Z]+\]|\[\|[^|\]\s]+\|\]"


class Fields(NamedTuple):
    """The fields of a conversation that determine how it is written."""

    name: str
    roles: tuple[str, ...]
    sep_style: int
    sep: str | None
    sep2: str | None
    system_template: str
    examples: tuple[tuple[str, Any], ...]


class StyleTemplate(Template):
    """FastChat's way to write a conversation.

    As in FastChat's server, the last system message replaces the default text, wherever it is. Messages of roles other
    than system, user and assistant have no place and are reported as unused.

    Args:
        name: Its public name.
        fields: The fields that determine how a conversation is written.
        facts: Arguments for `Template`: default_system, stop, source, ...
    """

    __slots__ = ("fields",)

    fields: Fields

    def __init__(self, name: str, fields: Fields, *, default_system: str = "", **facts: Any):
        self.fields = fields
        style = fill_style(fields).style
        markers, plain = find_markers(fields, facts.get("stop", ()))
        separators = "".join(filter(None, (fields.sep, fields.sep2, style.colon, style.end[1], *style.marks)))
        takes_system = style.when != NEVER and PLACEHOLDER in fields.system_template
        own: dict[str, Any] = {
            "bos": style.opening,
            "markers": markers,
            # What separates turns, but not what names the roles.
            "control_tokens": [each for each in markers if each in separators],
            "text_separators": plain,
            "capabilities": [word for word, has in (("system", takes_system), ("images", style.images)) if has],
        }
        super().__init__(
            name,
            self._write,
            default_system=default_system if takes_system else "",
            **own | facts,
        )

    def stated(self) -> dict[str, Any]:
        facts = super().stated()
        del facts["program"]
        return facts | {"fields": self.fields}

    @property
    def table(self) -> "Template | None":
        from lect_fastchat.tables import turn_table

        return turn_table(self, self.fields)

    @property
    def beyond_table(self) -> str:
        from lect_fastchat.tables import beyond_table

        return beyond_table(self.fields)

    @property
    def written_at(self) -> str:
        """Its line in templates.json; for a user's conversation, where it was turned into a template."""
        entry = f'"{self.name}":'.encode()
        lines = read_data("templates.json").splitlines()
        number = next((number for number, line in enumerate(lines, 1) if line.strip().startswith(entry)), None)
        return f"{data_path('templates.json')}:{number}" if self.source and number else self._made_at

    def _write(self, chat: "Chat", out: "Writer") -> None:
        fields = self.fields
        filled = fill_style(fields)
        style = filled.style
        if chat.bos:
            out.append(chat.bos)
        system: Message | None = None
        for message in chat.messages:
            if message.role == "system":
                system = message
        out.turn(system)
        write_system(out, filled, fields, self.default_system if system is None else system.content)
        out.turn(None)
        turns = list(self._turns(chat, out, style.images))
        if style.last is not None:
            turns = turns[-style.last :]
        write_turns(out, filled, fields, _marked(out, turns))

    def _turns(self, chat: "Chat", out: "Writer", images: str | None) -> "Iterator[tuple[str, Any, Message | None]]":
        """Yield the role, text and message of every turn."""
        fields = self.fields
        for role, example in fields.examples:
            yield role, example, None
        for message in chat.messages:
            if message.role not in ("user", "assistant"):
                continue
            text: Any = message.content
            pictures = [part for part in message.parts if part.type == "image"]
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
    """Yield the role and text of every turn; what is written before the next one belongs to its message."""
    for role, text, message in turns:
        out.turn(message)
        yield role, text
    out.turn(None)


def find_markers(fields: Fields, stops: "Iterable[str]") -> tuple[list[str], bool]:
    """Return the control markers of a style, and whether some of its turns are separated by plain text alone."""
    style = fill_style(fields).style
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
    # Without any marker, only the texts themselves separate the turns.
    return list(found), bool(plain) or not found
