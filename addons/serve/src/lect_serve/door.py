"""Who may come in, and what a body must be before it is a request."""

from __future__ import annotations

import hmac
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from lect.errors import saferepr
from lect_serve.refusals import FORBIDDEN, INVALID, TOO_LARGE, UNAUTHORIZED, RefusedRequestError
from lect_serve.settings import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from lect_serve.settings import Settings

DEEPEST = 100
"""How deep a body may be nested; lect itself reads less."""
FREE = frozenset({"/", "/healthz"})
"""What needs no key: that the server is there is no secret."""


def admit(settings: Settings, method: str, path: str, headers: Mapping[str, str]) -> None:
    """Refuse who may not come in.

    A page in a browser may ask this machine in the name of its own site, once its name leads here. So the name by
    which a server of this machine alone is called must be its own.

    Raises:
        RefusedRequestError: If the host is another, the request is of a web page, or the key is wrong.
    """
    host = _name(headers.get("host", ""))
    if (settings.is_local or settings.hosts) and host not in (*LOOPBACK, settings.host, *settings.hosts):
        msg = f"the host {saferepr(host)} is not served here\n  try: --allow-host {host or 'NAME'}"
        raise RefusedRequestError(msg, status=FORBIDDEN)
    origin = headers.get("origin")
    if origin is not None and origin not in settings.origins:
        msg = f"web pages of {saferepr(origin)} may not ask\n  try: --allow-origin {origin}"
        raise RefusedRequestError(msg, status=FORBIDDEN)
    # Before a page asks, its browser does, and has no key.
    asks_first = method == "OPTIONS" and origin is not None
    if settings.keys and path not in FREE and not asks_first:
        # Headers are read as Latin-1, whatever they are: these are the bytes that were sent.
        given = key_of(headers).encode("latin-1", "replace")
        # All are compared, so that the time tells nothing.
        if not sum(hmac.compare_digest(given, key.encode(errors="surrogateescape")) for key in settings.keys):
            raise RefusedRequestError("the API key is missing or wrong", status=UNAUTHORIZED, code="invalid_api_key")


def key_of(headers: Mapping[str, str]) -> str:
    """Return the API key of a request; empty if it has none."""
    kind, _, bearer = headers.get("authorization", "").partition(" ")
    return headers.get("x-api-key") or (bearer.strip() if kind.lower() == "bearer" else "")


def _name(host: str) -> str:
    """Return the name in a `Host` header, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if host.count(":") == 1 else host


async def read_body(chunks: AsyncIterator[bytes], headers: Mapping[str, str], most: int) -> bytes:
    """Return the body of a request, which is bounded before it is read.

    Raises:
        RefusedRequestError: If it is larger, or packed.
    """
    if headers.get("content-encoding", "identity") != "identity":
        raise RefusedRequestError("the body is packed\n  try: without content-encoding", status=INVALID)
    stated = headers.get("content-length", "")
    if stated.isascii() and stated.isdecimal() and len(stated) < 20 and int(stated) > most:
        _too_large(most)
    data = bytearray()
    async for chunk in chunks:
        data += chunk
        if len(data) > most:
            _too_large(most)
    return bytes(data)


def _too_large(most: int) -> NoReturn:
    raise RefusedRequestError(f"the body has more than {most:,} bytes", status=TOO_LARGE)


def read_json(data: bytes) -> dict[str, Any]:
    """Return the object that a body is: finite numbers, and not too deep.

    Raises:
        RefusedRequestError: If it is none.
    """
    try:
        value = json.loads(data, parse_constant=_not_finite, parse_float=_finite)
    except RefusedRequestError:
        raise
    except RecursionError:
        _too_deep()
    except ValueError as error:  # Also a text that is no UTF-8, and an integer of thousands of digits.
        raise RefusedRequestError(f"the body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise RefusedRequestError(f"the body is {saferepr(value)}; expected an object")
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        inside = (each.values() if isinstance(each, dict) else each for each in level)
        level = [each for values in inside for each in values if isinstance(each, dict | list)]
        if not level:
            break
    else:
        _too_deep()
    return value


def _too_deep() -> NoReturn:
    raise RefusedRequestError(f"the body is nested more than {DEEPEST} deep")


def _not_finite(name: str) -> NoReturn:
    raise RefusedRequestError(f"the body has the number {name}; expected finite numbers")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        _not_finite(text[:20])
    return value
