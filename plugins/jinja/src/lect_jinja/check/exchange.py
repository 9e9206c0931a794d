"""One request to a server, and its answer: bounded in time and in size, whatever the server sends."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection, IncompleteRead
from threading import Timer
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import (
    AbstractHTTPHandler,
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPRedirectHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

MOST_BYTES = 2 << 20
LONGEST_REASON = 200


class NoAnswerError(Exception):
    """A server gives no answer; the message says why."""


class ServerAnswer(NamedTuple):
    """What a server answers: its status, and its JSON, None if it has none."""

    status: int
    data: Any


def answer_to(request: Request, seconds: float) -> ServerAnswer:
    """Return a server's answer; one that is an error has a status and no data.

    Raises:
        NoAnswerError: If it is not there in time, too long, or not what HTTP and JSON allow.
    """
    deadline = _Deadline()
    timer = Timer(seconds, deadline.end)
    timer.daemon = True
    timer.start()
    try:
        return _answer(request, seconds, deadline)
    except (OSError, HTTPException, ValueError, RecursionError) as error:
        reason = "its JSON is nested too deeply" if isinstance(error, RecursionError) else _reason(error)
        msg = f"it took more than {seconds:g} s" if deadline.is_over else reason
        raise NoAnswerError(msg) from error
    finally:
        timer.cancel()


def _answer(request: Request, seconds: float, deadline: _Deadline) -> ServerAnswer:
    opener = OpenerDirector()
    for handler in (*(each() for each in HANDLERS), _Watched(deadline)):
        opener.add_handler(handler)
    try:
        with opener.open(request, timeout=seconds) as response:
            body, missing = response.read(MOST_BYTES + 1), response.length
    except HTTPError as error:
        error.close()
        return ServerAnswer(error.code, None)
    if len(body) > MOST_BYTES:
        msg = f"it is longer than {MOST_BYTES:,} bytes"
        raise ValueError(msg)
    # A conversation that was ended looks like one that the server has ended.
    if missing or deadline.is_over:
        raise IncompleteRead(body, missing)
    return ServerAnswer(response.status, _json(body))


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _reason(error: Exception) -> str:
    if isinstance(error, URLError):
        return str(error.reason)[:LONGEST_REASON]
    name = f"{type(error).__name__}: " if isinstance(error, HTTPException) else ""
    return f"{name}{error}"[:LONGEST_REASON]


class _Deadline:
    """Ends a conversation: time-outs of sockets begin anew with every byte."""

    def __init__(self) -> None:
        self.is_over = False
        self._socket: socket.socket | None = None

    def holds_for(self, connected: socket.socket) -> None:
        self._socket = connected
        if self.is_over:
            self.end()

    def end(self) -> None:
        self.is_over = True
        if self._socket is not None:
            with suppress(OSError):
                # Of one that waits for bytes in another thread, this ends the waiting, and closing does not.
                self._socket.shutdown(socket.SHUT_RDWR)


class _NoRedirect(HTTPRedirectHandler):
    def http_error_302(self, req: Request, fp: Any, code: int, msg: str, headers: Any) -> None:
        """Follow nothing: a request goes to the server that was named, or nowhere."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


HANDLERS = ProxyHandler, UnknownHandler, HTTPErrorProcessor, HTTPDefaultErrorHandler, _NoRedirect
"""What an opener needs besides connections; with no others, no address means a file."""


class _Watched(AbstractHTTPHandler):
    """Has every connection end at the deadline.

    Unlike the handlers of urllib, it reads the system's certificates only where they are needed: this takes longer than
    a server that is near takes to answer.
    """

    http_request = https_request = AbstractHTTPHandler.do_request_

    def __init__(self, deadline: _Deadline):
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: Request) -> Any:
        return self.do_open(partial(self._connection, HTTPConnection), req)

    def https_open(self, req: Request) -> Any:
        return self.do_open(partial(self._connection, HTTPSConnection), req)

    def _connection(self, kind: type[HTTPConnection], host: str, **more: Any) -> HTTPConnection:
        connection = kind(host, **more)
        connect = connection.connect

        def connected() -> None:
            connect()
            self._deadline.holds_for(connection.sock)

        connection.connect = connected  # type: ignore[method-assign]
        return connection
