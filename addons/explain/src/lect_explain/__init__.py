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

from lect_explain.explain import explain
from lect_explain.sessions import explain_requests, read_request
from lect_explain.step import Sent, Step

__all__ = ["Sent", "Step", "explain", "explain_requests", "read_request"]
