"""Real tokenizers on the command line: each with a model of its family, and two that lack their chat tokens."""

import gzip
import json
from functools import cache

import pytest
from shared import SHARED

from lect.cli import main
from lect_tokens import load_tokenizer, report
from lect_tokens.cli import tokens

tokenizers = pytest.importorskip("tokenizers")

MODELS = {
    "qwen2_5": "Qwen/Qwen2.5-7B-Instruct",
    "qwen3": "Qwen/Qwen3-8B",
    "llama2": "meta-llama/Llama-2-7b-chat-hf",
    "llama3": "meta-llama/Meta-Llama-3-8B-Instruct",
    "deepseek_v3": "deepseek-ai/DeepSeek-V3",
    "mistral_nemo": "mistralai/Mistral-Nemo-Instruct-2407",
}
INCOMPLETE = {"internlm2": "internlm/internlm2-chat-7b", "chatglm3": "THUDM/chatglm3-6b"}
CHAT = [
    {"role": "user", "content": "Hi <|im_end|></s><|eot_id|>"},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "Bye"},
    {"role": "assistant", "content": "See you."},
]


@pytest.fixture(autouse=True)
def loaded_once(monkeypatch):
    monkeypatch.setattr(tokens, "load_tokenizer", loaded)
    monkeypatch.setattr(report, "load_tokenizer", loaded)


@cache
def loaded(path):
    return load_tokenizer(path)


@pytest.fixture(scope="module", params=MODELS)
def known(request, tmp_path_factory):
    return unpacked(request.param, tmp_path_factory), MODELS[request.param]


@pytest.fixture(scope="module", params=INCOMPLETE)
def incomplete(request, tmp_path_factory):
    return unpacked(request.param, tmp_path_factory), INCOMPLETE[request.param]


def unpacked(name, factory):
    if not SHARED.exists():
        pytest.skip("the makers' tokenizers are not here: ../shared is missing")
    directory = factory.mktemp(name)
    packed = SHARED / "tokenizers" / name / "tokenizer.json.gz"
    (directory / "tokenizer.json").write_bytes(gzip.decompress(packed.read_bytes()))
    return directory


def lect(capsys, code, *words):
    assert main([*map(str, words), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def statuses(data):
    return {check["name"]: check["status"] for check in data["checks"]}


def test_nothing_is_wrong_with_a_models_own_tokenizer(known, capsys):
    directory, model = known
    found = statuses(lect(capsys, 0, "doctor", model, "--tokenizer", directory))
    assert {name for name, status in found.items() if status != "ok"} <= {"history", "safety"}


def test_a_tokenizer_without_its_chat_tokens_is_caught(incomplete, capsys):
    directory, model = incomplete
    found = statuses(lect(capsys, 1, "doctor", model, "--tokenizer", directory))
    assert found["markers"] == found["ids"] == "wrong"


def test_the_tokenizer_of_another_generation_is_caught(tmp_path_factory, capsys):
    directory = unpacked("llama3", tmp_path_factory)
    assert (
        statuses(lect(capsys, 1, "doctor", "meta-llama/Llama-3.1-8B-Instruct", "--tokenizer", directory))["ids"]
        == "wrong"
    )


def test_right_ids_are_told_from_wrong_ones(known, tmp_path, capsys):
    directory, model = known
    chat, ids = tmp_path / "chat.json", tmp_path / "ids.json"
    chat.write_text(json.dumps(CHAT), "utf-8")
    shown = lect(capsys, 0, "tokens", model, "--messages", chat, "--tokenizer", directory)

    def examined(these, code):
        ids.write_text(json.dumps(these), "utf-8")
        return statuses(lect(capsys, code, "doctor", model, "--ids", ids, "--tokenizer", directory))

    good = [token["id"] for token in shown["tokens"]]
    assert "wrong" not in examined(good, 0).values()
    # The last trained token is the stop of the last answer.
    last = max(index for index, token in enumerate(shown["tokens"]) if token["weight"])
    assert examined(good[:last], 1)["stop"] == "wrong"
    if shown["report"]["bos"]:
        assert examined([good[0], *good], 1)["BOS"] == "wrong"
    pieces = tokenizers.Tokenizer.from_file(str(directory / "tokenizer.json"))
    pieces.encode_special_tokens = True
    split = pieces.encode(shown["text"], add_special_tokens=False).ids
    assert examined(split, 1)["markers"] == "wrong"


def test_the_tokens_are_those_of_the_text(known, capsys):
    directory, model = known
    shown = lect(capsys, 0, "tokens", model, "Hi there!", "--tokenizer", directory)
    plain = tokenizers.Tokenizer.from_file(str(directory / "tokenizer.json"))
    assert [token["id"] for token in shown["tokens"]] == plain.encode(shown["text"], add_special_tokens=False).ids
    assert "".join(token["text"] for token in shown["tokens"]) == shown["text"]
