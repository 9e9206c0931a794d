"""The values that a template is given: plain JSON, or the same with every text and number knowing its field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lect.errors import MessageError, saferepr
from lect.plugin import Input, given, plain_str
from lect_jinja.engine.strings import TRANSFORMED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Path = tuple[str | int, ...]

DEEPEST = 128
EACH = 1
"""How deep each message is in the list of all: one that is not plain does not concern the others."""
_LEAVES = frozenset({str, Input, int, float, bool, type(None)})
KNOWN_KEYS = frozenset({
    "role", "content", "type", "text", "function", "name", "arguments", "id", "tool_calls", "tool_call_id",
    "reasoning_content", "thinking", "reasoning",
})  # fmt: skip
"""Names of fields that are the same in every message; as keys they are not the caller's text."""


def _is_plain(value: Any, depth: int) -> bool:
    """Return whether a value is plain JSON, nested no deeper than is allowed."""
    if depth > DEEPEST:
        return False
    items: Iterable[Any]
    if type(value) is dict:
        for key in value:
            if type(key) is not str:
                return False
        items = value.values()
    elif type(value) is list:
        items = value
    else:
        return False
    for item in items:  # noqa: SIM110 - it takes half the time of a generator
        if type(item) not in _LEAVES and not _is_plain(item, depth + 1):
            return False
    return True


def plain(value: Any, path: Path, depth: int = 0) -> Any:
    """Return a value as plain JSON: itself if it is that already.

    Raises:
        MessageError: If it contains anything else, such as an object: a template must not reach its attributes.
    """
    kind = type(value)
    if kind in _LEAVES or (depth <= EACH and _is_plain(value, depth)):
        return value
    if depth > DEEPEST:
        msg = f"{_spelled(path[: -depth or None])} is nested more than {DEEPEST} deep\n  try: a flatter value"
        raise MessageError(msg)
    if isinstance(value, str):
        return plain_str(value)
    if isinstance(value, bool | int | float):
        return int(value) if isinstance(value, int) else float(value)
    if isinstance(value, Mapping):
        return {_key(key): plain(item, (*path, _key(key)), depth + 1) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain(item, (*path, index), depth + 1) for index, item in enumerate(value)]
    msg = (
        f"{_spelled(path)} is {saferepr(value)} ({kind.__name__}), which a chat template cannot take\n"
        "  try: only dicts, lists, text, numbers, booleans and None"
    )
    raise MessageError(msg)


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key if type(key) is str or isinstance(key, Input) else plain_str(key)
    # As JSON writes it.
    return "null" if key is None else str(key).lower() if isinstance(key, bool) else str(key)


def _spelled(path: Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


class InputInt(int):
    """An integer from the caller. What is calculated with it is of unknown origin."""

    path: Path = ()


class InputFloat(float):
    """A float from the caller. What is calculated with it is of unknown origin."""

    path: Path = ()


def _calculating(name: str) -> Callable[..., Any]:
    def calculate(self: Any, *other: Any) -> Any:
        result = getattr(int if isinstance(self, int) else float, name)(self, *other)
        return number(result, ()) if type(result) in (int, float) else result

    return calculate


# The context does all other calculations: only signs, and sums with an integer constant, are written as Python's own.
for _name in ("__add__", "__radd__", "__sub__", "__rsub__", "__neg__", "__pos__"):
    setattr(InputInt, _name, _calculating(_name))
    setattr(InputFloat, _name, _calculating(_name))
INPUT_NUMBERS = frozenset({InputInt, InputFloat})


def number(value: int | float, path: Path) -> InputInt | InputFloat:
    """Return a number that knows its field."""
    known: InputInt | InputFloat = InputInt(value) if isinstance(value, int) else InputFloat(value)
    known.path = path
    return known


class InputRange:
    """What `range` returns for a number from the caller: its numbers are of unknown origin."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: range):
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Any]:
        return (number(each, ()) for each in self.numbers)

    def __reversed__(self) -> Iterator[Any]:
        return (number(each, ()) for each in reversed(self.numbers))

    def __getitem__(self, key: Any) -> Any:
        found = self.numbers[key]
        return InputRange(found) if isinstance(found, range) else number(found, ())

    def __eq__(self, other: object) -> bool:
        return self.numbers == (other.numbers if isinstance(other, InputRange) else other)

    def __hash__(self) -> int:
        return hash(self.numbers)

    def __repr__(self) -> str:
        return repr(self.numbers)


RANGES = frozenset({range, InputRange})


class InputDict(dict[str, Any]):
    """A mapping from the caller. Its values are marked when they are first read."""

    __slots__ = ("complete", "path", "raw")

    def __init__(self, raw: Mapping[str, Any], path: Path):
        super().__init__(raw)
        self.raw = raw
        self.path = path
        self.complete = False

    def __getitem__(self, key: str) -> Any:
        value = dict.__getitem__(self, key)
        if type(value) in MARKED_BY:
            # Most keys are the template's own.
            path = (*self.path, key) if type(key) is str else below(self.path, key)
            value = MARKED_BY[type(value)](value, path)
            dict.__setitem__(self, key, value)
        return value

    def get(self, key: str, default: Any = None, /) -> Any:
        return self[key] if key in self else default  # noqa: SIM401 - this is `get`

    def _complete(self) -> None:
        """Mark all values, and the keys."""
        if self.complete:
            return
        self.complete = True
        known = KNOWN_KEYS if self.path[0] == "messages" and "arguments" not in self.path else ()
        marked = [
            (key if key in known else given(key, below(self.path, key), TRANSFORMED), self[key])
            for key in dict.keys(self)
        ]
        dict.clear(self)
        dict.update(self, marked)

    def __iter__(self) -> Iterator[str]:
        self._complete()
        return dict.__iter__(self)

    def __reversed__(self) -> Iterator[str]:
        self._complete()
        return dict.__reversed__(self)

    def items(self) -> Any:
        self._complete()
        return dict.items(self)

    def keys(self) -> Any:
        self._complete()
        return dict.keys(self)

    def values(self) -> Any:
        self._complete()
        return dict.values(self)


def below(path: Path, key: str) -> Path:
    """Return the path of the value under a key; a mapping that was read from a text has the path of that text."""
    return path if isinstance(key, Input) and key.path == path else (*path, plain_str(key))


class InputList(list[Any]):
    """A list from the caller, with all of its items marked."""

    __slots__ = ("path", "raw")

    def __init__(self, raw: Sequence[Any], path: Path):
        super().__init__([marked(item, (*path, index)) for index, item in enumerate(raw)])
        self.raw = raw
        self.path = path


MARKED_BY: dict[type, Callable[[Any, Path], Any]] = {
    str: given,
    dict: InputDict,
    list: InputList,
    int: number,
    float: number,
}
"""What turns a caller's value, by its type, into one that knows its field."""


def marked(value: Any, path: Path) -> Any:
    """Return a caller's value as one that knows its field. Booleans and None cannot."""
    mark = MARKED_BY.get(type(value))
    return value if mark is None else mark(value, path)
