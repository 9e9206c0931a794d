"""Chat Completions, Responses and Messages over any engine: token ids go up and come back.

```python
import lect_serve

app = lect_serve.app(lect_serve.Settings("Qwen/Qwen3-8B", engines=("echo",)))  # for any ASGI server
```
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lect_serve.application import app
    from lect_serve.settings import Settings
    from lect_serve.thread import serving

__all__ = ["Settings", "app", "serving"]

_LATER = {"Settings": "settings", "app": "application", "serving": "thread"}
"""`lect --help` imports the package for its command, and must not wait for the rest."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"lect_serve.{_LATER[name]}"), name)
