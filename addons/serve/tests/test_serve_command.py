"""`lect serve`: what it is told, what it refuses to do, and that it serves."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from lect.cli import main
from lect_serve.settings import Settings


def settings_of(*words):
    from argparse import ArgumentParser

    from lect_serve.cli import serve

    parser = ArgumentParser()
    serve.configure(parser)
    return serve.settings_of(parser.parse_args(words))


def test_what_is_not_said_is_as_in_python():
    assert settings_of("Qwen/Qwen3-8B", "--engine", "echo") == Settings("Qwen/Qwen3-8B")


def test_everything_can_be_said(monkeypatch):
    monkeypatch.setenv("LECT_SERVE_KEY", "b")
    monkeypatch.setenv("LECT_SERVE_ENGINE_KEY", "c")
    words = (
        "m --engine http://a --engine http://b --kind vllm --engine-model x --name n --tokenizer t --adapter a --default d "
        "--option enable_thinking=false --context 9 --exact --host 0.0.0.0 --port 1 --key a --allow-host h "
        "--allow-origin o --body 2 --slots 3 --waiting 4 --first 5 --between 6 --grace 7 --record r --history client "
        "--keep-reasoning --idle 8 --lines 9"
    )
    found = settings_of(*words.split())
    usual = Settings("x")
    assert [name for name in vars(found) if getattr(found, name) == getattr(usual, name)] == [
        "workers",
        "ping",
        "inspect",
    ]
    assert (found.keys, found.engine_key, found.options) == (("a", "b"), "c", {"enable_thinking": False})
    assert found.most_bytes == 2 << 20
    assert "key" not in repr(found), "a key is for no log"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "--engine is missing"),
        ("--engine echo --host 0.0.0.0", "give a --key"),
        ("--engine echo --host 0.0.0.0 --key k --inspect", "--host 127.0.0.1 alone"),
        ("--engine echo --workers 2 --record r", "--record needs all requests of a session in one process"),
        ("--engine echo --workers 2 --history sampled", "--history sampled needs"),
        ("--engine echo --workers 2 --inspect", "--inspect needs"),
        ("--engine http://127.0.0.1:9", "--tokenizer DIR"),
        ("--engine echo --option enable_thinkin=false", "try: --option enable_thinking=..."),
        ("--engine ech", "'ech' is not an engine's address"),
        ("--engine localhost:8000", "try: http://127.0.0.1:8000"),
        ("--engine echo --record /dev/null/x", "try: --record DIR"),
        ("--engine echo --port 70000", "try: --port"),
        ("--engine echo --host 192.0.2.1 --key k", "cannot listen at 192.0.2.1, port 8000"),
    ],
)
def test_what_cannot_be_is_refused_before_the_start(capsys, words, told):
    assert main(["serve", "Qwen/Qwen3-8B", *words.split()]) != 0
    assert told in capsys.readouterr().err


def test_a_port_that_is_taken_is_told_before_it_is_said_that_it_serves(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "Qwen/Qwen3-8B", "--engine", "echo", "--port", str(port)]) == 1
    said = capsys.readouterr()
    assert not said.out
    assert f"cannot listen at 127.0.0.1, port {port}: " in said.err
    assert "try: --port" in said.err


def test_a_directory_that_is_not_there_is_named(capsys):
    assert main(["serve", "/nowhere/Qwen3-8B", "--engine", "http://127.0.0.1:9"]) == 1
    assert "there is no directory '/nowhere/Qwen3-8B'" in capsys.readouterr().err


def test_an_engine_that_is_not_there_is_told_before_the_start(capsys, tmp_path):
    pytest.importorskip("tokenizers")
    from fake_engines import tiny

    tiny().save(str(tmp_path / "tokenizer.json"))
    words = ["--tokenizer", str(tmp_path), "--engine", "http://127.0.0.1:9"]
    assert main(["serve", "Qwen/Qwen3-8B", *words]) == 1
    assert "http://127.0.0.1:9" in capsys.readouterr().err


def test_help_does_not_wait_for_a_server():
    code = "import sys; from lect.cli import main; main(['--help']); print('starlette' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "serve a model to clients" in told
    assert told.splitlines()[-1] == "False"


@pytest.mark.parametrize("workers", [1, 2])
def test_the_command_serves_until_it_is_told_to_stop(workers, tmp_path):
    from socket import create_server

    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ["serve", "Qwen/Qwen3-8B", "--engine", "echo", "--port", str(port), "--workers", str(workers)]
    words += ["--record", str(tmp_path)] if workers == 1 else []
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "lect", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        told = process.stdout.readline()
        assert f"http://127.0.0.1:{port} serves Qwen/Qwen3-8B" in told
        body = json.dumps({"messages": [{"role": "user", "content": "Hi"}]}).encode()
        asked = urllib.request.Request(f"http://127.0.0.1:{port}/v1/chat/completions", body)
        answer = None
        while answer is None:
            assert process.poll() is None
            try:
                with urllib.request.urlopen(asked, timeout=60) as opened:
                    answer = json.loads(opened.read())
            except OSError:
                continue  # It is about to listen.
        assert answer["choices"][0]["message"]["content"] == "You said: Hi"
    finally:
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=120)
    assert "Hi" not in told
    if workers == 1:
        (file,) = tmp_path.iterdir()
        assert len(file.read_text("utf-8").splitlines()) == 1


@pytest.mark.parametrize("wrong", [{"engines": "echo"}, {"keys": "k"}, {"hosts": 1}, {"history": "mine"}])
def test_settings_of_a_wrong_type_are_refused_at_once(wrong):
    from lect import MessageError
    from lect_serve import app

    with pytest.raises(MessageError, match=next(iter(wrong))):
        Settings("m", **wrong)
    with pytest.raises(MessageError, match=r"lect_serve\.Settings"):
        app("Qwen/Qwen3-8B")


def test_a_program_may_serve_in_a_thread_of_its_own(tmp_path):
    from fake_engines import tiny

    from lect.errors import LectError
    from lect_serve import serving

    tiny().save(str(tmp_path / "tokenizer.json"))

    with serving(Settings("Qwen/Qwen3-8B")) as url, urllib.request.urlopen(f"{url}/healthz") as answer:
        assert json.loads(answer.read())["status"] == "ok"
    told = Settings("Qwen/Qwen3-8B", engines=("http://127.0.0.1:9",), tokenizer=str(tmp_path))
    with pytest.raises(LectError, match=r"127\.0\.0\.1:9"), serving(told):
        pass
