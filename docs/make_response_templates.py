"""Write the table of docs/how-to/use-with-transformers.md: `python docs/make_response_templates.py`.

It needs transformers, and the tests' support modules: run it with `PYTHONPATH=tests/support`.
"""

import json
import re
import warnings
from collections import defaultdict
from pathlib import Path

import staged
import transformers
from transformers.utils.chat_parsing import parse_response

import lect
from lect import dump_template
from lect_jinja.writing.response_template import as_message, as_transformers

PAGE = Path(__file__).parent / "how-to" / "use-with-transformers.md"


def counts():
    """Return how many replies each format has, and how many transformers reads as lect does; None: not expressible."""
    found = defaultdict(lambda: [0, 0])
    for vector in staged.VECTORS:
        template = staged.template_for(vector)
        row = found[vector["format"]]
        row[0] += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                spec = json.loads(dump_template(template, "response-template", lossy=True))
        except lect.ConversionError:
            row[1] = None
            continue
        prompt = template.text([{"role": "user", "content": "Hi"}], add_generation_prompt=True)
        tools = staged.tools_of(vector) or None
        expected = as_message(template.parse(vector["input"], prompt=prompt, tools=tools))
        row[1] += as_transformers(parse_response, spec, vector["input"], prompt, tools) == expected
    return dict(sorted(found.items()))


def table():
    """Return the table."""
    rows = counts()
    can = {name: row for name, row in rows.items() if row[1] is not None}
    cannot = ", ".join(f"`{name}`" for name, row in rows.items() if row[1] is None)
    lines = [f"| `{name}` | {total} | {equal} |" for name, (total, equal) in can.items()]
    head = f"With transformers {transformers.__version__}:\n\n| format | replies | read equally |\n|---|---|---|"
    return "\n".join([head, *lines, "", f"Not expressible: {cannot}."])


if __name__ == "__main__":
    text = re.sub(
        r"(<!-- table -->\n\n).*?(\n\n<!-- end of table -->)",
        lambda found: found[1] + table() + found[2],
        PAGE.read_text("utf-8"),
        flags=re.DOTALL,
    )
    PAGE.write_text(text, "utf-8")
