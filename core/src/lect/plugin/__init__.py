"""Everything that an adapter needs.

```python
from lect.plugin import Family, Rule, Turn, TurnTemplate

ACME = TurnTemplate("acme", user=Turn("<user>", "</user>"), assistant=Turn("<bot>", "</bot>"), stop=["</bot>"])
adapter = Family("acme", Rule("acme * chat", ACME))
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lect.boundaries import boundary
from lect.contain import by_signal
from lect.format.builtin import CHATML, DEFAULT
from lect.format.template import Template
from lect.format.turns import EOS, ROLE, ROUND, Turn, TurnTemplate
from lect.prompt.chat import Chat
from lect.prompt.inputs import Input, given, plain_str, unknown
from lect.prompt.message import Call, Message, Part
from lect.prompt.normalize import normalize
from lect.prompt.writer import Writer, stripped, think_tags, thought_and_answer
from lect.registry.family import Family, LazyTemplate, Rule
from lect.registry.hookspecs import hookimpl
from lect.registry.load import API_VERSION
from lect.registry.refs import ModelRef
from lect.values import SPELLINGS, Match, Specificity

if TYPE_CHECKING:
    from lect.files import open_file, parse_json, read_file
    from lect.format.compare import Difference
    from lect.installing import install_command
    from lect.outputs import owned, write_whole
    from lect.prompt.walker import Schema
    from lect.reply.reply import Reply, ToolCall
    from lect.source import Source
    from lect.tokens.encoded import split_at_controls
    from lect.tokens.tokenizer import Tokenizer

__all__ = [
    "API_VERSION", "CHATML", "DEFAULT", "EOS", "ROLE", "ROUND", "SPELLINGS", "Call", "Chat", "Difference", "Family",
    "Input", "LazyTemplate", "Match", "Message", "ModelRef", "Part", "Reply", "Rule", "Schema", "Source", "Specificity",
    "Template", "Tokenizer", "ToolCall", "Turn", "TurnTemplate", "Writer", "boundary", "by_signal", "given", "hookimpl",
    "install_command", "locate", "normalize", "open_file", "owned", "parse_json", "plain_str", "read_file",
    "split_at_controls", "stripped", "think_tags", "thought_and_answer", "unknown", "write_whole",
]  # fmt: skip


_LATER = {
    **dict.fromkeys(("open_file", "parse_json", "read_file"), "lect.files"),
    **dict.fromkeys(("owned", "write_whole"), "lect.outputs"),
    **dict.fromkeys(("Reply", "ToolCall"), "lect.reply.reply"),
    "Difference": "lect.format.compare",
    "install_command": "lect.installing",
    "Schema": "lect.prompt.walker",
    "Source": "lect.source",
    "Tokenizer": "lect.tokens.tokenizer",
    "split_at_controls": "lect.tokens.encoded",
}
"""Names that most families do without are imported on first use."""


@boundary
def locate(path: str) -> str:
    """Return where the files of a model are: a path on disk, or what an adapter has put there for `hf:owner/name`."""
    import lect

    return lect._registry.locate(path)


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
