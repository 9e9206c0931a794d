"""Headers of messages: what they say, and how to look ahead for them."""

import re
from collections.abc import Container
from functools import lru_cache
from typing import NamedTuple

from lect.reply.events import CALL, CONTENT, REASONING
from lect.reply.grammar import Channels
from lect.reply.reader.lookahead import LONGEST_HEAD, NOTHING
from lect.reply.reader.near import TooLittleTextError


class Header(NamedTuple):
    """A header found by looking ahead. Positions are in the buffer."""

    text: str
    body: int  # Where the body begins.
    kind: str  # `content`, `reasoning` or `call`.
    name: str  # The recipient of a call.
    problem: tuple[str, str] | None  # The code and text of a problem with it.


class Headers:
    """Reads the headers of a grammar."""

    def __init__(self, channels: Channels):
        self.channels = channels
        self.bodies = dict(channels.bodies)
        self.shape = re.compile(channels.shape, re.DOTALL)
        self.characters = re.compile(f"(?:{channels.characters})*", re.DOTALL)
        self.to, self.channel = re.compile(channels.to or NOTHING), re.compile(channels.channel or NOTHING)
        self.body = re.compile("|".join(re.escape(mark) for mark in sorted(self.bodies, key=len, reverse=True)))
        marks = [mark for mark in channels.opening if mark[0] == "<" and not self.channel.match(f"{mark}x")]
        self.known = re.compile("|".join(map(re.escape, marks)) or NOTHING)
        self.kinds = dict.fromkeys(channels.content, CONTENT) | dict.fromkeys(channels.reasoning, REASONING)
        self.foreign = (*channels.start, *channels.end, *channels.stop)

    def look(self, buffer: str, at: int, ended: bool, tools: Container[str] = ()) -> Header | None:
        """Return the header at `at`, if there is one; `tools` are the names of known tools."""
        limit = at + LONGEST_HEAD
        undecided = not ended and len(buffer) < limit
        found = self.body.search(buffer, at, limit)
        end = min(len(buffer), limit) - (self._begun(buffer, at) if undecided else 0)
        if found is not None and end > found.start():
            end, undecided = found.start(), False
        characters = self.characters.match(buffer, at, end)
        assert characters is not None, "the pattern also matches an empty text"
        if characters.end() < end:
            return self._unmarked(buffer, at, characters.end())
        text = buffer[at:end]
        if any(mark in text for mark in self.foreign):
            return None
        if undecided:
            raise TooLittleTextError
        return self._read(text, found, tools) if found and self.shape.fullmatch(text) else None

    def _unmarked(self, buffer: str, at: int, end: int) -> Header | None:
        """Return a header that ends with its line instead of the mark of a body, if it names a known channel."""
        text = buffer[at:end]
        names = self.channel.findall(text) if buffer.startswith("\n", end) else []
        kind = self.kinds.get(names[-1]) if names else None
        if kind is None or not text.rstrip().endswith(names[-1]) or any(mark in text for mark in self.foreign):
            return None
        problem = ("stray_header", f"{self.channels.bodies[0][0]!r} is missing after the header")
        return Header(text, end + 1, kind, "", problem)

    def _begun(self, buffer: str, at: int) -> int:
        """Return how many characters at the end of the buffer may begin a mark that starts a body."""
        longest = min(max(map(len, self.bodies)) - 1, len(buffer) - at)
        ends = ((n, buffer[len(buffer) - n :]) for n in range(longest, 0, -1))
        return next((n for n, end in ends if any(len(mark) > n and mark.startswith(end) for mark in self.bodies)), 0)

    def _read(self, text: str, body: re.Match[str], tools: Container[str]) -> Header:
        kind = self.bodies[body[0]]
        if kind:
            return Header(text, body.end(), kind, "", None)
        recipients = [to for to in self.to.findall(text) if to not in self.channels.everyone]
        names = self.channel.findall(text)
        # Some models write the name of a tool where the channel belongs.
        recipients = recipients or [name for name in names if name in tools]
        name = (recipients or names or [""])[-1]
        kind = self.kinds.get(name) or (CALL if recipients else CONTENT)
        problem, odd = None, [each for each in names if each not in self.kinds]
        left = self.known.sub("", self.channel.sub("", self.to.sub("", text)))
        if self.channels.channel and not {*"<|>"}.isdisjoint(left):
            problem = ("stray_header", f"the header has {left.strip()!r:.80}, which means nothing there")
        elif odd:
            what = "a call" if kind == CALL else kind
            problem = ("unknown_channel", f"there is no channel {odd[-1]!r}; its message is {what}")
        elif len(names) > 1:
            problem = ("stray_header", "the header names its channel twice; the last one counts")
        return Header(text, body.end(), kind, name if kind == CALL else "", problem)


headers_for = lru_cache(maxsize=64)(Headers)
