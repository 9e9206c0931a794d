"""The report of what was given but never reached the prompt."""

from collections.abc import Iterator

from lect.prompt.chat import Chat
from lect.prompt.messages import REASONING_NAMES, Message
from lect.values import Path, Unused


def find_unused(chat: Chat, written: set[Path], seen: set[Path], left_out: set[Path]) -> Iterator[Unused]:
    """Yield the counted fields of `chat` of which nothing was `written` and which were not `seen`, in order.

    Counted are content and each part, reasoning, names, the names and arguments of calls, tools, documents and options.
    Not counted are roles, types, ids and whitespace that is trimmed.
    """
    reached = {path[:length] for path in (*written, *seen) for length in range(1, len(path) + 1)}

    def report(path: Path, *, whole: bool = True) -> Iterator[Unused]:
        """Yield `path` if it was not reached; `whole`: or by something written of what holds it."""
        if path in reached or (whole and any(path[:length] in written for length in range(1, len(path)))):
            return
        by_rule = any(path[:length] in left_out for length in range(1, len(path) + 1))
        yield Unused(path, "by-rule" if by_rule else "dropped")

    for message in chat.messages:
        for path, whole in _counted(message):
            yield from report(path, whole=whole)
    for index in range(len(chat.tools)):
        yield from report(("tools", index))
    for name, value in chat.options.items():
        if name == "documents" and name in chat.facts.options and isinstance(value, list | tuple):
            for index in range(len(value)):
                yield from report(("documents", index))
        elif name not in chat.facts.options:
            yield Unused(("options", name), "dropped")


def _counted(message: Message) -> Iterator[tuple[Path, bool]]:
    where = ("messages", message.index)
    if message.parts:
        for part in message.parts:
            if part.type != "text" or part.text.strip():
                yield part.path, part.type == "text"
    elif message.content.strip():
        yield (*where, "content"), True
    if message.reasoning and message.reasoning.strip():
        name = next(name for name in REASONING_NAMES if message.raw.get(name) is not None)
        yield (*where, name), True
    if message.name:
        yield (*where, "name"), True
    for call in message.tool_calls:
        yield (*call.path, "name"), True
        if call.arguments:
            yield (*call.path, "arguments"), True
