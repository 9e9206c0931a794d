"""Lines of sessions: token ids of which some were sampled, and how a request follows one."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.addon import REASONING_NAMES, spell

if TYPE_CHECKING:
    from lect import Prompt, Reply
    from lect_explain import Step
    from lect_rollout import Rollout
    from lect_serve.prepare import Rendered

    Messages = Sequence[Mapping[str, Any]]

IDS = "I"
"""Four bytes an id: a list would take nine times as much."""


class Said(NamedTuple):
    """What the model answered, as the client was told."""

    content: str
    reasoning: str
    calls: tuple[tuple[str, str, Any], ...]
    """The id, the name and the arguments of each call."""

    @classmethod
    def of(cls, reply: Reply) -> Said:
        """Return what a reply says."""
        calls = tuple((str(call.id), call.name, call.arguments) for call in reply.tool_calls)
        return cls(reply.content, reply.reasoning or "", calls)


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A conversation as one sequence of ids. It does not change: what goes on with it is another object.

    Attributes:
        key: The session that it belongs to.
        number: Its number in the session.
        ids: The ids so far.
        sampled: For each, 1 if the model sampled it.
        is_whole: Whether every id that was sampled is known.
        rendered: The last request.
        reply: What the model answered to it.
        said: The same, as the client was told.
        messages: The conversation as the format carries it, with the answer.
        rollout: The same for the next sample, where history is what was sampled. It is forked, and never changed.
        dropped: The messages whose reasoning the format leaves out.
        turns: How many answers there are.
        finish: Why the last one ended.
        changes: What was changed for the format, or by the client.
        why: How it follows from an earlier line, if it extends none.
    """

    key: str
    number: int
    ids: array[int]
    sampled: bytes
    is_whole: bool
    rendered: Rendered
    reply: Reply
    said: Said
    messages: Messages
    rollout: Rollout | None
    dropped: frozenset[int]
    turns: int
    finish: str | None
    changes: tuple[str, ...]
    why: Step | None

    @property
    def given(self) -> Messages:
        """The messages of the last request, as the client sent them."""
        return self.rendered.asked.messages

    def is_begun_by(self, ids: array[int]) -> bool:
        """Return whether a prompt begins with all of it."""
        size = len(self.ids)
        return size <= len(ids) and ids[size - 1] == self.ids[-1] and ids[:size] == self.ids


def shared(one: array[int], other: array[int]) -> int:
    """Return how many ids two sequences begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def dropped(prompt: Prompt) -> frozenset[int]:
    """Return the messages whose reasoning a format leaves out by its rules."""
    lost = (each.path for each in prompt.unused if each.why == "by-rule" and each.path[-1] in REASONING_NAMES)
    return frozenset(int(path[1]) for path in lost if path[0] == "messages")


def told(line: Line) -> dict[str, Any]:
    """Return what is told of a line: where it comes from, and how much was sampled, but nothing that was said."""
    why = line.why
    return {
        "line": line.number,
        "turns": line.turns,
        "tokens": len(line.ids),
        "sampled": sum(line.sampled),
        "finish": line.finish,
        "is_whole": line.is_whole,
        "changes": [*line.changes],
        "why": why
        and {
            "kind": why.kind,
            "rule": why.rule,
            "reason": why.reason,
            "line": why.earlier,
            "kept": why.kept,
            "lost": why.lost,
            "was": spell(why.was) if why.was else "the template",
            "now": spell(why.now) if why.now else "the template",
        },
    }


# Whether an answer in history is the one that was sampled


def differs(message: Mapping[str, Any], said: Said) -> str | None:
    """Return how a client changed an answer, in ways that do not matter: empty if it did not; None if it matters.

    Clients spell JSON anew, add the defaults of arguments, leave out reasoning and strip texts. What a person edited is
    no answer of the model.
    """
    if message.get("role") != "assistant":
        return None
    calls = message.get("tool_calls") or ()
    if len(calls) != len(said.calls) or not _alike(_text(message.get("content")), said.content):
        return None
    reasoning = next((message[name] for name in REASONING_NAMES if message.get(name)), None)
    if reasoning is not None and not _alike(_text(reasoning), said.reasoning):
        return None
    noted = ""
    for call, (own_id, name, arguments) in zip(calls, said.calls, strict=True):
        function = call.get("function", {})
        if call.get("id") != own_id or function.get("name") != name:
            return None
        given = _value(function.get("arguments"))
        if given == arguments:
            continue
        if not (isinstance(given, Mapping) and isinstance(arguments, Mapping)):
            return None
        if any(key not in given or given[key] != value for key, value in arguments.items()):
            return None
        noted = f"the client added {', '.join(sorted(given.keys() - arguments.keys()))} to the arguments of {name}"
    return noted


def _alike(one: str, other: str) -> bool:
    return one.split() == other.split()


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _value(arguments: Any) -> Any:
    """Return arguments as a value: clients send them as text, as the API has them."""
    import json

    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
