"""What each engine is asked for, and the traps that each has set."""

import json

import pytest
from fake_engines import FAKES, FakeLlamaCpp, FakeOllama, FakeSglang, FakeVllm, Reply, serving
from fake_engines.asking import ask, generated, heard

import lect
from lect_constrain import constrain
from lect_serve.engines.base import EngineError, Piece
from lect_serve.engines.completions import Completions
from lect_serve.engines.llama_cpp import LlamaCpp
from lect_serve.engines.ollama import Ollama
from lect_serve.engines.sglang import Sglang
from lect_serve.engines.vllm import Vllm

SAMPLING = {
    "temperature": 0.7,
    "top_p": 0.9,
    "top_k": 20,
    "min_p": 0.1,
    "seed": 7,
    "presence_penalty": 0.5,
    "repetition_penalty": 1.1,
}
TOOL = {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}


def body(make, **more):
    fake = FakeVllm()
    return make(None, "http://127.0.0.1:1").body(ask(fake, "Hi", max_tokens=77, **more))


def test_vllm_is_asked_for_ids_and_never_left_to_its_default_of_sixteen():
    asked = body(Vllm, sampling=SAMPLING, stop=("END",), stop_ids=(5,), logprobs=True, session="s")
    assert asked == {
        "prompt": [*b"Hi"], "max_tokens": 77, "stream": True, "stream_options": {"include_usage": True},
        "return_token_ids": True, "skip_special_tokens": False, "stop": ["END"], "stop_token_ids": [5], "logprobs": 1,
        "session_id": "s", **SAMPLING,
    }  # fmt: skip


def test_sglang_has_its_own_names():
    asked = body(Sglang, sampling=SAMPLING, stop=("END",), stop_ids=(5,), logprobs=True, session="s")
    seed = {name: value for name, value in SAMPLING.items() if name != "seed"} | {"sampling_seed": 7}
    assert asked == {
        "input_ids": [*b"Hi"], "stream": True, "return_logprob": True, "session_id": "s",
        "sampling_params": {
            "max_new_tokens": 77, "skip_special_tokens": False, "no_stop_trim": True, "stop": ["END"],
            "stop_token_ids": [5], **seed,
        },
    }  # fmt: skip


def test_llama_cpp_is_not_told_of_stops():
    asked = body(LlamaCpp, sampling=SAMPLING, stop=("END",), stop_ids=(5,), logprobs=True, session="s")
    named = {name: value for name, value in SAMPLING.items() if name != "repetition_penalty"} | {"repeat_penalty": 1.1}
    assert asked == {
        "prompt": [*b"Hi"], "n_predict": 77, "stream": True, "return_tokens": True, "return_progress": True, "n_probs": 1, **named,
    }  # fmt: skip


def test_ollama_is_told_not_to_cut_a_prompt_and_not_to_take_thoughts_out():
    asked = body(Ollama, sampling=SAMPLING, stop=("END",), stop_texts=("USER:",))
    assert asked["prompt"] == "Hi"
    assert {name: asked[name] for name in ("raw", "truncate", "shift", "think")} == {
        "raw": True, "truncate": False, "shift": False, "think": False,
    }  # fmt: skip
    assert (asked["options"]["num_predict"], asked["options"]["stop"]) == (77, ["END", "USER:"])
    assert not {"system", "template", "context", "suffix"} & {*asked}


def test_an_unknown_server_gets_only_what_openai_has():
    assert {*body(Completions, stop=("END",))} == {"model", "prompt", "max_tokens", "stream", "stream_options", "stop"}


@pytest.mark.parametrize(("make", "unlimited"), [(Vllm, 0), (Sglang, -1), (LlamaCpp, 0), (Ollama, 0), (Completions, 0)])
def test_the_whole_vocabulary_is_spelt_as_each_engine_wants_it(make, unlimited):
    for given in (0, -1):
        asked = json.dumps(body(make, sampling={"top_k": given}))
        assert f'"top_k": {unlimited}' in asked


def test_what_is_not_asked_is_left_to_the_engine():
    for make in (Vllm, Sglang, LlamaCpp, Ollama, Completions):
        asked = json.dumps(body(make))
        assert not any(f'"{name}"' in asked for name in ("temperature", "top_p", "top_k", "seed", "stop", "logprobs"))


def test_a_constraint_is_written_in_the_engines_notation():
    constraint = constrain(lect.template("lect:chatml"), content_schema={"type": "object", "properties": {}})
    tag = json.dumps(constraint.structural_tag())
    assert body(Vllm, constraint=constraint)["structured_outputs"] == {"structural_tag": tag}
    assert body(Sglang, constraint=constraint)["sampling_params"]["structural_tag"] == tag
    assert body(LlamaCpp, constraint=constraint)["grammar"] == constraint.gbnf()
    assert [make.constrains for make in (Vllm, Sglang, LlamaCpp, Ollama, Completions)] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_a_vllm_without_ids_is_refused_and_not_read_as_nothing():
    fake = FakeVllm(with_ids=False)
    with serving(fake.app) as url, pytest.raises(EngineError, match=r"no token ids\n  try: vLLM 0\.10\.2 or newer"):
        generated(url, ask(fake))


def test_what_nobody_says_was_cached_is_none():
    fake = FakeVllm(details=False)
    with serving(fake.app) as url:
        assert generated(url, ask(fake, 'FAKE {"say": "Hi", "cached": 9}'))[-1].usage.cached == 0


@pytest.mark.parametrize("interval", [1, 2, 5])
@pytest.mark.parametrize("incremental", [False, True])
def test_sglang_is_read_whether_it_repeats_itself_or_not(incremental, interval):
    fake = FakeSglang(incremental=incremental, interval=interval)
    # The same id many times: nothing but the counts tells a repetition from a beginning.
    ids = (65,) * 11 + (fake.eos_id,)
    fake.script = lambda prompt, _: Reply(ids)
    with serving(fake.app) as url:
        pieces = generated(url, ask(fake, logprobs=True))
    assert tuple(each for piece in pieces for each in piece.ids) == ids
    assert [each for piece in pieces for each in piece.logprobs] == [-each / 2**20 for each in ids]
    assert (pieces[-1].finish, pieces[-1].stop, pieces[-1].usage.completion) == ("stop", fake.eos_id, 12)


def test_what_llama_cpp_does_not_send_is_counted_and_its_text_is_read():
    fake = FakeLlamaCpp()
    with serving(fake.app) as url:
        pieces = generated(url, ask(fake, 'FAKE {"say": "a日b😀"}', logprobs=True))
    ids = fake.tokenizer.encode("a日b😀<|im_end|>").ids
    # Three bytes and four bytes: the last id of each is sent.
    assert [(piece.text, tuple(piece.ids), piece.missing) for piece in pieces[:-1]] == [
        (None, (ids[0],), 0), ("日", (ids[3],), 2), (None, (ids[4],), 0), ("😀", (ids[8],), 3), (None, (ids[9],), 0),
    ]  # fmt: skip
    assert pieces[-1] == Piece(finish="stop", usage=pieces[-1].usage)
    assert pieces[-1].usage.completion == len(ids)


def test_what_llama_cpp_cuts_off_within_a_character_is_counted():
    fake = FakeLlamaCpp()
    with serving(fake.app) as url:
        pieces = generated(url, ask(fake, 'FAKE {"say": "a😀"}', max_tokens=3))
    assert heard(pieces, fake.tokenizer) == "a"
    assert (pieces[-1].finish, pieces[-1].missing, pieces[-1].usage.completion) == ("length", 2, 3)


def test_a_stop_string_ends_llama_cpp_within_a_character_of_several_tokens():
    fake = FakeLlamaCpp()
    with serving(fake.app) as url:
        pieces = generated(url, ask(fake, 'FAKE {"say": "ab日cd"}', stop=("b日c",)))
        fake.wait_for(lambda state: state.running == 0)
    assert heard(pieces, fake.tokenizer) == "ab日c"
    assert (pieces[-1].finish, pieces[-1].stop) == ("stop", "b日c")


def test_thoughts_stay_in_the_text_of_ollama():
    fake = FakeOllama(thinks=True)
    with serving(fake.app) as url:
        pieces = generated(url, ask(fake, 'FAKE {"say": "<think>Hm</think>Yes"}'))
    assert heard(pieces, fake.tokenizer) == "<think>Hm</think>Yes"


def test_an_ollama_that_takes_thoughts_out_is_refused():
    from fake_engines.ollama import row

    fake = FakeOllama()
    fake.events = lambda asked, reply, ids: [(1, row({"thinking": "Hm", "response": "", "done": False}))]
    with serving(fake.app) as url, pytest.raises(EngineError, match="takes thoughts out"):
        generated(url, ask(fake))


@pytest.mark.parametrize("kind", FAKES)
def test_a_stream_without_an_end_is_an_error(kind):
    fake = FAKES[kind]()
    events = fake.events

    def unfinished(asked, reply, ids):
        # One token, then the stream ends as if all was well.
        first = next(each for each in events(asked, reply, ids) if each[0])
        return [first]

    fake.events = unfinished
    with serving(fake.app) as url, pytest.raises(EngineError, match="without a finish reason"):
        generated(url, ask(fake))
