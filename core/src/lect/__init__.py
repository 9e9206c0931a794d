"""Give a model path, get the exact way to talk to that model, and to understand what it says back.

```python
import lect

conversation = lect.get_conversation_template("lmsys/vicuna-7b-v1.5")
conversation.append_message("user", "Hello!")
conversation.append_message("assistant", None)
prompt = conversation.get_prompt()
```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from lect.apart import functions
from lect.boundaries import boundary, public_functions
from lect.conversation import Conversation
from lect.errors import (
    AmbiguousModelError,
    BaseModelWarning,
    ControlTextError,
    ConversionError,
    FallbackWarning,
    InvalidModelPathError,
    LectError,
    LimitError,
    MaskError,
    MessageError,
    PluginError,
    RefusedError,
    SourceError,
    TokenizerError,
    UnknownModelError,
    UnknownTemplateError,
    UnusedInputError,
    saferepr,
    warn_caller,
)
from lect.format.prompt import Prompt
from lect.format.template import Template
from lect.registry.adapters import Undo
from lect.registry.registry import REGISTRY, ModelPath
from lect.registry.resolve import Resolution, base_note
from lect.values import ControlPolicy, Origin, Segment

if TYPE_CHECKING:
    from lect.format.answer import Messages
    from lect.format.replies import ReplyOptions
    from lect.format.sequences import Unroll
    from lect.registry.info import PluginInfo
    from lect.registry.settings import Pin
    from lect.reply.grammar import Grammar, ReplyFormat
    from lect.reply.reply import Reply
    from lect.reply.stream import ReplyStream
    from lect.reports import Control, Unused
    from lect.rows import Row
    from lect.tokens.encoded import Encoded, Truncate
    from lect.tokens.policy import LossPolicy
    from lect.tokens.spans import LossSpan

__version__ = "0.1.0"

__all__ = [
    "AmbiguousModelError", "Control", "ControlTextError", "Conversation", "ConversionError", "Encoded",
    "FallbackWarning", "InvalidModelPathError", "LectError", "LimitError", "LossPolicy", "LossSpan", "MaskError",
    "MessageError", "Origin", "PluginError", "Prompt", "RefusedError", "Reply", "Resolution", "Row", "Segment",
    "SourceError", "Template", "TokenizerError", "UnknownModelError", "UnknownTemplateError", "Unused",
    "UnusedInputError", "__version__", "dump_template", "encode", "fit", "get_conv_template",
    "get_conversation_template", "get_template", "load_template", "media_tokens", "messages", "parse", "pin", "pins",
    "plugins", "register", "register_conv_template", "render", "reply_formats", "rescan", "resolve", "rollout", "row",
    "stream", "template", "templates",
]  # fmt: skip

_registry = REGISTRY
functions.append(lambda name: _registry.function(name))

_LAZY = {
    "Control": "lect.reports",
    "Encoded": "lect.tokens.encoded",
    "LossPolicy": "lect.tokens.policy",
    "LossSpan": "lect.tokens.spans",
    "Reply": "lect.reply.reply",
    "Row": "lect.rows",
    "Unused": "lect.reports",
}
"""Names that importing lect does not need: each is imported on first use."""
_ELSEWHERE = ("dump_template", "fit", "media_tokens", "messages", "rollout", "row")
"""Functions in packages of their own. One that needs a template takes a model path, too."""


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in _ELSEWHERE:
        try:
            return _for_paths(_registry.function(name))
        except PluginError:
            # Calling it says what to install: who lists the names of lect calls none of them.
            return lambda *given, **named: _registry.function(name)(*given, **named)
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_LAZY[name]), name)
    return value


@cache
def _for_paths(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a package as users call it: the template that it may need is given, or a model path."""
    from inspect import signature

    stated = signature(function)
    needed, *others = stated.parameters.values()
    if needed.name != "template":
        return function

    def called(
        model_path: ModelPath, *given: Any, adapter: Any = None, default: str | None = None, **named: Any
    ) -> Any:
        is_path = isinstance(model_path, str | PathLike)
        template = get_template(model_path, adapter=adapter, default=default) if is_path else model_path
        return function(template, *given, **named)

    path, _, *choice, _ = signature(called).parameters.values()
    parameters = sorted([path, *others, *choice], key=lambda each: each.kind)
    vars(called)["__signature__"] = stated.replace(parameters=parameters)
    return wraps(function)(called)


def get_conversation_template(
    model_path: ModelPath, *, adapter: Any = None, default: str | None = None
) -> Conversation:
    """Return a new conversation in the official format of a model; see `get_template`, also for the arguments."""
    try:
        return Conversation(_template_of(_registry.resolve(model_path, adapter=adapter)))
    except UnknownModelError:
        if default is None:
            raise
        return get_conv_template(default)


def get_conv_template(name: str) -> Conversation:
    """Return a new conversation in the template called `name`, or `plugin:name`.

    Raises:
        UnknownTemplateError: If there is none; the error lists similar names.
    """
    prototype = _registry.conversations.get(name) if isinstance(name, str) else None
    return Conversation(_registry.templates.get(name)) if prototype is None else prototype.copy()


def register_conv_template(conv: Any, override: bool = False) -> None:
    """Register a template, or a conversation to start from, under its name in this process.

    Raises:
        PluginError: If the name is taken and `override` is not set.
    """
    if isinstance(conv, Template):
        _registry.templates.register(conv, override=override)
    elif isinstance(conv, Conversation):
        _registry.register_conversation(conv, override=override)
    else:
        raise PluginError(f"cannot register {saferepr(conv)}; expected a Conversation or a Template")


def resolve(model_path: ModelPath, *, adapter: Any = None, fallback: bool = True) -> Resolution:
    """Return what a model path resolves to, and why.

    Args:
        model_path: `owner/name`, a name, a local path, or the name of a template as `plugin:name`.
        adapter: The adapter or template to use, whatever the path says: its name, or the object itself.
        fallback: Whether fallbacks are asked where no other adapter claims the model, with a `FallbackWarning`.

    Raises:
        InvalidModelPathError: If the path cannot name a model.
        UnknownModelError: If no adapter knows the model; the error says what to install.
        AmbiguousModelError: If several adapters claim it equally; the error says how to choose one.
    """
    return _registry.resolve(model_path, adapter=adapter, fallback=fallback)


def get_template(model_path: ModelPath, *, adapter: Any = None, default: str | None = None) -> Template:
    """Return the official format of a model. For a base model it comes with a `BaseModelWarning`.

    Args:
        model_path: `owner/name`, a name, a local path, or the name of a template as `plugin:name`.
        adapter: The adapter or template to use, whatever the path says: its name, or the object itself.
        default: The name of the template to use if no adapter knows the model.

    Raises:
        UnknownModelError: If no adapter knows the model and there is no default; see also `resolve`.
    """
    return _template_of(_registry.resolve(model_path, adapter=adapter, default=default))


def _template_of(resolution: Resolution) -> Template:
    if resolution.kind == "base":
        instead = "the version that was trained to chat, or lect.resolve(path).template, which does not warn"
        warn_caller(f"{base_note(resolution)}\n  try: {instead}", BaseModelWarning)
    return resolution.template


def render(
    model_path: ModelPath,
    messages: Sequence[Mapping[str, Any]],
    *,
    adapter: Any = None,
    default: str | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = False,
    continue_final_message: bool = False,
    strict: bool = False,
    on_control: ControlPolicy = "report",
    limits: Mapping[str, int] | None = None,
    **options: Any,
) -> Prompt:
    """Render a conversation in the official format of a model.

    `model_path`, `adapter` and `default` are those of `get_template`, all others, and errors, of `Template.render`.
    """
    return get_template(model_path, adapter=adapter, default=default).render(
        messages,
        tools=tools,
        add_generation_prompt=add_generation_prompt,
        continue_final_message=continue_final_message,
        strict=strict,
        on_control=on_control,
        limits=limits,
        **options,
    )


@overload
def encode(
    model_path: ModelPath, messages: Messages, tokenizer: Any, *, unroll: Literal["never"] = "never", **arguments: Any
) -> Encoded: ...


@overload
def encode(
    model_path: ModelPath, messages: Messages, tokenizer: Any, *, unroll: Literal["auto", "always"], **arguments: Any
) -> list[Encoded]: ...


def encode(
    model_path: ModelPath,
    messages: Sequence[Mapping[str, Any]],
    tokenizer: Any,
    *,
    adapter: Any = None,
    default: str | None = None,
    safe: bool = True,
    policy: LossPolicy | None = None,
    max_length: int | None = None,
    truncate: Truncate = "tokens",
    unroll: Unroll = "never",
    **arguments: Any,
) -> Encoded | list[Encoded]:
    """Return a conversation as token ids in the official format of a model.

    `adapter` and `default` are those of `get_template`, `safe`, `policy`, `max_length` and `truncate` those of
    `Prompt.encode`; `arguments` are the others of `Template.render`, such as `tools` and the maker's options. With
    `unroll="auto"` or `"always"` it returns a list: one sequence for each prompt of `Template.unroll`.

    Raises:
        MaskError: With `strict=True` and a policy, if something is not trained as the model would write it on a server.
            Without, an answer that is trained otherwise is a `ServedDifferentlyWarning`.
    """
    template = get_template(model_path, adapter=adapter, default=default)
    strict = arguments.get("strict") or None
    encoded = [
        prompt.encode(tokenizer, safe=safe, policy=policy, max_length=max_length, truncate=truncate, strict=strict)
        for prompt in template.unroll(messages, unroll, **arguments)
    ]
    return encoded[0] if unroll == "never" else encoded


def parse(
    model_path: ModelPath | None,
    output: str,
    *,
    adapter: Any = None,
    default: str | None = None,
    format: str | Grammar | ReplyFormat | None = None,
    finish: str | None = None,
    **options: Unpack[ReplyOptions],
) -> Reply:
    """Parse the complete output of a model into reasoning, content and tool calls.

    Any output can be parsed, and no character is lost. `output` and `finish` are those of `Template.parse`, the other
    arguments and errors of `stream`.
    """
    reply_stream = stream(model_path, adapter=adapter, default=default, format=format, **options)
    reply_stream.feed(output)
    return reply_stream.close(finish)


def stream(
    model_path: ModelPath | None,
    *,
    adapter: Any = None,
    default: str | None = None,
    format: str | Grammar | ReplyFormat | None = None,
    **options: Unpack[ReplyOptions],
) -> ReplyStream:
    """Parse a reply that is still arriving: feed it chunks and get events, close it and get the reply.

    `adapter` and `default` are those of `get_template`, the other arguments those of `Template.stream`, except
    `format`, the reply format if not the template's own: a name from `lect.reply_formats()`, a `Grammar` or a
    `ReplyFormat`. The reply ends at the stops of the template, or of the format, if `model_path` is None.

    Raises:
        MessageError: If an argument has a wrong type, or neither a model nor a format is named.
        PluginError: If a `Grammar` is invalid.
        UnknownModelError: If no adapter knows the model.
    """
    if model_path is not None:
        found = _registry.look_up(model_path, adapter=adapter, default=default)
        if isinstance(found, Resolution):
            return found.stream(format=format, **options)
        # A reply can be parsed without knowing the prompt format.
        format = format or _registry.formats.of(found.ref)  # noqa: A001
        if format is None:
            raise _registry.unknown(found)
    if format is None:
        msg = "neither a model nor a format is named\n  try: format='think', or any name from lect.reply_formats()"
        raise MessageError(msg)
    from lect.reply.stream import ReplyStream

    given: dict[str, Any] = {**options}
    reply_format = _registry.formats.get(format)
    prompt, tokenizer = given.get("prompt"), given.pop("tokenizer", None)
    if prompt is not None or tokenizer is not None:
        from lect.tokens.decoder import prompt_and_decoder

        given["prompt"], given["decoder"] = prompt_and_decoder(prompt, tokenizer)
    return ReplyStream(reply_format.grammar, ends=reply_format.stop, **given)


def register(adapter: Any, *, name: str | None = None) -> Undo:
    """Add an adapter for this process: a module or an object with hooks.

    Call the returned object to remove the adapter again, or use it in a `with` statement.

    Raises:
        PluginError: If it cannot be an adapter; then nothing is registered.
    """
    return _registry.adapters.register(adapter, name=name)


def pin(pattern: str, adapter: Any) -> Undo:
    """Set the adapter, or the template, for all paths that match a pattern such as `acme/*`.

    Call the returned object to remove the pin again, or use it in a `with` statement.
    """
    return _registry.pin(pattern, adapter)


def pins(*, load: bool = False) -> tuple[Pin, ...]:
    """Return the pins in force, highest priority first; with `load`, each has its `problem` if it names nothing."""
    return _registry.pins(load=load)


def plugins(*, load: bool = False) -> list[PluginInfo]:
    """Return what is known about every installed or registered plugin; none is imported unless `load` is true."""
    return _registry.adapters.plugins(load=load)


def rescan() -> None:
    """Look again for installed plugins, and read the `LECT_*` variables again.

    A plugin that has failed gets another chance. One that is imported stays as it is, even if a newer version of it was
    installed: Python imports a module only once.
    """
    _registry.adapters.rescan()


def load_template(source: Any, *, notation: str | None = None) -> Template:
    """Read a template that another tool uses.

    Args:
        source: A file, a directory, a mapping or a text; a `str` is text if it holds `{` or a newline, else a path.
        notation: The notation, such as `jinja`; by default, the one that recognises the source.

    Raises:
        SourceError: If it cannot be read, or no installed notation, or more than one, recognises it.
    """
    from lect.notations import load_template

    return load_template(_registry.adapters, source, notation)


def template(name: str) -> Template:
    """Return the template called `name`, or `plugin:name`.

    Raises:
        UnknownTemplateError: If there is none; the error lists similar names.
        AmbiguousModelError: If several plugins have one of that name.
    """
    return _registry.templates.get(name)


def templates(*, load: bool = False) -> dict[str, list[str]]:
    """Return the names of all templates by owner; with `load`, also those that a plugin does not declare."""
    return _registry.templates.names(load=load)


def reply_formats() -> list[str]:
    """Return the names of all reply formats that are installed, for `lect.parse(None, output, format=...)`."""
    return _registry.formats.names()


globals().update({name: boundary(function) for name, function in public_functions(globals()) if name in __all__})
