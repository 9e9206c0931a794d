"""Whatever a server sends, `lect verify --server` ends in time with one clear error."""

import gzip
import itertools
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest
from counting import HANGS

from lect_jinja.check.exchange import MOST_BYTES
from lect_jinja.check.server import Server, ServerError

BLOCK = 1 << 16
MOST_TAKEN = MOST_BYTES + (16 << 20)
"""What a server may get rid of: what is read, and what the system's buffers hold."""
OK = b"HTTP/1.1 200 OK\r\n"
PLACES = {
    "the status": b"",
    "the version": b"HTTP/",
    "a header": OK + b"X-Odd: ",
    "a header's name": OK,
    "what comes before the answer": b"HTTP/1.1 100 Continue\r\n\r\n",
    "the body": OK + b"\r\n",
    "a body of a stated length": OK + b"Content-Length: 999999999999\r\n\r\n",
    "a body of no length": OK + b"Content-Length: -1\r\n\r\n",
    "the size of a chunk": OK + b"Transfer-Encoding: chunked\r\n\r\n",
    "a chunk": OK + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n",
    "the body of an error": b"HTTP/1.1 500 Odd\r\n\r\n",
    "a body that is compressed": OK + b"Content-Encoding: gzip\r\n\r\n",
}
SENT = {
    "nothing": [b""],
    "a word": [b"odd\r\n\r\n"],
    "bytes": [bytes(range(256)) * 9],
    "nested JSON": [b"[" * 999_999],
    "a number": [b"9" * 99_999],
    "zeros in gzip": [gzip.compress(bytes(99 << 20), 1)],
    "a line for ever": [b"x" * BLOCK],
    "lines for ever": [b"X-Odd: 1\r\n" * 999],
    "answers for ever": [b"HTTP/1.1 100 Continue\r\n\r\n" * 999],
}
SCHEMES = ["http://127.0.0.1:9/", "file:///etc/passwd", "ftp://127.0.0.1:9/", "data:,x", "gopher:x", "//[", "", "\x00"]


class Hostile(StreamRequestHandler):
    """Sends some bytes, once or for ever, in one piece or one byte at a time."""

    begins, blocks, pause, taken = b"", (), 0.0, None

    def handle(self):
        self.request.recv(BLOCK)
        with suppress(OSError):
            for block in itertools.chain([self.begins], self.blocks):
                self.request.sendall(block)
                self.taken.append(len(block))
                time.sleep(self.pause)


@contextmanager
def serving(begins, blocks, pause=0.0):
    taken = []
    facts = {"begins": begins, "blocks": blocks, "pause": pause, "taken": taken}
    ThreadingTCPServer.daemon_threads = True
    with ThreadingTCPServer(("127.0.0.1", 0), type("Served", (Hostile,), facts)) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", taken
        finally:
            server.shutdown()


def refused(url, seconds):
    with pytest.raises(ServerError) as raised:
        Server(url, timeout=seconds)
    message = str(raised.value)
    assert message.startswith((f"{url} gives no answer: ", f"{url} renders no request"))
    assert len(message) < 400
    return message


@pytest.mark.parametrize("sent", SENT)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_answer_is_said(place, sent):
    is_endless = "for ever" in sent
    blocks = itertools.repeat(SENT[sent][0]) if is_endless else SENT[sent]
    with serving(PLACES[place], blocks) as (url, _):
        refused(url, 1 if is_endless else HANGS)


@pytest.mark.parametrize("place", PLACES)
def test_a_byte_at_a_time_does_not_make_the_time_longer(place):
    with serving(PLACES[place], itertools.repeat(b"1"), pause=0.05) as (url, _):
        message = refused(url, 0.5)
    assert "it took more than 0.5 s" in message or place == "the body of an error"


def test_json_that_is_nested_too_deeply_is_told_from_none():
    with serving(PLACES["the body"], SENT["nested JSON"]) as (url, _):
        assert "gives no answer: its JSON is nested too deeply\n" in refused(url, HANGS)


def test_no_more_is_read_than_an_answer_may_have():
    with serving(PLACES["the body"], itertools.repeat(b" " * BLOCK)) as (url, taken):
        assert f"gives no answer: it is longer than {MOST_BYTES:,} bytes\n" in refused(url, HANGS)
    assert MOST_BYTES < sum(taken) < MOST_TAKEN


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", SCHEMES)
def test_nothing_is_looked_up_elsewhere(status, target):
    head = f"HTTP/1.1 {status} Elsewhere\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n"
    with serving(head.encode(), [b""]) as (url, _):
        refused(url, HANGS)


@pytest.mark.parametrize("url", ["http://[", "http://x:99999", "http://x:y", "http://", "file:///x", "x", "http://:0"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(ServerError, match="is no address of a server"):
        Server(url)


def test_the_command_ends_when_a_server_does_not():
    answers = b"".join((OK, b"Content-Length: 2\r\n\r\n{}"))
    with serving(answers, [b""], pause=0.2) as (url, _):
        command = [
            sys.executable,
            "-m",
            "lect",
            "verify",
            "--server",
            url,
            "--model",
            "lect:chatml",
            "--timeout",
            "0.3",
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode in (1, 124)
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("lect: ")
