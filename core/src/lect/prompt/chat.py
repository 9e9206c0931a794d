"""What a template program is given: the conversation, the tools and the options of one render."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from marshal import dumps, loads
from types import ModuleType
from typing import TYPE_CHECKING, Any, Never

from lect.errors import MessageError, RefusedError, near_names, saferepr
from lect.facts import Facts
from lect.objects import plain_messages, plain_tools
from lect.prompt.fields import Kind, expect, is_list, spell, wrong
from lect.prompt.inputs import Input, given, plain_str
from lect.prompt.limits import DEFAULT, Limits
from lect.prompt.message import Call, Message, Request
from lect.prompt.messages import read_messages
from lect.values import EQUAL_BYTES, TRANSFORMED, Path

if TYPE_CHECKING:
    from datetime import date


ARGUMENTS = ("messages", "tools", "add_generation_prompt", "continue_final_message", "strict", "on_control", "limits")
"""The arguments of a render besides options."""
LONGEST_MISSPELT = 40
"""Characters: a longer name is not taken for a misspelt one."""
LEAST_LIKE = 0.8
"""How much a misspelt option is like what was meant."""


def today() -> date:
    """Return the day on the caller's clock."""
    import datetime

    return datetime.date.today()


class Chat:
    """One conversation to render.

    Attributes:
        messages: The messages, all in one shape.
        facts: What the template states.
        tools: The tool schemas as given; empty if there are none.
        add_generation_prompt: Whether to end the prompt where the assistant begins to speak.
        options: The options as given. Programs call `option`, so that a default is next to its use.
    """

    __slots__ = ("_copy", "_known", "add_generation_prompt", "facts", "messages", "options", "tools", "tracked")

    def __init__(
        self,
        facts: Facts,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None,
        options: dict[str, Any],
        *,
        add_generation_prompt: bool,
        tracked: bool,
        limits: Limits = DEFAULT,
    ):
        if options:
            refuse_misspelt(options, facts)
            limits.check_values(options, ("options",))
        if tools or type(messages) is not list or len(messages) > limits.messages:
            limits.check_counts(messages, tools)
        self.facts = facts
        self.messages: Sequence[Message] = read_messages(
            messages, facts.accepted_roles, facts.accepts, tracked=tracked, limits=limits
        )
        self.tools: tuple[Mapping[str, Any], ...] = ()
        self._known: tuple[bytes, dict[Any, str]] = b"", {}
        self._copy: Any = None
        if tools:
            from lect.prompt.schemas import read_tools

            self.tools, self._known = read_tools(tools, limits)
        self.options, self.add_generation_prompt, self.tracked = options, add_generation_prompt, tracked

    @property
    def system(self) -> Message | None:
        """The first message, if it is a system message; else None."""
        messages = self.messages
        return messages[0] if messages and messages[0].role == "system" else None

    @property
    def without_system(self) -> Sequence[Message]:
        """The messages after the system message; all of them if there is none."""
        return self.messages[1:] if self.system else self.messages

    def begins_run(self, message: Message) -> bool:
        """Return whether a message is the first of consecutive ones with its role, such as the results of calls."""
        return message.index == 0 or self.messages[message.index - 1].role != message.role

    def ends_run(self, message: Message) -> bool:
        """Return whether a message is the last of consecutive ones with its role."""
        return message.index + 1 == len(self.messages) or self.messages[message.index + 1].role != message.role

    @property
    def default_system(self) -> str:
        """The system text that the maker's template adds if none is given."""
        return self.facts.default_system

    def option(self, name: str, default: Any = None, kind: Kind | None = None) -> Any:
        """Return an option that the caller gave, or `default`. An option that is only tested for truth needs no `kind`.

        Raises:
            MessageError: If the option is neither None nor of its kind: `text`, `mapping`, `names` or `mappings`.
        """
        if name not in self.options:
            return default
        value = self.options[name]
        if kind is not None and value is not None:
            expect(kind, f"option {name}", value)
        return self.text(value, "options", name) if isinstance(value, str) else value

    def text_option(self, name: str, default: str) -> str:
        """Return an option that is written into the prompt, or the maker's `default`.

        Raises:
            MessageError: If the option is not a text.
        """
        value: str | None = self.option(name, kind="text")
        return default if value is None else value

    @property
    def bos(self) -> str:
        """The text that opens the prompt: the template's, unless the option `bos_token` replaces it."""
        return self._token("bos_token", self.facts.bos)

    @property
    def eos(self) -> str:
        """The text that closes an answer: the template's, unless the option `eos_token` replaces it."""
        return self._token("eos_token", self.facts.eos)

    def _token(self, name: str, default: str) -> str:
        # A format without such a token ignores the option.
        if not default or name not in self.options:
            return default
        token = self.options[name]
        expect("text", f"option {name}", token)
        # The template's own value counts as the template's, even if the caller gives it.
        return default if token == default else self.text(token, "options", name)

    def date(self) -> date:
        """Return the day to write into the prompt: the option `date`, or today."""
        day = self.options.get("date")
        if day is None:
            return today()
        import datetime

        if not isinstance(day, datetime.date):
            wrong("option date", day, "a date or a datetime")
        # A caller's subclass could return anything as its text.
        return datetime.date.fromordinal(datetime.date.toordinal(day))

    def json(self, value: Any, *path: str | int, indent: int | None = None, **style: Any) -> str:
        """Return `value`, which the caller gave at `path`, as JSON text the way chat templates write it."""
        if indent is not None:
            style["indent"] = indent
        text = self._tool_json(value, path, style) if path[:1] == ("tools",) else _tojson().to_json(value, **style)
        return given(text, _field(path), TRANSFORMED) if self.tracked else text

    def _tool_json(self, value: Any, path: Path, style: dict[str, Any]) -> str:
        """Return a tool, all of them or a part as JSON text: the same tools are given with many prompts."""
        data, texts = self._known
        whole: Any = self.tools if len(path) == 1 else self.tools[path[1]]  # type: ignore[index]
        is_whole = bool(data) and len(path) < 3 and value is whole
        try:
            key = path if is_whole else dumps(value, EQUAL_BYTES), *style.items()
        except ValueError:
            return _tojson().to_json(value, **style)  # type: ignore[no-any-return]
        if (text := texts.get(key)) is None:
            if is_whole:
                # Of a copy: a program that changes the tools that it is given must not change other prompts.
                self._copy = self._copy or loads(data)  # noqa: S302 - our own bytes
                value = self._copy if len(path) == 1 else self._copy[path[1]]
            text = texts[key] = _tojson().to_json(value, **style)
        return text

    def printed(self, value: Any, *path: str | int) -> str:
        """Return `value`, which the caller gave at `path`, as Python prints it.

        Chat templates do so with numbers, booleans and lists.

        Raises:
            MessageError: If it is an object that cannot be printed.
        """
        try:
            text = plain_str(value) if isinstance(value, str) else str(value)
        except Exception:  # a caller's class may raise anything
            wrong(spell(path), value, "text, or JSON")
        return given(text, _field(path), TRANSFORMED) if self.tracked else text

    def transformed(self, value: str, make: Callable[[str], str], *path: str | int) -> str:
        """Return `make(value)` for a text that the caller gave at `path`; `make` must depend on nothing else."""
        text = make(plain_str(value))
        return given(text, _field(path), TRANSFORMED) if self.tracked else text

    def text(self, value: Any, *path: str | int) -> str:
        """Return `value`, which the caller gave at `path`: a text as it is, anything else as Python prints it."""
        if not isinstance(value, str):
            return self.printed(value, *path)
        return given(value, _field(path)) if self.tracked else plain_str(value)

    def content(self, message: Message) -> str:
        """Return the text of a message; a list of parts as Python prints it.

        Makers' templates do so where they do not expect parts.
        """
        content = message.raw.get("content") if message.parts else None
        if content is None or isinstance(content, str):
            return message.content
        return self.printed(content, "messages", message.index, "content")

    def arguments(self, call: Call) -> str:
        """Return the arguments of a call as JSON text."""
        return self.json(call.arguments, *call.path, "arguments")

    def arguments_as_given(self, call: Call) -> str:
        """Return the arguments of a call as JSON text; arguments that were given as text stay as they are."""
        return call.arguments if isinstance(call.arguments, str) else self.arguments(call)

    def named_arguments(self, call: Call) -> list[tuple[str, Any, Path]]:
        """Return the name, the value and the path of each argument of a call.

        Raises:
            RefusedError: If the arguments are not a mapping.
        """
        if not isinstance(call.arguments, (dict, Mapping)):  # To check an abstract class takes long.
            what = f"the arguments of a call of {saferepr(call.name)} are {saferepr(call.arguments)}"
            self.refuse(what, instead="a mapping, or its JSON text")
        path = (*call.path, "arguments")
        return [(self.printed(name, *path, name), value, (*path, name)) for name, value in call.arguments.items()]

    def function(self, index: int) -> tuple[Mapping[str, Any], Path]:
        """Return the function of a tool, and its path: a tool is given as a function, or with a `function` in it."""
        tool = self.tools[index]
        return (tool["function"], ("tools", index, "function")) if "function" in tool else (tool, ("tools", index))

    def expect(self, kind: Kind, value: Any, *path: str | int) -> Any:
        """Return `value`, which the caller gave at `path`, if it is of a kind: see `option`.

        Raises:
            MessageError: If it is not.
        """
        expect(kind, spell(path), value)
        return value

    def input(self, value: Any, *path: str | int) -> Any:
        """Return `value`, which the caller gave at `path`, with the origin of every text in it, keys included."""
        if isinstance(value, str):
            return self.text(value, *path)
        if isinstance(value, Mapping):
            read = {}
            for key, item in value.items():
                where = (*path, key if isinstance(key, str | int) else str(key))
                # A key has the path of its value, but does not occur in that value's text.
                known = self.printed(key, *where) if isinstance(key, str) else key
                read[known] = self.input(item, *where)
            return read
        if is_list(value):
            return [self.input(item, *path, index) for index, item in enumerate(value)]
        return value

    def require_alternation(self, messages: Sequence[Message]) -> None:
        """Refuse messages that do not alternate user, assistant, user, assistant, as several makers do.

        Raises:
            RefusedError: If they do not.
        """
        for position, message in enumerate(messages):
            if (message.role == "user") != (position % 2 == 0):
                expected = "an answer" if position % 2 else "a user's message"
                what = f"messages[{message.index}] is {message.role!r} where {expected} is expected"
                instead = "join messages of one role that follow each other"
                self.refuse(f"{what}; user and assistant must alternate", instead=instead)

    @property
    def documents(self) -> Sequence[Mapping[str, Any]]:
        """The option `documents`; empty if there is none.

        Raises:
            MessageError: If it is not a list of mappings.
        """
        return self.option("documents", kind="mappings") or ()

    def refuse(self, what: str, *, instead: str | None = None) -> Never:
        """Refuse the conversation, as the maker's own format does.

        Raises:
            RefusedError: Always; `what` says what the model does not support, `instead` what to do.
        """
        hint = f"\n  try: {instead}" if instead else ""
        raise RefusedError(f"{self.facts.name}: {what}{hint}")


def read_chat(facts: Facts, request: Request, *, tracked: bool, limits: Limits = DEFAULT) -> tuple[Chat, Request]:
    """Read what is to be rendered; also return it without objects, if there are any in it.

    Looking for objects in every conversation would slow down all; only what is refused is read again without them.
    """
    messages, tools, options, add_generation_prompt = request
    try:
        chat = Chat(
            facts, messages, tools, options, add_generation_prompt=add_generation_prompt, tracked=tracked, limits=limits
        )
    except MessageError:
        plain = request._replace(messages=plain_messages(messages), tools=plain_tools(tools))
        if plain.messages is messages and plain.tools is tools:
            raise
    else:
        return chat, request
    return read_chat(facts, plain, tracked=tracked, limits=limits)


@lru_cache(maxsize=1)
def _tojson() -> ModuleType:
    # Importing lect does not need it, and an import statement takes longer than a call.
    from lect.prompt import tojson

    return tojson


def refuse_misspelt(options: Mapping[str, Any], facts: Facts, arguments: tuple[str, ...] = ARGUMENTS) -> None:
    """Refuse an option that is not read and is nearly the name of an argument, or of an option that is."""
    for name in options:
        meant = None if name in facts.options else _meant(name, (*arguments, *facts.options))
        if meant is not None:
            raise MessageError(f"there is no argument or option {saferepr(name)}\n  try: {meant}=...")


@lru_cache(maxsize=256)
def _meant(name: str, names: tuple[str, ...]) -> str | None:
    """Return which of these names `name` misspells; None where it may be an option of another template."""
    # The tokens of a tokenizer have similar names, and are given all together.
    if len(name) > LONGEST_MISSPELT or name.endswith("_token"):
        return None
    return next(iter(near_names(name, names, likeness=LEAST_LIKE)), None)


def _field(path: Path) -> Path:
    """Return the field that `path` leads to; a key that was read from a text has the path of that text."""
    key = path[-1] if path else None
    return key.path if isinstance(key, Input) else path
