"""The notation `response-template`: how replies are written, as transformers reads it from `tokenizer_config.json`.

transformers reads it, and so do vLLM (as the parsers `hf`) and SGLang (`response_template`). It has one pair of marks
for reasoning, one for each call, and no more.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from lect.errors import ConversionError
from lect.plugin.grammar import Json, NamedJson, Params
from lect_jinja.engine.reading import REASONING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lect.plugin import Template
    from lect.plugin.grammar import CallSyntax, Grammar, Section
    from lect_convert import Written

ANY_SPACE = r"\s*"
QUESTION = {"role": "user", "content": "Is it 12:00?"}
TOOL = {
    "type": "function",
    "function": {
        "name": "get_time",
        "description": "Tell the time.",
        "parameters": {"type": "object", "properties": {"zone": {"type": "string"}, "days": {"type": "integer"}}},
    },
}
CALL = {"type": "function", "function": {"name": "get_time", "arguments": {"zone": "UTC", "days": 3}}}
ANSWERS: dict[str, dict[str, Any]] = {
    "an answer": {"content": "Yes.\nIt is."},
    "an answer after reasoning": {"content": "Yes.", "reasoning_content": "A clock says so."},
    "a call": {"content": None, "tool_calls": [CALL]},
    "text and a call": {"content": "Let me see.", "tool_calls": [CALL]},
    "two calls after reasoning": {"content": None, "reasoning_content": "I ask twice.", "tool_calls": [CALL, CALL]},
}
"""The replies over which what is written is proven."""


def write(template: Template) -> Written:
    """Write the reply grammar of a template, and list what transformers would not read."""
    from lect_convert import Written

    grammar = template.reply
    if grammar is None or grammar.channels is not None:
        raise _nothing(template, "replies are messages with headers" if grammar else "it says nothing of replies")
    fields: dict[str, Any] = {}
    if grammar.reasoning is not None:
        fields["thinking"] = {"open": [*map(str.strip, grammar.reasoning.open)], **_thought_end(grammar)}
    # What is between no other marks is content, and ends at a stop.
    fields["content"] = {"close": [*template.stop]} if template.stop else {}
    lost = [f"the marks around the content: {', '.join(each.open)}" for each in grammar.wrappers]
    found: list[tuple[list[str], dict[str, Any]]] = []
    for calls in _spellings(template, grammar):
        spec = {"start_anchor": _anchors(template), "defaults": {"role": "assistant"}, "fields": {**calls, **fields}}
        found.append((list(_differences(template, spec)), spec))
        if not found[-1][0]:
            break
    # A grammar reads calls in more spellings than the template writes; a response template has one.
    differing, spec = min(found, key=lambda each: len(each[0]))
    return Written(json.dumps(spec, ensure_ascii=False, indent=2) + "\n", [*lost, *differing])


def renderer(text: str, template: Template) -> Callable[[list[dict[str, str]], bool], str] | None:
    """Return the template's own prompts, of which the notation says nothing; None if replies could not be proven."""
    if _parser() is None:
        return None
    return lambda messages, add_generation_prompt: template.text(messages, add_generation_prompt=add_generation_prompt)


def _anchors(template: Template) -> list[str]:
    """Return what opens the turn of the model in a prompt, without what is opened in the turn."""
    head, said = template.edges().opening
    reasoning = template.reply.reasoning if template.reply else None
    own = [mark.strip() for mark in (*reasoning.open, *reasoning.close)] if reasoning else []
    begins = [head.rfind(mark) for mark in template.markers if mark in head and mark not in own]
    # Without white space at its end, which the model may write, or nobody.
    anchor = head[max(begins, default=0) :].rstrip() or head
    closed = said.startswith(tuple(own[-1:])) and said.rstrip()
    return [anchor + closed, anchor] if closed else [anchor]


def _thought_end(grammar: Grammar) -> dict[str, Any]:
    reasoning = grammar.reasoning
    assert reasoning is not None
    closes = [mark.strip() for mark in reasoning.close]
    if not reasoning.until:
        return {"close": closes}
    return {
        "close_pattern": "|".join([*map(re.escape, closes), *(f"(?={re.escape(mark)})" for mark in reasoning.until)])
    }


def _spellings(template: Template, grammar: Grammar) -> list[dict[str, Any]]:
    """Return the field for calls in each of the spellings of a grammar that can be expressed."""
    if not grammar.sections:
        return [{}]
    reasons: list[str] = []
    found: list[dict[str, Any]] = []
    for section in grammar.sections:
        for call in section.calls:
            keys = ("arguments", "parameters") if isinstance(call.arguments, Json) else ("",)
            for key in keys:
                try:
                    found.append({"tool_calls": _calls(section, call, key)})
                except ValueError as error:
                    reasons.append(str(error))
    if not found:
        raise _nothing(template, reasons[0])
    return found


def _calls(section: Section, call: CallSyntax, key: str) -> dict[str, Any]:
    how = call.arguments
    opens = _sequence([section.open, call.open], optional=(0,) if call.open else ())
    closes = _sequence([call.close, section.close], optional=(1,) if call.open else (0,))
    if section.between or not opens or not (section.close or call.close):
        raise ValueError("its calls have no pair of marks each")
    field: dict[str, Any] = {"open_pattern": opens, "close_pattern": closes, "repeats": True}
    name, arguments = "{name}", "{content}"
    if isinstance(how, Json):
        name, arguments = "{content.name}", f"{{content.{key}}}"
    elif call.head is None or not isinstance(how, NamedJson | Params):
        msg = f"its calls are {type(how).__name__}"
        raise ValueError(msg)
    else:
        field["open_pattern"] += _head(call)
    if isinstance(how, Params):
        field |= {"content": "xml-inline", "content_args": {"tag_pattern": _parameter(how)}}
    else:
        field["content"] = "json"
    return field | {"transform": {"type": "function", "function": {"name": name, "arguments": arguments}}}


def _head(call: CallSyntax) -> str:
    assert call.head is not None
    fields = re.sub(r"\(\?P<(?!name>)\w+>", "(?:", call.head.fields)
    return fields + f"(?{'=' if call.head.keep else ':'}{_alternatives(call.head.end)})"


def _parameter(how: Params) -> str:
    """Return a pattern for one parameter, with the groups `key` and `value`."""
    key = re.sub(r"\(\?P<(?!key>)\w+>", "(?:", how.head.fields)
    trim = f"{re.escape(how.trim)}?" if how.trim else ""
    value = rf"{ANY_SPACE}{re.escape(how.value)}" if how.value else ""
    close = re.escape(how.close).replace(r"\{key\}", "(?P=key)")
    return f"{re.escape(how.open)}{key}(?:{_alternatives(how.head.end)}){value}{trim}(?P<value>.*?){trim}{close}"


def _sequence(marks: Iterable[tuple[Any, ...]], optional: tuple[int, ...]) -> str:
    """Return a pattern for alternatives in a row, with white space between them."""
    parts = []
    for number, alternatives in enumerate(marks):
        if alternatives:
            pattern = f"(?:{_alternatives(alternatives)})"
            parts.append(f"(?:{pattern}{ANY_SPACE})?" if number in optional else pattern)
    return ANY_SPACE.join(parts)


def _alternatives(marks: Iterable[Any]) -> str:
    spelled = [ANY_SPACE.join(map(re.escape, [mark] if isinstance(mark, str) else mark)) for mark in marks]
    return "|".join(sorted(spelled, key=len, reverse=True)).replace(r"\{name\}", "(?P=name)")


def _parser() -> Any:
    try:
        from transformers.utils.chat_parsing import parse_response
    except ImportError:
        return None
    return parse_response


def _differences(template: Template, spec: dict[str, Any]) -> Iterator[str]:
    """Yield which replies transformers reads otherwise, where it is installed."""
    parse = _parser()
    for what, answer in ANSWERS.items() if parse else ():
        messages = [QUESTION, {"role": "assistant", **answer}]
        tools = [TOOL] if "tool_calls" in answer else None
        try:
            written = template.reply_text(messages, tools=tools).text
            prompt = template.text(messages[:1], tools=tools, add_generation_prompt=True)
        except Exception:  # noqa: S112  # The format cannot write such a reply; a plugin may raise anything.
            continue
        expected = template.parse(written, prompt=prompt, tools=tools)
        if (found := as_transformers(parse, spec, written, prompt, tools)) != as_message(expected):
            yield f"{what}, which transformers reads as {json.dumps(found, ensure_ascii=False)}"


def as_transformers(parse: Any, spec: dict[str, Any], written: str, prompt: str, tools: Any = None) -> dict[str, Any]:
    """Return a reply as transformers reads it, in the shape of `as_message`."""
    try:
        found = parse(written, spec, prefix=prompt, tools=tools)
    except Exception as error:  # It raises errors of several kinds.
        return {"error": f"{type(error).__name__}: {error}"[:80]}
    calls = [call.get("function", {}) for call in found.get("tool_calls") or ()]
    return {
        "content": found.get("content") or "",
        "thinking": next((found[name] for name in REASONING if found.get(name)), ""),
        "calls": [[call.get("name"), call.get("arguments")] for call in calls],
    }


def as_message(reply: Any) -> dict[str, Any]:
    """Return a reply of lect in the same shape; transformers takes the white space around texts away."""
    calls = [[call.name, call.arguments] for call in reply.tool_calls]
    return {"content": reply.content.strip(), "thinking": (reply.reasoning or "").strip(), "calls": calls}


def _nothing(template: Template, reason: str) -> ConversionError:
    msg = f"the notation 'response-template' cannot express {template.label!r}: {reason}"
    return ConversionError(msg, lost=[f"all: {reason}"])
