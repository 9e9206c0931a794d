"""XTuner's prompt templates: by name, as data, and in both of its assemblies.

```python
import lect
from lect_xtuner import PROMPT_TEMPLATE, template_for, training

template = lect.template(f"xtuner:{template_for('internlm/internlm-chat-7b')}")
spans = training("internlm_chat", [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}])
```
"""

from functools import partial

from lect.plugin import Family, LazyTemplate, Rule, TurnTemplate
from lect_xtuner.chat import chat_template, fields_of, table_of
from lect_xtuner.named import PROMPT_TEMPLATE, SYSTEM_TEMPLATE, template_for
from lect_xtuner.spans import Span, Spans, training

__lect_api__ = "~=1.0"

__all__ = [
    "PROMPT_TEMPLATE", "SYSTEM_TEMPLATE", "Span", "Spans", "adapter", "chat_template", "template_for", "training",
]  # fmt: skip


def _table(name: str) -> TurnTemplate:
    return table_of(fields_of(name), source=f"InternLM/xtuner, xtuner/utils/templates.py: {name}")


# The other rows of XTuner's table are models of families, which have packages with the makers' formats.
adapter = Family(
    "xtuner",
    Rule("bigcode/starcoder", _table("default"), "base", "a base model; XTuner's table gives it `default`"),
    # Building all of them takes longer than everything else here.
    templates=[LazyTemplate(name, partial(_table, name)) for name in PROMPT_TEMPLATE if name != "default"],
)
