"""Whatever a stranger's template does, every command that may run it ends, in time and with little memory."""

import os
import signal
import subprocess
import sys
from importlib import import_module

import pytest
from counting import HANGS
from sampling import in_turn

from lect.cli import COMMANDS, installed

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
# A guard that lets everything pass.
UNGUARDED = """
import signal, sys
import lect_jinja.{module}
from lect_jinja.engine.limits import Limits

def endless(*_, **__):
    print("begun", file=sys.stderr, flush=True)
    while True:
        pass

def greedy(*_, **__):
    return bytearray(1 << 40)

def read_limits(given):
    print("begun", file=sys.stderr, flush=True)
    return Limits(work=10**15)

lect_jinja.{module}.{name} = {instead}
signal.signal(signal.SIGINT, signal.default_int_handler)
from lect.cli import main
sys.exit(main())
"""
UNBOUNDED = {"families", "plugins", "templates", "formats", "check", "dataset", "completion", "serve"}
BOUNDED = {
    "prompt": ["MODEL", "Hello!"],
    "tokens": ["MODEL", "Hello!", "--tokenizer", "MODEL"],
    "parse": ["MODEL", os.devnull],
    "why": ["MODEL"],
    "convert": ["MODEL", "--to", "fastchat"],
    "diff": ["chatml", "MODEL"],
    "doctor": ["MODEL", "--tokenizer", "MODEL"],
    "audit": ["MODEL"],
    "verify": ["MODEL", "--model", "lect:chatml"],
    "lock": ["MODEL"],
    "constrain": ["MODEL", "--to", "lark"],
    "view": ["MODEL", "Hello!"],
    "new": ["acme", "--from", "MODEL"],
    "explain": ["MODEL", "request.json", "request.json"],
}


@pytest.fixture
def model(tmp_path):
    (tmp_path / "chat_template.jinja").write_text(ENDLESS)
    (tmp_path / "request.json").write_text('{"messages": [{"role": "user", "content": "Hello!"}]}')
    return str(tmp_path)


def started(command, model, *more, module="identity.template", name="read_limits", instead="read_limits"):
    code = UNGUARDED.format(module=module, name=name, instead=instead)
    arguments = [model if word == "MODEL" else word for word in BOUNDED[command]]
    run = [sys.executable, "-c", code, command, *arguments, *more]
    return subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=model)


def test_every_command_is_known():
    commands = {name: import_module(f"lect.cli.{name}") for name in COMMANDS}
    commands |= {name: installed.command(name) for name in installed.names()}
    assert {name for name, module in commands.items() if getattr(module, "BOUNDED", False)} == BOUNDED.keys()
    assert commands.keys() - BOUNDED.keys() == UNBOUNDED


@pytest.mark.parametrize("command", in_turn(BOUNDED, 8))
def test_a_command_ends_after_the_time_that_it_has(command, model):
    process = started(command, model, "--timeout", "2")
    output, errors = process.communicate(timeout=HANGS)
    assert (process.returncode, output) == (124, "")
    assert f"lect: `lect {command}` was ended: it took more than 2 s\n" in errors


@pytest.mark.skipif(sys.platform != "linux", reason="this system does not limit memory")
@pytest.mark.parametrize("command", BOUNDED)
def test_a_command_ends_when_it_needs_more_memory_than_it_has(command, model):
    process = started(
        command, model, "--timeout", str(HANGS), module="identity.template", name="compiled", instead="greedy"
    )
    output, errors = process.communicate(timeout=HANGS)
    assert (process.returncode, output) == (1, "")
    assert f"lect: `lect {command}` was ended: it needs more than 1 GiB of memory\n  try: --memory 10," in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("command", "hanging"),
    [
        ("audit", {}),
        ("prompt", {}),
        ("audit", {"module": "identity.template", "name": "compiled", "instead": "endless"}),
        ("prompt", {"module": "identity.paths", "name": "identify", "instead": "endless"}),
        ("why", {"module": "identity.paths", "name": "read_directory", "instead": "endless"}),
    ],
    ids=["audit", "render", "compile", "identify", "read"],
)
def test_ctrl_c_ends_a_command_at_once(command, hanging, model):
    process = started(command, model, "--timeout", str(HANGS), **hanging)
    assert process.stderr.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=HANGS)
    assert (process.returncode, output) == (130, "")
    assert "Traceback" not in errors
