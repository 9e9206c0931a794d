"""Whole data sets: `lect_data.Formatter`, compared with `datasets.map` over transformers' `apply_chat_template`, with
one bare `encode_batch` of the finished texts, and with images beside the same without.

In processor time and on one thread: `RAYON_NUM_THREADS` must be 1, so each part is measured in a process of its own.
"""

import gc
import json
import os
import subprocess
import sys
from random import Random
from statistics import median
from time import process_time

from timing import Line, micro
from tokens import TOKENIZER, stored
from traffic import TOOLS, english, schema, session

MODEL, SEEING = "Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-VL-7B-Instruct"
CHATS, AGENTS = 1000, 200
ROUNDS = 5
SYSTEM_TEXTS = 120
"""Texts of up to 40 words that the system text of all agents is made of."""
TOOL_COUNT = 12
BOUNDS = {
    "texts, plain chats, beside datasets.map": (25, True),
    "ids and labels, plain chats, beside datasets.map, which gives no labels": (1.3, True),
    "ids and labels, agents with one system text and tools, beside datasets.map, which gives no labels": (3, True),
    "ids and labels, plain chats, beside one bare encode_batch of the texts": (1.25, False),
    "ids and labels, plain chats with an image each, whose size is given, beside the same without": (1.7, False),
}


def lines():
    """Yield the lines about data sets."""
    env = os.environ | {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "true"}
    done = subprocess.run([sys.executable, __file__], env=env, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        why = done.stderr.strip().rpartition("\n")[2]
        yield from (Line(what, None, bound, least=least, note=why) for what, (bound, least) in BOUNDS.items())
        return
    for (what, (bound, least)), (ours, other, note) in zip(BOUNDS.items(), json.loads(done.stdout), strict=True):
        ratio = other / ours if least else ours / other
        yield Line(what, ratio, bound, least=least, note=f"{micro(ours)}, beside {micro(other)} a row; {note}")


def measure():
    """Yield for each line the processor times of a row, ours and theirs, and a note."""
    import datasets
    import pyarrow as pa
    import transformers

    import lect
    from lect_data import Formatter

    datasets.disable_progress_bars()
    datasets.disable_caching()
    template, tokenizer = lect.get_template(MODEL), stored(TOKENIZER)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer)
    fast.chat_template = json.loads((TOKENIZER / "tokenizer_config.json").read_text("utf-8"))["chat_template"]
    random = Random(1)
    plain = [{"messages": chat(random)} for _ in range(CHATS)]
    system = " ".join(english(random) for _ in range(SYSTEM_TEXTS))
    tools = json.dumps([*TOOLS, *(extra_tool(random, number) for number in range(TOOL_COUNT - len(TOOLS)))])
    agents = [{"messages": agent(random, system), "tools": tools} for _ in range(AGENTS)]

    def theirs(rows, *, tokenize):
        def apply(batch):
            listed = [None] * len(batch["messages"]) if "tools" not in batch else map(json.loads, batch["tools"])
            made = [
                fast.apply_chat_template(present(messages), tools=each, tokenize=tokenize, return_dict=False)
                for messages, each in zip(batch["messages"], listed, strict=True)
            ]
            return {"made": made}

        stored_rows = datasets.Dataset.from_list(rows)
        return lambda: stored_rows.map(apply, batched=True, keep_in_memory=True)["made"]

    def ours(rows, *, tokenize, template=template):
        batch = pa.RecordBatch.from_pylist(rows)
        # A new one for each run: nothing is in its cache.
        return lambda: Formatter(template, tokenizer if tokenize else None)(batch)

    for rows, tokenize in ((plain, False), (plain, True), (agents, True)):
        one, other = ours(rows, tokenize=tokenize), theirs(rows, tokenize=tokenize)
        column = "input_ids" if tokenize else "text"
        assert one().column(column).to_pylist() == other()[:]
        yield *taken(len(rows), one, other), f"{distinct(rows)} of the characters are in texts that occur once"
    texts = [template.text(row["messages"]) for row in plain]

    def bare():
        return [each.ids for each in tokenizer.encode_batch(texts, add_special_tokens=False)]

    yield *taken(len(plain), ours(plain, tokenize=True), bare), f"{distinct(plain)} of the characters likewise"
    seeing = lect.get_template(SEEING)
    shown = [with_image(row["messages"], random) for row in plain]
    one, other = (ours(rows, tokenize=True, template=seeing) for rows in (shown, plain))
    added = (one().column("length").to_numpy() - other().column("length").to_numpy()).mean()
    yield *taken(len(plain), one, other), f"an image is {added:.0f} tokens on average"


def chat(random):
    """Return a chat of two to eight messages, of four texts each."""
    roles = ("user", "assistant") * random.randint(1, 4)
    return [{"role": role, "content": " ".join(english(random) for _ in range(4))} for role in roles]


def with_image(messages, random):
    """Return a row of the same messages, the first of which has an image."""
    first = {"role": "user", "content": f"<image>{messages[0]['content']}"}
    size = {"height": random.randint(100, 900), "width": random.randint(100, 900)}
    return {"messages": [first, *messages[1:]], "images": [size]}


def agent(random, system):
    """Return the beginning of an agent's session, up to its first answer, with one system text for all."""
    messages = [message for message in session(random) if message["role"] != "system"]
    end = next(at for at, each in enumerate(messages) if each["role"] == "assistant" and not each.get("tool_calls"))
    for message in messages:
        message["content"] = message["content"] or ""
        for call in message.get("tool_calls", ()):
            arguments = call["function"]["arguments"]
            call["function"]["arguments"] = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return [{"role": "system", "content": system}, *messages[: end + 1]]


def extra_tool(random, number):
    """Return a tool like the others."""
    properties = {f"argument{each}": {"type": "string", "description": english(random, 12)} for each in range(3)}
    return schema(f"tool{number}", english(random, 20), **properties)


def present(messages):
    """Return messages as the maker's template takes them: without nulls of Arrow, and arguments that are objects."""
    made = [{name: value for name, value in message.items() if value is not None} for message in messages]
    for message in made:
        if "tool_calls" in message:
            functions = [call["function"] for call in message["tool_calls"]]
            message["tool_calls"] = [
                {"type": "function", "function": each | {"arguments": json.loads(each["arguments"])}}
                for each in functions
            ]
    return made


def distinct(rows):
    """Return which part of the characters is in texts that occur once."""
    texts = [message["content"] for row in rows for message in row["messages"]] + [row.get("tools", "") for row in rows]
    once = {text for text in texts if texts.count(text) == 1}
    return f"{sum(map(len, once)) / sum(map(len, texts)):.0%}"


def taken(count, *calls):
    """Return the median processor time of a row for each call; they take turns."""
    times = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, taken_by in zip(calls, times, strict=True):
            gc.collect()
            begun = process_time()
            call()
            taken_by.append((process_time() - begun) / count)
    return map(median, times)


if __name__ == "__main__":
    print(json.dumps(list(measure())))
