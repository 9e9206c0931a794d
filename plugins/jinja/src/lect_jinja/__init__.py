"""A model's own chat template, run without trusting it.

```python
import lect_jinja

template = lect_jinja.load("{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}")
template.render([{"role": "user", "content": "Hello!"}]).segments
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lect_jinja.engine.limits import Limits
    from lect_jinja.files.untrusted import ModelFileError
    from lect_jinja.identity.source import load
    from lect_jinja.identity.template import JinjaTemplate

__lect_api__ = "~=1.0"
__all__ = ["JinjaTemplate", "Limits", "ModelFileError", "load"]

_MODULES = {
    "JinjaTemplate": "identity.template",
    "Limits": "engine.limits",
    "ModelFileError": "files.untrusted",
    "load": "identity.source",
}


def __getattr__(name: str) -> Any:
    """Import the engine on first use: a model with a family's template does not need it."""
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(f"lect_jinja.{_MODULES[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
