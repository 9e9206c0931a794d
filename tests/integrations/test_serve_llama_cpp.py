"""The engine of lect-serve at a real server of llama.cpp, with a tiny random model."""

import asyncio
import json
from contextlib import aclosing

import pytest
from fake_engines import tiny
from fake_engines.asking import at_engine, pieces_of
from fake_engines.script import CONTROLS, WORDS
from tiny_gguf import tiny_gguf

import lect
from lect_constrain import constrain
from lect_serve.engines.base import Ask, ContextTooLongError, EngineError

llama = pytest.importorskip("xllamacpp")

CONTEXT = 1024
END = "<|im_end|>"


@pytest.fixture(scope="module")
def tokenizer():
    return tiny()


@pytest.fixture(scope="module")
def url(tokenizer, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    path.write_bytes(tiny_gguf(CONTROLS, END, words=WORDS))
    parameters = llama.CommonParams()
    parameters.model.path, parameters.n_ctx, parameters.warmup = str(path), CONTEXT, False
    parameters.n_parallel = 1
    server = llama.Server(parameters)
    yield server.listening_address
    del server


def ask(tokenizer, text="Hello", **more):
    ids = tokenizer.encode(text).ids
    return Ask(ids=ids, text=text, **{"max_tokens": 40, "sampling": {"seed": 1, "temperature": 1.0}} | more)


class Written:
    """A constraint that is only a grammar."""

    def __init__(self, grammar):
        self._grammar = grammar

    def gbnf(self):
        return self._grammar


def said(text):
    """Return the grammar that allows one text."""
    return Written(f"root ::= {json.dumps(text, ensure_ascii=False)}")


def read(pieces, tokenizer):
    """Return the text of pieces, and how many tokens were sampled."""
    texts, ids = [], []
    for piece in pieces:
        if piece.text is not None:
            texts += [tokenizer.decode(ids, skip_special_tokens=False), piece.text]
            ids = []
        else:
            ids += piece.ids
    whole = "".join([*texts, tokenizer.decode(ids, skip_special_tokens=False)])
    return whole, sum(len(piece.ids) + piece.missing for piece in pieces)


def test_it_is_recognised(url):
    async def itself(engine):
        return engine.about, await engine.healthy()

    about, healthy = at_engine(url, itself)
    assert (about.kind, about.context, about.slots, healthy) == ("llama.cpp", CONTEXT, 1, True)


def test_ids_come_back_with_their_log_probabilities(url, tokenizer):
    pieces = at_engine(url, lambda engine: pieces_of(engine, ask(tokenizer, logprobs=True)))
    *_, last = pieces
    _, count = read(pieces, tokenizer)
    assert last.finish in ("stop", "length")
    assert last.usage.prompt == len(tokenizer.encode("Hello").ids)
    assert last.usage.completion == count
    with_ids = [piece for piece in pieces if piece.ids and not piece.missing]
    assert with_ids
    assert all(len(piece.logprobs) == len(piece.ids) and piece.logprobs[0] <= 0 for piece in with_ids)


@pytest.mark.parametrize("text", ["Hello", "日本語 é 𝄞𝄞", "a<tool_call>\n{}</tool_call>😀", "é" * 12])
def test_characters_of_several_tokens_arrive_whole(url, tokenizer, text):
    pieces = at_engine(url, lambda engine: pieces_of(engine, ask(tokenizer, constraint=said(text), max_tokens=200)))
    whole, count = read(pieces, tokenizer)
    assert whole.removesuffix(END) == text
    assert pieces[-1].finish == "stop"
    assert pieces[-1].usage.completion == count == len(tokenizer.encode(text).ids) + 1
    # A recorder can fill what was not sent: the ids of a text end with those that came beside it.
    for piece in pieces:
        if piece.text is not None:
            ids = tokenizer.encode(piece.text).ids
            assert (len(ids), ids[-1:]) == (piece.missing + len(piece.ids), list(piece.ids)[-1:])


def test_a_limit_within_a_character_is_counted(url, tokenizer):
    pieces = at_engine(url, lambda engine: pieces_of(engine, ask(tokenizer, constraint=said("ab𝄞"), max_tokens=4)))
    assert pieces[-1].finish == "length"
    assert read(pieces, tokenizer)[1] == pieces[-1].usage.completion


def test_stops_are_found(url, tokenizer):
    def pieces(**more):
        return at_engine(url, lambda engine: pieces_of(engine, ask(tokenizer, **more)))

    stop = tokenizer.token_to_id("</think>")
    by_id = pieces(constraint=said("one</think>two"), stop_ids=(stop,))
    by_text = pieces(constraint=said("one 日本 two"), stop=("日本",))
    assert (read(by_id, tokenizer)[0], by_id[-1].finish, by_id[-1].stop) == ("one</think>", "stop", stop)
    assert (read(by_text, tokenizer)[0], by_text[-1].finish, by_text[-1].stop) == ("one 日本", "stop", "日本")


def test_a_constraint_of_a_format_is_kept(url, tokenizer):
    template = lect.template("qwen:qwen2.5")
    tool = {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}
    constraint = constrain(template, [tool], tool_choice="required", parallel=False, reasoning=False)
    pieces = at_engine(url, lambda engine: pieces_of(engine, ask(tokenizer, constraint=constraint, max_tokens=400)))
    reply = template.parse(read(pieces, tokenizer)[0], tools=[tool])
    assert [call.name for call in reply.tool_calls] == ["now"]


def test_what_is_cached_is_told(url, tokenizer):
    asked = ask(tokenizer, "The same prompt a second time. " * 4, max_tokens=1)
    at_engine(url, lambda engine: pieces_of(engine, asked))
    last = at_engine(url, lambda engine: pieces_of(engine, asked))[-1]
    assert last.usage.cached > len(asked.ids) // 2


def test_who_leaves_frees_the_slot(url, tokenizer):
    # Nothing but the limit ends it, and the only slot is taken meanwhile.
    endless = ask(tokenizer, constraint=Written('root ::= "ab" root'), max_tokens=900)

    async def leave(engine):
        async with aclosing(engine.generate(endless)) as batches:
            async for batch in batches:
                if any(piece.ids for piece in batch):
                    break
        return await asyncio.wait_for(pieces_of(engine, ask(tokenizer, max_tokens=2)), 60)

    assert at_engine(url, leave)[-1].usage.completion <= 2


def test_a_prompt_that_is_too_long_is_told_with_its_length(url, tokenizer):
    with pytest.raises(ContextTooLongError) as raised:
        at_engine(url, lambda engine: pieces_of(engine, ask(tokenizer, "x" * 2000)))
    assert (raised.value.prompt, raised.value.context) == (2000, CONTEXT)


def test_a_grammar_that_is_none_is_the_askers_fault(url, tokenizer):
    with pytest.raises(EngineError, match="grammar") as raised:
        at_engine(url, lambda engine: pieces_of(engine, ask(tokenizer, constraint=Written("root ::= ("))))
    assert raised.value.status == 400
