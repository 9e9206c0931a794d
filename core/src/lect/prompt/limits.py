"""How large the input may be: named limits, which a caller can change."""

from collections.abc import Mapping
from typing import Any, NoReturn

from lect.errors import LimitError, MessageError, saferepr
from lect.prompt.fields import is_list, spell, wrong
from lect.values import Path

DEEPEST = 200
"""The largest `depth` that a caller may allow: programs recurse into values."""
LARGEST_INTEGER = 14_000
"""Bits: Python prints no integer of more than 4,300 digits."""
NAMES = ("messages", "tools", "depth", "bytes", "controls")
SCALARS = frozenset({str, float, bool, type(None)})


class Limits:
    """How large a request and its prompt may be. The defaults, which `given` changes, are beyond any need."""

    messages = 100_000
    tools = 10_000
    depth = 64
    """How deep the values in tools, calls, other fields of messages and options may be nested."""
    bytes = 64 * 2**20
    """How long the prompt may be in UTF-8."""
    controls = 1_000
    """How many control markers a prompt lists; more are not an error."""

    def __init__(self, given: Mapping[str, int] | None = None):
        if given is not None and not isinstance(given, Mapping):
            wrong("limits", given, f"a mapping such as {{'messages': {self.messages}}}")
        for name, most in (given or {}).items():
            if name not in NAMES:
                raise MessageError(f"there is no limit {saferepr(name)}\n  try: one of {', '.join(NAMES)}")
            if type(most) is not int or most < 0:
                wrong(f"limits[{name!r}]", most, "a number")
            if name == "depth" and most > DEEPEST:
                wrong(f"limits[{name!r}]", most, f"at most {DEEPEST}")
            setattr(self, name, most)

    def check_counts(self, messages: Any, tools: Any) -> None:
        """Refuse too many messages or tools; a value that is not a list is refused elsewhere."""
        for name, given in (("messages", messages), ("tools", tools)):
            # Checking the exact type costs a tenth of checking against an abstract class.
            if (type(given) is list or is_list(given)) and len(given) > getattr(self, name):
                are = f"is 1 {name[:-1]}" if len(given) == 1 else f"are {len(given):,} {name}"
                self._refuse(f"there {are}", name)

    def check_prompt(self, text: str) -> None:
        """Refuse a prompt that is too long."""
        # No character takes more than four bytes.
        if len(text) * 4 > self.bytes:
            size = len(text.encode(errors="surrogatepass"))
            if size > self.bytes:
                self._refuse(f"the prompt has {size:,} bytes", "bytes")

    def check_value(self, value: Any, path: Path, depth: int = 0) -> None:
        """Refuse a value that is nested too deeply, or in itself, or holds a huge integer or a key that JSON lacks."""
        if type(value) in SCALARS:
            return
        if depth > self.depth:
            self._refuse(f"{spell(path[:-depth])} is nested more than {self.depth} deep", "depth")
        if isinstance(value, Mapping):
            for key, item in value.items():
                if type(key) is not str and not isinstance(key, str | float | int | None):
                    wrong(f"a key of {spell(path)}", key, "text")
                if type(item) not in SCALARS:
                    self.check_value(item, (*path, key if isinstance(key, str | int) else saferepr(key)), depth + 1)
        elif isinstance(value, list | tuple):
            for index, item in enumerate(value):
                if type(item) not in SCALARS:
                    self.check_value(item, (*path, index), depth + 1)
        elif isinstance(value, int) and value.bit_length() > LARGEST_INTEGER:
            msg = f"{spell(path)} is an integer of {value.bit_length():,} bits; expected at most {LARGEST_INTEGER:,}"
            raise MessageError(msg)

    def check_values(self, fields: Mapping[str, Any], path: Path, *, but: str = "") -> None:
        """Check every field of a mapping as `check_value` does, except for `but`, which is checked separately."""
        for name, value in fields.items():
            if type(value) not in SCALARS and name != but:
                self.check_value(value, (*path, name))

    def _refuse(self, what: str, name: str) -> NoReturn:
        most = getattr(self, name)
        more = "" if name == "depth" else f"; at most {most:,} are allowed"
        msg = f"{what}{more}\n  try: a smaller input, or a higher limit: limits={{{name!r}: ...}}"
        raise LimitError(msg, limit=name, most=most)


DEFAULT = Limits()
LONGEST_UNCOUNTED = DEFAULT.bytes // 4
"""Characters: only a longer prompt may have more bytes than allowed."""


def is_encodable(text: str) -> bool:
    """Return whether `text` contains no half of a surrogate pair."""
    try:
        # Chinese takes four times as long in UTF-8.
        text.encode("utf-16")
    except UnicodeEncodeError:
        return False
    return True
