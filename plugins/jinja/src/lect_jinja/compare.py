"""Where two templates first differ over a set of conversations. That none is found proves nothing."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError, RefusedError
from lect_jinja.knowledge import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lect.plugin import Template

REFUSED = "(refuses)"
FAILED = "(an error)"
SHOWN = 32
"""Characters of a difference that are shown."""
SOME_DAY = date(2025, 2, 3)
HANDLED_APART = frozenset({"bos_token", "eos_token", "date", "documents"})
"""Options that are not switches of a format."""
FEWEST_COMPARED = 8
"""How many conversations must be compared: a template that fails on nearly all of them matches no other."""


def _says(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def _calls(content: str, *ids: str) -> dict[str, Any]:
    function = {"name": "add", "arguments": {"a": 2, "b": "zwei ½"}}
    return _says(
        "assistant", content, tool_calls=[{"id": each, "type": "function", "function": function} for each in ids]
    )


def _result(call_id: str) -> dict[str, Any]:
    return _says("tool", "4", name="add", tool_call_id=call_id)


_SYSTEM, _QUESTION, _ANSWER = _says("system", "Be brief."), _says("user", "What is 2 + 2?"), _says("assistant", "Four.")
_AGAIN, _THANKS = _says("user", "And 3 + 3?"), _says("user", "Thanks")
_SPACED, _SPACED_ANSWER = _says("user", "\n  And 3 + 3?\n\n"), _says("assistant", "  Six.  \n")
_THOUGHT = _says("assistant", "Six.", reasoning_content="3 + 3 = 6")
_TAGGED = _says("assistant", "<think>\n3 + 3 = 6\n</think>\n\nSix.")
_IMAGE = _says("user", [{"type": "image"}, {"type": "text", "text": "What is this?"}])
_PARTS = _says("user", [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}])
_ONE, _TWO = "call00001", "call00002"
_NUMBERS = {"type": "object", "properties": {"a": {"type": "integer", "description": "A number"}}, "required": ["a"]}
_TOOL = {"type": "function", "function": {"name": "add", "description": "Add numbers.", "parameters": _NUMBERS}}


class Conversation(NamedTuple):
    """A conversation that two templates are asked to write."""

    what: str
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None = None
    asking: bool = True


CONVERSATIONS = (
    Conversation("a question", [_QUESTION]),
    Conversation("a question without the generation prompt", [_QUESTION], asking=False),
    Conversation("a system text", [_SYSTEM, _QUESTION]),
    Conversation("several turns", [_QUESTION, _ANSWER, _AGAIN]),
    Conversation("several turns after a system text", [_SYSTEM, _QUESTION, _ANSWER, _AGAIN, _ANSWER], asking=False),
    Conversation("an answer at the end", [_QUESTION, _ANSWER]),
    Conversation("white space around texts", [_says("system", "  Be brief. \n"), _SPACED, _SPACED_ANSWER, _SPACED]),
    Conversation("an empty system text", [_says("system", ""), _QUESTION]),
    Conversation("empty texts", [_says("user", ""), _says("assistant", ""), _QUESTION]),
    Conversation("two questions in a row", [_QUESTION, _AGAIN]),
    Conversation("a late system text", [_QUESTION, _ANSWER, _SYSTEM, _AGAIN]),
    Conversation("a text of the developer", [_says("developer", "Be brief."), _QUESTION]),
    Conversation("reasoning in the last answer", [_QUESTION, _ANSWER, _AGAIN, _THOUGHT], asking=False),
    Conversation("reasoning in an old answer", [_QUESTION, _THOUGHT, _THANKS]),
    Conversation("reasoning as text", [_QUESTION, _TAGGED, _THANKS]),
    Conversation("tools", [_SYSTEM, _QUESTION], [_TOOL]),
    Conversation("tools without a system text", [_QUESTION], [_TOOL]),
    Conversation("a call and its result", [_QUESTION, _calls("", _ONE), _result(_ONE)], [_TOOL]),
    Conversation("a call in the past", [_QUESTION, _calls("So:", _ONE), _result(_ONE), _ANSWER, _THANKS], [_TOOL]),
    Conversation("two calls", [_QUESTION, _calls("", _ONE, _TWO), _result(_ONE), _result(_TWO)], [_TOOL]),
    Conversation("an image", [_IMAGE]),
    Conversation("a text in parts", [_PARTS, _ANSWER, _IMAGE]),
)


class Difference(NamedTuple):
    """Where two templates first differ.

    Attributes:
        alike: How many conversations before that they agree on.
        what: What differs: the kind of conversation, or an option.
        at: The position of the first character that differs.
        one: What the first writes there.
        other: What the second writes there.
    """

    alike: int
    what: str
    at: int = 0
    one: str = ""
    other: str = ""

    @property
    def depth(self) -> tuple[int, int]:
        """How far the two are alike."""
        return self.alike, self.at

    def __str__(self) -> str:
        if not (self.one or self.other):
            return self.what
        return f"{self.what}, at character {self.at}: {self.one!r} / {self.other!r}"


class Behaviour:
    """What a template does, to be compared with others.

    Args:
        template: The template.
        options: The options whose effect is compared too.
    """

    def __init__(self, template: Template, options: Iterable[str]):
        self._template = template
        self._options = [option for option in options if option not in HANDLED_APART]
        self._answers: dict[int, str | None] = {}

    @property
    def first(self) -> str | None:
        """The fingerprint of the first prompt; None where there is nothing to compare."""
        prompt = self._answer(0)
        return None if prompt is None else fingerprint(prompt)

    def difference(self, other: Template) -> Difference | None:
        """Return where another template first differs; None if no conversation tells them apart."""
        compared = 0
        for alike, conversation in enumerate(CONVERSATIONS):
            mine = self._answer(alike)
            # Where a template crashes by accident there is nothing to compare.
            if mine is not None:
                theirs = answer(other, conversation) or FAILED
                if mine != theirs:
                    return _difference(alike, conversation.what, mine, theirs)
                compared += mine != REFUSED
        if compared < FEWEST_COMPARED:
            return Difference(compared, "it fails on too many conversations to be compared")
        return self._difference_of_options(other)

    def _answer(self, number: int) -> str | None:
        if number not in self._answers:
            self._answers[number] = answer(self._template, CONVERSATIONS[number])
        return self._answers[number]

    def _difference_of_options(self, other: Template) -> Difference | None:
        alike = len(CONVERSATIONS)
        for option in self._options:
            if option not in other.options:
                return Difference(alike, f"the option {option!r}, which only one reads")
            for value in (True, False):
                for conversation in CONVERSATIONS[::4]:
                    mine, theirs = (answer(each, conversation, {option: value}) for each in (self._template, other))
                    # A family may accept less than its maker's template: a list of names where that accepts anything.
                    if mine and theirs and mine != theirs:
                        return _difference(alike, f"{conversation.what} with {option}={value}", mine, theirs)
        return None


def answer(template: Template, conversation: Conversation, options: dict[str, Any] | None = None) -> str | None:
    """Return a prompt, `REFUSED`, or None if the template fails."""
    dated: dict[str, Any] = {"date": SOME_DAY} if "date" in template.options else {}
    try:
        return template.text(
            conversation.messages,
            tools=conversation.tools,
            add_generation_prompt=conversation.asking,
            **dated,
            **(options or {}),
        )
    except RefusedError:
        return REFUSED
    except LectError:
        return None


def _difference(alike: int, what: str, one: str, other: str) -> Difference:
    pairs = enumerate(zip(one, other, strict=False))
    at = next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))
    return Difference(alike, what, at, one[at : at + SHOWN], other[at : at + SHOWN])
