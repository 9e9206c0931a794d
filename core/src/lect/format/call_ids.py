"""The ids of calls in the spelling of a family: some templates refuse ids made elsewhere, others misread them.

Kimi K2 reads the id of a call as its function's name; Mistral's templates accept nine letters and digits only.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lect.reply.grammar import Grammar

Calls = list[tuple[str | None, str | None]]


def respelled(messages: Sequence[Any], grammar: Grammar | None) -> Sequence[Any]:
    """Return messages whose call ids their template can write; the same object if they are so already.

    If one id of a message is foreign, all its ids are made anew, by their number in the conversation. A result follows
    its call: the one of the same id, else the next that has no result. What comes later changes nothing before it, so
    the beginning of a conversation has the same ids as the whole. Malformed messages are left to those who report them.
    """
    if grammar is None or grammar.ids == Grammar.defaults["ids"]:
        return messages
    changed: dict[int, Mapping[str, Any]] = {}
    spelled: dict[str | None, str | None] = {}
    waiting: Calls = []
    count = 0
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping):
            continue
        role, calls, old = (message.get(field) for field in ("role", "tool_calls", "tool_call_id"))
        if role == "assistant" and isinstance(calls, Sequence):
            waiting = _spelled(calls, grammar, count)
            spelled.update(pair for pair in waiting if pair[0] is not None)
            count += len(calls)
            if any(given != new for given, new in waiting):
                pairs = zip(calls, waiting, strict=True)
                changed[index] = {**message, "tool_calls": [{**call, "id": new} for call, (_, new) in pairs]}
        elif role == "tool" and (old is None or isinstance(old, str)):
            by_order = 0 if waiting and old not in spelled else None
            at = next((at for at, (given, _) in enumerate(waiting) if given == old is not None), by_order)
            given, new = (old, spelled.get(old, old)) if at is None else waiting.pop(at)
            if given != new:
                changed[index] = {**message, "tool_call_id": new}
    return [changed.get(index, message) for index, message in enumerate(messages)] if changed else messages


def _spelled(calls: Sequence[Mapping[str, Any]], grammar: Grammar, first: int) -> Calls:
    """Return the id of each call of a message, as it is given and as it is to be written; nothing if malformed."""
    given = []
    for call in calls:
        function = call.get("function", call) if isinstance(call, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if not isinstance(name, str) or not isinstance(call.get("id"), str | None):
            return []
        given.append((call.get("id"), name))
    if all(_fits(each, name, grammar) for each, name in given):
        return [(each, each) for each, _ in given]
    return [(each, grammar.id_of(name, index)) for index, (each, name) in enumerate(given, first)]


def _fits(given: str | None, name: str, grammar: Grammar) -> bool:
    if given is None:
        return False
    if "{name}" in grammar.ids:
        spelling = re.escape(grammar.ids).replace(r"\{index\}", r"\d+").replace(r"\{name\}", re.escape(name))
        return re.fullmatch(spelling, given) is not None
    return given.isascii() and given.isalnum() and len(given) == len(grammar.id_of(name, 0))
