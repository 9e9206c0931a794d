"""An application behind a real socket, in a thread of its own."""

import socket
import threading
import time
from contextlib import contextmanager

import uvicorn


@contextmanager
def serving(app, **settings):
    """Serve an ASGI application at a free port, and give its address."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="critical", backlog=4096, timeout_graceful_shutdown=1, **settings)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.005)
    try:
        yield "http://{}:{}".format(*listening.getsockname())
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
