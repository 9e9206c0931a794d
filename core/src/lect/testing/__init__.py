"""The conformance kit: what an adapter must do, as a suite of tests. It needs `pip install 'lect[testing]'`.

```python
from lect.testing import AdapterSuite


class TestAcme(AdapterSuite):
    plugin = "acme"
    examples = {"acme/Acme-7B-Chat": "acme-chat"}
```
"""

try:
    import hypothesis as _hypothesis  # noqa: F401
    import pytest
except ImportError as error:
    _MSG = f"lect.testing needs {error.name}, which is not installed\n  try: pip install 'lect[testing]'"
    raise ImportError(_MSG, name=error.name) from error

# Only assertions that pytest has rewritten show line by line how two prompts differ; by default, it rewrites those of
# test files.
pytest.register_assert_rewrite("lect.testing.goldens")

from lect.testing.suite import AdapterSuite  # noqa: E402  # after pytest knows that it is to be rewritten

__all__ = ["AdapterSuite"]
