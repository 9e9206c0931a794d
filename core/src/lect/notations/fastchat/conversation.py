"""`Conversation`: the object that FastChat's users know, over a separator style or over any template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.errors import MessageError
from lect.notations.fastchat.converters import ASSISTANT, USER, Converters, with_images
from lect.notations.fastchat.separators import SeparatorStyle
from lect.prompt.messages import messages_of_pairs
from lect.prompt.template import Template
from lect.prompt.turns import TurnTemplate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lect.notations.fastchat.writing import Plan


ASKS = ([ASSISTANT, None], (ASSISTANT, None))


class Conversation(Converters):
    """A conversation in progress: `(role, text)` pairs, and how to write them.

    There are two kinds. With a separator style, the fields decide the prompt, as in FastChat: `Conversation("mine",
    roles=..., sep_style=..., ...)`. With a template, `Conversation(template)`, which is what
    `get_conversation_template` gives, the template decides; then there are no separators, the roles are `user` and
    `assistant`, and `system_message` shows the maker's default.

    A last message `[assistant, None]` means that the assistant shall speak. A text with images is `(text, [images])`,
    each image an address or an `Image`.

    Args:
        what: A template, or the name.
        system_template: What stands round the system text: `{system_message}` is its place.
        system_message: The system text. Of a template, None is the maker's default.
        system_message_vision: Another one for conversations with images.
        roles: What the user and the assistant are called.
        messages: Lists of a role and a text.
        offset: How many of the first messages are examples.
        sep_style: How the turns are set apart.
        sep: The separator.
        sep2: The second separator, where the style has one.
        stop_str: The strings at which a reply ends: one, several as a list, or None.
        stop_token_ids: Their token ids, or None.
        max_image_size_mb: How large an image may be.
        name: The name; of a template, its own if not given.
    """

    # No slots: people hang things of their own on a conversation, as FastChat lets them.

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
        self._template: Template | None = None
        # How the separators are written is worked out once, until one of them changes.
        self._plan: Plan | None = None
        if isinstance(what, Template):
            self._template = what
            name = name or what.name
            roles = (USER, ASSISTANT)
            sep_style = sep = sep2 = None
            if system_message is None:
                system_message = what.default_system
            if stop_str is None and what.stop:
                stop_str = what.stop[0] if len(what.stop) == 1 else list(what.stop)
            if stop_token_ids is None and what.stop_token_ids:
                stop_token_ids = list(what.stop_token_ids)
        elif what is not None:
            name = what
        if name is None:
            msg = (
                "a conversation needs a template or a name\n"
                "  try: Conversation(template), or Conversation(name, sep_style=..., ...)"
            )
            raise MessageError(msg)
        self.name = name
        self._system_template = system_template
        self.system_message = "" if system_message is None else system_message
        self.system_message_vision = system_message_vision
        self.roles = roles
        self.messages = [_copied(list(message)) for message in messages]
        self.offset = offset
        self._sep_style = sep_style
        self._sep = sep
        self._sep2 = sep2
        self.stop_str = stop_str
        self.stop_token_ids = stop_token_ids
        self.max_image_size_mb = max_image_size_mb

    def __repr__(self) -> str:
        return f"<Conversation {self.name!r}: {len(self.messages)} messages>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conversation):
            return NotImplemented
        return self.__getstate__() == other.__getstate__()

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_plan": None}

    @property
    def template(self) -> Template:
        """How to talk to the model.

        With a separator style, a template made of the fields and the examples as they are now.

        Raises:
            MessageError: If there is no separator style either.
        """
        if self._template is not None:
            return self._template
        from lect.notations.fastchat.template import StyleTemplate

        return StyleTemplate(self)

    def get_prompt(self) -> str:
        """Return the prompt.

        Raises:
            MessageError: If a message is not a role and a text, or the format does not allow them.
        """
        if self._template is not None:
            return self._official_prompt(self._template)
        plan = self._plan
        if plan is None:
            # Here, because whoever only speaks official formats needs no styles.
            from lect.notations.fastchat.writing import plan_of

            plan = self._plan = plan_of(self)
        return plan.prompt(self, self.system_message, self.messages)

    def _official_prompt(self, template: Template) -> str:
        messages = self.messages
        generate = bool(messages) and messages[-1] in ASKS
        if generate:
            messages = messages[:-1]
        # The template itself adds the maker's default, and some do so only where no system text is given.
        system = None if self.system_message == template.default_system else self.system_message
        try:
            if type(template) is TurnTemplate:
                return template.pairs_text(system, messages, add_generation_prompt=generate)
            return template.text(
                messages_of_pairs(system, messages, template.accepted_roles), add_generation_prompt=generate
            )
        except MessageError:
            if not any(map(_is_illustrated, messages)):
                raise
        shown = [
            [message[0], with_images(*message[1])] if _is_illustrated(message) else message for message in messages
        ]
        return template.text(messages_of_pairs(system, shown, template.accepted_roles), add_generation_prompt=generate)

    def set_system_message(self, system_message: str) -> None:
        """Replace the system text."""
        self.system_message = system_message

    def get_system_message(self, is_vision: bool = False) -> str:
        """Return the system text, or with `is_vision` the one for images, if there is one."""
        return self.system_message_vision if is_vision and self.system_message_vision else self.system_message

    def append_message(self, role: str, message: str | tuple[str, list[Any]] | None) -> None:
        """Add a message; None as the assistant's text asks for an answer."""
        self.messages.append([role, message])

    def update_last_message(self, message: str | tuple[str, list[Any]] | None) -> None:
        """Replace the text of the last message.

        Raises:
            MessageError: If there is none.
        """
        if not self.messages:
            msg = "there is no message to update\n  try: append_message(role, text) first"
            raise MessageError(msg)
        self.messages[-1][1] = message

    def copy(self) -> Conversation:
        """Return a copy that shares nothing that can change with this conversation."""
        copy = object.__new__(type(self))
        copy.__dict__ = fields = self.__dict__.copy()
        fields["messages"] = [_copied(message) for message in self.messages]
        for field in ("roles", "stop_str", "stop_token_ids"):
            if type(fields[field]) is list:
                fields[field] = fields[field].copy()
        return copy

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Conversation:
        return self.copy()

    # The separators. To set one changes no prompt where a template decides, so that is refused.

    @property
    def sep_style(self) -> Any:
        """How the turns are set apart; None where a template decides."""
        return self._sep_style

    @sep_style.setter
    def sep_style(self, value: SeparatorStyle | int | None) -> None:
        self._change_separators("sep_style")
        self._sep_style = value

    @property
    def sep(self) -> Any:
        """The separator; None where a template decides."""
        return self._sep

    @sep.setter
    def sep(self, value: str | None) -> None:
        self._change_separators("sep")
        self._sep = value

    @property
    def sep2(self) -> Any:
        """The second separator; None where a template decides."""
        return self._sep2

    @sep2.setter
    def sep2(self, value: str | None) -> None:
        self._change_separators("sep2")
        self._sep2 = value

    @property
    def system_template(self) -> Any:
        """What stands round the system text; None where a template decides."""
        return None if self._template is not None else self._system_template

    @system_template.setter
    def system_template(self, value: str) -> None:
        self._change_separators("system_template")
        self._system_template = value

    def _change_separators(self, field: str) -> None:
        self._plan = None
        if self._template is not None:
            msg = (
                f"{self.name!r} is an official format, to which {field} means nothing\n"
                "  try: Conversation(name, sep_style=..., ...) of your own"
            )
            raise AttributeError(msg)


def _is_illustrated(message: Any) -> bool:
    """Say whether a message has a text with images."""
    return (
        isinstance(message, list | tuple) and len(message) == 2 and type(message[1]) is tuple and len(message[1]) == 2
    )


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
