"""The conversations with which a format is asked what it carries.

Each asks about one thing. Their texts are words that occur nowhere else: a format carries something if it refuses
nothing, drops nothing of the message that is asked about, and writes the words in the order of the conversation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lect_fit.fitted import Path

    Message = dict[str, Any]

MEDIA = ("image", "audio", "video")
"""The kinds of parts that are no text. How a client spells them does not matter: the library knows all spellings."""
PLACE = "https://example.org/zqpicture"


class Probe(NamedTuple):
    """A conversation that asks whether a format carries something."""

    messages: list[Message]
    words: tuple[str, ...] = ()
    """What the prompt must contain, in this order."""
    about: tuple[Path, ...] = ()
    """Of which messages, or fields of them, nothing may be dropped: `(1,)`, `(1, "content")`; of all by default."""
    tools: list[Message] | None = None


def _user(text: str = "zquser") -> Message:
    return {"role": "user", "content": text}


def _said(text: str = "zqanswer", **more: Any) -> Message:
    return {"role": "assistant", "content": text, **more}


def _told(text: str = "zqsystem", role: str = "system") -> Message:
    return {"role": role, "content": text}


def _called(*ids: str, text: str = "", **more: Any) -> Message:
    calls = [
        {"id": each, "type": "function", "function": {"name": "zqlook", "arguments": {"zqkey": f"zqvalue{at}"}}}
        for at, each in enumerate(ids or ("call_zq1",))
    ]
    return {"role": "assistant", "content": text, "tool_calls": calls, **more}


def _result(text: Any = "zqresult", of: str = "call_zq1", **more: Any) -> Message:
    return {"role": "tool", "tool_call_id": of, "content": text, **more}


def _pair(role: str, **more: Any) -> Message:
    return {"role": role, "content": [{"type": "text", "text": each} for each in ("zqpart1", "zqpart2")], **more}


def _tool(parameters: Message) -> list[Message]:
    return [{"type": "function", "function": {"name": "zqlook", "description": "zqtool", "parameters": parameters}}]


TOOLS = _tool({
    "type": "object",
    "properties": {"zqkey": {"type": "string", "description": "zqfield"}},
    "required": ["zqkey"],
})  # fmt: skip
REFERRING = _tool({
    "type": "object",
    "properties": {"zqkey": {"$ref": "#/$defs/zqkind"}},
    "$defs": {"zqkind": {"type": "string", "description": "zqdefined"}},
})  # fmt: skip
TURN = (_user(), _called(), _result())
Probes = Probe | tuple[Probe, ...]
"""Conversations that ask about one thing, all of which must pass."""


def _both(messages: list[Message], words: tuple[str, ...], about: tuple[Path, ...]) -> tuple[Probe, ...]:
    """Return a conversation without tools, and with tools: some formats read less where there are tools."""
    return Probe(messages, words, about), Probe(messages, words, about, TOOLS)


def _late(role: str) -> Iterator[tuple[str, Probes]]:
    """Yield instructions that come after other turns: a format may refuse, drop or move them.

    They may be the last message, or an answer follows; and some formats read them only where there are no tools.
    """
    first, late = _told("zqfirst"), _told("zqlate", role)
    for after, before, words in (
        ("user", (_user(),), ("zqfirst", "zquser", "zqlate")),
        ("assistant", (_user(), _said("zqsaid")), ("zqfirst", "zquser", "zqsaid", "zqlate")),
        ("tool", TURN, ("zquser", "zqlate")),
    ):
        begun, about = [first, *before, late], ((len(before) + 1,),)
        next_turn = _user("zqnext") if after == "assistant" else _said()
        went_on, more = [*begun, next_turn], (*words, next_turn["content"])
        talks = [(begun, words, about), (went_on, more, about)]
        if after == "tool":
            yield f"{role} after tool", tuple(Probe(*each, TOOLS) for each in talks)
        else:
            yield f"{role} after {after}", (*_both(*talks[0]), *_both(*talks[1]))


def _parts() -> Iterator[tuple[str, Probes]]:
    """Yield several texts in one message, by its role, and parts that are no text."""
    words = ("zqpart1", "zqpart2")
    yield "system parts", _both([_pair("system"), _user()], words, ((0,),))
    yield "user parts", Probe([_pair("user")], words)
    yield "assistant parts", Probe([_user(), _pair("assistant"), _user("zqnext")], words, ((1,),))
    yield "tool parts", Probe([*TURN[:2], _pair("tool", tool_call_id="call_zq1")], words, ((2,),), TOOLS)
    for kind in MEDIA:
        content = [{"type": kind, kind: PLACE}, {"type": "text", "text": "zqcaption"}]
        yield f"user {kind}", Probe([{"role": "user", "content": content}], ("zqcaption",))
        yield f"tool {kind}", Probe([*TURN[:2], _result(content)], ("zqcaption",), ((2,),), TOOLS)


PROBES: dict[str, Probes] = {
    "system": Probe([_told(), _user()], ("zqsystem", "zquser"), ((0,),)),
    "system beside calls": Probe([_told(), *TURN], ("zqsystem", "zquser"), ((0,),), TOOLS),
    "several system": _both(
        [_told("zqfirst"), _told("zqsecond"), _user()], ("zqfirst", "zqsecond", "zquser"), ((0,), (1,))
    ),
    "developer": Probe([_told(role="developer"), _user()], ("zqsystem", "zquser"), ((0,),)),
    "system, developer": _both(
        [_told("zqfirst"), _told("zqsecond", "developer"), _user()], ("zqfirst", "zqsecond", "zquser"), ((0,), (1,))
    ),
    **dict(_late("system")),
    **dict(_late("developer")),
    "users in a row": Probe([_user("zqfirst"), _user("zqsecond")], ("zqfirst", "zqsecond")),
    "assistants in a row": Probe(
        [_user(), _said("zqfirst"), _said("zqsecond"), _user("zqnext")], ("zqfirst", "zqsecond", "zqnext")
    ),
    "assistant first": Probe([_said(), _user()], ("zqanswer", "zquser")),
    "empty assistant": Probe([_user(), _said(""), _user("zqnext")], ("zqnext",), ((2,),)),
    "call": Probe([*TURN], ("zqlook", "zqvalue0"), ((1,),), TOOLS),
    "several calls": Probe(
        [_user(), _called("call_zq1", "call_zq2"), _result(), _result("zqsecond", "call_zq2")],
        ("zqvalue0", "zqvalue1", "zqresult", "zqsecond"),
        tools=TOOLS,
    ),
    "text beside a call": Probe(
        [_user(), _called(text="zqbeside"), _result()], ("zqbeside",), ((1, "content"),), TOOLS
    ),
    "text, then a call": Probe([_user(), _said(), _called(), _result()], ("zqanswer",), ((1,),), TOOLS),
    "call without result": Probe([_user(), _called(), _user("zqnext")], ("zqnext",), ((2,),), TOOLS),
    "result": Probe([*TURN], ("zqresult",), ((2,),), TOOLS),
    "name of a result": Probe([*TURN[:2], _result(name="zqlook")], ("zqresult",), ((2,),), TOOLS),
    "result first": Probe([_result(), _user()], ("zqresult", "zquser"), ((0,),), TOOLS),
    "result without call": Probe(
        [_user(), _said(), _result(), _user("zqnext")], ("zqanswer", "zqresult", "zqnext"), ((2,),), TOOLS
    ),
    "user after tool": Probe([*TURN, _user("zqnext")], ("zqnext",), ((3,),), TOOLS),
    "reasoning": Probe(
        [_user(), _said(reasoning_content="zqthought"), _user("zqnext")], about=((1, "reasoning_content"),)
    ),
    "reasoning beside a call": Probe(
        [_user(), _called(reasoning_content="zqthought"), _result()], about=((1, "reasoning_content"),), tools=TOOLS
    ),
    **dict(_parts()),
    "tools": Probe([_user()], ("zqtool", "zqfield"), tools=TOOLS),
    "$ref": Probe([_user()], ("zqdefined",), tools=REFERRING),
}  # fmt: skip
"""By what they ask, the probes. What the maker leaves out on purpose, such as old reasoning, is not lost."""


def missing(text: str, words: Sequence[str]) -> str:
    """Return what is wrong with the words in a prompt; empty if they are there in this order."""
    at = 0
    for word in words:
        found = text.find(word, at)
        if found < 0:
            return "it is written elsewhere" if word in text else "it is not written"
        at = found + len(word)
    return ""
