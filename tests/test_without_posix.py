"""Commands do the same where Python has only what it has on Windows too."""

import os
import subprocess
import sys

import pytest
from sampling import in_turn

TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</s>{% endfor %}"
AS_ON_WINDOWS = """
import os, runpy, signal, sys
FUNCTIONS = {
    os: ("fork", "forkpty", "register_at_fork", "getuid", "geteuid", "getpgid", "killpg", "mkfifo", "fchmod", "waitid"),
    signal: ("alarm", "setitimer", "getitimer", "sigwait", "sigpending", "pthread_sigmask", "pthread_kill", "pause"),
}
KNOWN = {"SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM"}
for module, names in FUNCTIONS.items():
    for name in names:
        delattr(module, name)
for name in [each for each in vars(signal) if each.startswith("SIG") and each[3] != "_" and each not in KNOWN]:
    delattr(signal, name)
for name in ("fcntl", "resource", "pwd", "grp", "termios", "pty", "tty"):
    sys.modules[name] = None
sys.argv = ["lect", *sys.argv[1:]]
runpy.run_module("lect", run_name="__main__")
"""
COMMANDS = {
    "prompt": ["prompt", "Qwen/Qwen3-8B", "Olá, 世界!"],
    "prompt of a directory": ["prompt", "./checkpoint", "Hello!"],
    "audit": ["audit", "./checkpoint"],
    "parse": ["parse", "Qwen/Qwen3-8B", "reply.txt"],
    "tokens": ["tokens", "Qwen/Qwen2.5-VL-7B-Instruct", "--size", "64x64"],
    "verify": ["verify", "./checkpoint", "--model", "Qwen/Qwen3-8B", "--requests", "20"],
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint/chat_template.jinja").write_text(TEMPLATE, "utf-8")
    (tmp_path / "reply.txt").write_text("<think>\nHm.\n</think>\n\n你好", "utf-8")
    return tmp_path


def run(folder, *start):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LECT_")}
    environment = {**kept, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run([sys.executable, *start], cwd=folder, env=environment, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode("cp1252")


@pytest.mark.parametrize("name", in_turn(COMMANDS, 2))
def test_a_command_gives_what_it_gives_elsewhere(name, folder):
    elsewhere = run(folder, "-m", "lect", *COMMANDS[name])
    assert elsewhere[0] in (0, 1), elsewhere[2]
    assert run(folder, "-c", AS_ON_WINDOWS, *COMMANDS[name]) == elsewhere
    assert "Traceback" not in elsewhere[2]
    assert b"\r" not in elsewhere[1]


def test_a_prompt_that_goes_to_a_pipe_is_utf_8_whatever_the_code_page_is(folder):
    assert "世界!".encode() in run(folder, "-c", AS_ON_WINDOWS, *COMMANDS["prompt"])[1]
