"""Plain chats in Arrow columns to a column of prompts, without a Python object for each text.

All texts and literals are gathered in the order of the prompts by one `take`. Its data buffer already is the prompts,
one after the other; only the offsets of the rows are picked from its own.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lect_data.turns import turn_of
from lect_rows import MEDIA_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from lect import Row
    from lect_data.deviations import Deviation
    from lect_data.frames import Frame
    from lect_data.turns import Turn

    FrameOf = Callable[[tuple[Turn, ...]], Frame | None]

READ = (
    "tools", "system", "chosen", "rejected", "weights", "weight", "loss_mask", "conversations", "conversation",
    *MEDIA_COLUMNS,
)  # fmt: skip
"""What `lect.row` reads in a row beside its `messages`."""
LONGEST_TEXT, MOST_MESSAGES = 1 << 20, 1000
"""Whatever is larger may be over the limits of a prompt."""
MOST_ROLES = 256
SURROGATE = re.compile("[\ud800-\udfff]")


class PlainChats(NamedTuple):
    """The chats of a batch: that of row `i` has the texts from `starts[i]` to `starts[i + 1]`."""

    starts: list[int]
    roles: bytes
    """The number of a role, or of another turn, for each text."""
    names: Sequence[Turn]
    """These by number."""
    texts: pa.Array
    absent: set[int]
    """The rows without a chat."""
    rows: Sequence[Row | None] | None = None
    """The rows, if they were read: their parts say more than their texts."""

    def rows_with(self, is_so: pa.Array) -> set[int]:
        """Return the rows with a text for which something is so."""
        if not pc.any(is_so).as_py():
            return set()
        return {bisect_right(self.starts, place) - 1 for place in compress(range(len(is_so)), is_so.to_pylist())}

    def rows_containing(self, words: Collection[str]) -> set[int]:
        """Return the rows with one of the words in a text."""
        pattern = "|".join(map(_escaped, words))
        return self.rows_with(pc.match_substring_regex(self.texts, pattern)) if words else set()

    def messages(self) -> Iterator[list[dict[str, Any]] | None]:
        """Yield the messages of each row; None where it has none, or a text is null."""
        texts = self.texts.to_pylist()
        unfit = self.absent | (self.rows_with(self.texts.is_null()) if self.texts.null_count else set())
        for row, start, end in self.bounds():
            turns = zip(self.roles[start:end], texts[start:end], strict=True)
            is_fit = start < end and row not in unfit
            yield [{"role": self.names[role], "content": text} for role, text in turns] if is_fit else None

    def roles_of(self, row: int) -> tuple[Turn, ...]:
        """Return the roles of a row; their numbers are others in another batch."""
        return tuple(self.names[role] for role in self.roles[self.starts[row] : self.starts[row + 1]])

    def messages_of(self, row: int) -> Sequence[Mapping[str, Any]]:
        """Return the messages of a row that has a chat."""
        if self.rows is not None and (known := self.rows[row]) is not None:
            return known.messages
        start, end = self.starts[row : row + 2]
        turns = zip(self.roles[start:end], self.texts[start:end].to_pylist(), strict=True)
        return [{"role": self.names[role], "content": text} for role, text in turns]

    def bounds(self) -> Iterator[tuple[int, int, int]]:
        """Yield the rows, and where the texts of each begin and end."""
        return zip(range(len(self.starts)), self.starts, self.starts[1:], strict=False)


class Prompts(NamedTuple):
    """The prompts of some rows of a batch."""

    rows: list[int]
    texts: pa.Array
    turns: list[int]
    deviations: list[Sequence[Deviation]]
    unused: list[Sequence[str]]
    """The roles of the messages that are not in each."""
    due: list[int]
    """Which of them are to be compared with what the template itself writes."""


def plain_chats(batch: pa.RecordBatch) -> PlainChats | None:
    """Return the chats of a batch if its rows are nothing but roles and texts, as far as `lect.row` reads them."""
    names = batch.schema.names
    if "messages" not in names or any(name in names and batch.column(name).null_count < len(batch) for name in READ):
        return None
    column = batch.column("messages")
    if not pa.types.is_list(column.type) or not pa.types.is_struct(column.type.value_type):
        return None
    kinds = {field.name: field.type for field in column.type.value_type}
    if not _is_text(kinds.pop("role", None)) or not _is_text(kinds.pop("content", None)):
        return None
    starts = column.offsets.to_pylist()
    turns = column.values.slice(starts[0], starts[-1] - starts[0])
    roles, texts = turns.field("role"), turns.field("content")
    if turns.null_count or roles.null_count or any(turns.field(name).null_count < len(turns) for name in kinds):
        return None
    coded = roles.dictionary_encode()
    if not len(turns) or len(coded.dictionary) > MOST_ROLES:
        return None
    numbers = coded.indices.cast(pa.uint8()).buffers()[1].to_pybytes()
    absent = set(compress(range(len(column)), column.is_null().to_pylist())) if column.null_count else set()
    starts = [start - starts[0] for start in starts]
    return PlainChats(starts, numbers, coded.dictionary.to_pylist(), texts.cast(pa.large_string()), absent)


def chats_of(rows: Sequence[Row | None]) -> PlainChats:
    """Return the chats of rows that were read, where they are nothing but turns and texts; the others are absent."""
    starts, roles = [0], bytearray()
    numbers: dict[Turn, int] = {}
    texts: list[str] = []
    absent = set()
    for place, row in enumerate(rows):
        turns = None if row is None or len(numbers) + len(row.messages) > MOST_ROLES else _plain_turns(row)
        if turns is None:
            absent.add(place)
        else:
            texts += [text for _, text in turns]
            roles += bytes(numbers.setdefault(turn, len(numbers)) for turn, _ in turns)
        starts.append(len(texts))
    return PlainChats(starts, bytes(roles), [*numbers], pa.array(texts, pa.large_string()), absent, rows)


def _plain_turns(row: Row) -> list[tuple[Turn, str]] | None:
    """Return the messages of a row as turns and texts; None if there is more to them."""
    if row.tools or row.weights is not None or row.chosen or row.rejected:
        return None
    turns = []
    for message in row.messages:
        turn = turn_of(message)
        if turn is None or (not turn[1].isascii() and SURROGATE.search(turn[1])):  # Arrow cannot hold it.
            return None
        turns.append(turn)
    return turns


def _is_text(kind: pa.DataType | None) -> bool:
    return kind is not None and (pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _escaped(word: str) -> str:
    """Return a word as a pattern of RE2."""
    return "".join(f"\\{each}" if each.isascii() and not each.isalnum() else each for each in word)


def write_prompts(chats: PlainChats, frame_of: FrameOf, avoid: Sequence[str] = ()) -> Prompts:
    """Write the prompts of the chats for which the frame of their roles holds, and no text contains a word to avoid."""
    lengths = pc.binary_length(chats.texts)
    unfit = chats.absent | chats.rows_with(pc.fill_null(pc.greater(lengths, LONGEST_TEXT), fill_value=True))
    unfit |= chats.rows_containing(avoid)
    with_empty = chats.rows_with(pc.equal(lengths, 0))
    with_words: dict[frozenset[str], set[int]] = {frozenset(): set()}
    plans = _Plans(chats, frame_of)
    pieces, ends = array("q"), array("q", [0])
    rows: list[int] = []
    turns: list[int] = []
    deviations: list[Sequence[Deviation]] = []
    due: list[int] = []
    unused: list[Sequence[str]] = []
    for row, start, end in chats.bounds():
        plan = plans.of(chats.roles[start:end])
        if plan is None or row in unfit:
            continue
        frame, literals = plan.frame, plan.pieces
        if frame.never not in with_words:
            with_words[frame.never] = chats.rows_containing(frame.never)
        if row in with_words[frame.never] or (frame.never_empty and row in with_empty):
            continue
        placed = range(start, start + frame.turns) if plan.is_plain else plans.placed(frame, start)
        if placed is None:
            continue
        literals[1::2] = placed
        pieces.extend(literals)
        ends.append(len(pieces))
        if frame.is_due():
            due.append(len(rows))
        rows.append(row)
        turns.append(frame.turns)
        deviations.append(frame.deviations)
        unused.append(plan.unused)
    return Prompts(rows, _joined(plans.all_texts(), pieces, ends), turns, deviations, unused, due)


def _joined(texts: pa.Array, pieces: array[int], ends: array[int]) -> pa.Array:
    """Return the pieces of each row joined; each row ends before the piece that `ends` says, and the next begins."""
    gathered = texts.take(_numbers(pieces))
    _, offsets, data = gathered.buffers()
    places = pa.Array.from_buffers(pa.int64(), len(gathered) + 1, [None, offsets])
    chosen = places.take(_numbers(ends)).buffers()[1]
    return pa.Array.from_buffers(pa.large_string(), len(ends) - 1, [None, chosen, data])


def _numbers(numbers: array[int]) -> pa.Array:
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


class _Plan(NamedTuple):
    """How the prompts of one sequence of roles are put together."""

    frame: Frame
    pieces: list[int]
    """The places of the literals among all texts, with room for those of the messages."""
    unused: list[str]
    """The roles of messages that are not in the prompt."""
    is_plain: bool
    """Whether all texts are written in order and as they are."""


class _Plans:
    """The plans for a batch, and what their prompts need besides its texts."""

    def __init__(self, chats: PlainChats, frame_of: FrameOf):
        self._chats = chats
        self._frame_of = frame_of
        self._plans: dict[bytes, _Plan | None] = {}
        self._added: list[str] = []
        self._values: list[str] | None = None

    def all_texts(self) -> pa.Array:
        """Return the texts of the batch, and behind them those that the plans have added."""
        return pa.concat_arrays([self._chats.texts, pa.array(self._added, pa.large_string())])

    def of(self, roles: bytes) -> _Plan | None:
        """Return the plan for a sequence of roles; None if every prompt must be written by itself."""
        if roles not in self._plans:
            self._plans[roles] = self._made(tuple(self._chats.names[role] for role in roles))
        return self._plans[roles]

    def _made(self, roles: tuple[Turn, ...]) -> _Plan | None:
        frame = self._frame_of(roles) if 0 < len(roles) <= MOST_MESSAGES else None
        if frame is None:
            return None
        pieces = [0] * (len(frame.literals) + len(frame.order))
        pieces[::2] = self._places(frame.literals)
        left_out = [role for index, role in enumerate(roles[: frame.turns]) if index not in frame.order]
        unused = [role for role in left_out if isinstance(role, str)]
        if len(unused) < len(left_out):
            return None  # What is in the parts is not known here.
        return _Plan(frame, pieces, unused, frame.order == [*range(frame.turns)] and not any(frame.edits))

    def _places(self, texts: Iterable[str]) -> Iterator[int]:
        for text in texts:
            self._added.append(text)
            yield len(self._chats.texts) + len(self._added) - 1

    def placed(self, frame: Frame, start: int) -> list[int] | None:
        """Return where the texts of a row are, as the frame writes them; None if it does not hold for them."""
        if self._values is None:
            self._values = self._chats.texts.to_pylist()
        places = [start + index for index in frame.order]
        for index, edit in enumerate(frame.edits):
            if edit is not None:
                text = self._values[places[index]]
                edited = edit(text)
                if not edited and frame.never_empty:
                    return None
                if edited != text:
                    (places[index],) = self._places([edited])
        return places
