"""An engine's stream means the same, whatever pieces the network brings it in."""

import asyncio
import json
from contextlib import aclosing
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lect_serve.engines import wire
from lect_serve.engines.base import EngineError

OBJECTS = st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), max_size=6)


def cut(data, places):
    """Return bytes in chunks; some may be empty."""
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in pairwise(edges)]


def read(chunks, parse):
    async def stream():
        for chunk in chunks:
            yield chunk

    async def run():
        return [batch async for batch in wire.batches(stream(), parse)]

    return asyncio.run(run())


def flat(batches):
    return [each for batch in batches for each in batch]


@given(OBJECTS, st.lists(st.integers(0, 10_000)), st.sampled_from([b"\n\n", b"\r\n\r\n"]), st.booleans())
def test_events_are_the_same_in_any_chunks(objects, places, end, ascii_only):
    lines = [b"data: " + json.dumps(each, ensure_ascii=ascii_only).encode() for each in objects]
    data = end.join([b": ping", b"event: message", *lines, b"data: [DONE]", b"data: nothing that is read"])
    assert flat(read(cut(data, places), wire.events)) == objects


@given(OBJECTS, st.lists(st.integers(0, 10_000)), st.booleans())
def test_lines_of_json_are_the_same_in_any_chunks(objects, places, ended):
    data = b"\n".join(json.dumps(each, ensure_ascii=False).encode() for each in objects) + b"\n" * ended
    assert flat(read(cut(data, places), wire.rows)) == objects


def test_what_has_come_meanwhile_stays_together():
    reads = [[b'data: {"a":1}\n\n', b'data: {"a":2}\n\ndata: {"a"'], [b":3}\n\n"], [b": ping\n\n"]]

    async def run():
        found, taken = [], asyncio.Event()

        async def stream():
            for chunks in reads:
                for chunk in chunks:
                    yield chunk
                taken.clear()
                await taken.wait()

        async for batch in wire.batches(stream(), wire.events):
            found.append(batch)
            taken.set()
        return found

    assert asyncio.run(run()) == [[{"a": 1}, {"a": 2}], [{"a": 3}], []]


def test_no_more_is_read_than_a_client_takes():
    chunk, handed = b'data: {"a": "' + b"x" * 1000 + b'"}\n\n', 0

    async def run():
        async def stream():
            nonlocal handed
            for _ in range(1000):
                handed += 1
                yield chunk
                await asyncio.sleep(0)

        async with aclosing(wire.batches(stream(), wire.events)) as batches:
            await anext(batches)
            # The client is busy with the first ones.
            for _ in range(2000):
                await asyncio.sleep(0)
            return handed

    assert asyncio.run(run()) * len(chunk) < 2 * wire.MOST_AHEAD


def test_an_error_comes_after_what_came_before_it():
    async def stream():
        yield b'data: {"a":1}\n\n'
        raise ConnectionError

    async def run():
        batches = wire.batches(stream(), wire.events)
        first = await anext(batches)
        with pytest.raises(ConnectionError):
            await anext(batches)
        return first

    assert asyncio.run(run()) == [{"a": 1}]


def test_a_line_in_very_many_chunks_is_read_in_time():
    data = b'data: {"a": "' + b"x" * 400_000 + b'"}\n'
    assert len(flat(read([bytes([each]) for each in data], wire.events))[0]["a"]) == 400_000


@pytest.mark.parametrize("line", ["data: {", "data: [1]", "data: null", "data: \ud800"])
def test_what_is_no_object_is_an_error_that_shows_it(line):
    with pytest.raises(EngineError, match="no JSON object") as raised:
        read([line.encode("utf-8", "surrogatepass"), b"\n"], wire.events)
    assert raised.value.status == 502
    assert not raised.value.retry
