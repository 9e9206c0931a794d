"""One tree of errors. Every message says what happened, with which value, and what to type next.

The data behind a message stands on attributes, so that a program need not read the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lect.prompt.segments import Control
    from lect.prompt.unused import Unused
    from lect.registry.resolve import Candidate


class LectError(Exception):
    """Anything that lect refuses or cannot do."""


class InvalidModelPathError(LectError, ValueError):
    """The model path cannot name a model: empty, too long, a URL, or with control characters in it."""


class InvalidModelPathTypeError(InvalidModelPathError, TypeError):
    """The model path is neither a string nor path-like."""


class UnknownModelError(LectError, LookupError):
    """No installed adapter recognises the model path."""

    def __init__(
        self, message: str, *, model_path: str, candidates: Sequence[Candidate] = (), install: str | None = None
    ):
        super().__init__(message)
        self.model_path = model_path
        self.candidates = tuple(candidates)
        self.install = install


class AmbiguousModelError(LectError, LookupError):
    """Several adapters, or several templates, have an equal claim to the name."""

    def __init__(self, message: str, *, name: str, claimants: Sequence[str]):
        super().__init__(message)
        self.name = name
        self.claimants = tuple(claimants)


class UnknownTemplateError(LectError, LookupError):
    """No registered or installed template has this name."""

    def __init__(self, message: str, *, name: str, near: Sequence[str] = ()):
        super().__init__(message)
        self.name = name
        self.near = tuple(near)


class PluginError(LectError):
    """A plugin cannot be registered, loaded or used."""


class MessageError(LectError, ValueError):
    """Messages, tools or options of a wrong type or shape."""


class RefusedError(MessageError):
    """The model's own format does not allow this conversation."""


class UnusedInputError(MessageError):
    """With `strict=True`: something that was given would not reach the prompt."""

    def __init__(self, message: str, *, unused: Sequence[Unused]):
        super().__init__(message)
        self.unused = tuple(unused)


class ControlTextError(MessageError):
    """With `on_control="raise"`: text from outside holds a control marker of the model."""

    def __init__(self, message: str, *, controls: Sequence[Control]):
        super().__init__(message)
        self.controls = tuple(controls)


class PluginWarning(UserWarning):
    """A plugin failed and was left out; the others go on."""


class ModelPathWarning(UserWarning):
    """A model path resolves, but looks like an imitation of another."""
