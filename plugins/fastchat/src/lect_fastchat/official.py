"""Where FastChat's prompts differ from those of the models' makers.

Differences.json, and which of its rows concern a model.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, NamedTuple

from lect.errors import LectError
from lect_fastchat.data import read_json
from lect_fastchat.model.model_adapter import get_conversation_template
from lect_fastchat.patterns import last_part


class Difference(NamedTuple):
    """One difference between FastChat and a maker.

    Attributes:
        id: A name for it.
        models: Globs for the names of the models, in lower case.
        template: FastChat's template for them.
        level: `text`: the prompts differ. `tokens`: they do not, but what becomes of them. `refusal`: the maker refuses
            what FastChat writes.
            `fails`: FastChat cannot write one.
        fastchat: What FastChat does.
        maker: What the maker's format is.
        evidence: Where that is written down.
        example: A `model` and `messages` with which it shows.
    """

    id: str
    models: tuple[str, ...]
    template: str
    level: str
    fastchat: str
    maker: str
    evidence: str
    example: Mapping[str, Any]

    @property
    def wrong(self) -> bool:
        """Whether FastChat's text is not the maker's."""
        return self.level in ("text", "fails")

    def __str__(self) -> str:
        return f"FastChat: {self.fastchat}; the maker: {self.maker} ({self.evidence})"


@lru_cache(maxsize=1)
def all_differences() -> tuple[Difference, ...]:
    """Return all that are known."""
    return tuple(Difference(**{**row, "models": tuple(row["models"])}) for row in read_json("differences.json"))


def differences(model_path: str) -> list[Difference]:
    """Return the differences that concern a model.

    Those for its name, if FastChat gives it the template that they are about.
    """
    rows = differences_of_name(_name(model_path))
    if not rows:
        return []
    try:
        template = get_conversation_template(model_path).name
    except LectError:
        return []
    return [row for row in rows if row.template == template]


def differences_of_name(name: str) -> list[Difference]:
    """Return the differences for models of a name, whatever FastChat gives them."""
    return [row for row in all_differences() if any(fnmatchcase(name.lower(), pattern) for pattern in row.models)]


def _name(model_path: str) -> str:
    """Return the name of a model in lower case; a hub cache has it in a directory of its own."""
    path = model_path.replace("\\", "/").rstrip("/").lower()
    cached = next((part for part in path.split("/") if part.startswith("models--")), None)
    return cached.rpartition("--")[2] if cached else last_part(path).partition("@")[0]
