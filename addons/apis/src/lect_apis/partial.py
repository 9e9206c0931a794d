"""JSON text that breaks off."""

from __future__ import annotations

import json
import re
from typing import Any

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+|"', re.DOTALL)
CLOSERS = {"{": "}", "[": "]"}


def partial_value(text: str) -> Any:
    """Return the value of JSON text that breaks off, as far as its members are complete; `{}` if there is none."""
    closers, ends = "", []
    for token in TOKEN.finditer(text):
        if token[0] == '"':
            break  # A string that breaks off.
        if token[0] in CLOSERS:
            closers = CLOSERS[token[0]] + closers
        elif token[0] in ("}", "]"):
            closers = closers[1:]
        ends.append((token.end(), closers))
    # Where the text ends within a member, at most its key, the colon and the comma before it are in the way.
    for end, missing in reversed(ends[-5:]):
        try:
            return json.loads(text[:end] + missing)
        except ValueError:
            continue
    return {}
