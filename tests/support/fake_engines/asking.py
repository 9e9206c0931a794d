"""One generation at an engine, from beginning to end, and what it said."""

import asyncio
from contextlib import aclosing

import httpx

from lect_serve.engines.base import Ask
from lect_serve.engines.recognise import recognise


def client():
    """Return a client as the server has it: no limit of connections, and no clock while a stream is read."""
    # To load the certificates takes longer than everything else here.
    timeout, limits = httpx.Timeout(10, read=None), httpx.Limits(max_connections=None)
    return httpx.AsyncClient(timeout=timeout, limits=limits, verify=False)


def ask(fake, prompt="Hi", *, max_tokens=1000, **more):
    """Return a request for a fake engine."""
    ids = fake.tokenizer.encode(prompt, add_special_tokens=False).ids
    return Ask(ids=ids, text=prompt, max_tokens=max_tokens, **more)


def at_engine(url, work, kind=None, model=None):
    """Run `await work(engine)` with the engine at an address."""

    async def run():
        async with client() as asking:
            return await work(await recognise(asking, url, kind, model))

    return asyncio.run(run())


async def pieces_of(engine, asked):
    """Return all pieces of a generation."""
    async with aclosing(engine.generate(asked)) as batches:
        return [piece async for batch in batches for piece in batch]


def generated(url, asked, kind=None):
    """Return all pieces of a generation at an address."""
    return at_engine(url, lambda engine: pieces_of(engine, asked), kind)


def heard(pieces, tokenizer):
    """Return the text of pieces."""
    texts, ids = [], []
    for piece in pieces:
        if piece.text is None:
            ids += piece.ids
        else:
            texts += [tokenizer.decode(ids, skip_special_tokens=False), piece.text]
            ids = []
    return "".join([*texts, tokenizer.decode(ids, skip_special_tokens=False)])
