"""All that an adapter needs.

```python
from idiolect.plugin import Family, Rule, Turn, TurnTemplate

ACME = TurnTemplate("acme", user=Turn("<user>", "</user>"), assistant=Turn("<bot>", "</bot>"), stop=["</bot>"], markers=["<user>", ...])
adapter = Family("acme", Rule("acme * chat", ACME))
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from idiolect.prompt.builtin import CHATML, DEFAULT
from idiolect.prompt.chat import Chat
from idiolect.prompt.messages import Call, Message, Part
from idiolect.prompt.template import Template
from idiolect.prompt.turns import Turn, TurnTemplate
from idiolect.prompt.writer import Writer, stripped, think_tags
from idiolect.registry.family import Family, Rule
from idiolect.registry.hookspecs import hookimpl
from idiolect.registry.load import API_VERSION
from idiolect.registry.match import Match, Specificity
from idiolect.registry.refs import ModelRef

if TYPE_CHECKING:
    from idiolect.reply import grammar
    from idiolect.reply.reply import Reply, ToolCall

__all__ = [
    "API_VERSION", "CHATML", "DEFAULT", "Call", "Chat", "Family", "Match", "Message", "ModelRef", "Part", "Reply", "Rule", "Specificity", "Template",
    "ToolCall", "Turn", "TurnTemplate", "Writer", "grammar", "hookimpl", "stripped",
    "think_tags",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the words for replies when somebody refines one or writes a grammar: most families just name a format."""
    if name == "grammar":
        from idiolect.reply import grammar

        return grammar
    if name in ("Reply", "ToolCall"):
        from idiolect.reply import reply

        return getattr(reply, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
