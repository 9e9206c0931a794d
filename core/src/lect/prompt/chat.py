"""What a template program is given: the conversation, the tools and the options of one render."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import time
from typing import TYPE_CHECKING, Any, Never

from lect.errors import MessageError, RefusedError
from lect.prompt.inputs import TRANSFORMED, given, plain_str
from lect.prompt.messages import Message, read_messages, read_tools

if TYPE_CHECKING:
    from datetime import date

    from lect.prompt.template import Template


_today: tuple[int, date | None] = (0, None)


def today() -> date:
    """Return the day on the caller's clock.

    It is asked for with every prompt of some models, so it is looked up once a second.
    """
    global _today
    second, day = _today
    now = int(time())
    if day is None or now != second:
        import datetime

        day = datetime.date.today()
        _today = now, day
    return day


class Chat:
    """One conversation to render.

    Attributes:
        messages: The messages in one shape; their texts know where they came from when that is wanted.
        tools: The tool schemas as given; empty where there are none.
        add_generation_prompt: Whether the prompt shall end where the assistant begins to speak.
        options: The options as given. Programs ask `option`, so that a default stands beside its use.
    """

    __slots__ = ("add_generation_prompt", "day_read", "messages", "options", "template", "tools", "tracked")

    def __init__(
        self,
        template: Template,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None,
        options: dict[str, Any],
        *,
        add_generation_prompt: bool,
        tracked: bool,
    ):
        self.template = template
        self.messages: Sequence[Message] = read_messages(messages, template.accepted_roles, tracked=tracked)
        self.tools = read_tools(tools) if tools else ()
        self.options = options
        self.add_generation_prompt = add_generation_prompt
        self.tracked = tracked
        self.day_read: date | None = None

    @property
    def system(self) -> Message | None:
        """The first message if it is the system's."""
        messages = self.messages
        return messages[0] if messages and messages[0].role == "system" else None

    def option(self, name: str, default: Any = None) -> Any:
        """Return an option of the caller's, or `default`."""
        value = self.options.get(name, default)
        return (
            given(plain_str(value), ("options", name))
            if self.tracked and isinstance(value, str) and name in self.options
            else value
        )

    def text_option(self, name: str, default: str) -> str:
        """Return an option of the caller's that is written into the prompt, or `default`, which is the maker's.

        Raises:
            MessageError: If the option is no text.
        """
        if self.options.get(name) is None:
            return default
        value = self.options[name]
        if not isinstance(value, str):
            msg = f"option {name} is {value!r} ({type(value).__name__}); expected text"
            raise MessageError(msg)
        return given(value, ("options", name)) if self.tracked else value

    @property
    def bos(self) -> str:
        """The text that opens the prompt: the template's, unless the option `bos_token` replaces it."""
        return self._token("bos_token", self.template.bos)

    @property
    def eos(self) -> str:
        """The text that closes an answer: the template's, unless the option `eos_token` replaces it."""
        return self._token("eos_token", self.template.eos)

    def _token(self, name: str, default: str) -> str:
        token = self.options.get(name, default) if self.options else default
        if not isinstance(token, str):
            msg = f"option {name} is {token!r} ({type(token).__name__}); expected text"
            raise MessageError(msg)
        return token

    def date(self) -> date:
        """Return the day to write into the prompt: the option `date`, or today."""
        # Imported here because few templates ask for the day.
        import datetime

        day = self.options.get("date")
        if day is None:
            day = self.day_read = today()
        elif not isinstance(day, datetime.date):
            msg = f"option date is {day!r} ({type(day).__name__}); expected a date or a datetime"
            raise MessageError(msg)
        return day

    def json(self, value: Any, *path: str | int, indent: int | None = None, **style: Any) -> str:
        """Return `value`, which the caller gave at `path`, as JSON text the way chat templates write it."""
        from lect.prompt.jsontext import to_json

        text = to_json(value, indent=indent, **style)
        return given(text, path, TRANSFORMED) if self.tracked else text

    def printed(self, value: Any, *path: str | int) -> str:
        """Return `value`, which the caller gave at `path`, as Python prints it.

        Chat templates do so with numbers, booleans and lists.
        """
        text = str(value)
        return given(text, path, TRANSFORMED) if self.tracked else text

    def shown(self, message: Message) -> str:
        """Return the text of a message.

        A list of parts as Python prints it, which is what a maker's template comes to that knows only text.
        """
        content = message.raw.get("content")
        return (
            message.content
            if content is None or isinstance(content, str)
            else self.printed(content, "messages", message.index, "content")
        )

    def given(self, value: Any, *path: str | int) -> Any:
        """Return `value`, which the caller gave at `path`, with every text in it, keys too, knowing its origin."""
        if not self.tracked:
            return value
        if isinstance(value, str):
            return given(plain_str(value), path)
        if isinstance(value, Mapping):
            tracked = {}
            for key, item in value.items():
                where = (*path, key if isinstance(key, str | int) else str(key))
                # A key names a value; it stands nowhere in that value's text.
                tracked[given(plain_str(key), where, TRANSFORMED) if isinstance(key, str) else key] = self.given(
                    item, *where
                )
            return tracked
        if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
            return [self.given(item, *path, index) for index, item in enumerate(value)]
        return value

    def require_alternation(self, messages: Sequence[Message]) -> None:
        """Refuse messages that do not go user, assistant, user, assistant, as several makers do.

        Raises:
            RefusedError: If a message of the user's stands where an answer is due, or anything else where a user's is.
        """
        for position, message in enumerate(messages):
            if (message.role == "user") != (position % 2 == 0):
                due = "an answer" if position % 2 else "a user's message"
                self.refuse(
                    (
                        f"messages[{message.index}] is {message.role!r} where {due} is due; user and assistant must "
                        "alternate"
                    ),
                    instead="join messages of one role that follow each other",
                )

    @property
    def documents(self) -> Sequence[Mapping[str, Any]]:
        """The option `documents`; empty where there is none.

        Raises:
            MessageError: If it is not a list of mappings.
        """
        documents = self.options.get("documents") or ()
        if not isinstance(documents, list | tuple) or not all(isinstance(document, Mapping) for document in documents):
            msg = (
                f"option documents is {documents!r}; expected a list of mappings\n"
                "  try: documents=[{'title': '...', 'text': '...'}]"
            )
            raise MessageError(msg)
        return documents

    def refuse(self, what: str, *, instead: str | None = None) -> Never:
        """Refuse the conversation, as the maker's own format does.

        Raises:
            RefusedError: Always; `what` says what the model does not support, `instead` what to do.
        """
        hint = f"\n  try: {instead}" if instead else ""
        msg = f"{self.template.name}: {what}{hint}"
        raise RefusedError(msg)
