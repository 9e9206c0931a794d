"""The drop-in compared with FastChat's own package: prompts in every style, uncached look-ups, and the import.

    python bench/dropin.py         print the table, and exit with 1 if a ratio is over its bound

This module is not called `fastchat`: in this directory, that name would hide the package that is measured.
"""

import subprocess
import sys
from collections import Counter
from functools import partial

import stubs
from timing import Line, beside

import lect_fastchat

TURNS = (1, 10, 100, 1000)
MOST_USED = 10
# FastChat asks its adapters one after another, so the first is found at once; ours looks for all of them together.
PATHS = {
    "the first adapter": ("stable-vicuna-13b", 0.4),
    "an adapter in the middle": ("Qwen/Qwen-7B-Chat", 1.0),
    "the last adapter": ("IEITYuan/Yuan-embedding", 2.0),
    "no adapter": ("acme/unheard-of", 2.0),
}
BASE = "pluggy, dataclasses, re"
IMPORTS = 25


def lines():
    """Yield the lines about the drop-in."""
    yield import_line()
    try:
        fastchat = stubs.fastchat()
    except ImportError as error:
        yield Line("the drop-in beside FastChat", None, 1.0, note=f"no FastChat: {error}")
        return
    for what, (path, bound) in PATHS.items():
        ours, theirs = partial(cold, lect_fastchat, path), partial(cold, fastchat, path)
        yield beside(
            f"get_conversation_template, nothing remembered, {what}",
            ours,
            theirs,
            bound,
            text=lambda conversation: conversation.name,
        )
    theirs = sys.modules["fastchat.conversation"]
    for style, name in templates(theirs.conv_templates):
        for turns in TURNS:
            ours, other = (talk(package.get_conv_template(name), turns) for package in (lect_fastchat, theirs))
            yield beside(
                f"get_prompt, {style}, {turns:,} turns, beside FastChat", ours.get_prompt, other.get_prompt, 1.0
            )


def templates(known):
    """Return a template for each of the most used styles: the first that has a separator and names for its roles."""
    styled = {name: template for name, template in known.items() if template.sep_style is not None}
    most = Counter(template.sep_style.name for template in styled.values()).most_common(MOST_USED)
    return [
        (
            style,
            next(
                name for name, each in styled.items() if each.sep_style.name == style and each.sep and all(each.roles)
            ),
        )
        for style, _ in most
    ]


def cold(package, path):
    """Look a path up as if for the first time."""
    package.get_model_adapter.cache_clear()
    return package.get_conversation_template(path)


def talk(conversation, turns):
    """Add turns to a conversation, and ask the assistant to speak."""
    for turn in range(turns):
        conversation.append_message(
            conversation.roles[turn % 2], f"This is what is said in turn {turn}, which has some length."
        )
    conversation.append_message(conversation.roles[1], None)
    return conversation


def import_line():
    """Return the line about the import, which runs in fresh interpreters."""
    ours, base = (
        min(times)
        for times in zip(*((import_time("lect_fastchat"), import_time(BASE)) for _ in range(IMPORTS)), strict=True)
    )
    return Line(
        f"import lect_fastchat, beside import {BASE}",
        ours / base,
        1.6,
        least=False,
        note=f"{ours * 1e3:.1f} ms, beside {base * 1e3:.1f} ms",
    )


def import_time(modules):
    code = f"from time import perf_counter; start = perf_counter(); import {modules}; print(perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    from run import table

    found = list(lines())
    print(table(("what", "ratio", "bound", "", "measured"), [line.cells() for line in found]))
    sys.exit(any(line.verdict == "over" for line in found))
