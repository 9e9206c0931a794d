"""The conformance kit: what an adapter must do, as a suite of tests; and the commands `lect new` and `lect check`.

```python
from lect_kit import AdapterSuite


class TestAcme(AdapterSuite):
    plugin = "acme"
    examples = {"acme/Acme-7B-Chat": "acme-chat"}
```
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lect_kit.suite import AdapterSuite

__all__ = ["AdapterSuite"]

# Only assertions that pytest has rewritten show line by line how two prompts differ; by default, it rewrites those of
# test files. Where pytest does not run, there is nothing to rewrite.
if "pytest" in sys.modules:
    sys.modules["pytest"].register_assert_rewrite("lect_kit.goldens")


def __getattr__(name: str) -> Any:
    """Import the suite on first use: the commands are in this package too, and `lect --help` imports them."""
    if name == "AdapterSuite":
        from lect_kit.suite import AdapterSuite

        return AdapterSuite
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
