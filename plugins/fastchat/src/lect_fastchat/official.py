"""Where FastChat's prompts differ from those of the models' makers: the rows of differences.json, by model."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, NamedTuple

from lect.errors import LectError
from lect.plugin import boundary
from lect_fastchat.data import read_json
from lect_fastchat.model.model_adapter import get_conversation_template
from lect_fastchat.patterns import last_part


class KnownDifference(NamedTuple):
    """One difference between FastChat and a maker.

    Attributes:
        id: A name for it.
        models: Globs for the names of the models, in lower case.
        template: FastChat's template for them.
        level: `text`: the prompts differ. `tokens`: the prompts are equal, but their tokens differ. `refusal`: the
            maker refuses what FastChat writes. `fails`: FastChat cannot write a prompt.
        fastchat: What FastChat does.
        maker: What the maker's format is.
        evidence: Where that is documented.
        example: A `model` and `messages` that show the difference.
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
def all_differences() -> tuple[KnownDifference, ...]:
    """Return all known differences."""
    return tuple(KnownDifference(**{**row, "models": tuple(row["models"])}) for row in read_json("differences.json"))


@boundary
def differences(model_path: str) -> list[KnownDifference]:
    """Return the differences that concern a model: those for its name, if FastChat gives it the template concerned."""
    rows = differences_of_name(_name(model_path))
    if not rows:
        return []
    try:
        template = get_conversation_template(model_path).name
    except LectError:
        return []
    return [row for row in rows if row.template == template]


def differences_of_name(name: str) -> list[KnownDifference]:
    """Return the differences for models of a name, whatever FastChat gives them."""
    return [row for row in all_differences() if any(fnmatchcase(name.lower(), pattern) for pattern in row.models)]


def _name(model_path: str) -> str:
    """Return the name of a model in lower case; in a hub cache, a directory further up has the name."""
    path = model_path.replace("\\", "/").rstrip("/").lower()
    cached = next((part for part in path.split("/") if part.startswith("models--")), None)
    return cached.rpartition("--")[2] if cached else last_part(path).partition("@")[0]
