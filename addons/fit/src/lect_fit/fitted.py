"""A request that a format can carry, and what was changed for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from lect import Unused
from lect.addon import spell
from lect.errors import LectError, RefusedError, UnusedInputError
from lect.plugin import SPELLINGS, boundary

if TYPE_CHECKING:
    from lect import Prompt, Template

    Message = Mapping[str, Any]

Path = tuple[str | int, ...]
MOST_NAMED = 10
"""How many fields an error names."""


class Change(NamedTuple):
    """A change of a request."""

    path: Path
    """The field of the caller's request that was changed, or the message."""
    step: str
    """What was done, such as `developer to system`."""
    why: str
    """Why the format could not carry it as it was."""
    before: tuple[Any, ...]
    """What stood there before this change: the messages, or the tool. Empty where something was added."""


class Left(NamedTuple):
    """Something that the format cannot carry."""

    path: Path
    """The field of the caller's request; empty if all of it is refused."""
    kind: str
    """What it is, such as `image`, `call`, `text beside a call`; or `refused`."""
    why: str
    """The reason that `Unused` has, or what the format's refusal says."""


class Edit(NamedTuple):
    """Where a change was made: the messages from `at` on that it made, `made` of them; or the tool at that index."""

    at: int
    made: int


@boundary
class Fitted:
    """A request as a format can carry it.

    Attributes:
        messages: The messages; the caller's own list if nothing had to be changed.
        tools: The tools, likewise.
        changes: What was changed, in the order in which it was done.
        origins: For each message, the index of the caller's message that it is made from; None for one that was added.
    """

    @boundary
    def __init__(
        self,
        template: Template,
        messages: Any,
        tools: Any,
        changes: Sequence[tuple[Change, Edit]],
        origins: Sequence[int | None],
        options: Mapping[str, Any],
        known: Sequence[Left] = (),
    ):
        self.messages, self.tools = messages, tools
        self.changes = tuple(change for change, _ in changes)
        self.origins = tuple(origins)
        self._edits = tuple(edit for _, edit in changes)
        self._template, self._options = template, options
        self._known = tuple(known)

    def __repr__(self) -> str:
        return f"<Fitted: {len(self.messages)} messages, {len(self.changes)} changes>"

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt for the request, up to where the assistant begins to speak; rendered when it is first read.

        Raises:
            MessageError: If the format refuses it nevertheless.
        """
        return self._template.render(self.messages, tools=self.tools, **self._options)

    @cached_property
    def left(self) -> tuple[Left, ...]:
        """What the format cannot carry; found out by rendering the request, when it is first read."""
        known = {each.path for each in self._known}
        try:
            lost = [each for each in self.prompt.unused if each.why != "by-rule"]
        except LectError as error:
            return (*self._known, Left((), "refused", str(error).partition("\n")[0]))
        found = (Left(self.path_of(each.path), self._kind_of(each.path), each.why) for each in lost)
        return (*self._known, *(each for each in found if each.path not in known))

    def path_of(self, path: Path) -> Path:
        """Return the path in the caller's request of something in the messages as they are here."""
        if path[0] != "messages" or len(path) < 2 or not isinstance(at := path[1], int):
            return path
        origin = self.origins[at] if self.changes else at
        if origin is None:
            return path[:1]
        # A part keeps what it is, wherever it was put.
        part = _value_at(self.messages, path[1:4]) if path[2:3] == ("content",) and len(path) > 3 else None
        if self.changes and part is not None:
            for index, given in enumerate(self.undo()[0]):
                content = given.get("content")
                for place, each in enumerate(content if isinstance(content, list) else ()):
                    if each is part:
                        return ("messages", index, "content", place, *path[4:])
        return ("messages", origin, *path[2:])

    def _kind_of(self, path: Path) -> str:
        if path[0] != "messages" or len(path) < 3:
            return {"tools": "definition" if len(path) > 3 else "tool", "options": "option"}.get(
                str(path[0]), "message"
            )
        message: Message = self.messages[path[1]]
        field = path[2]
        if field == "tool_calls":
            return "call"
        if field != "content":
            return str(field)
        if len(path) > 3:
            kind = str(_value_at(self.messages, path[1:4]).get("type"))
            if SPELLINGS.get(kind, kind) != "text":
                return SPELLINGS.get(kind, kind)
        return "text beside a call" if message.get("tool_calls") else f"text of {message.get('role')}"

    def undo(self) -> tuple[Any, Any]:
        """Return the messages and the tools as they were given, by undoing the changes."""
        messages, tools = self.messages, self.tools
        for change, edit in zip(reversed(self.changes), reversed(self._edits), strict=True):
            if change.path[0] == "tools":
                tools = [*tools[: edit.at], *change.before, *tools[edit.at + edit.made :]]
            else:
                messages = [*messages[: edit.at], *change.before, *messages[edit.at + edit.made :]]
        return messages, tools

    def refuse_left(self) -> None:
        """Refuse the request if there is something that the format cannot carry.

        Raises:
            RefusedError: If the format refuses it.
            UnusedInputError: If something would be lost.
        """
        if not self.left:
            return
        try:
            label = self.prompt.template.name
        except RefusedError as error:
            if not self.changes:
                raise
            msg = f"{error}\n  after {len(self.changes)} changes: {', '.join(dict.fromkeys(self.steps))}"
            raise RefusedError(msg) from error
        named = [f"{spell(path)} ({kind})" for path, kind, _ in self.left[:MOST_NAMED]]
        more = f" and {len(self.left) - MOST_NAMED:,} more" if len(self.left) > MOST_NAMED else ""
        lost = [Unused(path, cast("Any", why)) for path, _, why in self.left]
        advice = f"{lost[0].advice}, or strict=False, which lists it in `left`"
        msg = f"{label}: the format has no place for {', '.join(named)}{more}\n  try: {advice}"
        raise UnusedInputError(msg, unused=lost)

    @property
    def steps(self) -> tuple[str, ...]:
        """What was done, in order, without the places."""
        return tuple(change.step for change in self.changes)


def _value_at(value: Any, path: Path) -> Any:
    for each in path:
        value = value[each]
    return value
