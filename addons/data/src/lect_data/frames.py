"""What a template writes around the texts of a plain chat, read off once for each sequence of roles.

There is nothing that a template has to state: its program runs on stand-ins that notice when they are looked at, and
whatever depends on the texts has no frame. A program may also look at a copy, which they cannot notice. So every word
of its code is tried in texts, and of the prompts of a frame the first, second, fourth, eighth, ... are also written by
`Template.text`.

A sequence of roles has a frame only if one text is true for it, in which each answer follows what a server sends:
`Template.unroll` is asked once, with stand-ins.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal

from lect.errors import LectError, TemplateWarning, warn_caller
from lect.plugin import Input, Writer, by_signal, plain_str
from lect_data.deviations import in_text
from lect_data.turns import InParts, said
from lect_data.watched import MARK, Watch, Watched, WatchedChat, WatchedPart, stand_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lect import Template
    from lect_data.deviations import Deviation
    from lect_data.turns import Turn
    from lect_data.watched import Edit

MOST_FRAMES = 1000
SHARED = 16
"""How many templates, with their options, have frames that several formatters share."""
LONGEST_WORD = 100
"""Characters: a longer string in a program's code is something that it writes."""
TRIED = (("system", "user", "assistant", "user", "assistant"), ("user", "assistant", "user"))
"""The roles of the chats in which the words of a program are tried."""
MOST_ASKED = 16
"""The answers of a prompt before which it is compared with what a server sends."""


class Frame:
    """What a template writes around the texts of a plain chat with certain roles.

    A prompt is the first literal, a text, the second literal, a text, ..., and the last literal.

    Args:
        turns: How many messages it is made of, from the first.
        literals: What the template writes before, between and after the texts.
        order: The index of the message whose text follows each literal but the last. A message may be missing or
            repeated.
        edits: What is done to each of these texts before it is written, such as `str.strip`; None if nothing is.
        never: Words that the program looks for: if a text of the chat contains one, the frame does not hold.
        never_empty: Whether the frame does not hold if a text is empty, as given or as written.

    Attributes:
        deviations: The answers that have no stop in this format.
    """

    __slots__ = ("deviations", "edits", "literals", "never", "never_empty", "order", "turns", "uses")

    def __init__(
        self,
        turns: int,
        literals: Sequence[str],
        order: Sequence[int],
        edits: Sequence[Edit | None],
        never: frozenset[str],
        *,
        never_empty: bool,
    ):
        self.turns = turns
        self.literals = literals
        self.order = order
        self.edits = edits
        self.never = never
        self.never_empty = never_empty
        self.deviations: Sequence[Deviation] = ()
        self.uses = 0

    def text(self, texts: Sequence[str]) -> str | None:
        """Return the prompt of a chat with these texts, one for each message; None if the frame does not hold."""
        if any(word in text for word in self.never for text in texts):
            return None
        written = self._written(texts)
        return None if self.never_empty and ("" in texts or "" in written) else self._filled(written)

    def of_stand_ins(self) -> str:
        """Return the prompt of the stand-ins that it was read off from."""
        return self._filled(self._written([stand_in(index) for index in range(self.turns)]))

    def _filled(self, written: Sequence[str]) -> str:
        """Return the prompt with these texts, one after each literal but the last."""
        pieces = [""] * (2 * len(written) + 1)
        pieces[::2] = self.literals
        pieces[1::2] = written
        return "".join(pieces)

    def _written(self, texts: Sequence[str]) -> list[str]:
        return [
            texts[index] if edit is None else edit(texts[index])
            for index, edit in zip(self.order, self.edits, strict=True)
        ]

    def is_due(self) -> bool:
        """Count a use; return whether it is one to compare with what the template writes."""
        self.uses += 1
        return not self.uses & (self.uses - 1)


class Frames:
    """The frames of a template with certain options, made as they are needed.

    Args:
        template: The template.
        options: The options of `Template.render`.
        unroll: As in `Template.unroll`.
    """

    def __init__(self, template: Template, options: Mapping[str, Any], unroll: Literal["never", "auto"] = "never"):
        self._template = template
        self._options = dict(options)
        self._unroll = unroll
        self._known: dict[tuple[Turn, ...], Frame | None] = {}
        # Where the caller's text loses its origin, the program does more than write it.
        self._has_none = template.edges().loses_origins
        self._words = frozenset() if self._has_none else self._deciding_words()

    def of(self, roles: tuple[Turn, ...]) -> Frame | None:
        """Return the frame for a chat with these roles; None if its prompts depend on more than roles and texts."""
        if self._has_none:
            return None
        if roles not in self._known:
            if len(self._known) >= MOST_FRAMES:
                self._known.clear()
            frame = self._known[roles] = self._made(roles)
            if frame is not None:
                frame.never |= self._words
        return self._known[roles]

    def _made(self, roles: Sequence[Turn]) -> Frame | None:
        roles = self._shown(roles)
        frame = frame_of(self._template, roles, **self._options)
        answers = _answers(roles)
        if frame is not None and any(isinstance(role, InParts) for role in roles) and self._loses_parts(roles):
            return None
        if frame is None or not answers:
            return frame
        # What a server sends may depend on other words than the whole.
        firsts = {roles[answer - 1]: answer for answer in reversed(answers) if answer}
        opened = self._options | {"add_generation_prompt": True}
        for answer in firsts.values():
            served = frame_of(self._template, roles[:answer], **opened)
            if served is None:
                return None
            frame.never |= served.never
            frame.never_empty |= served.never_empty
        return frame if self._is_true(frame, roles) else None

    def _loses_parts(self, roles: Sequence[Turn]) -> bool:
        """Return whether something of such messages is not in the prompt: a row says what, when it is rendered."""
        messages = _chat(roles, map(stand_in, range(len(roles))))
        try:
            unused = self._template.render(messages, **self._options).unused
        except LectError:
            return True
        return any(each.path[0] == "messages" for each in unused)

    def _shown(self, roles: Sequence[Turn]) -> Sequence[Turn]:
        """Return the roles of the messages that are written: of an unrolled chat, those up to the last answer."""
        answers = _answers(roles)
        return roles[: answers[-1] + 1] if answers and self._unroll == "auto" else roles

    def _is_true(self, frame: Frame, roles: Sequence[Turn]) -> bool:
        """Return whether a chat with these roles becomes one text, that of the frame, with all answers as served."""
        messages = _chat(roles, map(stand_in, range(len(roles))))
        try:
            prompts = self._template.unroll(messages, self._unroll, **self._options)
            is_true = not any(prompt.deviations for prompt in prompts)
        except LectError:
            return False
        if not is_true or [prompt.text for prompt in prompts] != [frame.of_stand_ins()]:
            return False
        (prompt,) = prompts
        frame.deviations = in_text(prompt, messages)
        # An answer in which there is a stop is no reply.
        written = {prompt.text[turn.stop : turn.end] for turn in prompt.turns}
        frame.never |= {*self._template.stop, self._template.eos, *written} - {""}
        return True

    def confirm(self, messages: Sequence[Mapping[str, Any]], text: str) -> bool:
        """Return whether the template writes this prompt for these messages; if not, there are no frames any more."""
        is_same = self._is_written(messages, text)
        if not is_same:
            self._has_none = True
            msg = (
                f"the prompts of template {self._template.label!r} cannot be written in columns: what is around the "
                "texts depends on them, as by a regular expression\n  all are written one by one, which takes longer"
            )
            warn_caller(msg, TemplateWarning)
        return is_same

    def _is_written(self, messages: Sequence[Mapping[str, Any]], text: str) -> bool:
        """Return whether the template writes this prompt, and before its answers what a server sends."""
        opened = self._options | {"add_generation_prompt": True}
        roles = self._shown([message["role"] for message in messages])
        try:
            return self._template.text(messages[: len(roles)], **self._options) == text and all(
                text.startswith(self._template.text(messages[:answer], **opened))
                for answer in _answers(roles)[:MOST_ASKED]
            )
        except LectError:
            return False

    def _deciding_words(self) -> frozenset[str]:
        """Return the words of the program's code that change what is around the texts, though no stand-in notices."""
        words = {word for word in (*self._template.edges().words, *self._template.markers) if len(word) <= LONGEST_WORD}
        found: set[str] = set()
        for roles in TRIED:
            frame = self._made(roles)
            if frame is None:
                continue
            for word in sorted(words, key=len):
                tried = () if any(known in word for known in found) else (word, f"{word} a {word}")
                if any(self._differ(frame, roles, text) for text in tried):
                    found.add(word)
        return frozenset(found)

    def _differ(self, frame: Frame, roles: Sequence[str], text: str) -> bool:
        """Return whether a frame and the template write different prompts for a chat in which all say the same."""
        texts = [text] * len(roles)
        filled = frame.text(texts)
        return filled is not None and not self._is_written(_chat(roles, texts), filled)


def _answers(roles: Sequence[Turn]) -> list[int]:
    return [index for index, role in enumerate(roles) if role == "assistant"]


def _chat(roles: Sequence[Turn], texts: Iterable[str]) -> list[dict[str, Any]]:
    return [said(role, text) for role, text in zip(roles, texts, strict=True)]


def frames_for(template: Template, options: Mapping[str, Any], unroll: Literal["never", "auto"]) -> Frames:
    """Return the frames of a template: a process that makes many formatters, as on Ray, reads them off once."""
    if not all(isinstance(value, str | int | float | None) for value in options.values()):
        return Frames(template, options, unroll)
    # 1 and True are equal, and a template may write them differently.
    return _shared(template, unroll, tuple((name, type(value), value) for name, value in sorted(options.items())))


@lru_cache(SHARED)
def _shared(template: Template, unroll: Literal["never", "auto"], options: tuple[tuple[str, type, Any], ...]) -> Frames:
    return Frames(template, {name: value for name, _, value in options}, unroll)


def frame_of(
    template: Template, roles: Sequence[Turn], *, add_generation_prompt: bool = False, **options: Any
) -> Frame | None:
    """Return what a template writes around the texts of a chat with these roles.

    None if that depends on the texts or on the day, or if the template refuses the roles.
    """
    watch = Watch()
    messages = [said(role, watch.text(index), partial(WatchedPart, watch)) for index, role in enumerate(roles)]
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
    return None if watch.looks else _frame(len(messages), watch, out)


def _frame(turns: int, watch: Watch, out: Sequence[str]) -> Frame | None:
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
    tested = [watch.places.get(text) for text in watch.tested - written]
    is_checked = all(place is not None and place.edit is None for place in tested)
    # A notation that reads texts by its own means writes none of them as it was given.
    if not places or not is_checked or not _is_encodable("".join(literals)):
        return None
    return Frame(
        turns,
        literals,
        [place.message for place in places],
        [place.edit for place in places],
        frozenset(watch.words),
        never_empty=bool(watch.tested),
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
