"""`Conversation`: the object that FastChat's users know, for any template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

from lect.boundaries import boundary
from lect.errors import MessageError, saferepr
from lect.format.template import Template
from lect.format.turns import TurnTemplate
from lect.prompt.messages import messages_of_pairs

USER, ASSISTANT = "user", "assistant"
ANSWER_REQUESTS = ([ASSISTANT, None], (ASSISTANT, None))
Raw = dict[str, Any]


class NoSeparator:
    """A field that FastChat builds prompts from, but that has no effect here: it is None, and cannot be set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, conversation: object, owner: type) -> Any:
        return None

    def __set__(self, conversation: Conversation, value: Any) -> None:
        raise AttributeError(
            f"{conversation.name!r} is an official format, in which {self.name} has no effect\n"
            "  try: from lect_fastchat import Conversation, which has FastChat's fields"
        )


@boundary
class Conversation:
    """A conversation in progress: `(role, text)` pairs, and the template that writes them.

    The roles are `user` and `assistant`, and `system_message` shows the maker's default. A last message
    `[assistant, None]` asks for an answer. A text with images is `(text, [addresses])`.

    Args:
        template: The format of the model.
        system_message: The system text; None for the maker's default.
        messages: Lists of a role and a text.
        offset: How many of the first messages are examples.
        stop_str: The strings at which a reply ends, if not those of the template: one, several as a list, or None.
        stop_token_ids: Their token ids, if not those of the template.
        name: The name, if not that of the template.
    """

    # No slots: as in FastChat, people set attributes of their own on a conversation.
    name: str
    sep = NoSeparator()
    sep2 = NoSeparator()
    sep_style = NoSeparator()
    system_template = NoSeparator()

    @boundary
    def __init__(
        self,
        template: Template,
        *,
        system_message: str | None = None,
        messages: Iterable[Sequence[Any]] = (),
        offset: int = 0,
        stop_str: str | list[str] | None = None,
        stop_token_ids: list[int] | None = None,
        name: str | None = None,
        **fields: Any,
    ):
        if fields or not isinstance(template, Template):
            from lect.installing import install_command

            what = f"{next(iter(fields))}=" if fields else saferepr(template)
            raise MessageError(
                f"a conversation is created from a template and takes no {what}\n"
                "  try: Conversation(lect.template('chatml'))\n"
                f"   or: {install_command('lect-fastchat')}, and from lect_fastchat import Conversation, which has "
                "FastChat's fields"
            )
        self._template: Template | None = template
        self.name = name or template.name
        self.system_message = template.default_system if system_message is None else system_message
        self.roles: Sequence[str] = (USER, ASSISTANT)
        self.messages: list[list[Any]] = [_copied(list(message)) for message in messages] if messages else []
        self.offset = offset
        if stop_str is None and (stops := template.stop):
            stop_str = next(iter(stops)) if len(stops) == 1 else list(stops)
        self.stop_str = stop_str
        self.stop_token_ids = list(template.stop_ids) or None if stop_token_ids is None else stop_token_ids

    def __repr__(self) -> str:
        return f"<Conversation {self.name!r}: {len(self.messages)} messages>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conversation):
            return NotImplemented
        return self.__getstate__() == other.__getstate__()

    __hash__ = None  # type: ignore[assignment]

    @property
    def template(self) -> Template:
        """The format of the model."""
        assert self._template is not None, "a subclass without one must provide it"
        return self._template

    def get_prompt(self) -> str:
        """Return the prompt.

        Raises:
            MessageError: If a message is not a role and a text, or the format does not allow them.
        """
        template, messages = self.template, self.messages
        generate = bool(messages) and messages[-1] in ANSWER_REQUESTS
        if generate:
            messages = messages[:-1]
        # The template itself adds the maker's default, and some do so only where no system text is given.
        system = None if self.system_message == template.default_system else self.system_message
        try:
            text = template._pairs_text(system, messages, generate) if type(template) is TurnTemplate else None
            if text is not None:
                return text
            # The program gets what is not plain text, and what is wrong is said clearly.
            given = messages_of_pairs(system, messages, template.accepted_roles)
            return template.text(given, add_generation_prompt=generate)
        except MessageError:
            if not any(map(is_illustrated, messages)):
                raise
        in_parts = [[each[0], self._parts(*each[1])] if is_illustrated(each) else each for each in messages]
        given = messages_of_pairs(system, in_parts, template.accepted_roles)
        return template.text(given, add_generation_prompt=generate)

    def set_system_message(self, system_message: str) -> None:
        """Replace the system text."""
        self.system_message = system_message

    def get_system_message(self, is_vision: bool = False) -> str:
        """Return the system text. Only FastChat's conversations have another one for images."""
        return self.system_message

    def append_message(self, role: str, message: str | tuple[str, list[Any]] | None) -> None:
        """Add a message; None as the assistant's text asks for an answer."""
        self.messages.append([role, message])

    def update_last_message(self, message: str | tuple[str, list[Any]] | None) -> None:
        """Replace the text of the last message.

        Raises:
            MessageError: If there is none.
        """
        if not self.messages:
            raise MessageError("there is no message to update\n  try: append_message(role, text) first")
        self.messages[-1][1] = message

    def to_openai_api_messages(self) -> list[Raw]:
        """Return OpenAI-shaped messages, images as parts; a last one that only asks for an answer is left out."""
        messages: list[Raw] = [{"role": "system", "content": self.system_message}] if self.system_message else []
        for role, message in self.messages[self.offset :]:
            if message is not None or role == USER:
                content = self._parts(*message) if type(message) is tuple else message
                messages.append({"role": role, "content": content})
        return messages

    def dict(self) -> Raw:
        """Return the conversation as plain data."""
        return {
            "template_name": self.name,
            "system_message": self.system_message,
            "roles": self.roles,
            "messages": [_copied(message) for message in self.messages],
            "offset": self.offset,
        }

    def _parts(self, text: str, images: Iterable[Any]) -> list[Raw]:
        """Return a text with images as OpenAI's list of parts."""
        return [{"type": "text", "text": text}] + [{"type": "image_url", "image_url": {"url": each}} for each in images]

    def copy(self) -> Self:
        """Return a copy; changing one conversation does not change the other."""
        copy = object.__new__(type(self))
        fields = self.__dict__.copy()
        fields["messages"] = [_copied(message) for message in self.messages]
        for field in ("roles", "stop_str", "stop_token_ids"):
            if type(fields[field]) is list:
                fields[field] = fields[field].copy()
        copy.__dict__.update(fields)
        return copy

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()


def is_illustrated(pair: Any) -> bool:
    """Return whether a message has a text with images."""
    return isinstance(pair, list | tuple) and len(pair) == 2 and type(pair[1]) is tuple and len(pair[1]) == 2


def _copied(pair: Any) -> Any:
    """Return a copy that shares nothing with `pair` but texts, which do not change, and images."""
    if type(pair) is list and len(pair) == 2 and type(pair[0]) is str:
        text = pair[1]
        if type(text) is str or text is None:
            return pair.copy()
        if type(text) is tuple and len(text) == 2 and isinstance(text[1], list | tuple):
            return [pair[0], (text[0], list(text[1]))]
    from copy import deepcopy

    return deepcopy(pair)
