"""What is recorded survives a process that is killed: each answer is on disk before its client has the end of it."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from collections import Counter
from contextlib import contextmanager, suppress
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talking_agent import CALLS, DONE, Agent, loop, rows

from lect_serve import journal
from lect_serve.record import Recorder, row_of


@contextmanager
def served(directory, **settings):
    """Serve in a process of its own, which records; give its address and the process."""
    code = (
        "import sys\nimport lect_serve\n"
        f"with lect_serve.serving(lect_serve.Settings('Qwen/Qwen3-8B', record=sys.argv[1], **{settings})) as url:\n"
        "    print(url, flush=True)\n    sys.stdin.read()\n"
    )
    words = [sys.executable, "-c", code, str(directory)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.stdin.close()
            process.wait()


def asked(url, messages, session):
    body = json.dumps({"messages": messages}).encode()
    request = urllib.request.Request(f"{url}/v1/chat/completions", body, {"x-session-id": session})
    with urllib.request.urlopen(request) as answer:
        return [*messages, json.loads(answer.read())["choices"][0]["message"]]


def talk(url, session, *texts):
    messages = []
    for text in texts:
        messages = asked(url, [*messages, {"role": "user", "content": text}], session)
    return messages


def seen(directory):
    """Return the rows that whoever reads the directory finds."""
    lines = [line for file in sorted(directory.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    return sorted((json.loads(line) for line in lines), key=lambda row: (row["session"], row["line"]))


@pytest.mark.skipif(sys.platform == "win32", reason="nobody is killed by a signal there")
def test_what_was_answered_survives_a_kill(tmp_path):
    killed, calm = tmp_path / "killed", tmp_path / "calm"
    with served(killed) as (url, process):
        talk(url, "one", "Hi")
        talk(url, "two", "How", "are", "you?")
        os.kill(process.pid, signal.SIGKILL)
    assert not seen(killed)
    with served(killed) as (url, _):
        talk(url, "three", "Again")
    with served(calm) as (url, _):
        talk(url, "one", "Hi")
        talk(url, "two", "How", "are", "you?")
        talk(url, "three", "Again")
    assert seen(killed) == seen(calm)
    assert sum(row["turns"] for row in seen(calm)) >= 5
    assert {each.suffix for each in killed.iterdir()} == {".jsonl"}


@pytest.mark.skipif(sys.platform == "win32", reason="nobody is killed by a signal there")
def test_whenever_it_is_killed_each_answer_is_recorded_once_and_whole(tmp_path):
    answered, enough = [], threading.Event()

    def ask_on(url, name):
        with suppress(OSError, http.client.HTTPException):
            for at in count():
                session = f"{name}{at // 3}"
                talk(url, session, session)
                answered.append(session)
                if len(answered) >= 60:
                    enough.set()

    # Lines end all the time, so that rows are being written too.
    with served(tmp_path, idle=0, lines=4) as (url, process):
        threads = [threading.Thread(target=ask_on, args=(url, name)) for name in "abcd"]
        for thread in threads:
            thread.start()
        enough.wait()
        os.kill(process.pid, signal.SIGKILL)
        for thread in threads:
            thread.join()
    Recorder(str(tmp_path), None).recover()
    assert {each.suffix for each in tmp_path.iterdir()} == {".jsonl"}
    recorded = Counter(row["messages"][0]["content"] for row in seen(tmp_path))
    # An answer may have been recorded whose client was not told the end any more.
    assert sum((recorded - Counter(answered)).values()) <= len(threads)
    assert not Counter(answered) - recorded


def test_a_row_after_many_turns_has_everything_once(asking, scripted, tmp_path):
    engine = scripted(CALLS, DONE)
    with asking(engine, record=str(tmp_path)) as (client, server):
        agent = Agent(client)
        loop(agent)
        (line,) = server.sessions
        expected = list(line.ids), len(line.messages)
    (row,) = rows(tmp_path)
    assert (row["input_ids"], len(row["messages"])) == expected
    assert len(row["labels"]) == len(row["logprobs"]) == len(row["input_ids"])


def test_the_journals_of_a_server_that_runs_are_its_own(asking, scripted, tmp_path):
    with asking(scripted(DONE), record=str(tmp_path)) as (client, server):
        Agent(client).ask()
        Recorder(str(tmp_path), server.model).recover()
        assert not seen(tmp_path)
    assert len(seen(tmp_path)) == 1


def step(text, tokens, ids, logprobs):
    lists = {"messages": [text], "labels": [], "input_ids": ids, "logprobs": logprobs}
    return json.dumps({"session": "s", "line": 0, **lists, "kept_tokens": tokens, "kept_messages": tokens}).encode()


STEPS = [step("a", 0, [1], []), step("b", 1, [5], [-0.5]), step("c", 2, [6, 7], [-0.25])]
ROW = row_of(STEPS)


def abandoned(directory):
    """Return journals with two lines, whose process has gone."""
    made = journal.begin(str(directory), row_of)
    for name in ("0", "1"):
        for each in STEPS:
            made.append(name, each)
    os.close(made._lock)
    return made


def recovered(directory):
    Recorder(str(directory), None).recover()
    return b"".join(file.read_bytes() for file in directory.glob("*.jsonl")).splitlines()


@given(st.integers(0, len(STEPS[-1])))
def test_a_step_that_was_torn_is_left_out_and_no_more(tmp_path_factory, cut):
    directory = tmp_path_factory.mktemp("torn")
    made = abandoned(directory)
    size = os.path.getsize(made.path("0"))
    os.truncate(made.path("0"), size - 1 - cut)
    assert sorted(recovered(directory)) == sorted([row_of(STEPS[:2]), ROW])
    assert not [each for each in directory.iterdir() if each.suffix != ".jsonl"]


@given(st.integers(0, len(ROW) + 1), st.booleans())
def test_a_row_that_was_torn_is_written_once(tmp_path_factory, cut, begins):
    directory = tmp_path_factory.mktemp("torn")
    made = abandoned(directory)
    before = b"" if begins else b'{"session": "another"}\n'
    rows = directory / os.path.basename(made._rows)
    if not begins:
        rows.write_bytes(before)
    # As `finish` leaves it when it is killed in between.
    os.rename(made.path("1"), f"{made.path('1')}@{len(before)}")
    if cut or not begins:
        rows.write_bytes(before + (ROW + b"\n")[:cut])
    assert recovered(directory) == [*before.splitlines(), ROW, ROW]
    assert not [each for each in directory.iterdir() if each.suffix != ".jsonl"]


@given(st.data())
def test_where_there_is_no_room_nothing_is_torn(tmp_path_factory, data):
    directory = tmp_path_factory.mktemp("full")
    made = journal.begin(str(directory), row_of)
    write, left = os.write, data.draw(st.integers(0, 3 * len(STEPS[-1])))

    def full(file, rest):
        nonlocal left
        count = min(left, len(rest), 7)
        left -= count
        if not count:
            raise OSError(28, "No space left on device")
        return write(file, rest[:count])

    kept = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", full)
        for each in STEPS:
            try:
                made.append("0", each)
            except OSError:
                break
            kept.append(each)
    if kept:
        with pytest.MonkeyPatch.context() as patch:
            left = data.draw(st.integers(0, len(ROW)))
            patch.setattr(os, "write", full)
            whole = row_of(kept)
            if whole and left <= len(whole):
                with pytest.raises(OSError, match="space"):
                    made.finish("0")
        os.close(made._lock)
        assert recovered(directory) == [each for each in [whole] if each]


def test_what_cannot_be_read_does_not_keep_a_server_from_serving(tmp_path, caplog, asking, scripted):
    made = abandoned(tmp_path)
    made.append("0", b"{}")
    with asking(scripted(DONE), record=str(tmp_path)) as (client, _):
        Agent(client).ask()
    assert [each for each in caplog.messages if "cannot be read" in each]
    assert len(seen(tmp_path)) == 2
    assert os.path.exists(made.path("0"))


def test_a_disk_that_is_full_does_not_cost_the_answer(asking, scripted, tmp_path, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    with asking(scripted(DONE), record=str(tmp_path)) as (client, server):
        with monkeypatch.context() as patch:
            patch.setattr(journal, "_append", full)
            assert Agent(client).ask()["content"] == "It is wet."
            assert not [*server.sessions]
        Agent(client).ask()
    assert [each for each in caplog.messages if "is not kept" in each]
    assert len(rows(tmp_path)) == 1


def test_a_step_costs_what_is_new_and_not_what_was_there(asking, scripted, tmp_path):
    long = {"role": "user", "content": "word " * 5000}
    with asking(scripted(CALLS), record=str(tmp_path)) as (client, server):
        agent = Agent(client, messages=[long])
        agent.ask()
        recorder = server.recorder
        sizes = []
        for _ in range(3):
            agent.result()
            agent.ask()
            sizes.append(os.path.getsize(recorder._journals.path("0")))
    assert sizes[-1] - sizes[0] < sizes[0] / 5
    assert isinstance(next(iter(rows(tmp_path)))["input_ids"], list)
