"""The turns of conversations as data sets have them, by format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, NoReturn, TypeGuard

from lect.addon import objects
from lect.errors import MessageError, saferepr

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
NEEDED = {"name", "arguments"}
CALL_FIELDS = {*NEEDED, "function"}
"""What such a call must have, and what it may have only in a message."""
ANSWERS = ("completion", "response")
"""What data sets call the answer to a `prompt`."""
ROW_FIELDS = {
    "alpaca": ("instruction", "input", "output", "history"),
    "pairs": ("src", "tgt", "context"),
    "prompt": ("prompt", *ANSWERS),
}
"""The fields that a format reads in rows without `messages` or the like."""


def reader_of(name: Any) -> Callable[[Any], Iterator[Raw]]:
    """Return the function that reads rows of a format."""
    if not isinstance(name, str) or name not in FORMATS:
        refuse(f"format is {saferepr(name)}", f"one of {', '.join(FORMATS)}")
    return FORMATS[name]


def recognised(data: Any) -> str:
    """Return the name of the format, going by the fields of the row and of its first turn."""
    if isinstance(data, Mapping) and not any(key in data for key in TURNS):
        marks = {"instruction": "alpaca", "src": "pairs", "prompt": "prompt", "chosen": "prompt"}
        name = next((marks[key] for key in marks if key in data), None)
    else:
        turns, place = _listed(data)
        name = _mark(turns[0]) if turns else None
        if name == "pairs":
            name = _lists_are(turns, place or "the row")
    if name is None:
        refuse(f"{saferepr(data)} is not a conversation in a known format", _advice(data))
    return name


def _advice(data: Any) -> str:
    """Return what to do about a row that is not recognised: perhaps its turns have a name that nobody else uses."""
    for name, value in data.items() if isinstance(data, Mapping) else ():
        if isinstance(name, str) and is_list(value) and len(value) and _mark(value[0]) not in (None, "pairs"):
            return f"lect.messages(row[{name!r}]), or columns={{'messages': {name!r}}} for a whole data set"
    return f"one row, or format= one of {', '.join(FORMATS)}"


def _mark(turn: Any) -> str | None:
    """Return the name of the format that has such turns."""
    if not isinstance(turn, Mapping):
        return "pairs" if is_list(turn) else None
    marks = {"role": "openai", "from": "sharegpt", "input": "xtuner", "output": "xtuner"}
    return next((marks[key] for key in marks if key in turn), None)


def _lists_are(turns: Sequence[Any], place: str) -> str:
    """Return the name of the format of turns that are lists: all begin with a role, or none does.

    Raises:
        MessageError: If some of them do, or their texts are the names of roles too.
    """
    spoken = [[_role(text) is not None for text in turn] for turn in turns if is_list(turn)]
    begin = [roles[:1] == [True] for roles in spoken]
    if any(begin) and (not all(begin) or all(roles == [True, True] for roles in spoken)):
        refuse(
            f"{place} is {saferepr(turns)}: roles and texts, or questions and answers?",
            'turns such as {"role": "user", "content": ...}, or {"src": [questions], "tgt": [answers]};'
            ' in Python also format="turns" or format="pairs"',
        )
    return "turns" if any(begin) else "pairs"


def _role(text: Any) -> str | None:
    """Return the speaker that a text names, as in `USER` or `Human:`."""
    speaker = text.strip().removesuffix(":").casefold() if isinstance(text, str) else None
    return speaker if speaker == CALL or speaker in SHAREGPT_ROLES else None


# The formats


def _openai(data: Any, place: str = "") -> Iterator[Raw]:
    for turn, at in _turns(data, place):
        _text(turn, "role", at)
        if turn.get("content") is None and not turn.get("tool_calls"):
            _text(turn, "content", at)
        message = dict(objects.plain_messages(turn))
        if message.get("loss_mask") is not None:
            weigh(message, message.pop("loss_mask"), f"{at}.loss_mask")
        yield message


def _sharegpt(data: Any, place: str = "") -> Iterator[Raw]:
    for turn, at in _turns(data, place):
        speaker, value = _text(turn, "from", at), _text(turn, "value", at)
        message = _spoken(speaker, value, f"{at}.from", f"{at}.value")
        _keep(message, turn, ("from", "value"), at)
        yield message


def _spoken(speaker: str, text: str, speaker_at: str, text_at: str) -> Raw:
    """Return the message of a speaker of ShareGPT."""
    if speaker == CALL:
        return {"role": "assistant", "content": None, "tool_calls": _calls(text, text_at)}
    if speaker not in SHAREGPT_ROLES:
        unexpected(speaker_at, speaker, f"one of {', '.join((*SHAREGPT_ROLES, CALL))}")
    return {"role": SHAREGPT_ROLES[speaker], "content": text}


def _lists(data: Any) -> Iterator[Raw]:
    turns, place = _listed(data)
    for index, turn in enumerate(turns):
        at = f"{place}[{index}]"
        if not is_list(turn) or len(turn) != 2:
            unexpected(at, turn, "a role and a text")
        for position, text in enumerate(turn):
            if not isinstance(text, str):
                unexpected(f"{at}[{position}]", text, "text")
        speaker, text = turn
        yield _spoken(_role(speaker) or speaker, text, f"{at}[0]", f"{at}[1]")


def _keep(message: Raw, turn: Mapping[str, Any], read: tuple[str, ...], at: str) -> None:
    """Add the other fields of a turn to its message."""
    for name, value in turn.items():
        if name in read or value is None:  # Arrow gives every turn the fields of all turns.
            continue
        if name in ("weight", "loss_mask"):
            weigh(message, value, f"{at}.{name}")
        elif name in message:
            unexpected(f"{at}.{name}", value, f"nothing beside {' and '.join(read)}")
        else:
            message[name] = value


def weigh(message: Raw, weight: Any, at: str) -> None:
    """Multiply the weight of a message.

    Who masks turns by these fields trains no roles but the assistant's, so a 1 elsewhere states nothing.
    """
    own = message.get("weight")
    for value in (weight, 1 if own is None else own):
        if not (isinstance(value, int | float) and 0 <= value < inf):
            unexpected(at, value, "true, false or a number that is not negative")
    if weight != 1 or message["role"] == "assistant":
        message["weight"] = weight if own is None else weight * own


def _calls(text: str, at: str) -> list[Raw]:
    """Read one call, or a list of them."""
    import json

    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    calls = read if isinstance(read, list) else [read]
    if not calls or not all(isinstance(call, dict) and call.keys() & CALL_FIELDS == NEEDED for call in calls):
        unexpected(at, text, 'a call such as {"name": "f", "arguments": {}}')
    return [as_call(**call) for call in calls]


def as_call(name: Any, arguments: Any, **others: Any) -> Raw:
    """Return a call as messages have it."""
    return {**others, "type": "function", "function": {"name": name, "arguments": arguments}}


def _alpaca(data: Any) -> Iterator[Raw]:
    if not isinstance(data, Mapping):
        unexpected("the row", data, "a mapping with instruction and output")
    history = data.get("history") or []
    if not is_list(history):
        unexpected("history", history, "a list of questions and answers")
    for index, pair in enumerate(history):
        yield from _pair(pair, f"history[{index}]", is_last=False)
    question = _text(data, "instruction")
    if data.get("input") not in (None, ""):
        question += "\n" + _text(data, "input")
    yield {"role": "user", "content": question}
    if data.get("output") is not None:
        yield {"role": "assistant", "content": _text(data, "output")}


def _pairs(data: Any) -> Iterator[Raw]:
    if isinstance(data, Mapping) and "src" in data:
        yield from system_of(data.get("context"), "context")
        place = ""
        pairs: Sequence[Any] = list(_zipped(data))
    else:
        pairs, place = _listed(data)
    for index, pair in enumerate(pairs):
        yield from _pair(pair, f"{place}[{index}]", is_last=index == len(pairs) - 1)


def _zipped(data: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    questions, answers = _texts(data, "src"), _texts(data, "tgt")
    if len(questions) != len(answers):
        unexpected("tgt", answers, f"as many texts as src has, {len(questions)}")
    return zip(questions, answers, strict=True)


def _texts(data: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = data.get(key)
    if isinstance(value, str):
        return [value]
    if not is_list(value):
        unexpected(key, value, "text, or a list of texts")
    return value


def _pair(pair: Any, at: str, *, is_last: bool) -> Iterator[Raw]:
    if not is_list(pair) or not (len(pair) == 2 or (is_last and len(pair) == 1)):
        unexpected(at, pair, f"a question and an answer{', or a question' if is_last else ''}")
    for place, (role, text) in enumerate(zip(("user", "assistant"), pair, strict=False)):
        if not isinstance(text, str):
            unexpected(f"{at}[{place}]", text, "text")
        yield {"role": role, "content": text}


def _xtuner(data: Any) -> Iterator[Raw]:
    for turn, at in _turns(data):
        yield from system_of(turn, at)
        # A text to be trained on as it is has no question.
        if turn.get("input"):
            yield {"role": "user", "content": _text(turn, "input", at)}
        answer: Raw = {"role": "assistant", "content": _text(turn, "output", at)}
        if "output_with_loss" in turn:
            answer["loss"] = turn["output_with_loss"]
        _keep(answer, turn, ("system", "input", "output", "output_with_loss"), at)
        yield answer


def _prompt(data: Any) -> Iterator[Raw]:
    if not isinstance(data, Mapping):
        unexpected("the row", data, "a mapping with prompt, completion, chosen or rejected")
    prompt = said(data.get("prompt"), "prompt", "user")
    answered = [message for name in ANSWERS for message in said(data.get(name), name, "assistant")]
    if all(data.get(name) is not None for name in ANSWERS):
        refuse(f"{saferepr(data)} has {' and '.join(ANSWERS)}", "one of them")
    for message in prompt if answered else ():
        # Only the completion is trained.
        if message["role"] == "assistant":
            weigh(message, 0, "prompt")
    yield from prompt
    yield from answered


def said(value: Any, place: str, role: str) -> list[Raw]:
    """Read a field of a row: a text, which this role says, one turn, or a list of turns."""
    value = objects.dumped(value)
    if value is None or isinstance(value, str):
        return [] if value is None else [{"role": role, "content": value}]
    turns = [value] if isinstance(value, Mapping) else value
    if not is_list(turns):
        unexpected(place, value, "text, or a list of messages")
    read = _sharegpt if turns and _mark(objects.dumped(turns[0])) == "sharegpt" else _openai
    return list(read(turns, place))


FORMATS: dict[str, Callable[[Any], Iterator[Raw]]] = {
    "openai": _openai,
    "sharegpt": _sharegpt,
    "turns": _lists,
    "alpaca": _alpaca,
    "pairs": _pairs,
    "xtuner": _xtuner,
    "prompt": _prompt,
}
"""The functions that read a row, by the name of its format."""


# Shared by all formats


def _listed(data: Any, place: str = "") -> tuple[Sequence[Any], str]:
    """Return the turns of a row, and the field that they are in."""
    turns = data
    if isinstance(data, Mapping):
        found = [key for key in TURNS if key in data]
        if len(found) != 1:
            refuse(f"{saferepr(data)} has {' and '.join(found) or 'no turns'}", f"one of {', '.join(TURNS)}")
        place = found[0]
        turns = data[place]
    if not is_list(turns):
        unexpected(place or "the row", turns, "a list of turns")
    return [objects.dumped(turn) for turn in turns], place


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """Return whether a value is a list of some kind, and not text."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)


def _turns(data: Any, place: str = "") -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield the turns of a row, each with what errors call it."""
    turns, place = _listed(data, place)
    for index, turn in enumerate(turns):
        at = f"{place}[{index}]"
        if not isinstance(turn, Mapping):
            unexpected(at, turn, "a mapping")
        yield turn, at


def system_of(data: Any, at: str = "") -> Iterator[Raw]:
    """Yield the system message that a row, or a part of it, has in a field of its own."""
    if isinstance(data, Mapping) and data.get("system") not in (None, ""):
        yield {"role": "system", "content": _text(data, "system", at)}


def _text(turn: Mapping[str, Any], key: str, at: str = "") -> str:
    place = f"{at}.{key}" if at else key
    if key not in turn:
        refuse(f"{place} is missing")
    value = turn[key]
    if not isinstance(value, str):
        unexpected(place, value, "text")
    return value


def unexpected(at: str, value: Any, expected: str) -> NoReturn:
    """Raise a MessageError for the value of a field."""
    refuse(f"{at} is {saferepr(value)} ({type(value).__name__}); expected {expected}")


def refuse(what: str, instead: str = "") -> NoReturn:
    """Raise a MessageError."""
    raise MessageError(f"{what}\n  try: {instead}" if instead else what)
