"""From messages to labels: conversations as sequences to train on, compared with bare encodings of the same texts.

In processor time, as in `tokens.py`.
"""

import gc
from functools import partial
from statistics import median
from time import process_time

from makers import Row
from timing import Line, micro
from tokens import TOKENIZERS, conversation, stored

import lect

HEADING = (
    "lect.encode(model, messages, tokenizer, policy=LossPolicy()) and its labels, for so many messages, unrolled and "
    "not, beside bare encodings of the same texts; and a message of 1,000, beside one of 50"
)
FORMATS = {
    "Qwen/Qwen2.5-7B-Instruct": "qwen2_5",
    "Qwen/Qwen3-8B": "qwen3",
    "Qwen/Qwen3-8B reasoning": "qwen3",
    "deepseek-ai/DeepSeek-V3": "deepseek_v3",
    "deepseek-ai/DeepSeek-R1 reasoning": "deepseek_v3",
    "meta-llama/Meta-Llama-3-8B-Instruct": "llama3",
    "mistralai/Mistral-Nemo-Instruct-2407": "mistral_nemo",
    "internlm/internlm2-chat-7b": "internlm2",
    "lmsys/vicuna-7b-v1.5": "llama2",
    "meta-llama/Llama-2-7b-chat-hf": "llama2",
}
"""The models, whether answers have reasoning, and the tokenizers."""
LATER = {"internlm2": ["<s>", "</s>", "<|im_start|>", "<|im_end|>"]}
"""Chat tokens that a tokenizer's file lacks."""
BOUNDS = {2: 2.1, 8: 1.7, 50: 1.45, 200: 1.45, 1000: 1.45}
"""By the number of messages."""
GROWTH = 1.3
LONGEST_OF_MANY = 50
"""Messages, where every answer needs a sequence of its own: all of them grow with the square of the conversation."""
SECONDS, FEWEST, MOST = 0.8, 7, 300
"""For the rounds of one measurement, and the number of rounds."""


def rows(only=""):
    """Yield a row for each format whose tokenizer is at hand."""
    try:
        from tokenizers import AddedToken
    except ImportError:
        return
    for name, folder in FORMATS.items():
        if only in name and (TOKENIZERS / folder).is_dir():
            tokenizer = stored(TOKENIZERS / folder)
            tokenizer.add_special_tokens([AddedToken(text, normalized=False) for text in LATER.get(folder, ())])
            model, _, reasoning = name.partition(" ")
            yield Row(reasoning or "plain", model, tuple(measured(model, tokenizer, reasons=bool(reasoning))))


def medians(rows):
    """Yield no lines: every format has to keep the bounds."""
    return ()


def measured(model, tokenizer, *, reasons):
    """Yield the lines of one format."""
    template = lect.get_template(model)
    for unroll in ("auto", "never"):
        times, texts = {}, []
        for count, bound in BOUNDS.items():
            line = Line(f"{unroll} {count:,}", None, bound, least=False)
            if len(texts) > 1 and count > LONGEST_OF_MANY:
                yield line
                continue
            messages = conversation(count)
            for message in messages[1::2] if reasons else ():
                message["reasoning_content"] = message["content"]
            texts = [prompt.text for prompt in template.unroll(messages, unroll)]
            ours, bare = taken(partial(labels, model, messages, tokenizer, unroll), partial(ids, tokenizer, texts))
            times[count] = ours
            yield line._replace(ratio=ours / bare, note=f"{micro(ours)}, beside {micro(bare)}")
        line = Line(f"{unroll} growth", None, GROWTH, least=False)
        yield line._replace(ratio=times[1000] / times[50] / 20) if 1000 in times else line


def labels(model, messages, tokenizer, unroll):
    """Return the labels of all sequences of a conversation."""
    encoded = lect.encode(model, messages, tokenizer, policy=lect.LossPolicy(), unroll=unroll)
    return [each.labels for each in (encoded if unroll == "auto" else [encoded])]


def ids(tokenizer, texts):
    """Return the ids of texts."""
    return [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]


def taken(*calls):
    """Return the median processor time of each call; they take turns."""
    times = [[] for _ in calls]
    for call in calls:
        call()
    gc.disable()
    try:
        while len(times[0]) < FEWEST or (sum(map(sum, times)) < SECONDS and len(times[0]) < MOST):
            for call, taken_by in zip(calls, times, strict=True):
                begun = process_time()
                call()
                taken_by.append(process_time() - begun)
    finally:
        gc.enable()
    return map(median, times)
