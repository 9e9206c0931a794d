"""One tree of errors. Every message says what happened, with which value, and what to type next.

Attributes carry the data of a message, so that a program need not parse its text.
"""

from __future__ import annotations

import copyreg
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from operator import length_hint
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lect.reports import Control, Unused, Verdict

__all__ = [
    "AmbiguousModelError", "BaseModelWarning", "ControlTextError", "ConversionError", "ConversionWarning",
    "FallbackWarning", "InvalidModelPathError", "InvalidModelPathTypeError", "LectError", "LimitError", "MaskError",
    "MessageError", "ModelPathWarning", "OutputWarning", "PluginError", "PluginWarning", "RefusedError",
    "ReplyFormatWarning", "ServedDifferentlyWarning", "SourceError", "TemplateWarning", "TokenizerError",
    "UnknownModelError", "UnknownTemplateError", "UnusedInputError",
]  # fmt: skip


class LectError(Exception):
    """Anything that lect refuses or cannot do."""

    def __init__(self, *message: object, **data: Any):
        super().__init__(*message)
        # The attributes that its class lists.
        self.__dict__.update((name, tuple(value) if isinstance(value, list) else value) for name, value in data.items())

    def __reduce__(self) -> tuple[Any, ...]:
        # By default an exception pickles as a call of its class with `args`, without a subclass's keyword arguments.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class InvalidModelPathError(LectError, ValueError):
    """The model path cannot name a model: empty, too long, a URL, or with control characters in it."""


class InvalidModelPathTypeError(InvalidModelPathError, TypeError):
    """The model path is neither a string nor path-like."""


class UnknownModelError(LectError, LookupError):
    """No installed adapter recognises the model path."""

    model_path: str
    """The path."""
    candidates: tuple[Verdict, ...] = ()
    """The result for each adapter."""
    install: str | None = None
    """What to install, if that is known: `lect-qwen`."""


class AmbiguousModelError(LectError, LookupError):
    """Several adapters, or several templates, have an equal claim to the name."""

    name: str
    """The model path, or the name of the template."""
    claimants: tuple[str, ...]
    """Who claims it."""
    candidates: tuple[Verdict, ...] = ()
    """The result for each adapter."""


class UnknownTemplateError(LectError, LookupError):
    """No registered or installed template has this name."""

    name: str
    """The name."""
    near: tuple[str, ...] = ()
    """Similar names."""


class PluginError(LectError):
    """A plugin cannot be registered, loaded or used."""


class MessageError(LectError, ValueError):
    """Messages, tools or options of a wrong type or shape."""


class SourceError(LectError, ValueError):
    """A file, a directory, a text or an object contains no template that can be read."""


class ConversionError(LectError, ValueError):
    """A notation cannot express the whole template."""

    lost: tuple[str, ...]
    """What it cannot express."""


class MaskError(LectError, ValueError):
    """There is no mask: the policy is invalid, or everything or nothing would be trained."""


class TokenizerError(LectError, TypeError):
    """A tokenizer cannot be used, or contradicts itself."""


class RefusedError(MessageError):
    """The model's own format does not allow this conversation."""


class LimitError(MessageError):
    """The input, or what a template makes of it, exceeds a limit."""

    limit: str
    """The name of the limit."""
    most: float
    """What it allows."""


class UnusedInputError(MessageError):
    """With `strict=True`: something that was given would not reach the prompt."""

    unused: tuple[Unused, ...]
    """The fields that would not."""


class ControlTextError(MessageError):
    """With `on_control="raise"`: text from outside contains control markers of the model."""

    controls: tuple[Control, ...]
    """The first ten of them."""


class PluginWarning(UserWarning):
    """A plugin failed and was left out; the others still work."""


class TemplateWarning(PluginWarning):
    """A template's program has a fault that lect can work around: its author should know."""


class FallbackWarning(UserWarning):
    """A model path resolves, but only a fallback knows it."""


class BaseModelWarning(UserWarning):
    """A chat is written for a base model, which was not trained to chat."""


class ModelPathWarning(UserWarning):
    """A model path resolves, but something is odd.

    It seems to imitate another, the model's own template is not read, or the plugin uses names of another package.
    """


class ConversionWarning(UserWarning):
    """A template was written in another notation, but incompletely, or it is not proven that the two are the same."""


class OutputWarning(UserWarning):
    """An output is taken over from a process that has ended before it was whole."""


class ReplyFormatWarning(UserWarning):
    """A model's own template writes calls, and no installed reply format reads them: they stay in the content."""


class ServedDifferentlyWarning(UserWarning):
    """An answer is trained otherwise than the model would write it on a server."""


MOST_WARNED = 1000
_warned: dict[str, dict[Any, Any]] = {}
"""Python's record of the warnings that it has shown, by file; in the caller's module it would grow with every path."""


def warn_caller(text: str, category: type[Warning], *, once: bool = False) -> None:
    """Warn at the line that called lect; Python's filters decide which warnings to show, and how often.

    With `once`, another text at the same line counts as the same warning. But a `PluginWarning` is shown even where a
    filter makes it an error: one bad plugin must not take the others down.
    """
    frame = sys._getframe()
    # Core and plugins, such as `lect_jinja.identity.template`, are not the caller.
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0].split("_")[0] == "lect":
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    if sum(map(len, list(_warned.values()))) >= MOST_WARNED:
        _warned.clear()
    registry, key = _warned.setdefault(file, {}), (text, category, line)
    if once and (category, line) in registry:
        registry[key] = True
    try:
        warnings.warn_explicit(text, category, file, line, module=frame.f_globals.get("__name__"), registry=registry)
        if once and registry.pop(key, None):
            registry[category, line] = True
    except PluginWarning as warning:
        if category is not PluginWarning:
            raise  # A TemplateWarning is for the author of a template, whose tests should fail.
        warnings.showwarning(warning, category, file, line)


TEXTS: tuple[Any, ...] = (str, bytes, bytearray)
BRACKETS: dict[Any, str] = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}
PRINTED = frozenset({"builtins", "datetime", "decimal", "lect", "pathlib"})
"""The packages whose objects print themselves, unless they contain others."""
HOLDS = (Iterable, slice, BaseException)
_name_of, _module_of = type.__dict__["__name__"].__get__, type.__dict__["__module__"].__get__
LONGEST_INTEGER = 2000
"""In bits; Python refuses to print much longer ones."""


def saferepr(value: Any, longest: int = 80) -> str:
    """Return a value as text for a message: short and printable, whatever the value is.

    Of a large value only what is shown is read, and no code of a caller's class is run.
    """
    if issubclass(type(value), str):
        # Text that knows its origin cannot be put into an f-string.
        text = str.__getitem__(value, slice(longest + 1))
        text = text if len(text) <= longest else f"{text[: longest - 3]}..."
        return repr(text) if text.isprintable() else ascii(text)
    text = _bounded_repr(value, iter(range(longest)))[: longest + 1]
    text = text if text.isprintable() else ascii(text)[1:-1]
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _bounded_repr(value: Any, room: Iterator[int]) -> str:
    """Return what `repr` does, but of no more items, at any depth together, than there is room for."""
    # `isinstance` would ask the value itself, and `kind.__name__` its metaclass.
    kind = type(value)
    name, module = _name_of(kind), str(_module_of(kind))
    for text in TEXTS:
        if issubclass(kind, text):
            return repr(text.__getitem__(value, slice(length_hint(room) + 1)))
    if issubclass(kind, Enum) and module.startswith("lect"):
        return repr(value)
    if issubclass(kind, int) and kind is not bool:
        bits = int.bit_length(value)
        return int.__repr__(value) if bits <= LONGEST_INTEGER else f"<int of {bits:,} bits>"
    if issubclass(kind, tuple) and module.startswith("lect") and hasattr(kind, "_fields"):
        shown = ", ".join(f"{key}={_bounded_repr(each, room)}" for key, each in zip(kind._fields, value, strict=True))
        return f"{name}({shown})"
    for base, brackets in BRACKETS.items():
        if issubclass(kind, base):
            items = zip(room, base.items(value) if base is dict else base.__iter__(value), strict=False)
            shown = ", ".join(
                ": ".join(_bounded_repr(each, room) for each in (item if base is dict else (item,)))
                for _, item in items
            )
            if not shown and base in (set, frozenset):
                return f"{name}()"
            comma = "," * (base is tuple and tuple.__len__(value) == 1)
            shown = f"{brackets[0]}{shown}{comma}{brackets[1]}"
            return shown if kind in BRACKETS and kind is not frozenset else f"{name}({shown})"
    prints_itself = module.partition(".")[0].partition("_")[0] in PRINTED
    if prints_itself and not (issubclass(kind, HOLDS) or hasattr(kind, "__dataclass_fields__")):
        return repr(value)
    return f"<{name} object>"


def expect_one_of(choices: Collection[str], name: str, value: object, error: type[LectError] = MaskError) -> str:
    """Return the value of an argument as plain text; refuse it if it is none of some choices."""
    # Comparing a caller's object could run its own code.
    plain = str.__str__(value) if isinstance(value, str) else ""
    if plain not in choices:
        raise error(f"{name} is {saferepr(value)}; expected one of {', '.join(map(repr, choices))}")
    return plain


LONGEST_COMPARED = 200


def near_names(name: object, known: Iterable[str], *, most: int = 1, likeness: float = 0.6) -> list[str]:
    """Return the known names that are most like `name`, but never `name` itself."""
    from difflib import get_close_matches

    written = name[:LONGEST_COMPARED] if isinstance(name, str) else ""
    return get_close_matches(written, [each for each in known if each != name], most, likeness)


def did_you_mean(near: Sequence[str], otherwise: str) -> str:
    """Return a hint for a message: the similar names, or `otherwise` if there are none."""
    return f"did you mean {' or '.join(map(repr, near))}?" if near else otherwise
