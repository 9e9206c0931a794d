"""What is to be rendered."""

# Annotations are not postponed: a named tuple with string annotations takes twice as long to create.
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Request(NamedTuple):
    """What is to be rendered."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] | None
    options: dict[str, Any]
    add_generation_prompt: bool
