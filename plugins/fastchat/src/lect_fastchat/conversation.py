"""The public names of `fastchat.conversation`.

The 102 templates are in templates.json and are read on the first access to `conv_templates`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.errors import PluginError, UnknownTemplateError, did_you_mean, near_names
from lect.plugin import boundary
from lect_fastchat.data import read_json
from lect_fastchat.separators import IMAGE_PLACEHOLDER_STR, SeparatorStyle
from lect_fastchat.styled import Conversation

if TYPE_CHECKING:
    conv_templates: dict[str, Conversation]

__all__ = [
    "IMAGE_PLACEHOLDER_STR", "Conversation", "SeparatorStyle", "conv_templates", "get_conv_template",
    "register_conv_template",
]  # fmt: skip


class UnknownNameError(UnknownTemplateError, KeyError):
    """FastChat has no template of this name. FastChat raises a `KeyError`, so this is one too."""

    # A KeyError shows the repr of its message, all on one line.
    __str__ = Exception.__str__


def __getattr__(name: str) -> Any:
    if name == "conv_templates":
        return _templates()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _templates() -> dict[str, Conversation]:
    """Return the templates by name; the first call reads them.

    From then on it is an ordinary global, which users may change.
    """
    templates: dict[str, Conversation] | None = globals().get("conv_templates")
    if templates is None:
        read = {name: _conversation(name, fields) for name, fields in read_json("templates.json").items()}
        # Two threads may both read: the first one wins, so that nothing is registered in a discarded table.
        templates = globals().setdefault("conv_templates", read)
    return templates


def _conversation(name: str, fields: dict[str, Any]) -> Conversation:
    style = fields["sep_style"]
    return Conversation(
        name, **{**fields, "roles": tuple(fields["roles"]), "sep_style": SeparatorStyle[style] if style else None}
    )


@boundary
def get_conv_template(name: str) -> Conversation:
    """Return a new conversation in the template called `name`.

    Raises:
        UnknownNameError: If there is none; it lists similar names.
    """
    found = _templates().get(name)
    if found is not None:
        return found.copy()
    from lect_fastchat.ours import OURS

    if name in OURS:
        return Conversation(OURS[name])
    near = near_names(name, [*_templates(), *OURS], most=3, likeness=0.5)
    msg = (
        f"FastChat has no template {name!r}; {did_you_mean(near, 'no name is similar')}\n"
        f"  try: sorted(lect_fastchat.conv_templates), or lect.get_conv_template({name!r})"
    )
    raise UnknownNameError(msg, name=str(name), near=near)


@boundary
def register_conv_template(template: Any, override: bool = False) -> None:
    """Register a conversation under its name, as a template for new ones.

    It is copied: later changes to it have no effect here.

    Raises:
        PluginError: If the name is taken and `override` is not set.
    """
    if not isinstance(template, Conversation):
        raise PluginError(f"cannot register {template!r}; expected a Conversation")
    if template.name in _templates() and not override:
        raise PluginError(f"a template {template.name!r} is already registered\n  try: override=True, or another name")
    _templates()[template.name] = template.copy()
