"""Cache misses, explained by origin: why a prompt does not extend the one before it.

```python
import lect
import lect_explain

template = lect.template("chatml")
told = {"role": "system", "content": "Be brief."}
before = template.render([told, {"role": "user", "content": "What is 6 times 7?"}], add_generation_prompt=True)
after = template.render([told, {"role": "user", "content": "What is 6 times 8?"}], add_generation_prompt=True)
assert lect_explain.explain(before, after).reason == "messages[1].content is not what it was"
```
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lect_explain.compared import explain
    from lect_explain.sessions import explain_requests, read_request
    from lect_explain.step import Sent, Step

__all__ = ["Sent", "Step", "explain", "explain_requests", "read_request"]

_LATER = {
    "Sent": "step", "Step": "step", "explain": "compared", "explain_requests": "sessions", "read_request": "sessions",
}  # fmt: skip
"""`lect --help` imports the package for its command, and must not wait for the rest."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"lect_explain.{_LATER[name]}"), name)
