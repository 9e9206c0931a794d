"""All that an adapter needs.

```python
from lect.plugin import Family, Rule, Turn, TurnTemplate

ACME = TurnTemplate("acme", user=Turn("<user>", "</user>"), assistant=Turn("<bot>", "</bot>"), stop=["</bot>"])
adapter = Family("acme", Rule("acme * chat", ACME))
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect.format.builtin import CHATML, DEFAULT
from lect.format.template import Template
from lect.format.turns import ROUND, Turn, TurnTemplate
from lect.prompt.chat import Chat
from lect.prompt.inputs import Input, given, plain_str, unknown
from lect.prompt.messages import Call, Message, Part
from lect.prompt.put_right import put_right
from lect.prompt.writer import Writer, stripped, think_tags
from lect.registry.family import Family, Rule
from lect.registry.hookspecs import hookimpl
from lect.registry.load import API_VERSION
from lect.registry.refs import ModelRef
from lect.values import Match, Specificity

if TYPE_CHECKING:
    from lect.notations import Written, table_of, unsaid
    from lect.reply.reply import Reply, ToolCall
    from lect.source import Source

__all__ = [
    "API_VERSION", "CHATML", "DEFAULT", "ROUND", "Call", "Chat", "Family", "Input", "Match", "Message", "ModelRef",
    "Part", "Reply", "Rule", "Source", "Specificity", "Template", "ToolCall", "Turn", "TurnTemplate", "Writer",
    "Written", "given", "hookimpl", "plain_str", "put_right", "stripped", "table_of", "think_tags", "unknown", "unsaid",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import what belongs to replies or to notations when somebody needs it: to write prompts, nobody does."""
    if name == "Source":
        from lect.source import Source

        return Source
    if name in ("Written", "table_of", "unsaid"):
        from lect import notations

        return getattr(notations, name)
    if name in ("Reply", "ToolCall"):
        from lect.reply import reply

        return getattr(reply, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
