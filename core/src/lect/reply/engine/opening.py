"""How a reply begins: whether the prompt has opened its reasoning, and whether its marks are still there."""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache

from lect.reply.blocks import NO_REASONING
from lect.reply.engine.compiled import CompiledGrammar
from lect.reply.events import CALL, REASONING
from lect.reply.grammar import Channels, Grammar
from lect.reply.reader.headers import headers_for
from lect.reply.reader.syntax import surrounds

TAIL = 16_384
"""How many characters at the end of a prompt are examined."""
MEMBER = r"""["']\w{1,32}["']\s*:\s*["'][^"']{0,64}["']\s*,\s*"""
NAME = r"""["']?(?:(?:tool_)?name|function|tool)["']{0,2}[\s:]*["']{1,2}([^"'\\]{1,200})["']{1,2}\s*"""
ARGUMENTS = r"""["']?(?i:arg\w*|param\w*|input)["']{0,2}[\s:]*(?=[{"])"""
JSON_CALL = rf"\{{\s*(?:(?:{MEMBER}){{0,3}}{NAME}(?:,+\s*)?{ARGUMENTS}|{ARGUMENTS}\{{[^{{}}]{{0,4096}}\}}\s*,\s*{NAME})"
"""What a call in JSON looks like without the marks around it, whatever they were."""
FIND_JSON_CALLS = re.compile(JSON_CALL).finditer


@lru_cache(maxsize=64)
def opening(
    compiled: CompiledGrammar, tail: str | None, markers: tuple[str, ...], reasoning: bool | None
) -> tuple[str, str]:
    """Return what a reply begins inside of, as `starts_in` does, and the call that the end of its prompt has open.

    `reasoning` is what the caller knows. Most replies of a model follow prompts with the same end.
    """
    inside = REASONING if reasoning else ""
    if reasoning is None:
        inside = starts_in(compiled.grammar, tail, compiled.ends, markers)
    return inside, "" if inside or tail is None or not compiled.takes_tools else _open_call(compiled, tail, markers)


def starts_in(grammar: Grammar, prompt: str | None, ends: Sequence[str], markers: Iterable[str]) -> str:
    """Return what a reply to `prompt` begins inside of, reasoning or content; empty if neither is open.

    After the last of all `ends` and `markers`, the prompt's text is the model's own.
    """
    if prompt is None:
        return REASONING if grammar.reasoning is not None and grammar.reasoning.starts else ""
    if grammar.channels is not None:
        kind = _open_message(grammar.channels, prompt[-TAIL:], ends)
        return "" if kind == CALL else kind
    return REASONING if _opens_reasoning(grammar, prompt[-TAIL:], (*ends, *markers)) else ""


def _open_call(compiled: CompiledGrammar, tail: str, markers: Iterable[str]) -> str:
    """Return the end of a prompt from where a call may be open in the model's own turn; empty if none is."""
    if compiled.grammar.channels is not None:
        at = max((tail.rfind(mark) for mark in compiled.grammar.channels.start), default=-1)
        return tail[at:] if at >= 0 and _open_message(compiled.grammar.channels, tail, compiled.ends) == CALL else ""
    opened = max((tail.rfind(mark) for mark in compiled.opens), default=-1)
    # What precedes a mark that no reply has is not the model's: it may be a user's.
    among = (*compiled.ends, *markers) if opened >= 0 or compiled.bare else ()
    begin = max(_after_last(tail, {mark.strip() for mark in among} - compiled.own), 0)
    if opened < begin and not compiled.bare:
        return ""
    turn = tail[begin:]
    at = min((at for mark in compiled.opens if (at := turn.find(mark)) >= 0), default=0 if begin else len(turn))
    return turn[at:] if begin or not at else ""


def _open_message(channels: Channels, tail: str, ends: Sequence[str]) -> str:
    """Return the kind of the message that the prompt has begun but not ended."""
    start = _after_last(tail, channels.start)
    header = headers_for(channels).look(tail, start, ended=True) if start >= 0 else None
    if header is None or any(mark in tail[header.body :] for mark in (*channels.end, *channels.stop, *ends)):
        return ""
    return header.kind


def _opens_reasoning(grammar: Grammar, tail: str, marks: Sequence[str]) -> bool:
    """Return whether the prompt's last turn, which may be half an answer, has opened reasoning but not closed it."""
    reasoning = grammar.reasoning or NO_REASONING
    own = [mark.strip() for mark in (*reasoning.open, *reasoning.close)]
    # Text before the last mark of another kind, perhaps of several tokens, is not part of that turn but a user's.
    begin = _after_last(tail, [mark for mark in marks if not any(mark.strip() in each for each in own)])
    if begin < 0:
        return any(tail.rstrip().endswith(mark.strip()) for mark in reasoning.open)
    turn = tail[begin:]
    opened = max((turn.rfind(mark.strip()) for mark in reasoning.open), default=-1)
    return opened > max((turn.rfind(mark.strip()) for mark in reasoning.close), default=-1)


def _after_last(tail: str, marks: Iterable[str]) -> int:
    """Return where the last of these marks ends; -1 if there is none."""
    return max((tail.rfind(mark) + len(mark) for mark in marks if mark in tail), default=-1)


def stripped_call(compiled: CompiledGrammar, content: str, tools: Container[str], *, called: bool) -> str:
    """Return what looks like a call without its marks in content: most servers drop special tokens by default.

    A reply that calls something, or goes on before that, must name one of the tools.
    """
    grammar = compiled.grammar
    if not content or not (grammar.sections or grammar.channels):
        return ""
    for found in FIND_JSON_CALLS(content):
        before = content[max(found.start() - 256, 0) : found.start()].rstrip("[ \n")
        # A call that still has its marks is an example.
        marked = any(before.endswith(mark) for mark in compiled.opens if not surrounds(mark))
        if found[found.lastindex or 0] in tools and not marked:
            return found[0]
    first = None if called else _stripped_at_once(grammar.stripped)(content[:4096])
    return first[0] if first else ""


@lru_cache(maxsize=64)
def _stripped_at_once(own: str) -> Callable[[str], re.Match[str] | None]:
    """Return what finds such a call, also one in a format's own spelling, at the very beginning."""
    pattern = rf"(?:\[\s*)?{JSON_CALL}" + (f"|{own}" if own else "")
    # The marks of another format may still be there.
    return re.compile(rf"(?s)\s*(?:<[^<>\n]{{1,64}}>\s*)?(?:{pattern})").match
