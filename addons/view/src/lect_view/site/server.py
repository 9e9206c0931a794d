"""Serve the page to this machine only."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOST = "127.0.0.1"
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; "
    "worker-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Of every answer: a worker has no document that could state one."""


class Handler(SimpleHTTPRequestHandler):
    """Serves files, lists no folders, and logs nothing."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".wasm": "application/wasm"}  # noqa: RUF012

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        self.send_error(404)

    def log_message(self, *_arguments: Any) -> None:
        pass


def server(folder: str, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of a folder that listens already; port 0 is any that is free.

    Raises:
        OSError: If the port is taken.
    """
    return ThreadingHTTPServer((HOST, port), partial(Handler, directory=folder))
