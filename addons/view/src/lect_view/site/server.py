"""Serve the page to this machine only."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""What a browser on this machine calls it."""
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

    def parse_request(self) -> bool:
        """Refuse what no browser asks of this page: a malformed path, or another host.

        A page from elsewhere whose name was made to mean this machine, by DNS, names itself as the host.
        """
        if not super().parse_request():
            return False
        if unquote(self.path, errors="surrogateescape").isprintable() and self.path.startswith("/"):
            port = self.connection.getsockname()[1]
            if self.headers.get("Host") in {f"{name}:{port}" for name in NAMES}:
                return True
            self.send_error(403, "this page is served to this machine only")
        else:
            self.send_error(400, "not a path")
        return False

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
