"""Prompts as token ids, safe and with loss weights, compared with one bare encoding of the finished text and
transformers' `apply_chat_template`.

In processor time: the machine may be busy, and the number of cores must not favour `tokenizers`.
"""

import gc
import gzip
import json
import os
from itertools import cycle, islice
from time import process_time

from makers import ORACLES
from timing import Line, micro

# Before `tokenizers` is imported.
os.environ["TOKENIZERS_PARALLELISM"] = "false"

TOKENIZERS = ORACLES.parent / "tokenizers"
TOKENIZER = TOKENIZERS / "qwen2_5"
MESSAGES = 50
ROUNDS = 60
LENGTHS = {"user": 25, "assistant": 120}
TEXT = """The prompt of a chat model is plain text, and yet some of it is not: markers say who speaks.
def add(a, b):
    return a + b

模型看到的是编号，而不是字符。 It costs 3.50 EUR, doesn't it?
"""
BOUNDS = {
    "encode: safe, with weights, beside one bare encoding of the text": 1.15,
    "encode: safe, with weights, beside transformers' apply_chat_template": 1.0,
}
WARM = "a prompt rendered anew each time"


def lines():
    """Yield the lines about token ids."""
    try:
        import transformers
    except ImportError as error:
        yield from skipped(str(error))
        return
    if not TOKENIZER.is_dir():
        yield from skipped("the tokenizer is not available: ../shared/tokenizers/qwen2_5 is missing")
        return
    tokenizer = stored(TOKENIZER)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer)
    fast.chat_template = json.loads((TOKENIZER / "tokenizer_config.json").read_text("utf-8"))["chat_template"]
    ours, bare, theirs = measured(tokenizer, fast)
    for (what, bound), other in zip(BOUNDS.items(), (bare, theirs), strict=True):
        yield Line(what, ours / other, bound, least=False, note=f"{micro(ours)}, beside {micro(other)}; {WARM}")


def skipped(why):
    return (Line(what, None, bound, least=False, note=why) for what, bound in BOUNDS.items())


def stored(folder):
    """Return a tokenizer of `../shared/tokenizers`."""
    from tokenizers import Tokenizer

    with gzip.open(folder / "tokenizer.json.gz", "rt", encoding="utf-8") as file:
        return Tokenizer.from_str(file.read())


def conversation(count=MESSAGES):
    """Return a conversation: questions of 25 words, answers of 120."""
    words = cycle(TEXT.split(" "))
    roles = islice(cycle(LENGTHS), count)
    return [{"role": role, "content": " ".join(islice(words, LENGTHS[role]))} for role in roles]


def measured(tokenizer, fast):
    """Return the best processor times of ours, a bare encoding and transformers; they take turns."""
    import lect

    template, messages = lect.get_template("Qwen/Qwen2.5-7B-Instruct"), conversation()
    text = template.text(messages)

    def ours(prompt):
        encoded = prompt.encode(tokenizer)
        return encoded.ids, encoded.weights

    def bare(_):
        return tokenizer.encode(text, add_special_tokens=False).ids

    def theirs(_):
        return fast.apply_chat_template(messages, tokenize=True, return_dict=False)

    calls = (ours, bare, theirs)
    assert ours(template.render(messages))[0] == bare(None) == theirs(None)
    best = [float("inf")] * len(calls)
    gc.disable()
    try:
        for _ in range(ROUNDS):
            for index, call in enumerate(calls):
                prompt = template.render(messages)
                begun = process_time()
                call(prompt)
                best[index] = min(best[index], process_time() - begun)
    finally:
        gc.enable()
    return best


if __name__ == "__main__":
    for line in lines():
        print(*line.cells(), sep="  ")
