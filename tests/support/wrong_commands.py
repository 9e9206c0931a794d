"""Command lines that go wrong, made from the parsers of all commands: each has one value that does not fit."""

import json
from argparse import SUPPRESS

from lect.cli import parsers

CHAT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes."}]
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
TALK = {"messages": CHAT}
FILES = {
    "chat.json": CHAT,
    "chats.json": [CHAT, CHAT],
    "chat.jsonl": TALK,
    "request.json": {"messages": CHAT[:1], "tools": [TOOL], "foo": 1, "strict": True},
    "items.json": {"items": CHAT},
    "items.jsonl": {"items": CHAT},
    "pairs.jsonl": {"prompt": CHAT[:1], "chosen": CHAT[1:], "rejected": CHAT[1:]},
    "no-answer.jsonl": {"messages": CHAT[:1]},
    "image.jsonl": {"messages": [{"role": "user", "content": [{"type": "image"}]}, CHAT[1]]},
    "raw.jsonl": {"messages": [CHAT[0], {"role": "assistant", "content": "<think>Hm.</think>Yes."}]},
    "tool.json": [TOOL],
    "odd-tools.json": [{"name": 3}],
    "roles.json": [{"role": "usr", "content": 3}],
    "surrogate.json": [{"role": "user", "content": "\ud800"}],
    "number.json": 3,
    "text.json": "text",
    "empty.json": [],
    "ids.json": [1, 2],
    "template.json": {"name": "t", "prompt": "x"},
}
TEXTS = {"broken.json": "{", "reply.txt": "<think>\nHm", "notes.txt": "Hello\n", "lect.lock": "{}", "odd.gguf": "GGUF"}
WORDS = ["", "nonsense", "0", "-1", "3", "nobody/knows-it-7b", "./nowhere", "hf:nobody/nothing", "qwen:nope"]
PAIRS = [
    "x", "odd=3", "enable_thinking=maybe", "ad_generation_prompt=true", "messages=0", "tools=0", "depth=1", "bytes=3",
    "messages=items", "strict=true", "tokenize=true", "unroll=auto",
]  # fmt: skip
VALID = {
    "MODEL": "Qwen/Qwen3-8B", "TEXT": "Hi", "FILE": "chat.json", "IN": "chat.jsonl", "SOURCE": "checkpoint", "A": "chatml",
    "B": "default", "PLUGIN": "qwen", "NAME": "acme", "PATH": "checkpoint", "SHELL": "bash", "FORMAT": "think",
}  # fmt: skip
BESIDES = {
    "dataset": ["--model", "Qwen/Qwen3-8B", "--stats"],
    "convert": ["--to", "jinja"],
    "verify": ["--requests", "2"],
    "constrain": ["--to", "lark", "--tools", "tool.json"],
    "parse": ["--tools", "tool.json"],
    "new": ["--into", "made"],
}
LEFT_OUT = {"help", "timeout", "memory", "serve", "open", "server", "follow"}
"""Options that end at once, go on for ever, or leave this machine."""


def write_files(folder):
    for name, value in FILES.items():
        (folder / name).write_text(json.dumps(value), "utf-8")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "checkpoint").mkdir()
    (folder / "checkpoint/chat_template.jinja").write_text("{{ raise_exception('no') }}", "utf-8")
    (folder / "empty").mkdir()


def wrong_lines():
    """Yield command lines, each with the option, or the place, that has a value that may not fit."""
    for parser in parsers():
        command = parser.prog.partition(" ")[2]
        actions = [action for action in parser._actions if action.dest not in LEFT_OUT and action.help != SUPPRESS]
        places = [action for action in actions if not action.option_strings]
        usual = [VALID.get(str(place.metavar or place.dest), "x") for place in places]
        usual += BESIDES.get(command, [])
        for at, place in enumerate(places):
            for value in values(place):
                yield command, [value if number == at else each for number, each in enumerate(usual)]
        for action in actions:
            option = action.option_strings[-1] if action.option_strings else None
            if option and action.nargs == 0:
                yield command, [*usual, option]
                for name in ("items.json", "pairs.jsonl", "surrogate.json"):
                    yield command, [*given_file(usual, name), option]
            for value in values(action) if option and action.nargs != 0 else ():
                yield command, [*usual, f"{option}={value}"]


def given_file(usual, name):
    return [name if each in ("chat.json", "chat.jsonl") else each for each in usual]


def values(action):
    """Return the values that are tried for an argument."""
    metavar = str(action.metavar or "")
    if "=" in metavar:
        return PAIRS
    if metavar in ("FILE", "IN", "DIR", "SOURCE", "PATH", "A", "B"):
        return [*FILES, *TEXTS, "empty", "nowhere", *WORDS[4:7]]
    return WORDS
