"""The hooks that an adapter implements.

An adapter for models has `match` and `get_template`; the others are optional. Each may take fewer arguments than are
named here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lect.format.template import Template
    from lect.registry.refs import ModelRef
    from lect.reply.grammar import ReplyFormat
    from lect.reply.reply import Reply
    from lect.values import Match

PROJECT = "lect"
HOOKS = frozenset(
    {"alias", "match", "get_template", "postprocess", "list_templates", "remarks", "near_miss", "get_reply_format"}
)
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""The decorator for functions that implement a hook."""


@hookspec(firstresult=True)
def alias(model_path: str, ref: ModelRef) -> str | None:
    """Return the model of a hub that a name stands for; asked before `match`, which then sees that model.

    Args:
        model_path: The path as it was given.
        ref: The parsed path: `ref.name`, `ref.tag`.

    Returns:
        An `owner/name`, or None if the name is not known to stand for another.
    """


@hookspec
def match(model_path: str, ref: ModelRef) -> Match | None:
    """Return whether this adapter claims a model, and how strong the claim is.

    Args:
        model_path: The path as it was given.
        ref: The parsed path: `ref.owner`, `ref.name`, `ref.words`.

    Returns:
        A `Match`, or None. `True` and `False` are accepted too: `True` is a claim by family, the weakest.
    """


@hookspec(firstresult=True)
def get_template(model_path: str, ref: ModelRef, match: Match) -> Template:  # type: ignore[empty-body]
    """Return the template for a model that this adapter has claimed, or that a user has pinned to it.

    Args:
        model_path: The path as it was given.
        ref: The parsed path.
        match: What `match` returned; an empty claim if a pin decided and `match` returned None.
    """


@hookspec(firstresult=True)
def postprocess(text: str, template: Template, ref: ModelRef, reply: Reply) -> Reply | str | None:
    """Refine a reply.

    Without this hook, or if it returns None, the reply stays as the template's grammar parsed it.

    Args:
        text: Everything that the model wrote.
        template: The template that the prompt was rendered with.
        ref: The parsed path.
        reply: The reply as the grammar parsed it. `reply._replace(content=...)` returns a changed copy.

    Returns:
        A reply, or the new content as text, or None.
    """


@hookspec
def list_templates() -> Iterable[Template]:  # type: ignore[empty-body]
    """Return every template of this adapter, so that it is found by name and shown in listings."""


@hookspec
def remarks(model_path: str, ref: ModelRef, template: Template) -> Iterable[str]:  # type: ignore[empty-body]
    """Return what people should know about a model and the template that it got; `lect why` prints it.

    Args:
        model_path: The path as it was given.
        ref: The parsed path.
        template: The template that the path was resolved to.
    """


@hookspec(firstresult=True)
def near_miss(model_path: str, ref: ModelRef) -> str | None:
    """Return how close this adapter came to claiming a model; `lect why` prints it.

    Args:
        model_path: The path as it was given.
        ref: The parsed path.

    Returns:
        One line for people, or None if the name is nothing like those that it claims.
    """


@hookspec(firstresult=True)
def get_reply_format(model_path: str, ref: ModelRef) -> ReplyFormat | None:
    """Return how a model writes its replies; asked only if no template says so.

    Args:
        model_path: The path as it was given.
        ref: The parsed path.
    """
