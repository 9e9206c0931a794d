"""Coding agents, and a server for them: `lect serve` as a user starts it, over a scripted engine."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

sys.path.append(str(Path(__file__).parent))

PATIENCE = 60


@pytest.fixture(scope="session")
def programs():
    """The folder of the clients' programs."""
    modules = os.environ.get("LECT_NODE_MODULES")
    if not modules:
        pytest.skip("the coding agents are not here: nox -s agents installs them")
    # Clients are started in folders of their own.
    return Path(modules).resolve() / ".bin"


class Served:
    """A running server.

    Attributes:
        url: Its address.
        log: The file with its log.
        records: The folder with its recorded sessions.
    """

    def __init__(self, url, folder):
        self.url, self.log, self.records = url, folder / "serve.log", folder / "records"

    def sessions(self):
        """Return the recorded sessions; they are complete when the server has ended."""
        files = sorted(self.records.rglob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


@pytest.fixture
def serve(tmp_path):
    """Return a context that runs `lect serve MODEL --engine URL`, and records."""

    @contextmanager
    def run(model, engine, tokenizer, options, *arguments):
        port = free_port()
        served = Served(f"http://127.0.0.1:{port}", tmp_path)
        tokenizer.save(str(tmp_path / "tokenizer.json"))
        settings = [part for name, value in options.items() for part in ("--option", f"{name}={json.dumps(value)}")]
        command = [sys.executable, "-m", "lect", "serve", model, "--engine", engine, "--port", str(port)]
        command += ["--tokenizer", str(tmp_path / "tokenizer.json"), "--record", str(served.records), *settings]
        with served.log.open("w") as log:
            process = subprocess.Popen([*command, *arguments], stdout=log, stderr=log)
            try:
                wait_for(served, process)
                yield served
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(PATIENCE)

    return run


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def wait_for(served, process):
    """Wait until a server answers."""
    for _ in range(PATIENCE * 10):
        assert process.poll() is None, served.log.read_text()
        try:
            httpx.get(f"{served.url}/healthz", trust_env=False)
        except httpx.TransportError:
            pass
        else:
            return
        # It has no way to say that it is ready but to answer.
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.1)
    pytest.fail(served.log.read_text())
