"""Conversations that prove what a template claims to support."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.errors import LectError, saferepr
from lect.prompt.message import REASONING_NAMES
from lect_kit.conversations import QUESTION, ROUNDS, TOOLS, called, chat_message, dated
from lect_kit.roundtrip import spellings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lect.format.prompt import Prompt
    from lect.format.template import Template

LONGEST_PROMPT = 300
"""Characters of a prompt that a failure shows."""
USUAL_ROLES = {"system", "developer", "user", "assistant"}
THOUGHT, ANSWER = "Zquebec", "Zpapa"
CALLS = [called("get_weather", {"city": "Zindia"}, ""), called("get_time", {"zone": "Zkappa"}, "")]
RESULTS = ("Zjuliett", "Zlambda")
DOCUMENT = {"title": "Zmike", "text": "Zoscar"}
DOCUMENTS = (DOCUMENT, {"title": "Zmike", "contents": "Zoscar"}, {"doc_id": 1, **DOCUMENT, "source": "Zmike"})
"""A document in the fields of several makers."""
LATER = ((), (chat_message("assistant", "Zkilo"),), (chat_message("assistant", "Zkilo"), QUESTION))


_NOTHING: Mapping[str, Any] = {}


class Probe(NamedTuple):
    """A conversation that has something in it which a format may support.

    Attributes:
        arguments: The arguments of `render`.
        wanted: Texts that must be in the prompt, each with what it is.
        trace: What must leave a trace in the prompt, if it has no text.
        without: The arguments without that.
    """

    arguments: Mapping[str, Any]
    wanted: Mapping[str, str] = _NOTHING
    trace: str = ""
    without: Mapping[str, Any] = _NOTHING


def unproven(template: Template, capability: str) -> str:
    """Return what does not reach the prompt of a template that claims a capability; empty if all of it does.

    Formats differ in where something may be, so one conversation is enough in which all of it is written.
    """
    if capability == "reasoning" and _has_place_for_reasoning(template):
        return ""
    missing = []
    for probe in PROBES[capability](template):
        try:
            problem = _missing(template, probe)
        except LectError as refused:
            problem = f"refuses it: {refused}".partition("\n")[0]
        if not problem:
            return ""
        missing.append(problem)
    return missing[0]


def _missing(template: Template, probe: Probe) -> str:
    prompt = _rendered(template, probe.arguments)
    for text, what in probe.wanted.items():
        if text not in prompt.text:
            return f"{what} ({text!r}) is not in the prompt: {saferepr(prompt.text, LONGEST_PROMPT)}"
    if probe.trace and _rendered(template, probe.without).text == prompt.text:
        return f"{probe.trace} leaves no trace in the prompt: {saferepr(prompt.text, LONGEST_PROMPT)}"
    return ""


def _rendered(template: Template, arguments: Mapping[str, Any]) -> Prompt:
    return template.render(**arguments, **dated(template))


def _system(_: Template) -> Iterator[Probe]:
    yield Probe({"messages": [chat_message("system", "Zlima"), QUESTION]}, {"Zlima": "the system text"})


def _tools(template: Template) -> Iterator[Probe]:
    # The tool that is not called: its name is nowhere else.
    wanted = {"get_time": "a tool", RESULTS[0]: "the result of a call"}
    for messages in _tool_rounds(template, 1):
        yield Probe({"messages": messages, "tools": TOOLS}, wanted)


def _parallel_tools(template: Template) -> Iterator[Probe]:
    calls = {"Zindia": "the first call", "Zkappa": "the second call"}
    results = {RESULTS[0]: "the result of the first call", RESULTS[1]: "the result of the second call"}
    for messages in _tool_rounds(template, 2):
        yield Probe({"messages": messages, "tools": TOOLS}, calls | results)


def _tool_rounds(template: Template, count: int) -> Iterator[list[dict[str, Any]]]:
    """Yield conversations with calls and results, in the roles, ids and contents that formats ask for."""
    roles = ("tool", *sorted({*template.roles} - USUAL_ROLES - {"tool"}))
    for calling in spellings(chat_message("assistant", "", tool_calls=CALLS[:count])):
        for content, role, later in product(("", None), roles, LATER):
            results = [
                chat_message(role, text, name=call["function"]["name"], tool_call_id=call["id"])
                for text, call in zip(RESULTS, calling["tool_calls"], strict=False)
            ]
            yield [QUESTION, {**calling, "content": content}, *results, *later]


def _part(kind: str, what: str) -> Callable[[Template], Iterator[Probe]]:
    def probes(_: Template) -> Iterator[Probe]:
        text, part = {"type": "text", "text": "Ztango"}, {"type": kind}
        without = {"messages": [chat_message("user", [text])]}
        for parts in ([part, text], [text, part]):
            yield Probe({"messages": [chat_message("user", parts)]}, trace=what, without=without)

    return probes


def _documents(_: Template) -> Iterator[Probe]:
    for document in DOCUMENTS:
        arguments = {"messages": [QUESTION], "documents": [document], "add_generation_prompt": True}
        yield Probe(arguments, {"Zoscar": "a document"})


def _code_interpreter(_: Template) -> Iterator[Probe]:
    without = {"messages": [QUESTION]}
    yield Probe({**without, "tools": [{"type": "code_interpreter"}]}, trace="a code interpreter", without=without)


def _reasoning(template: Template) -> Iterator[Probe]:
    """Yield conversations with a thought, at the end and before a result, in all fields in which people give it."""
    wanted = {THOUGHT: "the reasoning of an answer"}
    for field in REASONING_NAMES:
        yield Probe({"messages": [QUESTION, chat_message("assistant", ANSWER, **{field: THOUGHT})]}, wanted)
    for question, calling, *rest in _tool_rounds(template, 1):
        yield Probe({"messages": [question, {**calling, REASONING_NAMES[0]: THOUGHT}, *rest], "tools": TOOLS}, wanted)
    parts = [{"type": "thinking", "thinking": THOUGHT}, {"type": "text", "text": ANSWER}]
    yield Probe({"messages": [QUESTION, chat_message("assistant", parts)]}, wanted)


def _has_place_for_reasoning(template: Template) -> bool:
    """Return whether a format that writes no reasoning of earlier answers treats it all the same.

    It leaves it out by a rule, asks for it in the prompt, or states how the model itself writes it.
    """
    marks = template.reply and template.reply.reasoning
    if marks and marks.written:
        return True
    thoughts = [chat_message("assistant", ANSWER, **{REASONING_NAMES[0]: THOUGHT})]
    if marks:
        thoughts += [
            chat_message("assistant", f"{start}{THOUGHT}{end}\n\n{ANSWER}")
            for start, end in product(marks.open, marks.close)
        ]
    for thought in thoughts:
        with suppress(LectError):
            unused = _rendered(template, {"messages": [QUESTION, thought, ROUNDS[0]]}).unused
            if any(each.why == "by-rule" for each in unused):
                return True
    return any(mark in text for mark in (marks.open if marks else ()) for text in _questions(template))


def _questions(template: Template) -> Iterator[str]:
    """Yield a question as a template writes it, with each of its switches on and off."""
    switches: list[dict[str, Any]] = [{}, *({name: on} for name in template.options for on in (True, False))]
    for switch in switches:
        with suppress(LectError):
            yield _rendered(template, {"messages": [QUESTION], "add_generation_prompt": True, **switch}).text


PROBES: dict[str, Callable[[Template], Iterator[Probe]]] = {
    "audio": _part("audio", "a sound"),
    "code_interpreter": _code_interpreter,
    "documents": _documents,
    "images": _part("image", "an image"),
    "parallel_tools": _parallel_tools,
    "reasoning": _reasoning,
    "system": _system,
    "tools": _tools,
    "video": _part("video", "a video"),
}
