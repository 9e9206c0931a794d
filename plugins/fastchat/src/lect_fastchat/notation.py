"""FastChat's notation: a `Conversation`, or its fields as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lect import MessageError, SourceError
from lect_fastchat.separators import SeparatorStyle
from lect_fastchat.styled import FIELDS, Conversation

if TYPE_CHECKING:
    from lect.plugin import Source, Template
    from lect_convert import Written

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
        """Write a template; lect-convert asks for it, and whoever only reads does without."""
        from lect_fastchat.dump import write

        return write(template)


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


notation = Notation()
