"""Read the metadata of a GGUF file: its chat template, its tokens, its architecture. Weights are never read.

All of the metadata is walked through, and the table of tensors after it, so that a damaged file is refused: with a
wrong count or length, a reader that stops as soon as it has a template may have half of one.
"""

from __future__ import annotations

import os
import sys
from array import array
from struct import Struct
from typing import Any, BinaryIO, NamedTuple, NoReturn

from lect.errors import saferepr
from lect.plugin import open_file
from lect_jinja.files.found import DEFAULT, ModelFiles
from lect_jinja.files.tokens import MOST_ADDED, bounded
from lect_jinja.files.untrusted import TEMPLATE_BYTES, reading, refuse

MAGIC = b"GGUF"
VERSIONS = (2, 3)
METADATA_BYTES = 24 << 20
MOST_KEYS, LONGEST_KEY = 65_536, 65_535
MOST_TEXTS = 1_000_000
"""The largest vocabularies have two thirds as many tokens and merges."""
MOST_TENSORS, LONGEST_NAME, MOST_DIMENSIONS = 100_000, 1024, 4
MOST_ALIGNMENT, USUAL_ALIGNMENT = 1 << 16, 32
UINT32, INT32, BOOL, STRING, ARRAY = 4, 5, 7, 8, 9
_LETTERS = {0: "B", 1: "b", 2: "H", 3: "h", UINT32: "I", INT32: "i", 6: "f", BOOL: "B", 10: "Q", 11: "q", 12: "d"}
SCALARS = {kind: Struct(f"<{letter}") for kind, letter in _LETTERS.items()}
U32, U64 = Struct("<I"), Struct("<Q")
CHUNK = 1 << 20

TEMPLATE = "tokenizer.chat_template"
NAMED_TEMPLATE = f"{TEMPLATE}."
TOKENS, TOKEN_TYPES = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
CONTROL_TOKENS = (3, 4)
"""The types of tokens that a tokenizer does not produce from ordinary text: control and user-defined."""
NAMED_IDS = {
    "bos_token": "tokenizer.ggml.bos_token_id",
    "eos_token": "tokenizer.ggml.eos_token_id",
    "unk_token": "tokenizer.ggml.unknown_token_id",
    "sep_token": "tokenizer.ggml.seperator_token_id",
    "pad_token": "tokenizer.ggml.padding_token_id",
    "mask_token": "tokenizer.ggml.mask_token_id",
}
ENDS = ("tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id")
WANTED = frozenset({
    TEMPLATE, TOKENS, TOKEN_TYPES, "general.architecture", "general.alignment", *NAMED_IDS.values(), *ENDS
})  # fmt: skip


class Texts(NamedTuple):
    """The texts of an array: where each begins. They are decoded on demand."""

    starts: array[int]


class Reader:
    """Reads values from the beginning of a file, and keeps no more of it in memory than needed.

    Args:
        opened: The open file, at its beginning.
        size: How many bytes it has.
        file: Its name in messages.
    """

    def __init__(self, opened: BinaryIO, size: int, file: str):
        self.file = file
        self.size = size
        self.at = 0
        self._opened = opened
        self._data = bytearray()
        self._texts = 0

    def refuse(self, what: str) -> NoReturn:
        """Raise the error about the file."""
        refuse(self.file, f"cannot be read as a GGUF file: {what} (byte {self.at:,})", "download it again")

    def need(self, count: int) -> None:
        """Ensure that the next bytes are in memory.

        Raises:
            ModelFileError: If the file ends too early, or its metadata are too large.
        """
        end = self.at + count
        if end <= len(self._data):
            return
        if end > self.size:
            self.refuse("it ends too early")
        if end > METADATA_BYTES:
            self.refuse(f"its metadata have more than {METADATA_BYTES:,} bytes")
        while len(self._data) < end:
            more = self._opened.read(CHUNK)
            if not more:
                self.refuse("it ends too early")
            self._data += more

    def number(self, kind: Struct) -> Any:
        """Return the next number."""
        self.need(kind.size)
        (value,) = kind.unpack_from(self._data, self.at)
        self.at += kind.size
        return value

    def text(self, longest: int, what: str) -> str:
        """Return the next text."""
        length = self.number(U64)
        if length > longest:
            self.refuse(f"{what} has {length:,} bytes; at most {longest:,} are read")
        try:
            return self.bytes(length).decode()
        except UnicodeDecodeError:
            self.refuse(f"{what} is not UTF-8")

    def text_at(self, start: int) -> str:
        """Return a text that was skipped before."""
        (length,) = U64.unpack_from(self._data, start)
        return self._data[start + 8 : start + 8 + length].decode(errors="replace")

    def skip(self, count: int) -> None:
        """Skip some bytes."""
        self.need(count)
        self.at += count

    def bytes(self, count: int) -> bytes:
        """Return the next bytes."""
        self.need(count)
        data = bytes(self._data[self.at : self.at + count])
        self.at += count
        return data

    def texts(self, count: int) -> Texts:
        """Skip texts, and remember where they are."""
        self._texts += count
        if count * U64.size > self.size - self.at or self._texts > MOST_TEXTS:
            self.refuse(f"an array claims to have {count:,} texts; at most {MOST_TEXTS:,} are allowed")
        starts = array("L")
        unpack, at = U64.unpack_from, self.at
        for _ in range(count):
            starts.append(at)
            # In a loop over hundreds of thousands of tokens a call for each would take most of the time.
            if at + U64.size > len(self._data):
                self.at = at
                self.need(U64.size)
            at += U64.size + unpack(self._data, at)[0]
            if at > len(self._data):
                self.need(at - self.at)
        self.at = at
        return Texts(starts)

    def is_padded(self, alignment: int) -> bool:
        """Return whether nothing but zeros follows, up to the next multiple of `alignment`."""
        rest = self._data[self.at :]
        return self.size - self.at < alignment and not rest.strip(b"\0")


def read_gguf(path: str) -> ModelFiles:
    """Return what a GGUF file says about its model.

    Raises:
        ModelFileError: If it is damaged or too large, or not a GGUF file.
    """
    file = os.path.expanduser(path)
    with reading(file), open_file(file) as opened:
        return read_opened(opened, os.fstat(opened.fileno()).st_size, file)


def read_opened(opened: BinaryIO, size: int, file: str) -> ModelFiles:
    """Return what an open GGUF file of some size says; `file` is its name in messages."""
    reader = Reader(opened, size, file)
    return _described(file, _metadata(reader), reader)


def _metadata(reader: Reader) -> dict[str, Any]:
    """Return the values that are wanted, and check all others."""
    reader.need(len(MAGIC))
    if reader.number(U32) != int.from_bytes(MAGIC, "little"):
        reader.refuse("it does not begin with GGUF")
    version = reader.number(U32)
    if version not in VERSIONS:
        reader.refuse(f"version {version} is not one of {', '.join(map(str, VERSIONS))}")
    tensors, keys = reader.number(U64), reader.number(U64)
    if keys > MOST_KEYS or tensors > MOST_TENSORS:
        reader.refuse(f"it claims to have {keys:,} keys and {tensors:,} tensors")
    values: dict[str, Any] = {}
    seen = set()
    for _ in range(keys):
        key = reader.text(LONGEST_KEY, "a key")
        if key in seen:
            reader.refuse(f"the key {saferepr(key)} occurs twice")
        seen.add(key)
        value = _value(reader, key)
        if key in WANTED or key.startswith(NAMED_TEMPLATE):
            values[key] = value
    _check_tensors(reader, tensors, values.get("general.alignment", USUAL_ALIGNMENT))
    return values


def _value(reader: Reader, key: str) -> Any:
    kind = reader.number(U32)
    if kind == STRING:
        is_template = key == TEMPLATE or key.startswith(NAMED_TEMPLATE)
        return reader.text(TEMPLATE_BYTES if is_template else METADATA_BYTES, saferepr(key))
    if kind == ARRAY:
        return _array(reader, key)
    return _scalar(reader, kind, key)


def _scalar(reader: Reader, kind: int, key: str) -> Any:
    if kind not in SCALARS:
        reader.refuse(f"{saferepr(key)} has the unknown type {kind}")
    value = reader.number(SCALARS[kind])
    if kind == BOOL and value > 1:
        reader.refuse(f"{saferepr(key)} is neither true nor false")
    return value


def _array(reader: Reader, key: str) -> Texts | array[int] | None:
    """Return the texts or the 32-bit integers of an array; other numbers are not wanted."""
    kind, count = reader.number(U32), reader.number(U64)
    if kind == STRING:
        return reader.texts(count)
    if kind not in SCALARS:
        reader.refuse(f"{saferepr(key)} is an array of the type {kind}, which no array can have")
    data = reader.bytes(SCALARS[kind].size * count)
    if kind not in (UINT32, INT32):
        return None
    numbers = array("i", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _check_tensors(reader: Reader, count: int, alignment: Any) -> None:
    """Go through the table of tensors, which follows the metadata. A wrong key count or length shows up here."""
    if type(alignment) is not int or not 0 < alignment <= MOST_ALIGNMENT:
        reader.refuse(f"its alignment is {saferepr(alignment)}")
    for _ in range(count):
        name = reader.text(LONGEST_NAME, "a tensor's name")
        dimensions = reader.number(U32)
        if dimensions > MOST_DIMENSIONS:
            reader.refuse(f"the tensor {saferepr(name)} has {dimensions:,} dimensions")
        reader.skip(dimensions * U64.size + U32.size)
        if reader.number(U64) % alignment:
            reader.refuse(f"the tensor {saferepr(name)} is not aligned to {alignment} bytes")
    if count == 0 and not reader.is_padded(alignment):
        reader.refuse("something follows its metadata, and it has no tensors")


def _described(file: str, values: dict[str, Any], reader: Reader) -> ModelFiles:
    texts, kinds = values.get(TOKENS, Texts(array("L"))), values.get(TOKEN_TYPES, array("i"))
    if not isinstance(texts, Texts) or not isinstance(kinds, array):
        reader.refuse(f"{TOKENS} holds no texts, or {TOKEN_TYPES} no numbers")

    def token(key: str) -> tuple[str, int] | None:
        number = values.get(key)
        if type(number) is not int or not 0 <= number < len(texts.starts):
            return None
        return reader.text_at(texts.starts[number]), number

    templates = {
        DEFAULT if key == TEMPLATE else key.removeprefix(NAMED_TEMPLATE): _template(key, value, reader)
        for key, value in values.items()
        if key == TEMPLATE or key.startswith(NAMED_TEMPLATE)
    }
    added: dict[str, int | None] = {
        text: number
        for number, (start, kind) in enumerate(zip(texts.starts, kinds, strict=False))
        if kind in CONTROL_TOKENS and (text := reader.text_at(start))
    }
    if len(added) > MOST_ADDED:
        reader.refuse(f"it has {len(added):,} control tokens; at most {MOST_ADDED:,} are read")
    tokens = {name: found[0] for name, key in NAMED_IDS.items() if (found := token(key))}
    stop: dict[str, int | None] = dict(found for key in ENDS if (found := token(key)))
    bounded({*added, *tokens.values(), *stop}, file)
    return ModelFiles(
        file,
        templates,
        TEMPLATE if templates else "",
        tokens=tokens,
        added=added,
        stop=stop,
        model_type=str(values.get("general.architecture") or "").replace("-", "_"),
    )


def _template(key: str, value: Any, reader: Reader) -> str:
    if not isinstance(value, str) or not value:
        reader.refuse(f"{saferepr(key)} is {'no text' if value else 'empty'}")
    return value
