"""Cache misses, explained by origin: why a prompt does not extend the one before it.

```python
import lect
import lect_explain

template = lect.template("chatml")
first = [{"role": "user", "content": "What is 6 times 7?"}]
before = template.render(first, add_generation_prompt=True)
after = template.render([{"role": "user", "content": "What is 6 times 8?"}], add_generation_prompt=True)
print(lect_explain.explain(before, after).reason)
```
"""

from lect_explain.explain import explain
from lect_explain.sessions import explain_requests, read_request
from lect_explain.step import Sent, Step

__all__ = ["Sent", "Step", "explain", "explain_requests", "read_request"]
