"""A request, message by message, as a format can carry it.

What becomes of a message depends on the format and on the messages before it, never on what follows: so a longer
conversation begins as the shorter one did, and the server that has its prompt need not read it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.addon import REASONING_NAMES, respelled
from lect.errors import RefusedError
from lect.plugin import SPELLINGS
from lect_fit.fitted import Change, Edit, Left
from lect_fit.probes import MEDIA

if TYPE_CHECKING:
    from lect import Template

    Message = Mapping[str, Any]

OPENING = "(The conversation begins with an answer.)"
NO_RESULT = "(no result)"
SPEAKERS = ("system", "user", "assistant", "tool")
INSTRUCTIONS = ("system", "developer")
BETWEEN = "\n\n"
"""What is put between two messages that become one."""


class Wishes(NamedTuple):
    """What a caller allows: the arguments of `fit`."""

    late_system: str
    split_text: bool
    invent: bool


class Turns:
    """Takes messages one by one, and has them as the format can carry them."""

    def __init__(self, template: Template, carried: Mapping[str, str], wishes: Wishes, *, has_tools: bool):
        self.template, self.lacks, self.wishes, self.has_tools = template, carried, wishes, has_tools
        self.messages: list[Any] = []
        self.origins: list[int | None] = []
        self.changes: list[tuple[Change, Edit]] = []
        self._at = 0
        self._last = ""
        """Who spoke last, as the probes name it; empty while there are only instructions."""
        self._leads = True
        """Whether all messages so far are instructions."""
        self._called: set[Any] = set()
        self._unanswered: list[Any] = []
        """The ids of the calls that are written and have no result yet."""
        self._waiting: list[Message] = []
        """Calls of the last answer that come one by one, each before its result."""
        self._media: list[Any] = []
        """Parts of results that follow the last of them."""
        self.left: list[Left] = []
        """Parts that the format does not carry, whatever becomes of them."""

    def read(self, given: Sequence[Any]) -> None:
        """Take all messages of a request."""
        for self._at, message in enumerate(given):
            # A malformed message is left to those who report it.
            role = message.get("role") if type(message) is dict or isinstance(message, Mapping) else None
            if type(role) is str:
                self._message(message, role)
            else:
                self._put(message)
        self._add_waiting()
        self._add_media()
        for at, (old, new) in enumerate(zip(self.messages, respelled(self.messages, self.template.reply), strict=True)):
            if old is not new:
                self._at = self.origins[at] or 0
                why = "the format spells the ids of calls itself"
                self._change("call ids respelled", why, old, at=at)
                self.messages[at] = new

    # What is done to a message

    def _message(self, message: Message, role: str) -> None:
        if role == "tool":
            self._result(message)
            return
        if self._waiting or self._unanswered or self._media:
            self._end_results()
        if type(message.get("content")) is not str:
            self._note_media(message, role)
            message = self._joined_parts(message, "system" if role == "developer" else role)
        if role == "developer":
            message = self._developer(message)
        if message["role"] == "system":
            self._system(message)
        elif role == "assistant":
            self._answer(message)
        elif role == "user":
            self._user(message)
        else:
            self._put(message)

    def _joined_parts(self, message: Message, role: str) -> Message:
        content = message.get("content")
        if not isinstance(content, list) or not content or not all(map(_is_text, content)):
            return message
        if role not in SPEAKERS or not (why := self.lacks[f"{role} parts"]):
            return message
        self._change("parts joined", why, message, "content")
        return {**message, "content": "\n".join(part["text"] for part in content)}

    def _developer(self, message: Message) -> Message:
        if self._leads:
            why = self.lacks["system, developer" if self.messages else "developer"]
        else:
            why = self.lacks[f"developer after {self._last}"]
        if not why:
            return message
        self._change("developer to system", why, message, "role")
        return {**message, "role": "system"}

    def _system(self, message: Message) -> None:
        if not self.messages:
            # A session with tools has calls sooner or later.
            if why := self.lacks["system"] or (self.has_tools and self.lacks["system beside calls"]):
                self._say_as_user(message, why)
            else:
                self._put(message)
        elif self._leads:
            if why := self.lacks["several system"]:
                self._join(message, "joined to the first", why)
            else:
                self._put(message)
        elif why := self.lacks[f"system after {self._last}"]:
            self._late(message, why)
        else:
            self._put(message)

    def _late(self, message: Message, why: str) -> None:
        if self.wishes.late_system == "refuse":
            msg = (
                f"{self.template.name}: messages[{self._at}] is a system message after other turns, and the format "
                f"does not carry it: {why}\n  try: late_system='user', which says it as the user, in its place"
            )
            raise RefusedError(msg)
        if self.wishes.late_system == "user":
            self._say_as_user(message, why)
            return
        # Removed here, and added to the first system message.
        self._change("moved to the front", why, message, made=0)
        if self.messages[0]["role"] in INSTRUCTIONS:
            self._change("moved to the front", why, self.messages[0], at=0)
            self.messages[0] = _joined(self.messages[0], message)
        else:
            self._change("moved to the front", why, at=0)
            self.messages.insert(0, message)
            self.origins.insert(0, self._at)

    def _say_as_user(self, message: Message, why: str) -> None:
        self._change("system to user", why, message, "role")
        self._user({**message, "role": "user"})

    def _user(self, message: Message) -> None:
        if self._last == "user" and (why := self.lacks["users in a row"]):
            self._join(message, "turns joined", why)
        elif self._last == "tool" and (why := self.lacks["user after tool"]):
            self._join(message, "joined to the result", why)
        else:
            self._put(message)

    def _answer(self, message: Message) -> None:
        calls = message.get("tool_calls")
        reasoning = [name for name in REASONING_NAMES if message.get(name)]
        if reasoning and (why := self.lacks["reasoning beside a call" if calls else "reasoning"]):
            self._change("reasoning left out", why, message, reasoning[0])
            message = {name: value for name, value in message.items() if name not in REASONING_NAMES}
            reasoning = []
        if not (message.get("content") or calls or reasoning) and (why := self.lacks["empty assistant"]):
            self._change("empty answer left out", why, message, made=0)
            return
        if not (isinstance(calls, list) and calls):
            self._say(message)
            return
        if (
            self.wishes.split_text
            and message.get("content")
            and (why := self.lacks["text beside a call"])
            and not self.lacks["text, then a call"]
        ):
            self._change("text split from a call", why, message, "content", made=2)
            self._say({"role": "assistant", "content": message["content"]})
            message = {**message, "content": ""}
        if len(calls) > 1 and not self.lacks["call"] and (why := self.lacks["several calls"]):
            self._change("calls one by one", why, message, "tool_calls")
            message = {**message, "tool_calls": calls[:1]}
            self._waiting = calls[1:]
        self._say(message)
        self._unanswered = list(map(_id_of, message["tool_calls"]))
        self._called.update(map(_id_of, calls))

    def _say(self, message: Message) -> None:
        """Take an answer where an answer may stand."""
        last, calls = self._last, message.get("tool_calls")
        if self.wishes.invent and (self._leads or not self.messages) and (why := self.lacks["assistant first"]):
            self._change("opened by a user", why)
            self._put({"role": "user", "content": OPENING}, None)
        elif (
            last == "assistant"
            and self._joins(message)
            and (why := self.lacks["text, then a call" if calls else "assistants in a row"])
        ):
            self._join(message, "turns joined", why)
            return
        self._put(message)

    def _joins(self, message: Message) -> bool:
        """Return whether an answer can be joined to the last: not if a text would be lost beside a call."""
        calls = [each.get("tool_calls") for each in (self.messages[-1], message)]
        return not (any(calls) and self.lacks["text beside a call"])

    def _result(self, message: Message) -> None:
        called = message.get("tool_call_id")
        if why := self._why_no_result(called):
            self._end_results()
            message = self._joined_parts(message, "user")
            self._change("result to user", why, message, "role")
            self._user({"role": "user", "content": message.get("content")})
            return
        if self._waiting:
            self._call_for(called)
        place = self._unanswered.index(called) if called in self._unanswered else 0
        del self._unanswered[place : place + 1]
        content = message.get("content")
        if message.get("name") and called in self._called and (why := self.lacks["name of a result"]):
            self._change("name of a result left out", f"its call has it: {why}", message, "name")
            message = {name: value for name, value in message.items() if name != "name"}
        if isinstance(content, str):
            if content and (why := self.lacks["result"]) and not self.lacks["tool parts"]:
                self._change("result as a part", why, message, "content")
                message = {**message, "content": [{"type": "text", "text": content}]}
        elif isinstance(content, list):
            message = self._joined_parts(self._without_media(message, content), "tool")
        self._put(message)

    def _call_for(self, called: Any) -> None:
        """Put the call of a result right before it, where calls come one by one: its place says whose result it is."""
        if called in self._unanswered or (called is None and self._unanswered):
            return
        ids = [None if called is None else _id_of(call) for call in self._waiting]
        if called not in ids:
            return
        call = self._waiting.pop(ids.index(called))
        if self._unanswered:
            # Another call stands there, whose result comes later.
            *earlier, other = self.messages[-1]["tool_calls"]
            self._waiting.insert(0, other)
            self.messages[-1] = {**self.messages[-1], "tool_calls": [*earlier, call]}
            self._unanswered = [called]
        else:
            self._add_call(call)

    def _why_no_result(self, called: Any) -> str:
        """Return why a result cannot stand as such; empty if it can."""
        lacks = self.lacks
        if called not in self._called if called is not None else not self._called:
            why = lacks["result without call" if any(map(_is_said, self.messages)) else "result first"]
            return why and f"its call is not in the request: {why}"
        return lacks["result"] and lacks["tool parts"]

    def _without_media(self, message: Message, content: list[Any]) -> Message:
        """Return a result without the pictures that the format takes only from a user; they follow the results."""
        moved = [part for part in content if self._is_for_users(part)]
        if not moved:
            self._note_media(message, "tool")
            return message
        why = self.lacks[f"tool {_kind_of(moved[0])}"]
        self._change(f"{_kind_of(moved[0])} after the result", why, message, "content")
        self._media += moved
        rest = [part for part in content if not any(part is each for each in moved)]
        return {**message, "content": rest or ""}

    def _note_media(self, message: Message, role: str) -> None:
        """Note the pictures, sounds and videos that the format does not carry: some are written as text."""
        content = message.get("content")
        for place, part in enumerate(content if isinstance(content, list) else ()):
            kind = _kind_of(part)
            if kind in MEDIA and role in ("user", "tool") and self.lacks[f"{role} {kind}"]:
                self.left.append(Left(("messages", self._at, "content", place), kind, "dropped"))

    def _is_for_users(self, part: Any) -> bool:
        kind = _kind_of(part)
        lacks = self.lacks
        return kind in MEDIA and bool(lacks[f"tool {kind}"]) and not (lacks[f"user {kind}"] or lacks["user after tool"])

    # What ends the results of an answer

    def _end_results(self) -> None:
        self._add_waiting()
        if self._unanswered and self.wishes.invent and (why := self.lacks["call without result"]):
            for called in self._unanswered:
                self._change("result added", why)
                self._put({"role": "tool", "tool_call_id": called, "content": NO_RESULT}, None)
        self._unanswered = []
        self._add_media()

    def _add_waiting(self) -> None:
        for call in self._waiting:
            self._add_call(call)
        self._waiting = []

    def _add_call(self, call: Message) -> None:
        self._change("calls one by one", self.lacks["several calls"])
        self._put({"role": "assistant", "content": "", "tool_calls": [call]}, None)
        self._unanswered.append(_id_of(call))

    def _add_media(self) -> None:
        if self._media:
            self._change("turn added", "it has what the format does not take from a result")
            self._put({"role": "user", "content": self._media}, None)
            self._media = []

    # The messages so far

    def _put(self, message: Any, origin: int | None = -1) -> None:
        self.messages.append(message)
        self.origins.append(self._at if origin == -1 else origin)
        role = message.get("role") if type(message) is dict or isinstance(message, Mapping) else None
        if self._leads and role not in INSTRUCTIONS:
            self._leads = False
        if not self._leads:
            self._last = role if role in ("assistant", "tool") else "user"

    def _join(self, message: Message, step: str, why: str) -> None:
        self._change(step, why, self.messages[-1], message, at=len(self.messages) - 1)
        self.messages[-1] = _joined(self.messages[-1], message)

    def _change(self, step: str, why: str, *before: Any, at: int | None = None, made: int = 1) -> None:
        """Note a change of the messages before this one and of this one; a name after them is that of the field."""
        field = tuple(each for each in before if isinstance(each, str))
        stood = tuple(each for each in before if not isinstance(each, str))
        change = Change(("messages", self._at, *field), step, why, stood)
        self.changes.append((change, Edit(len(self.messages) if at is None else at, made)))


def _joined(first: Message, second: Message) -> Message:
    """Return two messages as one of the first one's role."""
    whole = {**first, "content": _added(first.get("content"), second.get("content"))}
    if calls := [*(first.get("tool_calls") or ()), *(second.get("tool_calls") or ())]:
        whole["tool_calls"] = calls
    for name in REASONING_NAMES:
        if second.get(name):
            whole[name] = _added(first.get(name), second[name])
    return whole


def _added(first: Any, second: Any) -> Any:
    if not first or not second:
        return first or second or ""
    if isinstance(first, str) and isinstance(second, str):
        return first + BETWEEN + second
    return [*_as_parts(first), *_as_parts(second)]


def _as_parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _kind_of(part: Any) -> str:
    kind = part.get("type") if type(part) is dict or isinstance(part, Mapping) else None
    return SPELLINGS.get(kind, kind) if isinstance(kind, str) else ""


def _is_text(part: Any) -> bool:
    if type(part) is dict and type(part.get("text")) is str and part.get("type") == "text":
        return True  # As nearly all parts are: abstract classes take longer to check.
    return _kind_of(part) == "text" and isinstance(part.get("text"), str)


def _is_said(message: Any) -> bool:
    return isinstance(message, Mapping) and message.get("role") not in INSTRUCTIONS


def _id_of(call: Any) -> Any:
    return call.get("id") if type(call) is dict or isinstance(call, Mapping) else None
