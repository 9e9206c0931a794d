"""The rows of data sets."""

from typing import Any, NamedTuple


class Row(NamedTuple):
    """A row of a data set: its messages, and all that it says beside them."""

    messages: list[dict[str, Any]]
    """The conversation; in a row with a preference, what both answers follow."""
    tools: list[dict[str, Any]] | None
    """OpenAI tool schemas; None if there are none."""
    weights: list[float | None] | None
    """The weight that the row states for each message, None where it states none; None if it states none at all. The
    messages hold them too, so `lect.encode` follows them."""
    chosen: list[dict[str, Any]] | None
    """The messages of the answer that was preferred; None if there is none."""
    rejected: list[dict[str, Any]] | None
    """The messages of the answer that was not; None if there is none."""
    rest: dict[str, Any]
    """All other fields of the row, such as `id` and `label`, as they are."""
