"""What is normalized in messages before any template sees them.

Clients express one thing in several ways; a template was written for one of them. So all are reduced to one before any
template, whatever its notation, sees them; docs/explanation/what-is-normalized.md tells users. A format that
understands another way lists it in its fact `accepts`, and gets it as it was given:

- `parts`: content in parts. Otherwise it becomes its texts, joined by line ends.
- `null`: content that is None. Otherwise it becomes an empty text.
- `argument_text`: the arguments of a call as JSON text. Otherwise they become the object that it encodes, if any.

Arguments that are None or an empty text become an empty object; empty lists of tools, calls or parts count as absent,
and so does every field of a message that is None, but for the content.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import groupby, takewhile
from typing import Any

from lect.boundaries import boundary
from lect.objects import plain_messages, plain_tools
from lect.prompt.fields import is_list
from lect.prompt.inputs import given, plain_str
from lect.prompt.limits import DEFAULT, Limits
from lect.values import TRANSFORMED, Path

Raw = Mapping[str, Any]


@boundary
def normalize(
    messages: Sequence[Raw],
    tools: Sequence[Raw] | None = None,
    *,
    accepts: Collection[str] = (),
    tracked: bool = False,
    sort_results: bool = False,
) -> tuple[list[Raw], list[Raw] | None]:
    """Return messages and tools as a template should see them. The input is not changed.

    Anything that is neither right nor known to be wrong is left alone.

    Args:
        messages: OpenAI-shaped messages.
        tools: OpenAI tool schemas.
        accepts: What the template accepts as it is: see `Facts`.
        tracked: Whether texts that are moved or joined keep their origin.
        sort_results: Whether to put the results of calls in the order of the calls, for formats that write no ids.
    """
    messages, tools = plain_messages(messages), plain_tools(tools)
    if sort_results:
        messages = sorted_results(messages)
    right = [
        normalized_message(raw, ("messages", index), accepts, tracked=tracked) for index, raw in enumerate(messages)
    ]
    return right, list(tools) if tools else None


def sorted_results(messages: Sequence[Raw]) -> list[Raw]:
    """Return messages in which the results that follow answers are in the order of their calls; others come last."""
    ordered: list[Raw] = []
    places: dict[str, int] = {}
    for are_results, run in groupby(messages, lambda each: isinstance(each, Mapping) and each.get("role") == "tool"):
        some = list(run)
        if are_results:
            some.sort(key=lambda result: places.get(str(result.get("tool_call_id")), 1))
        else:
            calls = [call for each in takewhile(bool, map(_calls_of, reversed(some))) for call in reversed(each)]
            places = {str(call.get("id")): -place for place, call in enumerate(calls) if isinstance(call, Mapping)}
        ordered += some
    return ordered


def misplaced_results(messages: Sequence[Raw], *, named: bool = False) -> list[int]:
    """Return where results are not in the order of their calls; `named`: of those of one function, that is."""
    ordered = sorted_results(messages)
    if not named:
        return [at for at, each in enumerate(ordered) if each is not messages[at]]
    names = {str(call.get("id")): _name_of(call) for each in messages for call in _calls_of(each)}

    def by_name(some: Sequence[Raw]) -> list[tuple[int, Raw]]:
        return sorted(enumerate(some), key=lambda at: names.get(str(at[1].get("tool_call_id")), ""))

    pairs = zip(by_name(messages), by_name(ordered), strict=True)
    return sorted(at for (at, one), (_, other) in pairs if one is not other)


def _name_of(call: Raw) -> str:
    return str(call.get("function", call).get("name"))


def _calls_of(message: Any) -> Sequence[Any]:
    calls = message.get("tool_calls") if isinstance(message, Mapping) else None
    return calls if is_list(calls) else ()


def normalized_message(
    raw: Raw, where: Path, accepts: Collection[str], *, tracked: bool, limits: Limits = DEFAULT
) -> Raw:
    """Return one message as a template sees it; arguments given as text that are nested too deeply are refused."""
    changed: dict[str, Any] = {}
    content = raw.get("content")
    if content is None and "content" in raw and "null" not in accepts:
        changed["content"] = ""
    elif is_list(content) and not (content and "parts" in accepts):
        path = (*where, "content")
        texts = [
            (plain_str(each["text"]), (*path, at, "text")) for at, each in enumerate(content) if is_text_part(each)
        ]
        changed["content"] = joined_texts(texts, path, "\n", tracked=tracked)
    calls = raw.get("tool_calls")
    if is_list(calls) and not (calls and "argument_text" in accepts):
        path = (*where, "tool_calls")
        read = [_normalized_call(call, (*path, at), limits, tracked=tracked) for at, call in enumerate(calls)]
        changed["tool_calls"] = read or None
    return without_nulls({**raw, **changed})


def without_nulls(message: dict[str, Any]) -> Raw:
    """Return a message without the fields that are None: to templates, null is another word for absent."""
    return {name: value for name, value in message.items() if value is not None or name == "content"}


def joined_texts(texts: Sequence[tuple[str, Path]], where: Path, between: str, *, tracked: bool) -> str:
    """Return the texts of parts, given with their paths, as one; `where` is the path of the content."""
    if tracked and len(texts) == 1:
        return given(*texts[0])
    joined = between.join(text for text, _ in texts)
    return given(joined, where, TRANSFORMED) if tracked else joined


def is_text_part(part: Any) -> bool:
    """Return whether a part of a content is text."""
    return isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _normalized_call(call: Any, where: Path, limits: Limits, *, tracked: bool) -> Any:
    if not isinstance(call, Mapping):
        return call
    nested = call.get("function")
    if isinstance(nested, Mapping):
        right = _normalized_function(nested, (*where, "function"), limits, tracked=tracked)
        return call if right is nested else {**call, "function": right}
    return _normalized_function(call, where, limits, tracked=tracked)


def _normalized_function(function: Raw, where: Path, limits: Limits, *, tracked: bool) -> Raw:
    value = function.get("arguments")
    if "arguments" not in function or not (value is None or isinstance(value, str)):
        return function
    if not value:
        return {**function, "arguments": {}}
    read = read_object(value)
    if read is None:
        return function
    path = (*where, "arguments")
    limits.check_value(read, path)
    return {**function, "arguments": located(read, path) if tracked else read}


def read_object(text: str) -> dict[str, Any] | None:
    """Return the object that a JSON text encodes; None if there is none: a model may have written anything."""
    bare = text.strip(" \t\n\r")
    try:
        value, end = _decoder()(bare)
    except (ValueError, RecursionError):
        return None
    return value if end == len(bare) and isinstance(value, dict) else None


@cache
def _decoder() -> Callable[[str], tuple[Any, int]]:
    # Importing lect does not need json. Its `loads` takes twice as long: it skips white space by regular expressions.
    import json

    return json.JSONDecoder().raw_decode


def located(value: Any, where: Path) -> Any:
    """Return a value that was read from the text of the field `where`, with that origin for every text in it."""
    if isinstance(value, str):
        return given(value, where, TRANSFORMED)
    if isinstance(value, dict):
        return {located(key, where): located(item, where) for key, item in value.items()}
    if isinstance(value, list):
        return [located(item, where) for item in value]
    return value
