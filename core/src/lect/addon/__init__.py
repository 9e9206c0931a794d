"""What packages on top of lect need, as adapters need `lect.plugin`: for prompts, templates, tokens and commands."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lect import json_schema, objects
    from lect.addon import commands
    from lect.cli.screen import Painted, Screen
    from lect.format.call_ids import respelled
    from lect.format.compare import compared
    from lect.notations import Notation
    from lect.outputs import replacing
    from lect.prompt.fields import spell
    from lect.prompt.message import REASONING_NAMES
    from lect.prompt.messages import expect_request
    from lect.prompt.segments import Layout
    from lect.reply.engine.compiled import live_marks
    from lect.reply.events import Event
    from lect.reply.stream import ReplyStream
    from lect.tokens import probes
    from lect.tokens.decoder import Decoder
    from lect.tokens.edges import Edges
    from lect.tokens.policy import own_weight
    from lect.tokens.safe import controls_in
    from lect.tokens.tokenizer import Encoder, encoder_of
    from lect.tokens.turns import alike

__all__ = [
    "REASONING_NAMES", "Decoder", "Edges", "Encoder", "Event", "Layout", "Notation", "Painted", "ReplyStream", "Screen",
    "alike", "commands", "compared", "controls_in", "encoder_of", "expect_request", "find_notation", "json_schema",
    "live_marks", "objects", "own_weight", "probes", "replacing", "respelled", "spell",
]  # fmt: skip

_LATER = {
    "REASONING_NAMES": "prompt.message", "Decoder": "tokens.decoder", "Edges": "tokens.edges",
    "Encoder": "tokens.tokenizer", "Event": "reply.events", "Layout": "prompt.segments", "Notation": "notations",
    "Painted": "cli.screen", "ReplyStream": "reply.stream", "Screen": "cli.screen", "alike": "tokens.turns",
    "commands": "addon.commands", "compared": "format.compare", "controls_in": "tokens.safe",
    "encoder_of": "tokens.tokenizer", "expect_request": "prompt.messages", "json_schema": "json_schema",
    "live_marks": "reply.engine.compiled", "objects": "objects", "own_weight": "tokens.policy",
    "probes": "tokens.probes", "replacing": "outputs", "respelled": "format.call_ids", "spell": "prompt.fields",
}  # fmt: skip
"""No package needs all of them: each is imported on first use."""


def find_notation(name: str) -> Notation:
    """Return the installed notation of that name.

    Raises:
        SourceError: If there is none.
        PluginError: If several packages have one, or it cannot be loaded.
    """
    import lect
    from lect.notations import notations

    return notations(lect._registry.adapters, name)[name]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"lect.{_LATER[name]}")
    return getattr(module, name, module)
