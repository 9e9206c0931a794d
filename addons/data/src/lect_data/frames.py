"""What a template writes around the texts of a plain chat, read off once for each sequence of roles.

There is nothing that a template has to state: its program runs on stand-ins that notice when they are looked at, and
whatever depends on the texts has no frame. A program may also look at a copy, which they cannot notice. So every word
of its code is tried in texts, and of the prompts of a frame the first, second, fourth, eighth, ... are also written by
`Template.text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.errors import LectError, TemplateWarning, warn_caller
from lect.plugin import Input, Writer, by_signal, plain_str
from lect_data.watched import MARK, Watch, Watched, WatchedChat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lect import Template
    from lect_data.watched import Edit

MOST_FRAMES = 1000
LONGEST_WORD = 100
"""Characters: a longer string in a program's code is something that it writes."""
TRIED = (("system", "user", "assistant", "user", "assistant"), ("user", "assistant", "user"))
"""The roles of the chats in which the words of a program are tried."""


class Frame:
    """What a template writes around the texts of a plain chat with certain roles.

    A prompt is the first literal, a text, the second literal, a text, ..., and the last literal.

    Args:
        literals: What the template writes before, between and after the texts.
        order: The index of the message whose text follows each literal but the last. A message may be missing or
            repeated.
        edits: What is done to each of these texts before it is written, such as `str.strip`; None if nothing is.
        never: Words that the program looks for: if a text of the chat contains one, the frame does not hold.
        never_empty: Whether the frame does not hold if a text is empty, as given or as written.
    """

    __slots__ = ("edits", "literals", "never", "never_empty", "order", "uses")

    def __init__(
        self,
        literals: Sequence[str],
        order: Sequence[int],
        edits: Sequence[Edit | None],
        never: frozenset[str],
        *,
        never_empty: bool,
    ):
        self.literals = literals
        self.order = order
        self.edits = edits
        self.never = never
        self.never_empty = never_empty
        self.uses = 0

    def text(self, texts: Sequence[str]) -> str | None:
        """Return the prompt of a chat with these texts, one for each message; None if the frame does not hold."""
        written = [
            texts[index] if edit is None else edit(texts[index])
            for index, edit in zip(self.order, self.edits, strict=True)
        ]
        if self.never_empty and ("" in texts or "" in written):
            return None
        if any(word in text for word in self.never for text in texts):
            return None
        pieces = [""] * (2 * len(written) + 1)
        pieces[::2] = self.literals
        pieces[1::2] = written
        return "".join(pieces)

    def is_due(self) -> bool:
        """Count a use; return whether it is one to compare with what the template writes."""
        self.uses += 1
        return not self.uses & (self.uses - 1)


class Frames:
    """The frames of a template with certain options, made as they are needed."""

    def __init__(self, template: Template, options: Mapping[str, Any]):
        self._template = template
        self._options = dict(options)
        self._known: dict[tuple[str, ...], Frame | None] = {}
        # Where the caller's text loses its origin, the program does more than write it.
        self._has_none = template._is_leaky()
        self._words = frozenset() if self._has_none else self._deciding_words()

    def of(self, roles: tuple[str, ...]) -> Frame | None:
        """Return the frame for a chat with these roles; None if its prompts depend on more than roles and texts."""
        if self._has_none:
            return None
        if roles not in self._known:
            if len(self._known) >= MOST_FRAMES:
                self._known.clear()
            frame = self._known[roles] = frame_of(self._template, roles, **self._options)
            if frame is not None:
                frame.never |= self._words
        return self._known[roles]

    def confirm(self, messages: Sequence[Mapping[str, str]], text: str) -> bool:
        """Return whether the template writes this prompt for these messages; if not, there are no frames any more."""
        is_same = self._text(messages) == text
        if not is_same:
            self._has_none = True
            msg = (
                f"the prompts of template {self._template.label!r} cannot be written in columns: what is around the "
                "texts depends on them, as by a regular expression\n  all are written one by one, which takes longer"
            )
            warn_caller(msg, TemplateWarning)
        return is_same

    def _text(self, messages: Sequence[Mapping[str, str]]) -> str | None:
        try:
            return self._template.text(messages, **self._options)
        except LectError:
            return None

    def _deciding_words(self) -> frozenset[str]:
        """Return the words of the program's code that change what is around the texts, though no stand-in notices."""
        words = {word for word in (*self._template._sought(), *self._template.markers) if len(word) <= LONGEST_WORD}
        found: set[str] = set()
        for roles in TRIED:
            frame = frame_of(self._template, roles, **self._options)
            if frame is None:
                continue
            for word in sorted(words, key=len):
                tried = () if any(known in word for known in found) else (word, f"{word} a {word}")
                if any(self._differ(frame, roles, text) for text in tried):
                    found.add(word)
        return frozenset(found)

    def _differ(self, frame: Frame, roles: Sequence[str], text: str) -> bool:
        """Return whether a frame and the template write different prompts for a chat in which all say the same."""
        filled = frame.text([text] * len(roles))
        return filled is not None and filled != self._text([{"role": role, "content": text} for role in roles])


def frame_of(
    template: Template, roles: Sequence[str], *, add_generation_prompt: bool = False, **options: Any
) -> Frame | None:
    """Return what a template writes around the texts of a chat with these roles.

    None if that depends on the texts or on the day, or if the template refuses the roles.
    """
    watch = Watch()
    messages = [{"role": role, "content": watch.text(index)} for index, role in enumerate(roles)]
    out = Writer()
    try:
        chat = WatchedChat(template, messages, None, options, add_generation_prompt=add_generation_prompt, tracked=True)
        chat.watch = watch
        watch.forget()
        template.program(chat, out)
    # A program may raise anything; `Template.text` says what.
    except Exception as error:
        if by_signal(error):
            raise
        return None
    return None if watch.looks else _frame(watch, out)


def _frame(watch: Watch, out: Sequence[str]) -> Frame | None:
    """Return what was written around the stand-ins; None if they are also a part of something else."""
    literals, places = [""], []
    for piece in out:
        place = watch.places.get(plain_str(piece)) if isinstance(piece, Watched) else None
        if place is not None:
            places.append(place)
            literals.append("")
        elif not isinstance(piece, str) or _may_be_text(piece):
            return None
        else:
            literals[-1] += plain_str(piece)
    written = {plain_str(piece) for piece in out}
    # Whether a stripped text is empty can only be checked where it is written.
    asked = [watch.places.get(text) for text in watch.asked - written]
    is_checked = all(place is not None and place.edit is None for place in asked)
    # A notation that reads texts by its own means writes none of them as it was given.
    if not places or not is_checked or not _is_encodable("".join(literals)):
        return None
    return Frame(
        literals,
        [place.message for place in places],
        [place.edit for place in places],
        frozenset(watch.words),
        never_empty=bool(watch.asked),
    )


def _may_be_text(piece: str) -> bool:
    """Return whether a piece may hold the text of a message: it is the caller's, and no role or option."""
    of_caller = isinstance(piece, Input) and piece.path[:1] != ("options",) and piece.path[2:] != ("role",)
    return MARK in piece or (of_caller and plain_str(piece) != "")


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
