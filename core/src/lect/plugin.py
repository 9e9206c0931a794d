"""All that an adapter needs.

```python
from lect.plugin import Family, Rule, Turn, TurnTemplate

ACME = TurnTemplate("acme", user=Turn("<user>", "</user>"), assistant=Turn("<bot>", "</bot>"), stop=["</bot>"])
adapter = Family("acme", Rule("acme * chat", ACME))
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.prompt.builtin import CHATML, DEFAULT
from lect.prompt.chat import Chat
from lect.prompt.messages import Call, Message, Part
from lect.prompt.template import Template
from lect.prompt.turns import Turn, TurnTemplate
from lect.prompt.writer import Writer, stripped, think_tags
from lect.registry.family import Family, Rule
from lect.registry.hookspecs import hookimpl
from lect.registry.load import API_VERSION
from lect.registry.match import Match, Specificity
from lect.registry.refs import ModelRef

if TYPE_CHECKING:
    from lect.reply import grammar
    from lect.reply.reply import Reply, ToolCall

__all__ = [
    "API_VERSION", "CHATML", "DEFAULT", "Call", "Chat", "Family", "Match", "Message", "ModelRef", "Part", "Reply",
    "Rule", "Specificity", "Template", "ToolCall", "Turn", "TurnTemplate", "Writer", "grammar", "hookimpl", "stripped",
    "think_tags",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the words for replies when somebody refines one or writes a grammar: most families just name a format."""
    if name == "grammar":
        from lect.reply import grammar

        return grammar
    if name in ("Reply", "ToolCall"):
        from lect.reply import reply

        return getattr(reply, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
