"""The conversations with which a template is asked what it writes around an answer.

Their texts, names, keys and values are words that occur nowhere else: what is between them is the template's own.

A user asks `QUESTION`; an answer says `TEXT`, reasons `THOUGHT` and makes `CALLS`, names with arguments, of `TOOLS`,
which are called `NAMES`. Arguments are `ONE`, `KEY` with `VALUE`, or `EVERY_TYPE`: `SAMPLES`, a key and a value for
each type, and `VALUE` at `LAST_KEY`.
"""

from typing import Any

__all__ = [
    "CALLS", "EVERY_TYPE", "KEY", "LAST_KEY", "NAMES", "ONE", "QUESTION", "SAMPLES", "TEXT", "THOUGHT", "TOOLS",
    "VALUE",
]  # fmt: skip

QUESTION: dict[str, Any] = {"role": "user", "content": "zqqu"}
TEXT, THOUGHT, RESULT = "zqco", "zqre", "zqrs"
NAMES = ("zqfa", "zqfb", "zqfc", "zqfd")
KEY, LAST_KEY, VALUE = "zqky", "zqkz", "zqvl"
SAMPLES: dict[str, tuple[str, Any]] = {
    "string": (KEY, VALUE),
    "integer": ("zqki", 7919),
    "number": ("zqkn", 7.25),
    "boolean": ("zqkb", True),
    "null": ("zqku", None),
    "array": ("zqka", [VALUE]),
    "object": ("zqko", {"zqkk": VALUE}),
}
"""By type, a key and a value."""
ONE = {KEY: VALUE}
TWO = dict([*SAMPLES.values()][:2])
EVERY_TYPE = {LAST_KEY: VALUE} | dict(SAMPLES.values())
"""The first two keys are the last two in alphabetical order, so that they are side by side even if they are sorted."""
CALLS: tuple[tuple[str, dict[str, Any]], ...] = tuple(zip(NAMES, (ONE, EVERY_TYPE, TWO, {}), strict=True))
"""Names and arguments: a text, one of each type, a text and a number, none."""
_PROPERTIES = {LAST_KEY: {"type": "string"}} | {key: {"type": kind} for kind, (key, _) in SAMPLES.items()}
_PARAMETERS = {"type": "object", "properties": _PROPERTIES}
TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": name, "description": "zqde", "parameters": _PARAMETERS}} for name in NAMES
]
