"""FastChat's notation: a `Conversation`, or its fields as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect import MessageError, SourceError
from lect.plugin import Template, Turn, TurnTemplate, Written, expressible, table_of
from lect_fastchat.separators import SeparatorStyle
from lect_fastchat.styled import FIELDS, Conversation
from lect_fastchat.template import StyleTemplate
from lect_fastchat.writing import PLACEHOLDER

if TYPE_CHECKING:
    from lect.plugin import Source

NAMES = ("name", "template_name")
"""The fields for the name: the one of the class, and the one that its method `dict` writes."""
TEXTS = (*NAMES, "system_template", "system_message", "system_message_vision", "sep", "sep2")
MAY_BE_NULL = ("sep", "sep2", "stop_str", "stop_token_ids", "max_image_size_mb")


class Notation:
    """Reads and writes FastChat's conversations."""

    def recognises(self, source: Source) -> bool:
        """Return whether a source is a conversation, or has the field that all of FastChat's have."""
        data = source.data
        return isinstance(data, Conversation) or (isinstance(data, Mapping) and "sep_style" in data)

    def read(self, source: Source) -> Template:
        """Read a conversation as a template; messages up to `offset` are examples, all others are ignored.

        Raises:
            SourceError: If a field is missing, unknown, or of a wrong type or form.
        """
        try:
            conversation = source.data
            if not isinstance(conversation, Conversation):
                conversation = _conversation(source)
            # FastChat does not notice bad separators until it writes a prompt.
            probe = conversation.copy()
            probe.messages = [[role, "Hi"] for role in probe.roles[:2]]
            probe.get_prompt()
            template = conversation.template
        except MessageError as error:
            raise SourceError(f"{source}: {error}") from None
        return template

    def write(self, template: Template) -> Written:
        """Write a template as a JSON object of FastChat's fields.

        Raises:
            ConversionError: If it is neither a template of FastChat's nor a turn table.
        """
        import json

        rest: TurnTemplate | None = None
        lost: list[str] = []
        if isinstance(template, StyleTemplate):
            fields = _own_fields(template)
        else:
            rest, style, lost = _expressible(table_of(template, "fastchat"))
            fields = _fields(rest, style)
        fields |= {"name": template.name, "system_message": template.default_system}
        if template.stop:
            fields["stop_str"] = list(template.stop) if len(template.stop) > 1 else next(iter(template.stop))
        if template.stop_ids:
            fields["stop_token_ids"] = list(template.stop_ids)
        ordered = {field: fields[field] for field in FIELDS if field in fields}
        return Written(json.dumps(ordered, ensure_ascii=False, indent=2) + "\n", lost, bos=rest is None, rest=rest)


def _conversation(source: Source) -> Conversation:
    """Read a conversation from its fields."""
    fields = dict(source.fields(dict.fromkeys((*NAMES, *FIELDS)), "FastChat"))
    for field, value in fields.items():
        problem = None if value is None and field in MAY_BE_NULL else _problem(field, value)
        if problem:
            raise SourceError(f"{source}: {problem}")
    name = next((fields.pop(each) for each in NAMES if each in fields), "fastchat")
    fields["sep_style"] = _style(fields.get("sep_style"), str(source))
    return Conversation(name, **fields)


def _problem(field: str, value: Any) -> str | None:
    if field in TEXTS and not isinstance(value, str):
        return f"{field} is {value!r} ({type(value).__name__}); expected text"
    if field == "roles" and not (_is_list_of(value, str) and len(value) >= 2):
        return f"roles is {value!r}; expected what user and assistant are called, as a list of two texts"
    if field == "messages" and not (_is_list_of(value, list | tuple) and all(len(pair) == 2 for pair in value)):
        return f"messages is {value!r}; expected a list of [role, text]"
    if field == "stop_str" and not (isinstance(value, str) or _is_list_of(value, str)):
        return f"stop_str is {value!r}; expected text, or a list of texts"
    if field == "stop_token_ids" and not _is_list_of(value, int):
        return f"stop_token_ids is {value!r}; expected a list of numbers"
    if field == "offset" and not isinstance(value, int):
        return f"offset is {value!r}; expected a number"
    return None


def _is_list_of(value: Any, kind: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, kind) for each in value)


def _style(value: Any, where: str) -> SeparatorStyle:
    """Return the separator style for a name, or for FastChat's number."""
    try:
        if isinstance(value, bool):
            raise ValueError(value)
        return SeparatorStyle[value] if isinstance(value, str) else SeparatorStyle(value)
    except (KeyError, ValueError):
        names = ", ".join(SeparatorStyle.__members__)
        msg = f"{where}: sep_style is {value!r}, which is not a separator style\n  try: one of {names}"
        raise SourceError(msg) from None


def _own_fields(template: StyleTemplate) -> dict[str, Any]:
    fields = template.fields._asdict()
    examples = [list(pair) for pair in fields.pop("examples")]
    if examples:
        fields |= {"messages": examples, "offset": len(examples)}
    return fields | {"sep_style": SeparatorStyle(fields["sep_style"]).name}


def _expressible(table: TurnTemplate) -> tuple[TurnTemplate, SeparatorStyle, list[str]]:
    """Return what FastChat can express of a turn table, in which style, and what is lost.

    The style without a colon can express any prefix and suffix, but writes the whole prefix where the assistant is to
    speak; DeepSeek's omits the trailing space there. No style writes the end of a turn that has no text, and these two
    write what surrounds a system text even where there is none.
    """
    prefixes = [table.turns[role].prefix for role in ("user", "assistant")]
    says = {"default_system", "examples", "stop_ids", "without_system", "bare"}
    style, unspoken = SeparatorStyle.NO_COLON_TWO, ""
    if table.generation == prefixes[1].removesuffix(" ") and all(prefix.endswith(": ") for prefix in prefixes):
        style, unspoken = SeparatorStyle.DEEPSEEK_CHAT, " "
        says.add("generation")
    table, lost = expressible(table, says)
    turns = {role: turn for role, turn in table.turns.items() if role != "tool"}
    written = {
        role: turn._replace(bare=None if role == "system" else turn.prefix.removesuffix(unspoken))
        for role, turn in turns.items()
    }
    system = turns.get("system")
    without = system.prefix + system.suffix if system else ""
    if not table.default_system and table.without_system != without:
        lost.append("that a prompt without a system text has no system turn")
    if any(_bare(turn) != _bare(written[role]) for role, turn in turns.items()):
        lost.append("what is written for an empty text")
    return table.but(**written, without_system=without), style, lost


def _bare(turn: Turn) -> str:
    return turn.prefix + turn.suffix if turn.bare is None else turn.bare


def _fields(table: TurnTemplate, style: SeparatorStyle) -> dict[str, Any]:
    """Return the fields with which FastChat writes a turn table."""
    user, assistant, system = table.turns["user"], table.turns["assistant"], table.turns.get("system")
    colon = ": " if style == SeparatorStyle.DEEPSEEK_CHAT else ""
    roles = [turn.prefix.removesuffix(colon) for turn in (user, assistant)]
    return {
        "system_template": "" if system is None else system.prefix + PLACEHOLDER + system.suffix,
        "roles": roles,
        "messages": [[roles[role == "assistant"], text] for role, text in table.examples],
        "offset": len(table.examples),
        "sep_style": style.name,
        "sep": user.suffix,
        "sep2": assistant.suffix,
    }


notation = Notation()
