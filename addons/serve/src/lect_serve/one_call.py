"""A reply of at most one call, for clients that want no more: where a second one begins, it ends with the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lect import Reply
    from lect.addon import Event, ReplyStream

MOST_TRIED = 256
"""Tokens, or characters, behind a call: what closes it is shorter, and a model may write white space for ever."""


class OneCall:
    """A stream of a reply that gives no event after its first call, unless the reply is over by then.

    Few engines can forbid a second call and leave the first one free, so the model is let go on: most replies end after
    their call by themselves. One that does not is over, and `settle` says with which token it ends for the client.

    Args:
        make: A function that makes the stream of the same reply, again and again.
        stop: The text with which a reply ends.
    """

    def __init__(self, make: Callable[[], ReplyStream], stop: str) -> None:
        self._make, self._stop, self._stream = make, stop, make()
        self._ids: list[int] = []
        self._texts = 0
        self._has_begun = self._is_settled = False
        self._end: int | None = None
        """Where the first call ends."""
        self._next = 0
        """Where begins what a client must not see."""
        self._held: list[Event] = []
        self.is_over = False
        """Whether nothing more is wanted."""

    def feed(self, text: str) -> list[Event]:
        """Add text, and return the new events."""
        self._texts += 1
        return self._told(self._stream.feed(text))

    def feed_ids(self, ids: Iterable[int]) -> list[Event]:
        """Add sampled tokens, and return the new events."""
        new = [*ids]
        self._ids += new
        return self._told(self._stream.feed_ids(new))

    def _told(self, events: Iterable[Event]) -> list[Event]:
        told: list[Event] = []
        for event in events:
            if self._is_more(event):
                self.is_over, self._next = True, event.start or 0
                break
            (told if self._end is None else self._held).append(event)
            self._has_begun = self._has_begun or event.kind == "call_start"
            if event.kind == "call_end":
                self._end = event.end
        return told

    def _is_more(self, event: Event) -> bool:
        if event.kind == "call_start":
            return self._has_begun
        return self._end is not None and event.kind in ("content", "reasoning") and bool(event.text.strip())

    def settle(self, reason: str | None) -> int | None:
        """End the reply; return how many of its tokens a client is told, None if all. It may take long."""
        if not self.is_over:
            last = self._told(self._stream.finish(reason))
            self._held = last if self.is_over else [*last, *self._held]
        else:
            self._held = []
        self._is_settled = True
        return self._cut() if self.is_over else None

    def _cut(self) -> int:
        """Let the reply end where its first call is closed as the model closes it; return the number of tokens.

        Where calls are members of a list, it stays open: a prompt that goes on with the reply closes it.
        """
        whole = self._stream.close()
        first = self._next if self._end is None else self._end
        fewest, kept = None, self._size(first)
        for size in range(kept, min(kept + MOST_TRIED, self._size(max(first, self._next))) + 1):
            stream = self._begun(size, whole.raw)
            # Else a mark of which a part is there would pass for one that is still arriving.
            stream.feed(self._stop)
            reply = stream.close()
            problems = len(reply.problems)
            if self._is_first(reply, whole) and (fewest is None or problems < fewest):
                fewest, kept = problems, size
            if fewest == 0:
                break
        self._stream = self._begun(kept, whole.raw)
        self._stream.finish("stop")
        # An engine that sends text sends about one token at a time.
        return len(self._ids) + self._texts if self._texts else kept

    def _size(self, end: int) -> int:
        """Return how many tokens begin before a place in the raw text; of text, how many characters."""
        return end if self._texts else len(self._stream.tokens(0, end))

    def _begun(self, size: int, raw: str) -> ReplyStream:
        """Return the stream of a beginning of the reply."""
        stream = self._make()
        if self._texts:
            stream.feed(raw[:size])
        else:
            stream.feed_ids(self._ids[:size])
        return stream

    @staticmethod
    def _is_first(reply: Reply, whole: Reply) -> bool:
        """Return whether a reply has the first call of another, and nothing after it."""
        calls = [*reply.tool_calls, *reply.incomplete]
        if len(calls) != 1 or not whole.content.startswith(reply.content):
            return False
        _, end = calls[0].span or (0, 0)
        return not any(each.kind in ("content", "reasoning") for each in reply.pieces if each.start >= end)

    # As a stream

    def finish(self, reason: str | None = None) -> list[Event]:
        """End the reply, and return the last events."""
        if not self._is_settled:
            self.settle(reason)
        last, self._held = self._held, []
        return last

    def close(self, finish: str | None = None) -> Reply:
        """Return the reply."""
        self.finish(finish)
        return self._stream.close()

    def tokens(self, start: int, end: int) -> range:
        """Return which of the tokens that were fed begin in a part of the raw text."""
        return self._stream.tokens(start, end)
