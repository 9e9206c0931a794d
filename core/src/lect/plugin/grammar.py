"""Everything needed to describe how a model writes its replies.

```python
from lect.plugin.grammar import JSON_IN_TAGS, THINK, Grammar

ACME_REPLIES = Grammar("acme", reasoning=THINK, sections=(JSON_IN_TAGS,))
```
"""

from lect.registry.registry import REGISTRY
from lect.reply.blocks import (
    ATTRIBUTE_TAGS,
    CALL_IN_WORDS,
    FUNCTION_TAGS,
    JSON_IN_A_FENCE,
    JSON_IN_TAGS,
    JSON_OBJECT,
    KEY_VALUE_CALL,
    KEY_VALUE_TAGS,
    NAMED_JSON_IN_TAGS,
    PYTHON_CALL,
    PYTHON_LIST,
    THINK,
    in_tags,
)
from lect.reply.grammar import (
    KEY,
    NAME,
    QUOTED_KEY,
    QUOTED_NAME,
    SPACE,
    CallSyntax,
    Channels,
    Code,
    Grammar,
    Head,
    Json,
    JsonMap,
    Literals,
    NamedJson,
    Params,
    Reasoning,
    ReplyFormat,
    Section,
    Wrapper,
)
from lect.reply.plain import HERMES_JSON, THINKING

__all__ = [
    "ATTRIBUTE_TAGS", "CALL_IN_WORDS", "FUNCTION_TAGS", "HERMES_JSON", "JSON_IN_A_FENCE", "JSON_IN_TAGS", "JSON_OBJECT",
    "KEY", "KEY_VALUE_CALL", "KEY_VALUE_TAGS", "NAME", "NAMED_JSON_IN_TAGS", "PYTHON_CALL", "PYTHON_LIST", "QUOTED_KEY",
    "QUOTED_NAME", "SPACE", "THINK", "THINKING", "CallSyntax", "Channels", "Code", "Grammar", "Head", "Json", "JsonMap",
    "Literals", "NamedJson", "Params", "Reasoning", "ReplyFormat", "Section", "Wrapper", "in_tags", "reply_format",
]  # fmt: skip


def reply_format(name: str) -> ReplyFormat:
    """Return the reply format that core or an installed package has under a name from `lect.reply_formats()`.

    Raises:
        MessageError: If there is none; the error lists similar names.
        PluginError: If no package that declares it can provide it, or several declare different ones.
    """
    return REGISTRY.formats.get(name)
