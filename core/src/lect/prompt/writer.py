"""Where a template program writes the prompt."""

from collections.abc import Iterable, Sequence
from typing import Self

from lect.boundaries import boundary
from lect.errors import MessageError, saferepr
from lect.prompt.inputs import Input
from lect.prompt.message import Message
from lect.values import Path


class MisuseError(Exception):
    """A program does not write piece by piece; it says what the program does instead."""


class Writer(list[str]):
    r"""Collects the pieces of a prompt, which a program adds with `+=`.

    Add the caller's text as separate pieces, never joined with template text: that is how each piece keeps its origin.

    ```python
    def program(chat, out):
        for message in out.turns(chat.messages):
            out += "<|im_start|>", message.role, "\n", message.content, "<|im_end|>\n"
    ```
    """

    # It is a list because nothing is quicker.
    __slots__ = ()

    def joined(self) -> str:
        """Return everything that was written.

        Raises:
            MessageError: If something that is not text was written, such as an option of another type.
        """
        try:
            return "".join(self)
        except TypeError:
            odd: object = next(piece for piece in self if not isinstance(piece, str))
            raise MessageError(
                f"{saferepr(odd)} ({type(odd).__name__}) cannot be part of a prompt; expected text\n"
                "  try: check the types of the options, and of fields that only this template reads"
            ) from None

    def turns(self, messages: Sequence[Message]) -> Iterable[Message]:
        """Yield `messages`; what is written before the next one belongs to the turn of the current one."""
        return messages

    def turn(self, message: Message | None) -> None:
        """State whose turn the following text belongs to; None for preamble and generation prompt."""

    def current_turn(self) -> int | None:
        """Return the index of the message whose turn is being written, if that is known."""
        return None

    def used(self, *path: str | int) -> None:
        """State that a field reached the prompt although its text did not, such as an image with a placeholder."""

    def by_rule(self, text: str | None) -> None:
        """State that the format leaves out a caller's text on purpose, such as the reasoning of earlier turns."""

    def marked(self, spans: Sequence[tuple[int, int]]) -> None:
        """State which characters of the prompt, in order, the template itself marks as what a model is to learn."""


class TrackingWriter(Writer):
    """A writer that also remembers whose turn each piece belongs to, and what happened to the fields."""

    __slots__ = ("left_out", "marks", "own_marks", "seen")

    def __init__(self) -> None:
        self.marks: list[tuple[int, int | None]] = []
        self.seen: list[Path] = []
        self.left_out: list[Path] = []
        self.own_marks: Sequence[tuple[int, int]] | None = None

    def __iadd__(self, pieces: Iterable[str]) -> Self:  # type: ignore[misc, override]
        if type(pieces) is not tuple and isinstance(pieces, str):
            raise MisuseError("writes `out += text`, which adds a text character by character")
        self.extend(pieces)
        return self

    def turns(self, messages: Sequence[Message]) -> Iterable[Message]:
        mark = self.marks.append
        for message in messages:
            mark((len(self), message.index))
            yield message
        mark((len(self), None))

    def turn(self, message: Message | None) -> None:
        self.marks.append((len(self), None if message is None else message.index))

    def current_turn(self) -> int | None:
        return self.marks[-1][1] if self.marks else None

    def used(self, *path: str | int) -> None:
        self.seen.append(path)

    def by_rule(self, text: str | None) -> None:
        if isinstance(text, Input):
            self.left_out.append(text.path)

    def marked(self, spans: Sequence[tuple[int, int]]) -> None:
        self.own_marks = spans


@boundary
def stripped(pieces: Iterable[str]) -> list[str]:
    """Return pieces of text without the white space at both ends of the whole."""
    left = list(pieces)
    first, end = 0, len(left)
    while first < end and not left[first].strip():
        first += 1
    while first < end and not left[end - 1].strip():
        end -= 1
    left = left[first:end]
    if left:
        left[0] = left[0].lstrip()
        left[-1] = left[-1].rstrip()
    return left


@boundary
def think_tags(text: str) -> tuple[str, str]:
    """Return the thought in `<think>` tags that opens an answer, and the answer, without the line breaks between them.

    The thought is empty if there is none.
    """
    if "</think>" not in text:
        return "", text
    pieces = text.split("</think>")
    return pieces[0].rstrip("\n").split("<think>")[-1].lstrip("\n"), pieces[-1].lstrip("\n")


@boundary
def thought_and_answer(message: Message, content: str | None = None) -> tuple[str, str]:
    """Return the thought of a message and its answer: its reasoning, or else what stands in `<think>` tags.

    Args:
        message: The message.
        content: Its content, if the format writes something else than its text.
    """
    text = message.content if content is None else content
    if message.reasoning is not None:
        return message.reasoning, text
    return think_tags(text) if "</think>" in text else ("", text)
