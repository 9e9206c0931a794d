"""`Conversation`: the object that FastChat's users know, over any template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from idiolect.errors import MessageError
from idiolect.prompt.messages import messages_of_pairs
from idiolect.prompt.turns import TurnTemplate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from idiolect.prompt.template import Template

USER, ASSISTANT = "user", "assistant"
ASKS = ([ASSISTANT, None], (ASSISTANT, None))


class Conversation:
    """A conversation in progress: `(role, text)` pairs over a template.

    A last message `[assistant, None]` means that the assistant shall speak: the prompt ends with the generation prompt.

    Attributes:
        template: How to talk to the model.
        name: The name of the template.
        system_message: The system text; at first the maker's default, where there is one. Set it to replace that.
        roles: `("user", "assistant")`.
        messages: Lists of a role and a text.
        offset: How many of the first messages are examples.
        stop_str: The strings at which a reply ends: one, several as a list, or None.
        stop_token_ids: Their token ids, or None.
    """

    __slots__ = ("messages", "name", "offset", "roles", "stop_str", "stop_token_ids", "system_message", "template")

    sep_style = None

    def __init__(self, template: Template, *, name: str | None = None, system_message: str | None = None, messages: Iterable[Sequence[Any]] = ()):
        self.template = template
        self.name = name or template.name
        self.system_message = template.default_system if system_message is None else system_message
        self.roles = (USER, ASSISTANT)
        self.messages = [list(message) for message in messages]
        self.offset = 0
        stop = template.stop
        self.stop_str: str | list[str] | None = (stop[0] if len(stop) == 1 else list(stop)) if stop else None
        self.stop_token_ids: list[int] | None = list(template.stop_token_ids) or None

    def __repr__(self) -> str:
        return f"<Conversation {self.name!r}: {len(self.messages)} messages>"

    def get_prompt(self) -> str:
        """Return the prompt.

        Raises:
            MessageError: If a message is not a role and a text, or the model's format does not allow them.
        """
        messages = self.messages
        template = self.template
        generate = bool(messages) and messages[-1] in ASKS
        if generate:
            messages = messages[:-1]
        # The template itself adds the maker's default, and some do so only where no system text is given.
        system = None if self.system_message == template.default_system else self.system_message
        if type(template) is TurnTemplate:
            return template.pairs_text(system, messages, add_generation_prompt=generate)
        return template.text(messages_of_pairs(system, messages, template.accepted_roles), add_generation_prompt=generate)

    def set_system_message(self, system_message: str) -> None:
        """Replace the system text."""
        self.system_message = system_message

    def get_system_message(self) -> str:
        """Return the system text."""
        return self.system_message

    def append_message(self, role: str, message: str | None) -> None:
        """Add a message; None as the assistant's text asks for an answer."""
        self.messages.append([role, message])

    def update_last_message(self, message: str) -> None:
        """Replace the text of the last message.

        Raises:
            MessageError: If there is none.
        """
        if not self.messages:
            msg = "there is no message to update\n  try: append_message(role, text) first"
            raise MessageError(msg)
        self.messages[-1][1] = message

    def to_openai_api_messages(self) -> list[dict[str, Any]]:
        """Return the conversation as OpenAI-shaped messages, without a last one that only asks for an answer."""
        messages = [{"role": role, "content": text} for role, text in self.messages[self.offset :]]
        if messages and messages[-1]["content"] is None:
            messages.pop()
        if self.system_message:
            messages.insert(0, {"role": "system", "content": self.system_message})
        return messages

    def to_gradio_chatbot(self) -> list[list[Any]]:
        """Return `[question, answer]` pairs, as a Gradio chat box takes them."""
        pairs: list[list[Any]] = []
        for role, text in self.messages[self.offset :]:
            if role == ASSISTANT and pairs:
                pairs[-1][1] = text
            else:
                pairs.append([text, None])
        return pairs

    def copy(self) -> Conversation:
        """Return a copy that shares nothing with this conversation but its template, which does not change."""
        copy = Conversation(self.template, name=self.name, system_message=self.system_message)
        copy.messages = [_copied(pair) for pair in self.messages]
        copy.roles = self.roles
        copy.offset = self.offset
        copy.stop_str = list(self.stop_str) if isinstance(self.stop_str, list) else self.stop_str
        copy.stop_token_ids = None if self.stop_token_ids is None else list(self.stop_token_ids)
        return copy

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Conversation:
        return self.copy()

    def dict(self) -> dict[str, Any]:
        """Return the conversation as plain data."""
        return {
            "template_name": self.name,
            "system_message": self.system_message,
            "roles": self.roles,
            "messages": [list(message) for message in self.messages],
            "offset": self.offset,
        }

    # FastChat's separators say nothing about an official format: to set one would change no prompt.

    @property
    def sep(self) -> None:
        """None: an official format is not made of separators."""
        return None

    @sep.setter
    def sep(self, value: object) -> None:
        self._refuse("sep")

    @property
    def sep2(self) -> None:
        """None: an official format is not made of separators."""
        return None

    @sep2.setter
    def sep2(self, value: object) -> None:
        self._refuse("sep2")

    @property
    def system_template(self) -> None:
        """None: an official format is not made of separators."""
        return None

    @system_template.setter
    def system_template(self, value: object) -> None:
        self._refuse("system_template")

    def _refuse(self, field: str) -> NoReturn:
        msg = f"{self.name!r} is an official format, to which {field} means nothing\n  try: a TurnTemplate of your own (idiolect.plugin)"
        raise AttributeError(msg)


def _copied(pair: Any) -> Any:
    """Return a copy that shares nothing with `pair` but texts, which do not change."""
    if type(pair) is list and len(pair) == 2 and type(pair[0]) is str and (type(pair[1]) is str or pair[1] is None):
        return pair.copy()
    from copy import deepcopy

    return deepcopy(pair)
