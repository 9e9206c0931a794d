"""The report of what was given but never reached the prompt."""

from collections.abc import Iterator

from lect.facts import Facts
from lect.prompt.chat import Chat
from lect.prompt.inputs import Input, plain_str
from lect.prompt.messages import Message
from lect.prompt.writer import TrackingWriter
from lect.values import Path, Unused


def find_unused(chat: Chat, out: TrackingWriter) -> Iterator[Unused]:
    """Yield, in order, the counted fields of `chat` that were not written.

    Content and each part, reasoning, names, the names and arguments of calls, tools, documents and options are counted.
    Roles, types, ids and trimmed white space are not.
    """
    pieces: dict[Path, list[Input]] = {}
    for piece in out:
        if isinstance(piece, Input) and piece:
            pieces.setdefault(piece.path, []).append(piece)
    reached = {path[:length] for path in (*pieces, *out.seen) for length in range(1, len(path) + 1)}
    left_out = set(out.left_out)

    def report(path: Path, *, whole: bool = True) -> Iterator[Unused]:
        """Yield `path` if it was not reached; with `whole`, a written field that contains it counts too."""
        if path in reached or (whole and any(path[:length] in pieces for length in range(1, len(path)))):
            return
        by_rule = any(path[:length] in left_out for length in range(1, len(path) + 1))
        yield Unused(path, "by-rule" if by_rule else "dropped")

    for message in chat.messages:
        for path, whole in _counted(message):
            yield from report(path, whole=whole)
        for path, text in _texts(message):
            if path in pieces and _is_cut(text, pieces[path], chat.facts):
                # No format cuts a piece out of a text by accident: it is the reasoning that was in it.
                yield Unused(path, "by-rule")
    for index in range(len(chat.tools)):
        yield from report(("tools", index))
    for name, value in chat.options.items():
        if name == "documents" and name in chat.facts.options and isinstance(value, list | tuple):
            for index in range(len(value)):
                yield from report(("documents", index))
        elif name not in chat.facts.options:
            yield Unused(("options", name), "dropped")


def _texts(message: Message) -> Iterator[tuple[Path, str]]:
    """Yield the texts of a message's content, each with its path."""
    if message.parts:
        for part in message.parts:
            yield (*part.path, "text"), part.text
    elif message.content:
        yield ("messages", message.index, "content"), message.content


def _is_cut(text: str, pieces: list[Input], facts: Facts) -> bool:
    """Return whether only a part of a text was written, apart from white space and the markers of the format."""
    if sum(map(len, pieces)) >= len(text) or any(piece.start < 0 for piece in pieces):
        return False
    whole, between, end = plain_str(text), [], 0
    for piece in sorted(pieces, key=lambda piece: piece.start):
        between.append(whole[end : piece.start])
        end = max(end, piece.start + len(piece))
    rest = "".join([*between, whole[end:]])
    pattern = facts.marker_pattern
    return bool((rest if pattern is None else pattern.sub("", rest)).strip())


def _counted(message: Message) -> Iterator[tuple[Path, bool]]:
    where = ("messages", message.index)
    if message.parts:
        for part in message.parts:
            if part.type != "text" or part.text.strip():
                yield part.path, part.type == "text"
    elif message.content.strip():
        yield (*where, "content"), True
    # Its path is not looked up in the message, which the caller may have changed since.
    if isinstance(message.reasoning, Input) and message.reasoning.strip():
        yield message.reasoning.path, True
    if message.name:
        yield (*where, "name"), True
    for call in message.tool_calls:
        yield (*call.path, "name"), True
        if call.arguments:
            yield (*call.path, "arguments"), True
