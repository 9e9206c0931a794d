"""A model's own chat template, run without trusting it.

```python
import lect_jinja

template = lect_jinja.load("{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}")
template.render([{"role": "user", "content": "Hello!"}]).segments
```
"""

from lect_jinja.limits import LimitError, Limits
from lect_jinja.source import load
from lect_jinja.template import JinjaTemplate

__lect_api__ = "~=1.0"
__all__ = ["JinjaTemplate", "LimitError", "Limits", "load"]
