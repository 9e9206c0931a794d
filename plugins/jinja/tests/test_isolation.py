"""A worker process serves many users: whatever disturbs a conversation with it, nobody gets another's text."""

import gc
import linecache
import os
import signal
import subprocess
import sys
import threading
from itertools import count

import pytest
from counting import HANGS
from sampling import STRESS

from lect import LimitError, PluginError
from lect_jinja import load
from lect_jinja.engine import isolation
from lect_jinja.engine.isolation import WORKERS, IsolatedRun
from lect_jinja.engine.limits import DEFAULT

USERS = ("alice", "bob", "carol", "dave")
STEP = "opcode" if STRESS else "line"
RAISED = (KeyboardInterrupt, TimeoutError, ValueError, BrokenPipeError, EOFError, LookupError, SystemExit)
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
# The protocol without the engine, which takes longer to start: the answer is the user's secret.
STAND_IN = """
import sys
requests, answers = sys.stdin.buffer, sys.stdout.buffer
while head := requests.read(16):
    request = requests.read(int.from_bytes(head[8:], "big"))
    secret = request.partition(b"secret of ")[2].partition(b".")[0]
    data = {answer}
    answers.write({number} + len(data).to_bytes(8, "big") + data)
    answers.flush()
"""
ANSWER = """b'{"pieces": [[null, ["' + secret + b'"]]]}'"""


def stand_in(monkeypatch, answer=ANSWER, number="head[:8]"):
    """Let new workers be quick ones."""
    code = STAND_IN.format(answer=answer, number=number)
    monkeypatch.setattr(isolation, "_START", code.replace("{", "{{").replace("}", "}}"))


@pytest.fixture(autouse=True)
def _worker_of_its_own():
    WORKERS.end()
    yield
    WORKERS.end()
    gc.collect()


def asked(user):
    limits = DEFAULT._replace(seconds=HANGS)
    return IsolatedRun("", "t", limits, {"text": f"secret of {user}."}, None, tracked=False).text()


class Interrupting:
    """Lets a signal handler raise an exception at one step of the protocol."""

    def __init__(self, at, error):
        self.left, self.error = at, error

    def __enter__(self):
        self.before = signal.signal(signal.SIGTERM, self.handle)
        sys.settrace(self.entered)

    def __exit__(self, *raised):
        sys.settrace(None)
        signal.signal(signal.SIGTERM, self.before)

    def handle(self, *_):
        raise self.error

    def entered(self, frame, event, argument):
        if frame.f_code.co_filename != isolation.__file__:
            return None
        frame.f_trace_opcodes = STEP == "opcode"
        return self.step

    def step(self, frame, event, argument):
        # Python handles no signal between the last step of the block and the release of the lock.
        if event == STEP and "with self._lock" not in linecache.getline(isolation.__file__, frame.f_lineno or 0):
            self.left -= 1
            if self.left == 0:
                signal.raise_signal(signal.SIGTERM)
        return self.step


# Python complains about pipes that nobody could close.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_no_user_gets_anothers_text_wherever_one_is_interrupted(monkeypatch):
    stand_in(monkeypatch)
    wrong, done = [], threading.Event()

    def ask_again(user):
        while not done.is_set():
            try:
                text = asked(user)
            except BaseException as error:
                text = repr(error)
            if text != user:
                wrong.append((user, text))

    threads = [threading.Thread(target=ask_again, args=[user]) for user in USERS[1:]]
    for thread in threads:
        thread.start()
    try:
        for at in count(1):
            error = RAISED[at % len(RAISED)]()
            try:
                with Interrupting(at, error):
                    text = asked(USERS[0])
            except type(error) as raised:
                assert raised is error  # noqa: PT017 - any other exception fails the test anyway
            else:
                break
            assert asked(USERS[0]) == USERS[0]
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert text == USERS[0]
    assert at > 40
    assert wrong == []


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_worker_that_cannot_even_be_ended_is_not_asked_again(monkeypatch):
    stand_in(monkeypatch)
    assert asked("alice") == "alice"

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(isolation.os, "read", interrupted)
        patch.setattr(subprocess.Popen, "kill", interrupted)
        with pytest.raises(KeyboardInterrupt):
            asked("alice")
    assert asked("bob") == "bob"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timers")
def test_an_exception_of_a_signal_handler_comes_out_as_it_is():
    def handle(*_):
        # The handler may render, too.
        assert load("{{ messages[0].content }}", isolate=True).text([{"role": "user", "content": "in"}]) == "in"
        raise TimeoutError("mine")

    template = load(ENDLESS, isolate=True, limits={"work": 10**12, "seconds": HANGS})
    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(TimeoutError, match="mine"):
            template.text([{"role": "user", "content": "x"}])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert load("{{ messages[0].content }}", isolate=True).text([{"role": "user", "content": "out"}]) == "out"


@pytest.mark.parametrize(
    ("answer", "number", "error"),
    [
        (ANSWER, "(1 << 40).to_bytes(8, 'big')", PluginError),
        ("b'{'", "head[:8]", PluginError),
        ("b'[' * 100_000", "head[:8]", PluginError),
        ("b'1' * 5_000", "head[:8]", PluginError),
        ("b'[]'", "head[:8]", PluginError),
        ("b'\\xff'", "head[:8]", PluginError),
        ("""b'{"pieces": [[null, [[1, [], 0]]]]}'""", "head[:8]", PluginError),
        ("""b'{"pieces": 1}'""", "head[:8]", PluginError),
        (ANSWER, "head[:4]", PluginError),
        ("sys.exit()", "head[:8]", LimitError),
    ],
)
def test_an_answer_that_is_none_is_an_error_and_the_next_user_is_served(monkeypatch, answer, number, error):
    stand_in(monkeypatch, answer, number)
    with pytest.raises(error):
        asked("alice")
    if "pieces" not in answer or answer is ANSWER:
        # Not by the same worker.
        stand_in(monkeypatch)
        assert asked("bob") == "bob"


def test_a_worker_that_was_killed_between_two_requests_is_replaced(monkeypatch):
    stand_in(monkeypatch)
    assert asked("alice") == "alice"
    process = WORKERS._idle._process
    process.kill()
    process.wait()
    assert asked("bob") == "bob"


FORKED = """
import os, threading
from lect_jinja import load
from lect_jinja.engine.isolation import WORKERS

def said(text):
    return load("{{ messages[0].content }}", isolate=True).text([{"role": "user", "content": text}])

assert said("parent") == "parent"
worker = WORKERS._idle
held, done = threading.Event(), threading.Event()

def hold():
    with WORKERS._lock:
        held.set()
        done.wait()

# While another thread talks to the worker.
thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    same = said("child") == "child" and WORKERS._idle is not worker
    WORKERS.end()
    os._exit(0 if same else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
done.set()
thread.join()
assert said("parent") == "parent"
assert WORKERS._idle is worker
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_has_a_worker_of_its_own():
    run = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKED]
    subprocess.run(run, check=True, timeout=HANGS)


ORPHANING = """
import os, signal, sys
from lect_jinja import load
from lect_jinja.engine import isolation
started = isolation._Worker.__init__

def start(worker):
    started(worker)
    print(worker._process.pid, flush=True)

isolation._Worker.__init__ = start
# Nothing but the worker's own clock ends the render.
isolation.Timer = lambda *_: type("Never", (), dict(start=lambda _: None, cancel=lambda _: None, join=lambda _: None))()
limits = {"work": 10**12, "seconds": 0.5}
load(sys.argv[1], isolate=True, limits=limits).text([])
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_a_worker_whose_process_was_killed_ends_by_itself():
    with subprocess.Popen([sys.executable, "-c", ORPHANING, ENDLESS], stdout=subprocess.PIPE, text=True) as process:
        worker = int(process.stdout.readline())
        process.kill()
    waited = threading.Event()
    for _ in range(10 * HANGS):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        if is_zombie(worker):
            return
        waited.wait(0.1)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("it goes on")


def is_zombie(process):
    """Say whether a process has ended, and nobody has asked how: in a container, perhaps nobody ever does."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False
