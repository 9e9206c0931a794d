r"""PaddleNLP's chat_template.json.

```python
from lect_paddlenlp import ChatTemplate

template = ChatTemplate(["Q: {{user}}\n", "A: {{bot}}\n"], query="Q: {{query}}\nA:")
prompt = template.apply([["1+1=", "2"], ["And one more?"]])
```
"""

from lect_paddlenlp.chat import ChatTemplate, init_chat_template
from lect_paddlenlp.training import Span
from lect_paddlenlp.whole import WholeTemplate

__lect_api__ = "~=1.0"

__all__ = ["ChatTemplate", "Span", "WholeTemplate", "init_chat_template"]
