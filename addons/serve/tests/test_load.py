"""Clients that go, engines that die or are silent, more requests than there is room for, and the end of the server.

Nothing here waits for a time: what happens is waited for, and seconds are counted by hand.
"""

import asyncio
import json
import socket
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lect_serve import Settings, app
from lect_serve.engines.base import EngineError
from lect_serve.pool import DOWN, Pool

MODEL = "Qwen/Qwen3-8B"


class Call:
    """A request to an application, without a network.

    Attributes:
        status: The status of the answer, once it has begun.
        data: What was sent so far.
    """

    def __init__(self, application, ask, **more):
        self.status, self.data, self.is_whole = None, b"", False
        self.headers = {}
        self._gone, self._changed = asyncio.Event(), asyncio.Event()
        self._body = json.dumps(ask.body | more).encode()
        headers = [(b"host", b"127.0.0.1"), *((k.encode(), v.encode()) for k, v in more.pop("headers", {}).items())]
        scope = {"type": "http", "method": "POST", "path": ask.path, "headers": headers, "query_string": b"", "http_version": "1.1", "scheme": "http"}  # fmt: skip
        self.can_read = asyncio.Event()
        self.can_read.set()
        self.task = asyncio.get_running_loop().create_task(application(scope, self._receive, self._send))

    async def _receive(self):
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message):
        await self.can_read.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.data += message["body"]
            self.is_whole = not message["more_body"]
        self._changed.set()

    def leave(self):
        self._gone.set()

    async def until(self, holds):
        while not holds(self):
            self._changed.clear()
            await self._changed.wait()

    async def end(self):
        await self.task
        return self


@asynccontextmanager
async def running(model, *engines, **settings):
    """Give a server that has been started, and its application."""
    application = app(Settings(MODEL, **settings), model=model, engines=engines)
    server = application.state.server
    await server.start()
    server._clock.cancel()
    try:
        yield application, server
    finally:
        await server.stop()


def never():
    """Return a step of a script that does not end."""
    return asyncio.Event().wait


async def settled(holds):
    """Let the loop go on until something holds."""
    for _ in range(10_000):
        if holds():
            return
        await asyncio.sleep(0)
    raise AssertionError("it does not come to that")


# Clients that go


@pytest.mark.parametrize("stream", [False, True])
def test_the_engine_stops_when_the_client_goes(model, scripted, ask, stream):
    async def run():
        engine = scripted(["Hello", never()])
        async with running(model, engine) as (application, server):
            call = Call(application, ask, stream=stream)
            await settled(lambda: engine.asked)
            if stream:
                await call.until(lambda call: b"Hello" in call.data)
            assert engine.ended == 0
            call.leave()
            await call.end()
            assert engine.ended == 1
            assert not server.jobs
            assert not [*server.sessions]

    asyncio.run(run())


def test_who_goes_while_waiting_for_a_slot_leaves_the_queue(model, scripted, ask):
    async def run():
        engine = scripted([never()], slots=1)
        async with running(model, engine) as (application, server):
            first, second = Call(application, ask), Call(application, ask)
            (seat,) = server.pool.seats
            await settled(lambda: seat.waiting == 1)
            second.leave()
            await second.end()
            assert (seat.waiting, seat.open) == (0, 1)
            first.leave()
            await first.end()
            assert (seat.waiting, seat.open, len(engine.asked)) == (0, 0, 1)

    asyncio.run(run())


def test_what_the_client_does_not_read_is_not_read_from_the_engine(model, scripted, ask):
    async def run():
        told = []

        async def count():
            told.append(1)

        steps = [each for _ in range(1000) for each in ("Hello ", count)]
        async with running(model, scripted(steps)) as (application, server):
            call = Call(application, ask, stream=True)
            call.can_read.clear()
            for _ in range(5000):
                await asyncio.sleep(0)
            assert len(told) <= 1
            for _ in range(1000):
                for job in server.jobs:
                    job.tick()  # The engine is not silent: nobody asks it.
            call.can_read.set()
            await call.end()
            assert (call.status, len(told)) == (200, 1000)

    asyncio.run(run())


# Engines that are silent, die or are not there


def test_who_waits_for_a_slot_does_not_call_the_engine_silent(model, scripted, ask):
    async def run():
        go = asyncio.Event()
        engine = scripted([go.wait, "Hello!<|im_end|>"], slots=1)
        async with running(model, engine, first=5) as (application, server):
            first, second = Call(application, ask), Call(application, ask)
            (seat,) = server.pool.seats
            await settled(lambda: seat.waiting == 1 and engine.asked)
            for _ in range(5):
                server.tick()
            go.set()
            assert (await first.end()).status == 200
            assert (await second.end()).status == 200
            go.clear()
            third, fourth = Call(application, ask), Call(application, ask)
            await settled(lambda: seat.waiting == 1)
            for _ in range(6):
                server.tick()
            # The engine is silent to the one that it was given, and the next has just begun to hear.
            assert (await third.end()).status == 504
            go.set()
            assert (await fourth.end()).status == 200

    asyncio.run(run())


def test_where_one_queue_is_full_another_engine_is_asked(model, scripted, ask):
    async def run():
        go = asyncio.Event()
        small = scripted([go.wait, "Hello!<|im_end|>"], url="http://a", slots=1)
        large = scripted([go.wait, "Hello!<|im_end|>"], url="http://b", slots=5)
        async with running(model, small, large, waiting=0) as (application, server):
            calls = []
            for at in range(12):
                ask.body["metadata"] = {"session_id": str(at)}
                calls.append(Call(application, ask))
            await settled(lambda: sum(call.task.done() for call in calls) == 6)
            assert [seat.open for seat in server.pool.seats] == [1, 5]
            go.set()
            assert sum([(await call.end()).status == 200 for call in calls]) == 6

    asyncio.run(run())


@pytest.mark.parametrize("stream", [False, True])
def test_an_engine_that_is_silent_is_given_up(model, scripted, ask, stream):
    async def run():
        engine = scripted([never()], ["Hello", never()])
        async with running(model, engine, first=5, between=3, ping=100) as (application, server):
            for limit in (5, 3):
                call = Call(application, ask, stream=stream)
                await settled(lambda limit=limit: len(engine.asked) == (1 if limit == 5 else 2))
                if stream and limit == 3:
                    await call.until(lambda call: b"Hello" in call.data)
                else:
                    await settled(lambda limit=limit: limit == 5 or [job.ids for job in server.jobs] != [[]])
                for _ in range(limit):
                    server.tick()
                    await asyncio.sleep(0)
                assert not call.task.done()
                server.tick()
                await call.end()
                assert b"silent" in call.data
                assert call.status == (200 if stream and limit == 3 else 504)
                assert engine.ended == len(engine.asked)

    asyncio.run(run())


def test_a_client_hears_that_the_server_lives(model, scripted, ask):
    async def run():
        async with running(model, scripted([never()]), ping=3) as (application, server):
            call = Call(application, ask, stream=True)
            await settled(lambda: server.jobs)
            for _ in range(3):
                server.tick()
            await call.until(lambda call: b"ping" in call.data)
            before, _, _ = call.data.partition(b"event: ping" if ask.api == "messages" else b": ping")
            assert b"data: " in before
            assert call.status == 200
            call.leave()
            await call.end()

    asyncio.run(run())


def test_another_engine_is_asked_only_before_the_first_word(model, scripted, gone, ask):
    async def run():
        dead, well = scripted([gone()], url="http://a"), scripted("Hello!<|im_end|>", url="http://b")
        async with running(model, dead, well) as (application, _):
            calls = []
            for at in range(12):
                ask.body["metadata"] = {"session_id": str(at)}
                calls.append(await Call(application, ask).end())
            assert [call.status for call in calls] == [200] * 12
            # Once it is known to be down it is not asked, until it is well again.
            assert len(dead.asked) == DOWN
            assert len(well.asked) == 12
        died = scripted(["Hello", EngineError("it died", retry=True)], url="http://a")
        async with running(model, died) as (application, _server):
            call = await Call(application, ask, stream=True).end()
            assert b"it died" in call.data
            assert len(died.asked) == 1
            assert (await Call(application, ask).end()).status == 502

    asyncio.run(run())


def test_when_no_engine_answers_the_client_hears_of_it(model, scripted, gone, ask):
    async def run():
        async with running(model, scripted([gone()], url="a"), scripted([gone()], url="b")) as (application, _):
            call = await Call(application, ask).end()
            assert call.status == 502
            assert ask.error(json.loads(call.data)) == "no engine answers"

    asyncio.run(run())


# Which engine


def seats(model, scripted, count=4):
    return Pool([scripted("x", url=f"http://{at}") for at in range(count)], None, 9)


def test_a_session_stays_with_its_engine_and_a_dead_one_moves_only_its_own(model, scripted):
    pool = seats(model, scripted)
    keys = [str(at) for at in range(200)]
    home = {key: pool.order(key)[0] for key in keys}
    assert {key: pool.order(key)[0] for key in keys} == home
    counts = [list(home.values()).count(seat) for seat in pool.seats]
    assert min(counts) > 20
    dead = pool.seats[1]
    dead.failures = DOWN
    now = {key: pool.order(key)[0] for key in keys}
    assert all(now[key] is home[key] for key in keys if home[key] is not dead)
    assert dead not in now.values()
    dead.failures = 0
    assert {key: pool.order(key)[0] for key in keys} == home


def test_an_engine_that_has_much_more_to_do_than_others_is_asked_later(model, scripted):
    pool = seats(model, scripted)
    first, second, *_ = pool.order("one")
    first.open = 20
    assert pool.order("one")[0] is second
    for seat in pool.seats:
        seat.open = 20
    assert pool.order("one")[0] is first


def test_an_engine_that_is_well_again_is_asked_again(model, scripted, ask):
    async def run():
        engine = scripted("Hello!<|im_end|>")
        engine.is_well = False
        async with running(model, engine) as (_, server):
            (seat,) = server.pool.seats
            for _ in range(10 * DOWN):
                server.pool.tick()
                await settled(lambda: not server.pool._checks)
            assert not seat.is_up
            engine.is_well = True
            for _ in range(10):
                server.pool.tick()
            await settled(lambda: seat.is_up)

    asyncio.run(run())


# More requests than there is room for


def test_the_queue_is_bounded_when_somebody_begins_to_wait(model, scripted, ask):
    async def run():
        go = asyncio.Event()
        engine = scripted([go.wait, "Hello!<|im_end|>"], slots=2)
        async with running(model, engine, waiting=3) as (application, server):
            calls = [Call(application, ask) for _ in range(20)]
            await settled(lambda: sum(call.task.done() for call in calls) == 15)
            (seat,) = server.pool.seats
            assert (seat.open, seat.waiting) == (2, 3)
            refused = [call for call in calls if call.task.done()]
            assert {call.status for call in refused} == {529 if ask.api == "messages" else 503}
            assert {call.headers["retry-after"] for call in refused} == {"2"}
            ask.error(json.loads(refused[0].data))
            go.set()
            for call in calls:
                await call.end()
            assert sum(call.status == 200 for call in calls) == 5
            assert (seat.open, seat.waiting, len(engine.asked)) == (0, 0, 5)

    asyncio.run(run())


def test_two_answers_are_never_mixed(model, scripted, ask):
    async def run():
        class Own(type(scripted())):
            async def generate(self, ask):
                word = ask.text.rpartition("say ")[2].partition("<")[0]
                for _ in range(20):
                    yield [self.piece(word + " ")]
                    await asyncio.sleep(0)
                yield [self.end()]

            def piece(self, text):
                from lect_serve.engines.base import Piece

                return Piece(ids=self.ids(text))

            def end(self):
                from lect_serve.engines.base import Piece

                return Piece(finish="stop")

        async with running(model, Own(model)) as (application, _):
            calls = []
            for at in range(60):
                text = f"say word{at}"
                ask.body |= (
                    {"input": text} if ask.api == "responses" else {"messages": [{"role": "user", "content": text}]}
                )
                calls.append((f"word{at} " * 20, Call(application, ask, stream=True)))
            for expected, call in calls:
                await call.end()
                events = [
                    json.loads(line[6:]) for line in call.data.decode().splitlines() if line.startswith("data: {")
                ]
                assert ask.text(events).strip() == expected.strip()

    asyncio.run(run())


# The end of the server


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_the_shutdown_cuts_off_says_so(model, scripted, ask, stream):
    async def run():
        engine = scripted(["Hello", never()])
        async with running(model, engine) as (application, server):
            call = Call(application, ask, stream=stream)
            await settled(lambda: [job.ids for job in server.jobs] not in ([], [[]]))
            call.task.cancel("the server's patience is over")
            with pytest.raises(asyncio.CancelledError):
                await call.task
            assert engine.ended == 1
            assert call.is_whole
            assert b"shuts down" in call.data

    asyncio.run(run())


def test_over_real_sockets_clients_that_go_and_a_server_that_stops(tmp_path):
    """The same with uvicorn in between, whose habits the rest takes for granted."""
    httpx = pytest.importorskip("httpx")
    pytest.importorskip("tokenizers")
    from fake_engines import FakeVllm, serving, tiny

    tiny().save(str(tmp_path / "tokenizer.json"))
    fake = FakeVllm()
    asked = {"messages": [{"role": "user", "content": 'FAKE {"say": "Hello there", "silent": 5}'}], "stream": True}
    died = {"messages": [{"role": "user", "content": 'FAKE {"say": "Hello there", "dies": 5}'}]}
    with serving(fake.app) as engine, httpx.Client(timeout=60) as client:
        built = app(Settings(MODEL, engines=(engine,), tokenizer=str(tmp_path)))
        with serving(built) as url:
            path = f"{url}/v1/chat/completions"
            with client.stream("POST", path, json=asked) as answer:
                assert next(answer.iter_text())
            fake.wait_for(lambda fake: fake.broken == 1)
            with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as client_that_goes:
                body = json.dumps({**asked, "stream": False})
                head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
                client_that_goes.sendall((head + body).encode())
                fake.wait_for(lambda fake: fake.running == 1)
            fake.wait_for(lambda fake: fake.broken == 2)
            assert client.post(path, json=died).status_code == 502
            cut = client.send(client.build_request("POST", path, json=asked), stream=True)
            texts = cut.iter_text()
            assert next(texts)
            fake.wait_for(lambda fake: fake.running == 1)
        assert "shuts down" in "".join(texts)
        fake.wait_for(lambda fake: fake.running == 0)


# Generated


@given(
    st.lists(st.sampled_from("abcdefgh"), min_size=2, unique=True),
    st.lists(st.text(max_size=5), max_size=20),
    st.data(),
)
def test_an_engine_that_is_down_changes_nothing_for_other_sessions(model, urls, keys, data):
    from lect_serve.engines.echo import Echo

    engines = [Echo(model) for _ in urls]
    for engine, url in zip(engines, urls, strict=True):
        engine.url = url
    pool = Pool(engines, None, 9)
    before = {key: pool.order(key) for key in keys}
    dead = data.draw(st.sampled_from(pool.seats))
    dead.failures = DOWN
    assert {key: pool.order(key) for key in keys} == {
        key: [seat for seat in order if seat is not dead] for key, order in before.items()
    }
    another = Pool(list(reversed(engines)), None, 9)
    assert {key: [seat.engine for seat in another.order(key)] for key in keys} == {
        key: [seat.engine for seat in order] for key, order in before.items()
    }


FATES = {
    "well": lambda url: [f"Hello from {url}!<|im_end|>"],
    "gone": lambda url: [EngineError("it is gone", retry=True)],
    "refuses": lambda url: [EngineError("it refuses", status=400)],
    "dies": lambda url: [f"Hello from {url}!", EngineError("it died", retry=True)],
}


def test_an_answer_is_of_one_engine_the_first_that_takes_it(model, scripted, ask):
    @settings(max_examples=40)
    @given(st.lists(st.sampled_from([*FATES]), min_size=1, max_size=4), st.booleans())
    def try_one(fates, stream):
        async def run():
            urls = [f"http://{at}" for at in range(len(fates))]
            engines = [scripted(FATES[fate](url), url=url) for fate, url in zip(fates, urls, strict=True)]
            async with running(model, *engines) as (application, server):
                call = await Call(application, ask, stream=stream).end()
                (key,) = {call.headers["x-lect-session"]}
                asked = [seat.engine for seat in server.pool.order(key) if seat.engine.asked]
                taken = asked[-1]
                fate = fates[urls.index(taken.url)]
                assert {fates[urls.index(each.url)] for each in asked[:-1]} <= {"gone"}
                assert {url for url in urls if url.encode() in call.data} <= {taken.url}
                if fate == "well":
                    assert call.status == 200
                    assert stream or f"Hello from {taken.url}!" in call.data.decode()
                else:
                    assert fate != "gone" or len(asked) == len(engines)
                    assert {"gone": b"gone", "refuses": b"refuses", "dies": b"it died"}[fate] in call.data
                assert [(seat.open, seat.waiting) for seat in server.pool.seats] == [(0, 0)] * len(fates)
                assert all(engine.ended == len(engine.asked) for engine in engines)

        asyncio.run(run())

    try_one()


def test_whoever_goes_whenever_leaves_nothing_behind_and_harms_nobody(model, scripted, ask):
    """Any number of clients, each of which may leave at any step of the loop, over an engine with few slots."""

    def steps():
        return asyncio.sleep(0)

    script = [steps, "Hel", steps, "lo ", steps, steps, "you!<|im_end|>"]
    clients = st.tuples(st.booleans(), st.none() | st.integers(0, 40), st.integers(0, 6))

    @settings(max_examples=40)
    @given(st.lists(clients, min_size=1, max_size=9), st.integers(1, 3), st.integers(0, 4))
    def try_one(clients, slots, waiting):
        async def run():
            engine = scripted(script, slots=slots)
            async with running(model, engine, waiting=waiting) as (application, server):
                calls = []
                for at, (stream, leaves, later) in enumerate(clients):
                    ask.body["metadata"] = {"session_id": str(at)}
                    calls.append((Call(application, ask, stream=stream), stream, leaves))
                    for _ in range(later):
                        await asyncio.sleep(0)
                for step in range(41):
                    for call, _, leaves in calls:
                        if leaves == step:
                            call.leave()
                    await asyncio.sleep(0)
                refused = 529 if ask.api == "messages" else 503
                for call, stream, leaves in calls:
                    await call.end()
                    assert call.status in (200, refused) or (call.status is None and leaves is not None)
                    if leaves is None and call.status == 200:
                        text = (
                            ask.text(events_of(call.data.decode())) if stream else ask.whole_text(json.loads(call.data))
                        )
                        assert text == "Hello you!"
                    assert call.is_whole or leaves is not None
                (seat,) = server.pool.seats
                assert (seat.open, seat.waiting, server.jobs) == (0, 0, set())
                assert engine.ended == len(engine.asked)

        asyncio.run(run())

    try_one()


def events_of(text):
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
