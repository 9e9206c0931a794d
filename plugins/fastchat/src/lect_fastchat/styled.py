"""`Conversation` with FastChat's fields: over a separator style, or over any template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lect
from lect.errors import MessageError
from lect.plugin import Template, boundary
from lect_fastchat.converters import Converters, Raw, with_images
from lect_fastchat.separators import SeparatorStyle
from lect_fastchat.writing import fill_style

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lect_fastchat.template import StyleTemplate
    from lect_fastchat.writing import StyleFields

FIELDS = (
    "name", "system_template", "system_message", "system_message_vision", "roles", "messages", "offset", "sep_style",
    "sep", "sep2", "stop_str", "stop_token_ids", "max_image_size_mb",
)  # fmt: skip
"""The fields of FastChat's conversation, in its order."""


class Separator:
    """A field that determines the prompt, unless there is a template: setting it discards the filled-in style."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.official = vars(lect.Conversation)[name]

    def __get__(self, conversation: Conversation, owner: type) -> Any:
        return conversation.__dict__.get(self.name)

    def __set__(self, conversation: Conversation, value: Any) -> None:
        if conversation._template is not None:
            self.official.__set__(conversation, value)
        conversation.__dict__[self.name] = value
        conversation._filled = None


class DataclassAttribute:
    """An attribute that marks a dataclass: FastChat's is one, and FastAPI and `dataclasses.asdict` look for it.

    It is taken from a class of the same fields on first access: importing dataclasses is slower than writing a prompt.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, conversation: object, owner: type) -> Any:
        from dataclasses import make_dataclass

        mark = getattr(make_dataclass("Conversation", FIELDS, repr=False), self.name)
        setattr(owner, self.name, mark)
        return mark


class Conversation(Converters, lect.Conversation):
    """A conversation in progress: `(role, text)` pairs, and how to write them.

    There are two kinds. With a separator style, the fields decide the prompt, as in FastChat: `Conversation("mine",
    roles=..., sep_style=..., ...)`. With a template, `Conversation(template)`, the template decides, as in
    `lect.Conversation`; then there are no separators, and the roles are `user` and `assistant`.

    A last message `[assistant, None]` means that the assistant is to speak. A text with images is `(text, [images])`,
    each image an address or an `Image`.

    Args:
        what: A template, or the name.
        system_template: What surrounds the system text: `{system_message}` is its place.
        system_message: The system text. With a template, None is the maker's default.
        system_message_vision: Another one for conversations with images.
        roles: What the user and the assistant are called.
        messages: Lists of a role and a text.
        offset: How many of the first messages are examples.
        sep_style: How the turns are separated.
        sep: The separator.
        sep2: The second separator, where the style has one.
        stop_str: The strings at which a reply ends: one, several as a list, or None.
        stop_token_ids: Their token ids, or None.
        max_image_size_mb: How large an image may be.
        name: The name; the template's by default.
    """

    sep = Separator()
    sep2 = Separator()
    sep_style = Separator()
    system_template = Separator()
    __dataclass_fields__ = DataclassAttribute()
    __dataclass_params__ = DataclassAttribute()
    _filled: StyleFields | None = None
    """The style with its separators filled in, kept until one of them changes."""

    @boundary
    def __init__(
        self,
        what: str | Template | None = None,
        /,
        system_template: str = "{system_message}",
        system_message: str | None = None,
        system_message_vision: str = "",
        roles: Sequence[str] = ("USER", "ASSISTANT"),
        messages: Iterable[Sequence[Any]] = (),
        offset: int = 0,
        sep_style: SeparatorStyle | int | None = SeparatorStyle.ADD_COLON_SINGLE,
        sep: str | None = "\n",
        sep2: str | None = None,
        stop_str: str | list[str] | None = None,
        stop_token_ids: list[int] | None = None,
        max_image_size_mb: float | None = None,
        *,
        name: str | None = None,
    ):
        if isinstance(what, Template):
            super().__init__(
                what,
                system_message=system_message,
                messages=messages,
                offset=offset,
                stop_str=stop_str,
                stop_token_ids=stop_token_ids,
                name=name,
            )
        else:
            name = what if what is not None else name
            if name is None:
                raise MessageError(
                    "a conversation needs a template or a name\n"
                    "  try: Conversation(template), or Conversation(name, sep_style=..., ...)"
                )
            self._template = None
            self.name = name
            self.system_template = system_template
            self.system_message = "" if system_message is None else system_message
            self.roles = roles
            self.offset = offset
            self.sep_style = sep_style
            self.sep = sep
            self.sep2 = sep2
            self.stop_str = stop_str
            self.stop_token_ids = stop_token_ids
            self.messages = [list(message) for message in messages]
            self.messages = self.copy().messages
        self.system_message_vision = system_message_vision
        self.max_image_size_mb = max_image_size_mb

    def __getstate__(self) -> Raw:
        return {**self.__dict__, "_filled": None}

    @property
    def template(self) -> Template:
        """How to talk to the model; with a separator style, a template built from the current fields.

        Raises:
            MessageError: If there is no separator style either.
        """
        return style_template(self) if self._template is None else self._template

    def get_prompt(self) -> str:
        """Return the prompt.

        Raises:
            MessageError: If a message is not a role and a text, or the format does not allow it.
        """
        if self._template is not None:
            return super().get_prompt()
        filled = self._filled
        if filled is None:
            filled = self._filled = fill_style(self)
        return filled.prompt(self, self.system_message, self.messages)

    def get_system_message(self, is_vision: bool = False) -> str:
        """Return the system text, or with `is_vision` the one for images, if there is one."""
        return self.system_message_vision if is_vision and self.system_message_vision else self.system_message

    def dict(self) -> Raw:
        """Return the conversation as plain data: what FastChat gives, and all else that is needed to rebuild it."""
        copy = self.copy()
        return {
            "template_name": self.name,
            **{field: getattr(copy, field) for field in FIELDS[1:]},
            "messages": [list(pair) for pair in self.extract_text_and_image_hashes_from_messages()],
            "sep_style": None if self.sep_style is None else int(self.sep_style),
        }

    def _parts(self, text: str, images: Iterable[Any]) -> list[Raw]:
        return with_images(text, list(images))


def style_template(conversation: Conversation, *, source: str = "") -> StyleTemplate:
    """Return a template with the separator style, the fields and the examples of a conversation."""
    # Imported here: not needed for prompts alone.
    from lect_fastchat.template import Fields, StyleTemplate

    stop = conversation.stop_str
    return StyleTemplate(
        conversation.name,
        Fields(
            conversation.name,
            tuple(conversation.roles),
            conversation.sep_style,
            conversation.sep,
            conversation.sep2,
            conversation.system_template,
            tuple((role, text) for role, text in conversation.messages[: conversation.offset]),
        ),
        default_system=conversation.system_message,
        stop=[stop] if isinstance(stop, str) else list(stop or ()),
        stop_ids=conversation.stop_token_ids or (),
        source=source,
    )
