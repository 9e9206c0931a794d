"""Templates in the notations of other tools: each is written only after a proof that it writes the same prompts there.

```python
import lect

text = lect.dump_template(lect.template("default"), "xtuner")
```

A package that brings a notation writes it with `Written`, `table_of` and `expressible`.
"""

from lect_convert.dump import dump_template as dump_template  # `lect.dump_template` is its public name.
from lect_convert.tables import expressible, table_of
from lect_convert.written import Written

__all__ = ["Written", "expressible", "table_of"]
