"""Reading the conversations of data sets as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeGuard

from lect.errors import MessageError, saferepr
from lect.objects import dumped, plain_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Raw = dict[str, Any]
TURNS = ("messages", "conversations", "conversation")
"""What data sets call the turns of a row; a row may also be the turns themselves."""
SHAREGPT_ROLES = {
    "system": "system",
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "observation": "tool",
    "tool": "tool",
}
"""The roles that ShareGPT's `from` stands for."""
CALL = "function_call"


def messages(data: Any, format: str | None = None, row: int | None = None) -> list[Raw]:  # noqa: A002  # the usual name
    """Read one conversation; see `lect.messages`."""
    try:
        if isinstance(data, str | bytes | bytearray):
            data = _json(data)
        data = dumped(data)
        found = list(_reader(format or _recognised(data))(data))
        if not found:
            _refuse("there is no message in it")
    except MessageError as error:
        if row is None:
            raise
        msg = f"row {row}: {error}"
        raise MessageError(msg) from None
    return found


def _json(text: str | bytes | bytearray) -> Any:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        _refuse(f"{saferepr(text)} is not JSON: {error}", "a line of a JSONL file, or its value")


def _reader(name: Any) -> Callable[[Any], Iterator[Raw]]:
    if not isinstance(name, str) or name not in FORMATS:
        _refuse(f"format is {saferepr(name)}", f"one of {', '.join(FORMATS)}")
    return FORMATS[name]


def _recognised(data: Any) -> str:
    """Return the name of the format, going by the fields of the row and of its first turn."""
    if isinstance(data, Mapping) and not any(key in data for key in TURNS):
        name = "alpaca" if "instruction" in data else "pairs" if "src" in data else None
    else:
        turns, _ = _listed(data)
        name = _mark(turns[0]) if turns else None
    if name is None:
        _refuse(
            f"{saferepr(data)} is not a conversation in a known format",
            f"one row, or format= one of {', '.join(FORMATS)}",
        )
    return name


def _mark(turn: Any) -> str | None:
    """Return the name of the format that has such turns."""
    if not isinstance(turn, Mapping):
        return "pairs" if _is_list(turn) else None
    marks = {"role": "openai", "from": "sharegpt", "input": "xtuner", "output": "xtuner"}
    return next((marks[key] for key in marks if key in turn), None)


# The formats


def _openai(data: Any) -> Iterator[Raw]:
    for turn, at in _turns(data):
        _text(turn, "role", at)
        if turn.get("content") is None and not turn.get("tool_calls"):
            _text(turn, "content", at)
        yield dict(plain_messages(turn))


def _sharegpt(data: Any) -> Iterator[Raw]:
    yield from _system(data)
    for turn, at in _turns(data):
        speaker, value = _text(turn, "from", at), _text(turn, "value", at)
        if speaker == CALL:
            yield {"role": "assistant", "content": "", "tool_calls": _calls(value, f"{at}.value")}
        elif speaker in SHAREGPT_ROLES:
            yield {"role": SHAREGPT_ROLES[speaker], "content": value}
        else:
            _unexpected(f"{at}.from", speaker, f"one of {', '.join((*SHAREGPT_ROLES, CALL))}")


def _calls(text: str, at: str) -> list[Raw]:
    """Read one call, or a list of them."""
    import json

    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    calls = read if isinstance(read, list) else [read]
    if not all(isinstance(call, dict) and {"name", "arguments"} <= call.keys() for call in calls):
        _unexpected(at, text, 'a call such as {"name": "f", "arguments": {}}')
    return [{"type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}} for call in calls]


def _alpaca(data: Any) -> Iterator[Raw]:
    if not isinstance(data, Mapping):
        _unexpected("the row", data, "a mapping with instruction and output")
    yield from _system(data)
    for index, pair in enumerate(data.get("history") or ()):
        yield from _pair(pair, f"history[{index}]", is_last=False)
    question = _text(data, "instruction")
    if data.get("input"):
        question += "\n" + _text(data, "input")
    yield {"role": "user", "content": question}
    if data.get("output") is not None:
        yield {"role": "assistant", "content": _text(data, "output")}


def _pairs(data: Any) -> Iterator[Raw]:
    if isinstance(data, Mapping) and "src" in data:
        yield from _system(data.get("context"), "context")
        place = ""
        pairs: Sequence[Any] = list(_zipped(data))
    else:
        pairs, place = _listed(data)
    for index, pair in enumerate(pairs):
        yield from _pair(pair, f"{place}[{index}]", is_last=index == len(pairs) - 1)


def _zipped(data: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    questions, answers = _texts(data, "src"), _texts(data, "tgt")
    if len(questions) != len(answers):
        _unexpected("tgt", answers, f"as many texts as src has, {len(questions)}")
    return zip(questions, answers, strict=True)


def _texts(data: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = data.get(key)
    if isinstance(value, str):
        return [value]
    if not _is_list(value):
        _unexpected(key, value, "text, or a list of texts")
    return value


def _pair(pair: Any, at: str, *, is_last: bool) -> Iterator[Raw]:
    if not _is_list(pair) or not (len(pair) == 2 or (is_last and len(pair) == 1)):
        _unexpected(at, pair, f"a question and an answer{', or a question' if is_last else ''}")
    for place, (role, text) in enumerate(zip(("user", "assistant"), pair, strict=False)):
        if not isinstance(text, str):
            _unexpected(f"{at}[{place}]", text, "text")
        yield {"role": role, "content": text}


def _xtuner(data: Any) -> Iterator[Raw]:
    for turn, at in _turns(data):
        yield from _system(turn, at)
        # A text to be trained on as it is has no question.
        if turn.get("input"):
            yield {"role": "user", "content": _text(turn, "input", at)}
        answer: Raw = {"role": "assistant", "content": _text(turn, "output", at)}
        if "output_with_loss" in turn:
            answer["loss"] = turn["output_with_loss"]
        yield answer


FORMATS = {"openai": _openai, "sharegpt": _sharegpt, "alpaca": _alpaca, "pairs": _pairs, "xtuner": _xtuner}
"""The functions that read a row, by the name of its format."""


# Shared by all formats


def _listed(data: Any) -> tuple[Sequence[Any], str]:
    """Return the turns of a row, and the field that they are in."""
    place, turns = "", data
    if isinstance(data, Mapping):
        found = [key for key in TURNS if key in data]
        if len(found) != 1:
            _refuse(f"{saferepr(data)} has {' and '.join(found) or 'no turns'}", f"one of {', '.join(TURNS)}")
        place = found[0]
        turns = data[place]
    if not _is_list(turns):
        _unexpected(place or "the row", turns, "a list of turns")
    return [dumped(turn) for turn in turns], place


def _is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)


def _turns(data: Any) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield the turns of a row, each with what errors call it."""
    turns, place = _listed(data)
    for index, turn in enumerate(turns):
        at = f"{place}[{index}]"
        if not isinstance(turn, Mapping):
            _unexpected(at, turn, "a mapping")
        yield turn, at


def _system(data: Any, at: str = "") -> Iterator[Raw]:
    if isinstance(data, Mapping) and data.get("system"):
        yield {"role": "system", "content": _text(data, "system", at)}


def _text(turn: Mapping[str, Any], key: str, at: str = "") -> str:
    place = f"{at}.{key}" if at else key
    if key not in turn:
        _refuse(f"{place} is missing")
    value = turn[key]
    if not isinstance(value, str):
        _unexpected(place, value, "text")
    return value


def _unexpected(at: str, value: Any, expected: str) -> NoReturn:
    _refuse(f"{at} is {saferepr(value)} ({type(value).__name__}); expected {expected}")


def _refuse(what: str, instead: str = "") -> NoReturn:
    msg = f"{what}\n  try: {instead}" if instead else what
    raise MessageError(msg)
