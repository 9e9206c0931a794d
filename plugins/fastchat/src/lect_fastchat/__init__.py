"""FastChat's templates and adapters, prompt for prompt, without torch.

```python
from lect_fastchat import get_conversation_template

conversation = get_conversation_template("young-geng/koala")
conversation.append_message(conversation.roles[0], "Hello!")
conversation.append_message(conversation.roles[1], None)
prompt = conversation.get_prompt()
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lect_fastchat.conversation import (
    IMAGE_PLACEHOLDER_STR,
    Conversation,
    SeparatorStyle,
    get_conv_template,
    register_conv_template,
)
from lect_fastchat.model.model_adapter import (
    BaseModelAdapter,
    get_conversation_template,
    get_model_adapter,
    register_model_adapter,
)

if TYPE_CHECKING:
    from lect_fastchat.conversation import conv_templates
    from lect_fastchat.fallback import adapter
    from lect_fastchat.model.model_adapter import model_adapters
    from lect_fastchat.official import differences

__lect_api__ = "~=1.0"

__all__ = [
    "IMAGE_PLACEHOLDER_STR", "BaseModelAdapter", "Conversation", "SeparatorStyle", "adapter", "conv_templates",
    "differences", "get_conv_template", "get_conversation_template", "get_model_adapter", "model_adapters",
    "register_conv_template", "register_model_adapter",
]  # fmt: skip


_LAZY = {
    "adapter": "fallback",
    "conv_templates": "conversation",
    "differences": "official",
    "model_adapters": "model.model_adapter",
}


def __getattr__(name: str) -> Any:
    # These are slow to import: the two tables are read from files, and the others are needed only by lect itself.
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
