"""Responses that were answered, so that the next request of the Responses API may name one of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

from lect.errors import saferepr
from lect_serve.answers import dumps
from lect_serve.refusals import MISSING, RefusedRequestError

MOST, MOST_BYTES = 1000, 64 << 20
PREVIOUS = "previous_response_id"


class Stored(NamedTuple):
    """A response, and the conversation up to its end."""

    owner: str
    """The API key of the client whose it is."""
    items: list[Any]
    response: Mapping[str, Any]
    size: int


class Store:
    """The last responses, in memory: as many as there is room for, and none after a restart."""

    def __init__(self, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._most_bytes, self._bytes = most, most_bytes, 0
        self._responses: OrderedDict[str, Stored] = OrderedDict()

    def put(self, owner: str, body: Mapping[str, Any], response: Mapping[str, Any]) -> None:
        """Keep a response, and forget the oldest."""
        items = [*_items(body), *response["output"]]
        stored = Stored(owner, items, response, len(dumps(items)))
        self._responses[response["id"]] = stored
        self._bytes += stored.size
        while len(self._responses) > self._most or self._bytes > self._most_bytes:
            self._bytes -= self._responses.popitem(last=False)[1].size

    def get(self, id: Any, owner: str) -> Stored:  # noqa: A002  # as in the API
        """Return a response; that of another client is none.

        Raises:
            RefusedRequestError: If there is none.
        """
        stored = self._responses.get(id) if isinstance(id, str) else None
        if stored is None or stored.owner != owner:
            msg = f"there is no response {saferepr(id)}: it is of another server, or forgotten"
            raise RefusedRequestError(msg, status=MISSING, code="previous_response_not_found")
        return stored

    def delete(self, id: Any, owner: str) -> None:  # noqa: A002  # as in the API
        """Forget a response.

        Raises:
            RefusedRequestError: If there is none.
        """
        self._bytes -= self.get(id, owner).size
        del self._responses[id]

    def whole(self, body: Mapping[str, Any], owner: str) -> Mapping[str, Any]:
        """Return a request with the conversation that it names in it.

        Raises:
            RefusedRequestError: If there is none.
        """
        previous = body.get(PREVIOUS)
        if previous is None:
            return body
        rest = {name: value for name, value in body.items() if name != PREVIOUS}
        return {**rest, "input": [*self.get(previous, owner).items, *_items(body)]}


def _items(body: Mapping[str, Any]) -> list[Any]:
    """Return the input of a request as items."""
    given = body.get("input")
    if isinstance(given, str):
        return [{"type": "message", "role": "user", "content": given}]
    # What is no list is refused where it is read.
    return list(given) if isinstance(given, list) else [given]
