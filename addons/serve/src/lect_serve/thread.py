"""The server in a thread of a program: for a trainer that starts it, a notebook, a test."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from lect import LectError
from lect_serve.application import app

if TYPE_CHECKING:
    import uvicorn

    from lect_serve.engines.base import Engine
    from lect_serve.settings import Settings


@contextmanager
def serving(settings: Settings, *, engines: Sequence[Engine] | None = None) -> Iterator[str]:
    """Serve while a `with` block runs, and give the address of the server.

    Args:
        settings: What the server is told; its port is any that is free.
        engines: The engines, if they are not to be found by their addresses.

    Raises:
        UnknownModelError: If no adapter knows the model.
        TokenizerError: If its tokenizer is not here.
        EngineError: If an engine does not answer.
    """
    from uvicorn import Config, Server

    built = app(settings, engines=engines)
    with socket.create_server((settings.host, 0)) as listening:
        config = Config(built, log_level="critical", timeout_graceful_shutdown=settings.grace)
        server = Server(config)
        thread = threading.Thread(target=_run, args=(server, listening), daemon=True)
        thread.start()
        try:
            while not server.started:
                thread.join(0.01)
                if not thread.is_alive():
                    raise built.state.server.failure or LectError("the server did not start")
            host, port, *_ = listening.getsockname()
            yield f"http://{host}:{port}"
        finally:
            server.should_exit = True
            thread.join()


def _run(server: uvicorn.Server, listening: socket.socket) -> None:
    # A server that cannot start ends its process, as it thinks.
    with suppress(SystemExit):
        server.run(sockets=[listening])
