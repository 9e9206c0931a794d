"""Rows of a data set to sequences to train on, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

import lect
from lect.errors import LectError, MaskError, MessageError, expect_one_of, saferepr
from lect.plugin import boundary
from lect_data.columnar import plain_chats
from lect_data.kept import columns_of_rows
from lect_data.output import Output
from lect_data.pieces import cached
from lect_data.prompts import without_answer
from lect_data.rows import json_row, json_value, rows_of, rows_of_columns
from lect_data.sequences import Settings
from lect_data.writing import RowWriter
from lect_rows import row as read_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lect_data.columnar import PlainChats
    from lect_data.rows import Columns
    from lect_data.tally import Tally

Truncate = Literal["drop", "turns", "window"]
Unroll = Literal["never", "auto", "always"]
Media = Literal["parts", "one"]
UNROLL = get_args(Unroll)


class Formatter:
    """Make rows of a data set into sequences to train on: texts, or token ids with labels.

    A call takes a batch of rows, an Arrow `RecordBatch` or `Table`, or a mapping of columns to lists, and returns the
    same, but a `Table` for the mappings of `datasets`. Every row is in the result: one that cannot be used has its
    `error`. A formatter can be pickled; a model and a tokenizer that are given by name are pickled by name.

    Args:
        model: A model path, or a `Template`.
        tokenizer: The directory of a `tokenizer.json`, or that file, or a tokenizer as `Prompt.encode` takes it.
            Without one, the result has texts.
        policy: Which parts are trained; by default all that assistants say, with the stops.
        max_length: How many tokens a sequence may have.
        truncate: What becomes of a longer one: `drop` refuses the row, `turns` keeps as many turns as fit, from the
            beginning, and `window` splits it into sequences of `max_length`, without those in which nothing is trained.
        unroll: As in `lect.encode`: with `auto`, a row becomes as few sequences as it takes for each answer to follow
            what a server sends, with `always` one for each answer, and with `never` one, whatever is in it.
        preference: Whether rows have a `chosen` and a `rejected` answer: the columns are `prompt_ids`, `chosen_ids` and
            `rejected_ids`, or `prompt`, `chosen` and `rejected` for texts.
        prompts: Whether only the prompt is wanted, as a server is sent it before the last answer of a row, which is
            left out: the column is `prompt_ids`, or `prompt` for texts.
        columns: The column that holds whole rows as JSON or as structs, or a mapping from fields that `lect.row` knows,
            such as `messages`, to the columns that hold them.
        row: The column that tells one row from another, for `row` of the result; by default rows are numbered.
        keep: Columns to copy to the result.
        parse_assistant: As in `lect.row`.
        media: What an image, a video or a sound is in ids: as many tokens as the model gets, by the size that its part
            tells (`parts`), or `one` placeholder, if what trains the model expects that.
        cache_bytes: How much memory texts that were encoded before may take, roughly.
        options: The other arguments of `Template.render`, such as the maker's own options.

    Raises:
        LectError: If the model is not known, or an argument is wrong.
    """

    @boundary
    def __init__(
        self,
        model: Any,
        tokenizer: Any = None,
        *,
        policy: lect.LossPolicy | None = None,
        max_length: int | None = None,
        truncate: Truncate = "drop",
        unroll: Unroll = "auto",
        preference: bool = False,
        prompts: bool = False,
        columns: Columns | None = None,
        row: str | None = None,
        keep: Sequence[str] = (),
        parse_assistant: Any = False,
        media: Media = "parts",
        cache_bytes: int = 64 << 20,
        **options: Any,
    ):
        self._model = model
        self._tokenizer = fspath(tokenizer) if isinstance(tokenizer, PathLike) else tokenizer
        self._columns: Columns = {} if columns is None else columns
        self._row = row
        self._keep = tuple(keep)
        self._parse_assistant = parse_assistant
        self._cache_bytes = cache_bytes
        _check(tokenizer, policy, max_length, truncate, unroll, preference=preference, prompts=prompts)
        expect_one_of(get_args(Media), "media", media)
        if prompts:
            unroll, options = "never", {**options, "add_generation_prompt": True}
        self._settings = Settings(
            None, policy or lect.LossPolicy(), max_length, truncate, unroll, preference, dict(options), prompts, media
        )
        taken = {"row", "part", *self.names, "length", "turns", "deviations", "error"}.intersection(self._keep)
        if taken:
            msg = f"keep has {min(taken)!r}, which is a column of the result\n  try: the same column by another name"
            raise MaskError(msg)
        self.template  # noqa: B018  # A model that is not known is refused now.

    def __getstate__(self) -> dict[str, Any]:
        # Without what is computed: the template if it has a name, the tokenizer that was loaded, and caches.
        computed = ("template", "encoder", "names", "_writer")
        return {name: value for name, value in vars(self).items() if name not in computed}

    @cached_property
    def template(self) -> lect.Template:
        """The format of the model."""
        return self._model if isinstance(self._model, lect.Template) else lect.get_template(self._model)

    @cached_property
    def encoder(self) -> Any:
        """The tokenizer, with a cache where it is one of `tokenizers`; it is loaded when it is first needed."""
        if not isinstance(self._tokenizer, str):
            return None if self._tokenizer is None else cached(self._tokenizer, self._cache_bytes)
        from lect_tokens import load_tokenizer

        return cached(load_tokenizer(self._tokenizer), self._cache_bytes)

    @cached_property
    def _writer(self) -> RowWriter:
        settings = self._settings._replace(tokenizer=self.encoder)
        return RowWriter(self.template, settings, self.names, self._keep)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns of the result that hold texts or ids."""
        is_text, is_pair = self._tokenizer is None, self._settings.preference
        if self._settings.prompts:
            return ("prompt",) if is_text else ("prompt_ids",)
        if is_pair:
            return ("prompt", "chosen", "rejected") if is_text else ("prompt_ids", "chosen_ids", "rejected_ids")
        return ("text",) if is_text else ("input_ids", "labels", "weights")

    def __call__(self, batch: Any, rows: Sequence[Any] | None = None) -> Any:
        """Return the sequences of a batch of rows, with the columns `row`, `part`, those of `names` and the following.

        `length` is the number of tokens, or of characters of a text; `turns` that of messages; `error` is null unless
        the row cannot be used. `weights` is null unless one is neither 0 nor 1: labels cannot say that. `deviations` is
        null unless an answer is not trained as a server makes the model write it: then it lists the `message`, the
        `kind` and the `reason`. The answer `differs`, is `left_out`, or has `no_stop`.

        Args:
            batch: The rows.
            rows: Their numbers; by default they are counted from 0.

        Raises:
            MessageError: If a column that was named does not exist.
        """
        if isinstance(batch, pa.RecordBatch):
            return self.format(batch, rows)
        if isinstance(batch, pa.Table):
            return pa.Table.from_batches([self.format(_whole(batch), rows)])
        table = _table_behind(batch)
        if table is not None and not self._columns and plain_chats(whole := _whole(table)) is not None:
            return pa.Table.from_batches([self.format(whole, rows)])
        given = {name: list(values) for name, values in batch.items()}
        made = self._made(given, len(next(iter(given.values()), ())), rows)
        # datasets.map has a mapping of its own, and takes the types of columns from a table; a stream has a dict.
        return made.to_pydict() if type(batch) is dict else pa.Table.from_batches([made])

    @staticmethod
    def split(table: Any) -> tuple[Any, Any]:
        """Return the sequences of a result as trainers take them, and the `row` and `error` of the others.

        The sequences have neither `error` nor `deviations`.
        """
        is_good = pc.is_null(table.column("error"))
        good = table.filter(is_good)
        names = [name for name in table.schema.names if name not in ("deviations", "error")]
        return good.select(names), table.filter(pc.invert(is_good)).select(["row", "error"])

    @boundary
    def format(
        self, batch: pa.RecordBatch, rows: Sequence[Any] | None = None, tally: Tally | None = None
    ) -> pa.RecordBatch:
        """Return the sequences of a batch; see `__call__`. What the columns do not tell is added to a tally."""
        chats = None if self._columns or self._parse_assistant else plain_chats(batch)
        writer = self._writer
        if chats is None or not writer.writes_columns:
            output = writer.rows(self._read(self._rows(batch, chats)), range(len(batch)), tally)
            return self._finished(output.columns(), output.rows, batch, rows)
        columns, done = writer.columns(chats, tally)
        if tally is not None:
            used = {"messages", *self._keep}
            tally.unused.update({name: len(done) for name in batch.schema.names if name not in used})
        made = self._finished(columns, done, batch, rows)
        left = sorted({*range(len(batch))}.difference(done))
        if not left:
            return made
        output = Output(self.names)
        writer.each(self._read(rows_of(batch.take(pa.array(left)), {})), left, output, tally)
        others = self._finished(output.columns(), output.rows, batch, rows)
        order = pc.sort_indices(pa.array([*done, *output.rows]))
        return pa.concat_batches([made, others]).take(order)

    def _rows(self, batch: pa.RecordBatch, chats: PlainChats | None) -> Sequence[Any]:
        """Return the rows of a batch; plain chats need not be read again."""
        if chats is None:
            return rows_of(batch, self._columns)
        rest = dict.fromkeys(name for name in batch.schema.names if name != "messages")
        return [
            lect.Row(messages, None, None, None, None, rest) if messages else rows_of(batch.slice(row, 1), {})[0]
            for row, messages in enumerate(chats.messages())
        ]

    def _made(self, given: Mapping[str, list[Any]], count: int, rows: Sequence[Any] | None) -> pa.RecordBatch:
        """Return the sequences of columns of Python values."""
        if isinstance(self._columns, str) or self._columns:
            arrays = {name: pa.array(values) for name, values in given.items()}
            return self.format(pa.RecordBatch.from_pydict(arrays), rows)
        output = self._writer.rows(self._read(rows_of_columns(given, count)), range(count))
        return self._finished(output.columns(), output.rows, given, rows)

    @boundary
    def format_rows(self, values: Any, rows: Sequence[Any], tally: Tally | None = None) -> pa.RecordBatch:
        """Return the sequences of lines of JSON, or of a batch."""
        if isinstance(values, pa.RecordBatch):
            return self.format(values, rows, tally)
        given = [json_value(line) for line in values]
        read = self._read(json_row(value, self._columns) for value in given)
        output = self._writer.rows(read, range(len(read)), tally)
        return self._finished(output.columns(), output.rows, columns_of_rows(given, self._keep), rows)

    def _read(self, values: Iterable[Any]) -> list[lect.Row | LectError]:
        """Return rows, or why one cannot be read."""
        read: list[lect.Row | LectError] = []
        for value in values:
            try:
                is_read = isinstance(value, lect.Row)
                row = value if is_read else read_row(value, parse_assistant=self._parse_assistant)
                read.append(without_answer(row) if self._settings.prompts else row)
            except LectError as error:
                read.append(error)
        return read

    def _finished(
        self, columns: Mapping[str, pa.Array], places: Sequence[int], batch: Any, rows: Sequence[Any] | None
    ) -> pa.RecordBatch:
        """Return a batch with the columns that come from the input; `places` are the rows in it."""
        chosen = pa.array(places, pa.int64())
        if self._row is not None:
            numbers = _taken(batch, self._row, chosen)
        elif rows is None:
            numbers = chosen
        else:
            numbers = _numbers(rows).take(chosen)
        kept = {name: _taken(batch, name, chosen) for name in self._keep}
        return pa.RecordBatch.from_pydict({"row": numbers, **columns, **kept})


def _numbers(rows: Sequence[Any]) -> pa.Array:
    """Return the numbers of rows, or what they are called by, as a column."""
    if not isinstance(rows, pa.Array):
        for at, each in enumerate(rows):
            # Arrow takes a value of any depth, and ends the process where one is too deep.
            if not isinstance(each, int | float | str | None):
                raise MessageError(f"rows[{at}] is {saferepr(each)} ({type(each).__name__}); expected a number or text")
    return rows if isinstance(rows, pa.Array) else pa.array(rows)


def _whole(table: pa.Table) -> pa.RecordBatch:
    (batch,) = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]
    return batch


def _table_behind(batch: Mapping[str, Any]) -> pa.Table | None:
    """Return the table from which a batch of `datasets` takes its columns; None where something in it was replaced."""
    table = getattr(batch, "pa_table", None)
    is_read = isinstance(table, pa.Table) and getattr(batch, "keys_to_format", None) == {*table.column_names}
    return table if is_read else None


def _taken(batch: Any, name: str, places: pa.Array) -> pa.Array:
    names = batch.keys() if isinstance(batch, Mapping) else batch.schema.names
    if name not in names:
        raise lect.MessageError(f"there is no column {name!r}\n  try: one of {', '.join(names)}")
    column = batch[name] if isinstance(batch, Mapping) else batch.column(name)
    return (column if isinstance(column, pa.Array) else pa.array(column)).take(places)


def _check(
    tokenizer: Any, policy: Any, max_length: Any, truncate: Any, unroll: Any, *, preference: bool, prompts: bool
) -> None:
    if unroll not in UNROLL:
        msg = f"unroll is {unroll!r}; expected one of {', '.join(map(repr, UNROLL))}"
    elif truncate not in get_args(Truncate):
        msg = f"truncate is {truncate!r}; expected one of {', '.join(map(repr, get_args(Truncate)))}"
    elif max_length is not None and (type(max_length) is not int or max_length < 1):
        msg = f"max_length is {max_length!r}; expected a positive number of tokens"
    elif max_length is not None and tokenizer is None:
        msg = "max_length is a number of tokens, and there is no tokenizer\n  try: tokenizer='path/to/the/model'"
    elif policy is not None and not isinstance(policy, lect.LossPolicy):
        msg = f"policy is {policy!r}; expected a LossPolicy\n  try: policy=lect.LossPolicy(last=True)"
    elif policy is not None and unroll != "never" and (policy.marks == "template" or {*policy.roles} - {"assistant"}):
        what = "what the template marks" if policy.marks == "template" else f"the roles {', '.join(policy.roles)}"
        msg = (
            f"unroll is {unroll!r}, in which only answers are trained, and the policy trains {what}\n"
            "  try: unroll='never', which makes one text of each conversation"
        )
    elif preference and truncate != "drop":
        msg = f"truncate is {truncate!r}; two answers to one prompt cannot be cut\n  try: truncate='drop'"
    elif prompts and preference:
        msg = "prompts and preference are both given\n  try: one of them"
    elif prompts and truncate != "drop":
        msg = f"truncate is {truncate!r}; a prompt cannot be cut\n  try: truncate='drop'"
    else:
        return
    raise MaskError(msg)
