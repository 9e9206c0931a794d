"""What a server is told when it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from lect.errors import MessageError, expect_one_of, saferepr

History = Literal["client", "sampled"]
LOOPBACK = ("127.0.0.1", "localhost", "::1")
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Settings:
    """What a server is told when it starts: `lect serve --help` says the same of each."""

    model: str
    """The model whose format is spoken, as a path."""
    engines: tuple[str, ...] = ("echo",)
    """The addresses of the engines; `echo` is the scripted model inside."""
    kind: str | None = None
    """What the engines are; asked by default."""
    engine_model: str | None = None
    """What an engine that serves several models calls this one."""
    engine_key: str | None = field(default=None, repr=False)
    """The API key of the engines."""
    name: str | None = None
    """What clients call the model; by default, MODEL."""
    tokenizer: str | None = None
    """A directory with a `tokenizer.json`, or that file; by default, that of the model."""
    adapter: str | None = None
    """The adapter or template to use, as in `lect.get_template`."""
    default: str | None = None
    """The template for a model that no adapter knows."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the format that hold unless a request says otherwise."""
    context: int | None = None
    """How many tokens prompt and answer may have together; asked by default."""
    exact: bool = False
    """Whether requests are rendered as they are, and not fitted to the format."""

    host: str = "127.0.0.1"
    """The address to listen at."""
    port: int = 8000
    """The port."""
    keys: tuple[str, ...] = field(default=(), repr=False)
    """The API keys, one of which clients must send; without any, nobody is asked."""
    hosts: tuple[str, ...] = ()
    """Further names by which clients may call the server."""
    origins: tuple[str, ...] = ()
    """The web pages that may ask."""
    most_bytes: int = 32 * MEGABYTE
    """How large a request may be."""
    workers: int = 1
    """How many processes serve."""

    slots: int | None = None
    """How many requests an engine is given at once; by default, what it says, else all."""
    waiting: int = 256
    """How many may wait for a slot of an engine."""
    first: float = 600.0
    """Seconds of silence before an engine's first token."""
    between: float = 120.0
    """Seconds of silence between two tokens."""
    ping: float = 15.0
    """Seconds of silence after which a client hears that the server lives."""
    grace: int = 30
    """Seconds that answers have to end when the server is told to stop."""

    record: str | None = None
    """The directory where sessions are recorded."""
    history: History | None = None
    """Whose words the history of a session is in; by default `sampled` if sessions are recorded, else `client`."""
    keep_reasoning: bool = False
    """Whether a recorded session keeps reasoning that the format would drop at a new question."""
    lines: int = 1000
    """How many lines of sessions are kept."""
    idle: float = 600.0
    """Seconds after which an idle line is written and forgotten."""
    inspect: bool = False
    """Whether `/inspect` and `/sessions` are there."""

    def __post_init__(self) -> None:
        for name in ("engines", "keys", "hosts", "origins"):
            value: object = getattr(self, name)
            if isinstance(value, str) or not isinstance(value, Sequence):
                raise MessageError(
                    f"{name} is {saferepr(value)}; expected a tuple of texts\n  try: {name}=({value!r},)"
                )
        if self.history is not None:
            expect_one_of(get_args(History), "history", self.history, MessageError)

    @property
    def words(self) -> History:
        """Whose words the history of a session is in."""
        return self.history or ("sampled" if self.record else "client")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK
