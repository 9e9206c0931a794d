"""What the server asks of an engine, and what comes back: ids go up, ids come back."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lect import LectError


class EngineError(LectError):
    """An engine refuses, fails or goes away.

    `status` is what the client gets; `retry` says whether another engine may be asked, or this one later.
    """

    def __init__(self, message: str, *, status: int = 502, retry: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.retry = retry


class ContextTooLongError(EngineError):
    """The prompt, or the prompt with what may follow, is longer than the engine's context."""

    def __init__(self, message: str, *, prompt: int | None = None, context: int | None = None) -> None:
        super().__init__(message, status=400)
        self.prompt = prompt
        self.context = context


@dataclass(frozen=True, slots=True)
class Ask:
    """One generation: the prompt as ids, and how to sample."""

    ids: Sequence[int]
    text: str
    """The prompt's text without a BOS, which they add, for engines that take no ids."""
    max_tokens: int
    """Never left to the engine: vLLM would stop after 16."""
    sampling: Mapping[str, float] = field(default_factory=dict)
    """By the names of Chat Completions; each engine spells them its own way."""
    stop: tuple[str, ...] = ()
    stop_ids: tuple[int, ...] = ()
    stop_texts: tuple[str, ...] = ()
    """The texts of the format's stops, for an engine that takes no ids of them."""
    constraint: Any = None
    """A constraint of lect-constrain; the engine takes it in its own notation."""
    logprobs: bool = False
    session: str | None = None
    """What keeps a session's cache together, where an engine has a field for it."""
    request: Any = None
    """The request before it became a prompt, for the model inside, which understands nothing else."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What the engine counted; it is in the last piece."""

    prompt: int
    completion: int
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an answer: ids, or text where the engine has no ids for it."""

    ids: Sequence[int] = ()
    """The ids that were sampled; beside a text only the last ones of it, which a recorder may compare."""
    text: str | None = None
    """Text to read instead of ids: from an engine without ids, or a character whose ids the engine did not send."""
    logprobs: Sequence[float] | None = None
    missing: int = 0
    """How many tokens the engine sampled and did not send as ids.

    A recorded line must fill them, or is not for training.
    """
    finish: str | None = None
    """`stop`, `length` or `abort` in the last piece, and only there."""
    stop: str | int | None = None
    """The stop string or id that ended the answer, where the engine names it."""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class About:
    """What an engine says of itself when it is asked at the start."""

    kind: str
    model: str | None = None
    context: int | None = None
    slots: int | None = None
    """How many requests it takes at once, where it does not queue by itself."""

    def __str__(self) -> str:
        numbers = [f"{count:,} {of}" for count, of in ((self.context, "tokens"), (self.slots, "slots")) if count]
        return ", ".join([self.kind, *filter(None, [self.model]), *numbers])


class Engine(Protocol):
    """An engine behind an address. `generate` yields what one read of the network brought, in one list.

    An empty list says that the engine is alive: it reads the prompt.
    """

    url: str
    about: About
    takes_ids: bool
    """Whether ids go up and come back, with log probabilities if asked; without them control text is refused."""
    constrains: bool
    """Whether it takes a constraint."""

    def generate(self, ask: Ask) -> AsyncGenerator[list[Piece], None]:
        """Run one generation; to close the iterator closes the connection, which makes the engine stop."""
        ...

    async def healthy(self) -> bool:
        """Return whether the engine answers."""
        ...
