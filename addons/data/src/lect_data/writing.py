"""Rows as sequences: plain chats in columns, where their template lets them, and each other row by itself."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from lect.errors import LectError
from lect_data.columnar import chats_of, write_prompts
from lect_data.framed import Framed, can_encode
from lect_data.frames import frames_for
from lect_data.output import Output, text_columns
from lect_data.pieces import TOGETHER, PieceTokenizer
from lect_data.prompts import made_of_prompt
from lect_data.sequences import Made, made_of, prompts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from lect import Prompt, Row, Template
    from lect_data.columnar import PlainChats, Prompts
    from lect_data.frames import Frames
    from lect_data.sequences import Settings
    from lect_data.tally import Tally


class RowWriter:
    """Makes rows that were read into sequences.

    Args:
        template: The template.
        settings: What a row is made into.
        names: The columns of a sequence.
        keep: The fields of rows that are copied, so that they are not unused.
    """

    def __init__(self, template: Template, settings: Settings, names: Sequence[str], keep: Sequence[str]):
        self._template, self._settings, self._names, self._keep = template, settings, names, keep

    @cached_property
    def writes_columns(self) -> bool:
        """Whether plain chats may be written in columns: as texts, or as ids with weights."""
        settings = self._settings
        if settings.unroll == "always" or settings.options.get("strict") or settings.preference or settings.prompts:
            return False
        return settings.tokenizer is None or can_encode(settings.tokenizer, settings.policy)

    @cached_property
    def _frames(self) -> Frames:
        """What the template writes around the texts of plain chats."""
        return frames_for(self._template, self._settings.options, self._settings.unroll)

    @cached_property
    def _unread(self) -> tuple[str, ...]:
        """The options that the template does not read: those of a row that is rendered by itself are in its prompt."""
        try:
            prompt = self._template.render([{"role": "user", "content": "x"}], **self._settings.options)
        except LectError:
            return ()  # The rows say why.
        return tuple(_without_numbers(path) for path, *_ in prompt.unused if path[0] == "options")

    @cached_property
    def _framed(self) -> Framed:
        return Framed(self._template, self._settings)

    def columns(self, chats: PlainChats, tally: Tally | None = None) -> tuple[Mapping[str, pa.Array], Sequence[int]]:
        """Return the columns of the chats that can be written in columns, and their rows."""
        prompts = self._prompts_of(chats, tally)
        if self._settings.tokenizer is None:
            columns, places = text_columns(prompts), [*range(len(prompts.rows))]
        else:
            made, output = self._framed.encode(chats, prompts), Output(self._names)
            places = sorted(made)
            for place in places:
                output.add(prompts.rows[place], 0, made[place])
            columns = output.columns()
        if tally is not None:
            tally.unused.update(f"messages[].content of {role}" for place in places for role in prompts.unused[place])
            tally.unused.update({name: len(places) for name in self._unread if places})
        return columns, [prompts.rows[place] for place in places]

    def rows(self, read: Sequence[Row | LectError], places: Sequence[int], tally: Tally | None = None) -> Output:
        """Return the sequences of rows that were read, plain chats among them in columns."""
        output, alone = Output(self._names), 0
        framed = self._framed_rows(read, tally) if self.writes_columns else {}
        for at in sorted(framed):
            self.each(read[alone:at], places[alone:at], output, tally)
            made, unused = framed[at]
            output.add(places[at], 0, made)
            if tally is not None:
                tally.note(cut=0, controls=0, unused=unused)
            alone = at + 1
        self.each(read[alone:], places[alone:], output, tally)
        return output

    def each(
        self, read: Sequence[Row | LectError], places: Sequence[int], output: Output, tally: Tally | None = None
    ) -> None:
        """Add the sequences of rows, each of which is rendered by itself, or why it cannot be used."""
        settings = self._settings
        for start in range(0, len(read), TOGETHER):
            prepared = [self._rendered(row) for row in read[start : start + TOGETHER]]
            if isinstance(settings.tokenizer, PieceTokenizer):
                settings.tokenizer.prepare(prompt for _, prompts in prepared for prompt in prompts)
            for place, (row, prompts) in zip(places[start : start + TOGETHER], prepared, strict=True):
                try:
                    if isinstance(row, LectError):
                        raise row
                    if settings.prompts:
                        made = [made_of_prompt(prompts[0], row, settings)]
                    else:
                        made = list(made_of(prompts, row, settings))
                except LectError as error:
                    output.refuse(place, str(error))
                    continue
                for part, one in enumerate(made):
                    output.add(place, part, one)
                if tally is not None:
                    paths = map(_without_numbers, _unused_paths(prompts))
                    unused = self._not_kept((*row.rest, *paths))
                    controls = max((one.controls for one in made), default=0)
                    tally.note(cut=sum(one.is_cut for one in made), controls=controls, unused=unused)

    def _rendered(self, row: Row | LectError) -> tuple[Row | LectError, list[Prompt]]:
        """Return a row and its prompts, or why it has none."""
        try:
            return row, [] if isinstance(row, LectError) else prompts_of(self._template, row, self._settings)
        except LectError as error:
            return error, []

    def _framed_rows(
        self, read: Sequence[Row | LectError], tally: Tally | None
    ) -> Mapping[int, tuple[Made, Sequence[str]]]:
        """Return the sequences of rows that can be written in columns, each with what is not in it."""
        plain = [None if isinstance(row, LectError) else row for row in read]
        chats = chats_of(plain)
        prompts = self._prompts_of(chats, tally)
        made = _texts_of(prompts) if self._settings.tokenizer is None else self._framed.encode(chats, prompts)
        found = {}
        for place, each in made.items():
            row = plain[prompts.rows[place]]
            assert row is not None, "it has no chat, and so no prompt"
            roles = (f"messages[].content of {role}" for role in prompts.unused[place])
            found[prompts.rows[place]] = each, self._not_kept((*row.rest, *self._unread, *roles))
        return found

    def _not_kept(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name not in self._keep]

    def _prompts_of(self, chats: PlainChats, tally: Tally | None) -> Prompts:
        """Return the prompts that can be written in columns; some are compared with what the template writes.

        Where there is a tally, the control tokens in texts are counted: their rows are written by themselves.
        """
        avoid = [] if tally is None else [text.partition("{}")[0] for text in self._template.markers]
        prompts = write_prompts(chats, self._frames.of, avoid)
        for place in prompts.due:
            if not self._frames.confirm(chats.messages_of(prompts.rows[place]), prompts.texts[place].as_py()):
                # There are no frames any more, so that nothing is written in columns.
                return write_prompts(chats, self._frames.of, avoid)
        return prompts


def _texts_of(prompts: Prompts) -> dict[int, Made]:
    """Return the sequences of prompts, by their places."""
    each = zip(prompts.texts.to_pylist(), prompts.turns, prompts.deviations, strict=True)
    return {
        place: Made({"text": text}, len(text), turns, deviations=deviations)
        for place, (text, turns, deviations) in enumerate(each)
    }


def _unused_paths(prompts: Sequence[Prompt]) -> Iterator[tuple[str | int, ...]]:
    """Yield what is in none of the prompts of a row: history may leave out what is trained in another of them."""
    trained: dict[Any, Prompt] = {message: prompt for prompt in prompts for message in prompt.trains or ()}
    for prompt in prompts:
        for path, *_ in prompt.unused:
            message = path[1] if len(path) > 1 and path[0] == "messages" else None
            if trained.get(message, prompt) is prompt:
                yield path


def _without_numbers(path: tuple[str | int, ...]) -> str:
    """Return a field of any message, such as `messages[].name`."""
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
