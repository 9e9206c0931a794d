"""The hooks that an adapter implements.

All are optional except `match` and `get_template`, and each may take fewer arguments than are named here.
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
    {"match", "get_template", "postprocess", "list_templates", "remarks", "near_miss", "get_reply_format"}
)
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""The decorator of functions that implement a hook."""


@hookspec
def match(model_path: str, ref: ModelRef) -> Match | None:
    """Return whether this adapter claims a model, and how strong the claim is.

    Args:
        model_path: The path as it was given.
        ref: The path taken apart: `ref.owner`, `ref.name`, `ref.words`.

    Returns:
        A `Match`, or None. `True` and `False` are accepted too: `True` is a claim by family, the weakest.
    """


@hookspec(firstresult=True)
def get_template(model_path: str, ref: ModelRef, match: Match) -> Template:  # type: ignore[empty-body]
    """Return the template for a model that this adapter has claimed, or that a user has pinned to it.

    Args:
        model_path: The path as it was given.
        ref: The path taken apart.
        match: What `match` returned; where a pin decided and `match` had returned None, an empty claim.
    """


@hookspec(firstresult=True)
def postprocess(text: str, template: Template, ref: ModelRef, reply: Reply) -> Reply | str | None:
    """Refine a reply.

    Without this hook, or where it returns None, it is what the grammar of the template makes of the text.

    Args:
        text: All that the model wrote.
        template: The template that the prompt was made with.
        ref: The path taken apart.
        reply: The reply as the grammar reads it. `reply._replace(content=...)` makes another one.

    Returns:
        A reply, or the new content as text, or None.
    """


@hookspec
def list_templates() -> Iterable[Template]:  # type: ignore[empty-body]
    """Return every template of this adapter, so that it is found by name and shown in listings."""


@hookspec
def remarks(model_path: str, ref: ModelRef, template: Template) -> Iterable[str]:  # type: ignore[empty-body]
    """Return what people should know of a model and the template that it got; `lect why` prints it.

    Args:
        model_path: The path as it was given.
        ref: The path taken apart.
        template: The template that the path was resolved to.
    """


@hookspec(firstresult=True)
def near_miss(model_path: str, ref: ModelRef) -> str | None:
    """Return how near this adapter came to a model that it does not claim; `lect why` prints it.

    Args:
        model_path: The path as it was given.
        ref: The path taken apart.

    Returns:
        One line for people, or None where the name is nothing like those that it claims.
    """


@hookspec(firstresult=True)
def get_reply_format(model_path: str, ref: ModelRef) -> ReplyFormat | None:
    """Return how a model writes its replies; asked only where no template says so.

    Args:
        model_path: The path as it was given.
        ref: The path taken apart.
    """
