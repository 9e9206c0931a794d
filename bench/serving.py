"""`lect serve` beside a proxy that only passes bytes on: the same engine, the same clients, one core each.

What counts is the processor time of the server's process, and its memory. The engine is made up: it sends tokens at a
fixed pace, one in each chunk, as engines do. `python bench/serving.py engine|proxy|server ...` is one of the processes.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from timing import Line, micro

SUPPORT = str(Path(__file__).parents[1] / "tests/support")
MODEL = "Qwen/Qwen3-8B"
STREAMS, TOKENS, PACE = 200, 200, 0.02
PIECES = 2_000
LETTERS = "abcdefgh "
ENDS = (b"[DONE]", b"response.completed", b"message_stop")
APIS = {
    "chat": ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Go on."}]}),
    "messages": ("/v1/messages", {"messages": [{"role": "user", "content": "Go on."}], "max_tokens": 9_999}),
    "responses": ("/v1/responses", {"input": "Go on.", "store": False}),
}
PER_TOKEN = "serving: processor time of a streamed token ({api}, 200 streams), beside a proxy that passes bytes on"
SHARE = "serving: reading a token and writing its event ({api})"
MEMORY = "serving: memory of a stream, of 200"
LONG = "serving: a request of 19,000 tokens made ready, beside encoding its text once"
GOES_ON = "serving: the same where it goes on with a session"


def lines():
    """Yield the lines about serving."""
    try:
        import uvicorn  # noqa: F401

        import lect_serve  # noqa: F401
    except ImportError as error:
        yield Line(PER_TOKEN.format(api="chat"), None, 2.5, least=False, note=str(error))
        return
    yield from shares()
    yield from prepared()
    if not Path("/proc/self/stat").exists():
        yield Line(PER_TOKEN.format(api="chat"), None, 2.5, least=False, note="it needs /proc")
        return
    with process("engine") as (engine, _), process("proxy", engine) as (proxy, beside):
        body = {"prompt": [1, 2, 3], "stream": True, "max_tokens": 9_999, "return_token_ids": True}
        bare = load(proxy, beside, "/v1/completions", body)[0]
        with process("server", engine) as (server, pid):
            memory = []
            for api, (path, asked) in APIS.items():
                ours, grown = load(server, pid, path, {"model": "m", "stream": True, **asked})
                memory.append(grown)
                note = f"{micro(ours)}, beside {micro(bare)}"
                yield Line(PER_TOKEN.format(api=api), ours / bare, 2.5, least=False, note=note)
    yield Line(MEMORY, memory[0] / 1024, 100, least=False, unit="kB")


def shares():
    """Yield what of it is lect's own."""
    from lect_serve import Settings, app, prepare
    from lect_serve.answers import KINDS
    from lect_serve.asked import read
    from lect_serve.engines.base import Piece

    server = app(Settings(MODEL)).state.server
    for api, (_, body) in APIS.items():
        asked = read(api, {"model": "m", "stream": True, **body})
        can = prepare.Can(takes_ids=True, constrains=True, context=None)
        best = float("inf")
        for _ in range(5):
            rendered = prepare.render(server.model, server.settings, asked, can, {})
            answer = KINDS[api](prepare.stream_of(server.model, rendered), asked, "m", 9)
            pieces = [[Piece(ids=[ord(LETTERS[at % len(LETTERS)])])] for at in range(PIECES)]
            start = time.process_time()
            for each in pieces:
                answer.feed(each)
            best = min(best, time.process_time() - start)
        yield Line(SHARE.format(api=api), best / PIECES * 1e6, 25, least=False, unit="µs")


def prepared():
    """Yield what it takes to make a long request ready."""
    sys.path.append(SUPPORT)
    from agent_requests import recorded
    from real_tokenizers import ROOT, tokenizer
    from rollouts import best

    from lect_serve import Settings, app
    from lect_serve.asked import read
    from lect_serve.model import load as loaded
    from lect_serve.prepare import Can
    from lect_serve.sessions import Sample

    asked = [body for _, api, body in recorded() if api == "messages"]
    if not asked or not (ROOT / "qwen3").exists():
        yield from (
            Line(what, None, bound, least=False, note="../shared is missing")
            for what, bound in ((LONG, 1.2), (GOES_ON, 0.2))
        )
        return
    from lect_serve import pool

    model = loaded(Settings(MODEL))._replace(tokenizer=tokenizer("qwen3"))
    server = app(Settings(MODEL, history="sampled"), model=model).state.server
    server._pool = pool.Pool([], None, 0)
    server._pool.can = Can(takes_ids=True, constrains=True, context=None)
    first = read("messages", asked[0])
    turn, ask = server._prepare(first, "key")
    text = turn.rendered.prompt.text
    ours, theirs = best(
        lambda: server._prepare(first, "other"), lambda: model.tokenizer.encode(text, add_special_tokens=False)
    )
    note = f"{micro(ours)}, beside {micro(theirs)}; {len(ask.ids):,} tokens"
    yield Line(LONG, ours / theirs, 1.2, least=False, note=note)
    said = "<think>\nI look.\n</think>\n\nFine.<|im_end|>"
    ids = model.tokenizer.encode(said, add_special_tokens=False).ids
    reply = model.template.parse(said, prompt=turn.rendered.prompt)
    server.sessions.end(turn, Sample(ids, [None] * len(ids), True, reply, "stop"))
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Fine."}]}
    more = {**asked[0], "messages": [*asked[0]["messages"], answer, {"role": "user", "content": "Go on."}]}
    server.settings = server.sessions._settings = Settings(MODEL, history="sampled", keep_reasoning=True)
    next_one = read("messages", more)
    assert server._prepare(next_one, "key")[0].how == "extension"
    ours, theirs = best(
        lambda: server._prepare(next_one, "key"), lambda: model.tokenizer.encode(text, add_special_tokens=False)
    )
    yield Line(GOES_ON, ours / theirs, 0.2, least=False, note=f"{micro(ours)}, beside {micro(theirs)}")


# Clients


def load(port, pid, path, body):
    """Return the processor time of a token, and the bytes of memory of a stream."""
    asyncio.run(ask(port, path, body))  # Everything is imported and remembered by then.
    before, resting = cpu_of(pid), memory_of(pid)
    most = asyncio.run(ask_all(port, pid, path, body))
    return (cpu_of(pid) - before) / (STREAMS * TOKENS), (most - resting) / STREAMS


async def ask_all(port, pid, path, body):
    streams = [asyncio.ensure_future(ask(port, path, body)) for _ in range(STREAMS)]
    most = 0
    while not all(stream.done() for stream in streams):
        most = max(most, memory_of(pid))
        await asyncio.sleep(0.1)
    assert all(await asyncio.gather(*streams)), "an answer did not come to its end"
    return most


async def ask(port, path, body):
    """Return whether the answer came to its end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(data)}\r\nconnection: close\r\n\r\n"
    writer.write(head.encode() + data)
    tail = b""
    while chunk := await reader.read(1 << 16):
        tail = (tail + chunk)[-2000:]
    writer.close()
    return any(end in tail for end in ENDS)


def cpu_of(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# Processes


@contextmanager
def process(role, engine=0):
    """Run a process, and give its port and its id."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    started = subprocess.Popen([sys.executable, __file__, role, str(port), str(engine)])
    try:
        while True:
            assert started.poll() is None, f"the {role} did not start"
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        yield port, started.pid
    finally:
        started.terminate()
        started.wait()


async def engine_of(reader, writer):
    """Answer as vLLM does, one token after the other."""
    while head := await reader.readuntil(b"\r\n\r\n"):
        first, *rest = head.decode().split("\r\n")
        lengths = [int(each.partition(":")[2]) for each in rest if each.lower().startswith("content-length")]
        await reader.readexactly(sum(lengths))
        path = first.split()[1]
        if path != "/v1/completions":
            card = {"id": "m", "max_model_len": 40_960}
            told = json.dumps({"version": "0.32.0"} if path == "/version" else {"data": [card]}).encode()
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(told) + told)
            continue
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: text/event-stream\r\n\r\n")
        for data in CHUNKS:
            writer.write(data)
            await asyncio.sleep(PACE)
        writer.write(b"0\r\n\r\n")
        await writer.drain()


def chunks():
    for at in range(TOKENS):
        letter = LETTERS[at % len(LETTERS)]
        last = at == TOKENS - 1
        choice = {
            "index": 0,
            "text": letter,
            "finish_reason": "stop" if last else None,
            "stop_reason": None,
            "token_ids": [ord(letter)],
        }
        yield line({"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "m", "choices": [choice]})
    yield line({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": TOKENS, "total_tokens": TOKENS + 9}})
    yield wrapped(b"data: [DONE]\n\n")


def line(data):
    return wrapped(b"data: " + json.dumps(data).encode() + b"\n\n")


def wrapped(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


CHUNKS = [*chunks()]


async def serve_engine(port):
    server = await asyncio.start_server(partial(quietly, engine_of), "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


async def quietly(answer, reader, writer):
    try:
        await answer(reader, writer)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def serve_proxy(port, engine):
    import httpx
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    client = httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None), trust_env=False)

    async def passed(request):
        url = f"http://127.0.0.1:{engine}{request.url.path}"
        sent = client.build_request("POST", url, content=await request.body())
        response = await client.send(sent, stream=True)

        async def pieces():
            async for piece in response.aiter_raw():
                yield piece
            await response.aclose()

        return StreamingResponse(pieces(), media_type="text/event-stream")

    made = Starlette(routes=[Route("/v1/completions", passed, methods=["POST"])])
    uvicorn.run(made, host="127.0.0.1", port=port, log_level="critical", backlog=4096)


def serve_lect(port, engine):
    import uvicorn

    from lect_serve import Settings, app

    sys.path.append(SUPPORT)
    from fake_engines import tiny

    with tempfile.TemporaryDirectory() as folder:
        tiny().save(f"{folder}/tokenizer.json")
        made = app(Settings(MODEL, engines=(f"http://127.0.0.1:{engine}",), tokenizer=folder))
    uvicorn.run(made, host="127.0.0.1", port=port, log_level="critical", backlog=4096)


if __name__ == "__main__":
    role, port, engine = sys.argv[1], *map(int, sys.argv[2:])
    if role == "engine":
        asyncio.run(serve_engine(port))
    else:
        (serve_proxy if role == "proxy" else serve_lect)(port, engine)
