"""The hooks that an adapter implements.

An adapter for models has `match` and `get_template`; the others are optional. Each may take fewer arguments than are
named here: `model_path` is the path as given, `ref` the same parsed, with `owner`, `name`, `words` and `tag`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

from lect.format.template import Template
from lect.registry.refs import ModelRef
from lect.values import Match

if TYPE_CHECKING:
    from lect.reply.grammar import ReplyFormat
    from lect.reply.reply import Reply

PROJECT = "lect"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""The decorator for functions that implement a hook."""


@hookspec(firstresult=True)
def alias(model_path: str, ref: ModelRef) -> str | None:
    """Return the model of a hub, as `owner/name`, that a name stands for; None if it is not known to stand for another.

    It is asked before `match`, which then sees that model. An adapter of the group `lect.paths` with a hint such as
    `hf:` is asked about `hf:owner/name`, and returns the directory where the model is.
    """


@hookspec
def match(model_path: str, ref: ModelRef) -> Match | None:
    """Return whether this adapter claims a model, and how strong the claim is: a `Match`, or None.

    `True` and `False` are accepted too: `True` is a claim by family, the weakest.
    """


@hookspec(firstresult=True)
def get_template(model_path: str, ref: ModelRef, match: Match) -> Template:  # type: ignore[empty-body]
    """Return the template for a model that this adapter has claimed, or that a user has pinned to it.

    `match` is what the hook of this name returned; an empty claim if a pin decided and it returned None.
    """


@hookspec(firstresult=True)
def postprocess(text: str, template: Template, ref: ModelRef, reply: "Reply") -> "Reply | str | None":
    """Refine a reply to a prompt of `template`: return another, or its new content as text, or None to leave it.

    `text` is all that the model wrote, `reply` what was made of it; `reply._replace(content=...)` is a changed copy.
    """


@hookspec
def list_templates() -> Iterable[Template]:  # type: ignore[empty-body]
    """Return every template of this adapter, so that it is found by name and shown in listings."""


@hookspec
def remarks(model_path: str, ref: ModelRef, template: Template) -> Iterable[str]:  # type: ignore[empty-body]
    """Return what people should know about a model and the template that it got; `lect why` prints it."""


@hookspec(firstresult=True)
def near_miss(model_path: str, ref: ModelRef) -> str | None:
    """Return, in one line for people, how close this adapter came to claiming a model; `lect why` prints it.

    None means that the name is nothing like those that it claims.
    """


@hookspec(firstresult=True)
def get_reply_format(model_path: str, ref: ModelRef) -> "ReplyFormat | None":
    """Return how a model writes its replies; asked only if no template says so."""


HOOKS = frozenset(name for name, each in globals().items() if hasattr(each, f"{PROJECT}_spec"))
