"""Models on the hub, against a server on this machine that speaks the hub's API."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from sampling import in_turn

from lect_kit import AdapterSuite

TEMPLATE = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
CONFIG = json.dumps({"bos_token": "<s>", "chat_template": TEMPLATE})
COMMIT = "0123456789abcdef0123456789abcdef01234567"
PROGRAM = """
import sys, json, lect
print(json.dumps([lect.get_template(path).text([{"role": "user", "content": "Hi"}]) for path in sys.argv[1:]]))
"""
FORBIDDEN = """
import socket
def refuse(*_, **__): raise AssertionError("a socket")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
"""


class TestHub(AdapterSuite):
    plugin = "hub"
    examples = {}


class Hub(BaseHTTPRequestHandler):
    """The two endpoints that matter: what a model has, and a file of it."""

    files = {"tokenizer_config.json": CONFIG}
    sizes, status, cut, redirect = {}, 200, False, False
    asked: list[str]

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.asked.append(self.path)
        if self.status != 200:
            return self.answer(self.status, {})
        if "/api/models/" in self.path:
            found = [{"rfilename": name, "size": self.size(name)} for name in self.files]
            return self.answer(200, {"id": "acme/chatty", "sha": COMMIT, "siblings": found})
        if self.redirect and not self.path.startswith("/elsewhere/"):
            self.send_response(307)
            self.headers_of(self.path.rpartition("/")[2])
            self.send_header("Location", f"/elsewhere{self.path}")
            return self.end_headers()
        name = self.path.rpartition("/")[2]
        self.send_response(200 if name in self.files else 404)
        self.headers_of(name)
        self.send_header("Content-Length", str(self.size(name)))
        self.end_headers()
        if self.command == "GET":
            body = self.files[name].encode()
            self.wfile.write(body[: len(body) // 2] if self.cut else body)
        return None

    do_HEAD = do_GET  # noqa: N815

    def size(self, name):
        return self.sizes.get(name, len(self.files.get(name, "").encode()))

    def headers_of(self, name):
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{sha256(self.files.get(name, "").encode()).hexdigest()}"')

    def answer(self, status, data):
        body = json.dumps(data).encode()
        self.send_response(status)
        if status == 403:
            self.send_header("X-Error-Code", "GatedRepo")
        if status == 401:
            self.send_header("X-Error-Code", "RepoNotFound")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


@contextmanager
def serving(**facts):
    asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Serving", (Hub,), {**facts, "asked": asked}))
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def run(home, endpoint, *paths, program=PROGRAM, **environ):
    variables = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("HF_", "LECT_"))},
        "HF_HOME": str(home),
        "HF_ENDPOINT": endpoint,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "no_proxy": "*",
        "NO_PROXY": "*",
        "HF_HUB_DOWNLOAD_TIMEOUT": "5",
        **environ,
    }
    words = [sys.executable, *(["-c", program] if program else ["-m", "lect"]), *paths]
    return subprocess.run(words, env=variables, capture_output=True, text=True, check=False)


def error_of(done):
    return done.stderr.rpartition("lect_hub.cache.HubError: ")[2] or done.stderr


PROMPT = ["<|user|>Hi<|end|>"]


def test_a_model_is_read_and_then_found_in_the_cache(tmp_path):
    with serving() as (url, asked):
        done = run(tmp_path, url, "hf:acme/chatty", "hf:acme/chatty")
        assert json.loads(done.stdout) == PROMPT * 2, done.stderr
        assert sum("/api/models/" in each for each in asked) == 1
        count = len(asked)
        assert json.loads(run(tmp_path, url, "hf:acme/chatty").stdout) == PROMPT
        assert len(asked) == count
    # The server is gone, and the cache is enough.
    assert json.loads(run(tmp_path, url, f"hf:acme/chatty@{COMMIT}").stdout) == PROMPT


def test_why_prints_the_commit_and_audit_reads_it(tmp_path):
    with serving(redirect=True) as (url, _):
        done = run(tmp_path, url, "why", "hf:acme/chatty", program="")
        assert f"snapshots/{COMMIT}" in done.stdout, done.stderr
        done = run(tmp_path, url, "audit", "hf:acme/chatty", program="")
    assert (done.returncode, done.stdout.splitlines()[-1][:12]) == (0, "no warnings:")


def test_files_are_verified_against_the_hub_and_the_other_way_round(tmp_path):
    copies = {"no difference": CONFIG, "different": CONFIG.replace("<|end|>", "<|eot|>")}
    for name, config in copies.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "tokenizer_config.json").write_text(config, "utf-8")
    with serving() as (url, _):
        for verdict in copies:
            for words in (
                [tmp_path / verdict, "--model", "hf:acme/chatty"],
                ["hf:acme/chatty", "--model", tmp_path / verdict],
            ):
                done = run(tmp_path, url, "verify", *map(str, words), program="")
                assert (done.returncode, done.stdout.partition(":")[0]) == (verdict == "different", verdict), (
                    done.stderr
                )


def test_large_files_are_not_fetched(tmp_path):
    files = {**Hub.files, "tokenizer.json": "{}", "model.safetensors": "x"}
    with serving(files=files, sizes={"tokenizer.json": 1 << 30}) as (url, asked):
        assert json.loads(run(tmp_path, url, "hf:acme/chatty").stdout) == PROMPT
    assert not [each for each in asked if "tokenizer.json" in each or "safetensors" in each]


@pytest.mark.parametrize(
    ("facts", "path", "said"),
    in_turn(
        [
            ({"status": 404}, "hf:acme/chatty", "'acme/chatty' "),
            ({"status": 401}, "hf:acme/chatty", "is not there, or private\n  try: its spelling, or `hf auth login`"),
            ({"status": 403}, "hf:acme/chatty", "is gated\n  try: accept its terms"),
            ({"status": 500}, "hf:acme/chatty", "cannot be fetched"),
            ({"files": {"config.json": "{}"}}, "hf:acme/chatty", "has no chat template there"),
            ({"files": {"tokenizer_config.json": "{}"}}, "hf:acme/chatty", "has no chat template"),
            ({}, "hf:acme/chatty-", "is no name of a model on the hub"),
        ],
        3,
    ),
)
def test_what_cannot_be_read_is_one_clear_error(facts, path, said, tmp_path):
    with serving(**facts) as (url, _):
        done = run(tmp_path, url, "prompt", path, "Hi", program="")
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_download_that_is_cut_leaves_nothing_that_is_read_later(tmp_path):
    with serving(cut=True) as (url, _):
        done = run(tmp_path, url, "prompt", "hf:acme/chatty", "Hi", program="")
        assert done.returncode == 1
        assert "cannot be fetched" in done.stderr
    assert not list(Path(tmp_path).glob("**/snapshots/**/tokenizer_config.json"))
    with serving() as (url, _):
        assert json.loads(run(tmp_path, url, "hf:acme/chatty").stdout) == PROMPT


@pytest.mark.parametrize("name", ["LECT_OFFLINE", "HF_HUB_OFFLINE"])
def test_nothing_is_fetched_where_that_is_forbidden(name, tmp_path):
    with serving() as (url, asked):
        done = run(tmp_path, url, "prompt", "hf:acme/chatty", "Hi", program="", **{name: "1"})
    assert "is not in the local cache, and nothing may be fetched" in done.stderr
    assert asked == []


def test_a_plain_name_asks_nobody_and_its_error_says_how(tmp_path):
    program = FORBIDDEN + (
        "import lect, sys\n"
        "try: lect.resolve('acme/chatty')\n"
        "except lect.UnknownModelError as error: print(error)\n"
        "print('huggingface_hub' in sys.modules, 'lect_hub' in sys.modules)\n"
    )
    done = run(tmp_path, "http://127.0.0.1:9", program=program)
    assert "or: 'hf:acme/chatty', to fetch its own template" in done.stdout, done.stderr
    assert done.stdout.endswith("False False\n")
    assert not list(tmp_path.iterdir())
