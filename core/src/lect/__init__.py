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

from typing import TYPE_CHECKING, Any

from lect.errors import (
    AmbiguousModelError,
    ControlTextError,
    InvalidModelPathError,
    LectError,
    MessageError,
    PluginError,
    RefusedError,
    UnknownModelError,
    UnknownTemplateError,
    UnusedInputError,
)
from lect.notations.fastchat.conversation import Conversation
from lect.prompt.segments import Control, Origin, Rendered, Segment
from lect.prompt.template import Template
from lect.prompt.unused import Unused
from lect.registry.registry import Registry
from lect.registry.resolve import Resolution

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lect.registry.registry import PluginInfo
    from lect.reply.grammar import Grammar
    from lect.reply.reply import Reply
    from lect.reply.stream import ReplyStream

    ModelPath = str | os.PathLike[str]

__version__ = "0.1.0"

__all__ = [
    "AmbiguousModelError",
    "Control",
    "ControlTextError",
    "Conversation",
    "InvalidModelPathError",
    "LectError",
    "MessageError",
    "Origin",
    "PluginError",
    "RefusedError",
    "Rendered",
    "Reply",
    "Resolution",
    "Segment",
    "Template",
    "UnknownModelError",
    "UnknownTemplateError",
    "Unused",
    "UnusedInputError",
    "__version__",
    "get_conv_template",
    "get_conversation_template",
    "get_template",
    "parse",
    "pin",
    "plugins",
    "register",
    "register_conv_template",
    "render",
    "resolve",
    "stream",
]  # fmt: skip

_registry = Registry()


def __getattr__(name: str) -> Any:
    """Import what belongs to replies when somebody asks for it: to write prompts, nobody needs it."""
    if name == "Reply":
        from lect.reply.reply import Reply

        return Reply
    if name == "reply":
        import lect.reply as module

        return module
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def get_conversation_template(
    model_path: ModelPath, *, adapter: Any = None, default: str | None = None
) -> Conversation:
    """Return a new conversation in the official format of a model.

    Args:
        model_path: `owner/name`, a name, or a local path.
        adapter: Who shall decide instead of the installed adapters: the name of an adapter or a template, or one
            itself.
        default: The name of a template to use where nobody knows the model.

    Raises:
        UnknownModelError: If nobody knows the model and there is no default.
    """
    try:
        return Conversation(_registry.resolve(model_path, adapter=adapter).template)
    except UnknownModelError:
        if default is None:
            raise
        return get_conv_template(default)


def get_conv_template(name: str) -> Conversation:
    """Return a new conversation in the template called `name`, or `plugin:name`.

    Raises:
        UnknownTemplateError: If there is none; it says which names are near.
    """
    prototype = _registry.conversations.get(name)
    if prototype is not None:
        copy: Conversation = prototype.copy()
        return copy
    return Conversation(_registry.templates.get(name))


def register_conv_template(conv: Any, override: bool = False) -> None:
    """Make a template, or a conversation to start from, known by its name in this process.

    Raises:
        PluginError: If the name is taken and `override` is not set.
    """
    if isinstance(conv, Template):
        _registry.templates.register(conv, override=override)
        return
    if not isinstance(conv, Conversation):
        msg = f"cannot register {conv!r}; expected a Conversation or a Template"
        raise PluginError(msg)
    with _registry.lock:
        if conv.name in _registry.conversations and not override:
            msg = f"a conversation {conv.name!r} is registered already\n  try: override=True, or another name"
            raise PluginError(msg)
        _registry.conversations[conv.name] = conv.copy()


def resolve(model_path: ModelPath, *, adapter: Any = None) -> Resolution:
    """Return what a model path resolves to, and why.

    Raises:
        InvalidModelPathError: If the path cannot name a model.
        UnknownModelError: If nobody knows the model; the error says what to install.
        AmbiguousModelError: If several adapters claim it equally; the error says how to choose one.
    """
    return _registry.resolve(model_path, adapter=adapter)


def get_template(model_path: ModelPath, *, adapter: Any = None) -> Template:
    """Return the official format of a model."""
    return _registry.resolve(model_path, adapter=adapter).template


def render(
    model_path: ModelPath,
    messages: Sequence[Mapping[str, Any]],
    *,
    adapter: Any = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = False,
    strict: bool = False,
    on_control: str = "report",
    **options: Any,
) -> Rendered:
    """Render a conversation in the official format of a model; see `Template.render`."""
    return get_template(model_path, adapter=adapter).render(
        messages,
        tools=tools,
        add_generation_prompt=add_generation_prompt,
        strict=strict,
        on_control=on_control,
        **options,
    )


def parse(
    model_path: ModelPath | None,
    output: str,
    *,
    format: str | Grammar | None = None,  # noqa: A002  # the word that everybody expects
    tools: Sequence[Mapping[str, Any]] | None = None,
    prompt: Rendered | str | None = None,
    starts_in_reasoning: bool | None = None,
    extract: Iterable[str] = ("reasoning", "tools"),
    finish: str | None = None,
) -> Reply:
    """Take apart what a model wrote.

    Whatever that is, nothing is raised for it and nothing of it is lost; see `stream` for the arguments.

    Args:
        model_path: The model; None where `format` alone decides.
        output: All that the model wrote, with its special tokens.
        format: How it is written, if not as the model's template says.
        tools: The tools that the model may call.
        prompt: The prompt that was answered.
        starts_in_reasoning: Whether the reply begins inside reasoning, for those who know better than the prompt.
        extract: What shall be taken out of the content.
        finish: The server's finish reason, such as `length`.
    """
    heard = stream(
        model_path, format=format, tools=tools, prompt=prompt, starts_in_reasoning=starts_in_reasoning, extract=extract
    )
    heard.feed(output)
    return heard.close(finish)


def stream(
    model_path: ModelPath | None,
    *,
    format: str | Grammar | None = None,  # noqa: A002  # the word that everybody expects
    tools: Sequence[Mapping[str, Any]] | None = None,
    prompt: Rendered | str | None = None,
    starts_in_reasoning: bool | None = None,
    extract: Iterable[str] = ("reasoning", "tools"),
) -> ReplyStream:
    """Take apart what a model writes, while it writes: feed chunks and get events, close and get the reply.

    Args:
        model_path: The model; None where `format` alone decides.
        format: How the reply is written, if not as the model's template says: a name of `lect.reply.formats()`, or a
            `Grammar`.
        tools: The tools that the model may call. They decide the types of arguments where a format carries only text.
        prompt: The prompt that is answered. Its end tells whether the reply begins inside reasoning.
        starts_in_reasoning: Whether the reply begins inside reasoning, for those who know better than the prompt.
        extract: What shall be taken out of the content, `reasoning` and `tools`; the rest stays in it as it was
            written.

    Raises:
        MessageError: If an argument has a wrong type, or neither a model nor a format is named.
        PluginError: If a `Grammar` is none to read by.
        UnknownModelError: If nobody knows the model.
    """
    from lect.reply.stream import ReplyStream

    options: dict[str, Any] = {
        "tools": tools,
        "prompt": prompt.text if isinstance(prompt, Rendered) else prompt,
        "starts_in_reasoning": starts_in_reasoning,
        "extract": extract,
    }
    if model_path is not None:
        return _registry.resolve(model_path).stream(format=format, **options)
    if format is None:
        msg = "neither a model nor a format is named\n  try: format='hermes_json', or any name of lect.reply.formats()"
        raise MessageError(msg)
    return ReplyStream(format, **options)


def register(adapter: Any, *, name: str | None = None) -> Callable[[], None]:
    """Add an adapter for this process: a module or an object with hooks. Call what is returned to take it away again.

    Raises:
        PluginError: If it cannot be an adapter; nothing is registered then.
    """
    return _registry.register(adapter, name=name)


def pin(pattern: str, adapter: Any) -> Callable[[], None]:
    """Decide which adapter, or template, speaks for all paths of a pattern such as `acme/*`.

    Call what is returned to take that back.
    """
    return _registry.pin(pattern, adapter)


def plugins(*, load: bool = False) -> list[PluginInfo]:
    """Return what is known of every installed or registered plugin; none is imported unless `load` is set."""
    return _registry.plugins(load=load)
