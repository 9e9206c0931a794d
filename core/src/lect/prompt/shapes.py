"""The shape of a conversation: everything that decides its prompt, except for the texts.

A conversation is taken apart into its shape and its *leaves*: texts, ids, the arguments of calls. Every message is a
step in the shape. The step of a plain message is its role; that of any other is its fields in order, each with what is
known of its value. For a leaf, that is `TEXT` or `JSON`, or for an id its number in the conversation and its length (an
id of a single character is no leaf: it has no stand-in). Values that templates branch on, such as names and types, are
known as they are. From a shape, the conversation can be rebuilt with other leaves; skeletons are learnt from that.
"""

# Annotations are not postponed: a named tuple with string annotations takes twice as long to create.
from collections.abc import Mapping, Sequence
from marshal import dumps, loads
from typing import TYPE_CHECKING, Any, NamedTuple

from lect.prompt.inputs import given
from lect.prompt.limits import DEFAULT
from lect.prompt.put_right import located, read_object
from lect.values import TRANSFORMED, Path

Leaf = Any
"""A text, or the arguments of a call; a caller may also have given something else."""
Fields = tuple[Any, ...]
Shape = tuple[str | Fields, ...]

if TYPE_CHECKING:
    from typing import Protocol

    class Leaves(Protocol):
        """Creates new leaves for a shape, in order, each for its field."""

        def text(self, path: Path, start: int = 0) -> str: ...
        def id(self, path: Path, number: int, length: int) -> str: ...
        def arguments(self, path: Path) -> dict[str, Any]: ...


TEXT, JSON = object(), object()
BY_VALUE = frozenset({"role", "name", "type"})
IDS = frozenset({"id", "tool_call_id"})
LONGEST_NAME = 200
"""Characters: values kept in a shape must not fill the memory."""
EQUAL_BYTES = 2
"""The marshal version in which equal values give equal bytes; in later ones the bytes depend on reference counts."""


OBJECT_SIZE = 64
"""Bytes, roughly, of any Python object without its contents."""


class Request(NamedTuple):
    """What is to be rendered."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] | None
    options: dict[str, Any]
    add_generation_prompt: bool

    def root(self) -> Any:
        """Return a key for everything except the messages.

        Tools and options are marshalled, which takes a tenth of the time of JSON and tells apart values that JSON does
        not.

        Raises:
            ValueError: If they cannot be marshalled.
        """
        asking = bool(self.add_generation_prompt)
        if not (self.tools or self.options):
            return asking
        return asking, dumps((self.tools or None, self.options), EQUAL_BYTES)  # type: ignore[arg-type]


class UnfitError(ValueError):
    """A conversation contains something that no shape has room for, such as content in parts."""


class Taken:
    """One conversation that is being taken apart.

    Args:
        leaves: Where to add the leaves.
        argument_text: Whether the template takes arguments as text if they are given as text.
        opens_arguments: Whether it looks into arguments; then their names are part of the shape, and texts are leaves.
    """

    __slots__ = ("_argument_text", "_ids", "_opens_arguments", "leaves")

    def __init__(self, leaves: list[Leaf], argument_text: bool, opens_arguments: bool):
        self.leaves = leaves
        self._ids: dict[str, int] = {}
        self._argument_text = argument_text
        self._opens_arguments = opens_arguments

    def shape(self, messages: Sequence[Mapping[str, Any]]) -> Shape:
        """Return the shape of a conversation.

        Raises:
            UnfitError: If it has none.
        """
        shape: list[str | Fields] = []
        leaves = self.leaves
        for raw in messages:
            if len(raw) == 2 and "content" in raw:
                leaves.append(raw["content"])
                shape.append(raw["role"])
            else:
                shape.append(self.fields(raw))
        return tuple(shape)

    def fields(self, raw: Mapping[str, Any]) -> Fields:
        """Return the fields of a message that is not plain, or of a call, each with what is known of it.

        Raises:
            UnfitError: If there is one that a shape has no room for.
        """
        step: list[Any] = []
        for name, value in raw.items():
            kind = type(value)
            known = value
            if name == "arguments":
                known = self._arguments(value)
            elif kind is str and name in IDS and len(value) > 1:
                self.leaves.append(value)
                known = self._ids.setdefault(value, len(self._ids)), len(value)
            elif kind is str and value and name not in BY_VALUE and name not in IDS:
                self.leaves.append(value)
                known = TEXT
            elif kind is list and name == "tool_calls":
                known = tuple([self.fields(call) for call in value])
            elif kind is dict and name == "function":
                known = self.fields(value)
            elif not (value is None or kind is bool or (kind is str and len(value) <= LONGEST_NAME)):
                raise UnfitError
            step += name, known
        return tuple(step)

    def _arguments(self, value: Any) -> Any:
        if type(value) is str and self._argument_text:
            if not value:
                return value
            self.leaves.append(value)
            return TEXT
        arguments = (read_object(value) if value else {}) if value is None or type(value) is str else value
        if type(arguments) is not dict:
            raise UnfitError
        if not arguments:
            return None
        for each in arguments.values():
            if type(each) is dict or type(each) is list:
                # Refused arguments have no shape either.
                DEFAULT.check_value(arguments, ("arguments",))
                break
        if not self._opens_arguments:
            self.leaves.append(arguments)
            return JSON
        members: list[Any] = [arguments is not value]
        for name, each in arguments.items():
            if type(each) is str and each:
                self.leaves.append(each)
                members += name, TEXT
            else:
                members += name, dumps(each, EQUAL_BYTES)
        return tuple(members)


def size_of(known: Any) -> int:
    """Return roughly how many bytes a shape, or a part of it, takes."""
    if isinstance(known, tuple):
        return OBJECT_SIZE + sum(map(size_of, known))
    return OBJECT_SIZE + (len(known) if isinstance(known, str | bytes) else 0)


def remade(shape: Shape, leaves: "Leaves") -> list[dict[str, Any]]:
    """Return a conversation of this shape with new leaves."""
    return [
        {"role": step, "content": leaves.text(("messages", index, "content"))}
        if isinstance(step, str)
        else _fields(step, ("messages", index), leaves)
        for index, step in enumerate(shape)
    ]


def _fields(step: Fields, path: Path, leaves: "Leaves") -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, known in zip(step[::2], step[1::2], strict=True):
        where = (*path, name)
        if name == "arguments":
            made[name] = _arguments(known, where, leaves)
        elif known is TEXT:
            made[name] = leaves.text(where)
        elif type(known) is not tuple:
            made[name] = known
        elif name == "tool_calls":
            made[name] = [_fields(call, (*where, index), leaves) for index, call in enumerate(known)]
        elif name == "function":
            made[name] = _fields(known, where, leaves)
        else:
            made[name] = leaves.id(where, *known)
    return made


def _arguments(known: Any, path: Path, leaves: "Leaves") -> Any:
    if known is TEXT:
        return leaves.text(path)
    if known is JSON:
        return leaves.arguments(path)
    if not known:
        return {} if known is None else known
    from_text, *members = known
    made: dict[str, Any] = {}
    for name, value in zip(members[::2], members[1::2], strict=True):
        # A value read from a text has no field of its own: it comes from that text.
        key = given(name, path, TRANSFORMED) if from_text else name
        if value is TEXT:
            made[key] = leaves.text(path, TRANSFORMED) if from_text else leaves.text((*path, name))
        else:
            member = loads(value)  # noqa: S302 - our own bytes
            made[key] = located(member, path) if from_text else member
    return made
