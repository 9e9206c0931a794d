"""Shell completion: a script for bash, zsh or fish that completes commands, options and names.

```python
import lect_completion

assert "chatml" in lect_completion.script("bash")
```
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lect_completion.scripts import script

__all__ = ["script"]


def __getattr__(name: str) -> Any:
    # `lect --help` imports the package for its command, and must not wait for the rest.
    if name == "script":
        from lect_completion.scripts import script

        return script
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
