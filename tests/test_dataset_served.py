"""`lect dataset`, from JSON lines to labels: what is trained follows what a server sends, or it is counted."""

import json
import random
import re
from functools import cache

import pytest
import real_tokenizers
from sampling import SEED, few, in_turn

import lect
from lect.cli import main

tokenizers = pytest.importorskip("tokenizers")
pytest.importorskip("pyarrow", reason="lect-data needs pyarrow")
dataset = pytest.importorskip("lect_data.cli.dataset")

pytestmark = pytest.mark.skipif(not real_tokenizers.names(), reason=real_tokenizers.ABSENT)
MODELS = {
    "Qwen/Qwen2.5-7B-Instruct": "qwen2_5",
    "Qwen/Qwen3-8B": "qwen3",
    "Qwen/Qwen3-30B-A3B-Thinking-2507": "qwen3",
    "zai-org/GLM-4.5": "qwen3",
    "mistralai/Mistral-Nemo-Instruct-2407": "mistral_nemo",
    "deepseek-ai/DeepSeek-R1": "deepseek_v3",
    "deepseek-ai/DeepSeek-V3.1": "deepseek_v3",
    "meta-llama/Llama-3.1-8B-Instruct": "llama3",
}
"""Formats, and tokenizers that stand in for theirs, with the control tokens that they lack."""
KINDS = ("not as served", "left out", "without a stop")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"type": "function", "function": {"name": "weather", "description": "Say how it is", "parameters": CITY}}
WORDS = ("It", "is", "warm", "in", "Ulm.", "No,", "12 °C", "你好", "a\n\nb", "1. x\n2. y", "(maybe)")


def text(rng):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 6)))


def row(rng):
    """Return a random conversation with what formats treat differently in history: reasoning, calls, system texts."""
    messages = [{"role": "system", "content": text(rng)}] if rng.random() < 0.4 else []
    reasons, calls = rng.choice([0, 0.5, 1]), rng.choice([0, 0.5])
    for number in range(rng.randint(1, 4)):
        messages.append({"role": "user", "content": text(rng)})
        if rng.random() < calls:
            name = f"{rng.randrange(36**9):09d}"[-9:]
            arguments = json.dumps({"city": rng.choice(["Ulm", "Oslo"])})
            call = {"id": name, "type": "function", "function": {"name": "weather", "arguments": arguments}}
            messages.append(answer(rng, reasons, "", tool_calls=[call]))
            messages.append({"role": "tool", "tool_call_id": name, "content": text(rng)})
        messages.append(answer(rng, reasons, text(rng)))
        if number and rng.random() < 0.2:
            messages[-1]["weight"] = 0
    if rng.random() < 0.2:
        messages.append({"role": "user", "content": text(rng)})
    return {"messages": messages, **({"tools": [TOOL]} if calls else {})}


def answer(rng, reasons, content, **more):
    thought = {"reasoning_content": text(rng)} if rng.random() < reasons else {}
    return {"role": "assistant", "content": content, **thought, **more}


@pytest.fixture(scope="module")
def directory_of(tmp_path_factory):
    @cache
    def directory_of(model):
        """Return a directory with a tokenizer that has all control tokens of a model's format, and the tokenizer."""
        made = tokenizers.Tokenizer.from_str(real_tokenizers.tokenizer(MODELS[model]).to_str())
        texts = lect.get_template(model).control_tokens
        made.add_special_tokens([tokenizers.AddedToken(each, normalized=False, special=True) for each in texts])
        path = tmp_path_factory.mktemp("model")
        made.save(str(path / "tokenizer.json"))
        return path, made

    return directory_of


def trained_runs(sequence):
    """Yield the context of each stretch of a sequence that is trained, and its ids."""
    ids, labels = sequence["input_ids"], sequence["labels"]
    starts = [at for at, label in enumerate(labels) if label != -100 and (not at or labels[at - 1] == -100)]
    for start in starts:
        end = next((at for at in range(start, len(labels)) if labels[at] == -100), len(labels))
        yield ids[:start], ids[start:end]


def is_said(message, text):
    names = [call["function"]["name"] for call in message.get("tool_calls", ())]
    parts = (message["content"], message.get("reasoning_content", ""), *names)
    return all(part.strip() in text for part in parts)


def counts(shown):
    return {
        kind: int(re.search(rf"^answers {kind} +([\d,]*\d)", shown, re.MULTILINE)[1].replace(",", "")) for kind in KINDS
    }


@pytest.mark.parametrize("unroll", ["auto", "never"])
@pytest.mark.parametrize("model", in_turn(MODELS, 4))
def test_what_is_trained_follows_what_a_server_sends_or_is_counted(
    model, unroll, directory_of, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dataset, "_check_tokenizer", lambda *_: None)  # It would refuse those that stand in.
    directory, tokenizer = directory_of(model)
    template = lect.get_template(model)
    rng = random.Random(f"{SEED} {model}")
    rows = [row(rng) for _ in range(few(200))]
    (tmp_path / "chats.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    words = ["--model", model, "--tokenizer", str(directory), "--unroll", unroll, "--allow-errors", "-o", "out.jsonl"]
    code = main(["dataset", "chats.jsonl", *words])
    counted = counts(capsys.readouterr().out)
    assert code == (counted["not as served"] > 0)
    assert unroll == "never" or code == 0

    def decode(ids):
        return tokenizer.decode(ids, skip_special_tokens=False)

    def is_same(before, context):
        # An earlier answer that is not as served, and counted, may begin where the tokens of a server do not.
        return before == context or (unroll == "never" and decode(before) == decode(context))

    runs = {}
    for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines():
        sequence = json.loads(line)
        runs.setdefault(sequence["row"], []).extend(trained_runs(sequence))
    assert runs
    missed = unstopped = 0
    stops = {tokenizer.token_to_id(stop) for stop in (*template.stop, template.eos) if stop}
    for number, found in runs.items():
        messages, tools = rows[number]["messages"], rows[number].get("tools")
        unstopped += sum(ids[-1] not in stops for _, ids in found)
        for index, message in enumerate(messages):
            if message["role"] != "assistant" or message.get("weight") == 0:
                continue
            served = template.text(messages[:index], tools=tools, add_generation_prompt=True)
            context = tokenizer.encode(served, add_special_tokens=False).ids
            written = [decode(ids) for before, ids in found if is_same(before, context)]
            assert len(written) <= 1
            missed += not any(is_said(message, each) for each in written)
    assert missed <= counted["not as served"] + counted["left out"]
    assert unroll == "never" or missed == counted["left out"]
    assert unstopped == counted["without a stop"]
