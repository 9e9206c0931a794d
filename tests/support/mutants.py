"""Single-token edits of makers' templates that change what a model is sent.

    python tests/support/mutants.py SLUG... [--each 25] > mutants.json

An edit counts if it changes what one of 150 random sessions of `../shared/tools/differ.py` gives: the prompt, a refusal
or a failure. That tool changes the clock of lect, so it runs in a process of its own: this one.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import differential
from shared import SHARED

SESSIONS = 150
LEFT_OUT = frozenset({"internlm--internlm2-1_8b", "google--gemma-4-E2B-it"})
"""Templates that are not quite what the family writes, because it has a better source."""
IGNORED = frozenset({"whitespace", "comment", "comment_begin", "comment_end"})
LANGUAGE = frozenset(
    [
        "if",
        "else",
        "elif",
        "endif",
        "for",
        "endfor",
        "in",
        "is",
        "not",
        "and",
        "or",
        "set",
        "endset",
        "macro",
        "endmacro",
        "defined",
        "none",
        "None",
        "true",
        "false",
        "True",
        "False",
        "break",
        "continue",
        "string",
        "mapping",
        "iterable",
        "sequence",
        "undefined",
        "number",
        "generation",
        "endgeneration",
        "filter",
        "endfilter",
        "do",
        "namespace",
        "raise_exception",
        "strftime_now",
        "range",
        "recursive",
        "call",
        "endcall",
        "boolean",
        "integer",
    ]
)
GIVEN = frozenset({"messages", "raise_exception", "strftime_now", "namespace", "range"})
STRIPS = frozenset({"strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize"})
OPPOSITE = {
    "==": "!=", "!=": "==", ">": ">=", "<": "<=", ">=": ">", "<=": "<", "and": "or", "or": "and",
    "true": "false", "false": "true", "True": "False", "False": "True", "none": "false", "None": "false",
}  # fmt: skip


class Token(NamedTuple):
    """A piece of a template's text."""

    start: int
    end: int
    kind: str
    text: str


class Mutant(NamedTuple):
    """A template with one edit."""

    slug: str
    kind: str
    what: str
    text: str
    is_prompt: bool = True
    """Whether a session shows another prompt, and not only a refusal or a failure."""


def slugs():
    """Return the makers' templates that are mutated; nothing where they are not available."""
    listed = SHARED / "oracles/native.json"
    native = json.loads(listed.read_text("utf-8")) if listed.exists() else {}
    return [slug for family in native.values() for slug in family if slug not in LEFT_OUT]


def tokens(environment, source):
    """Return the tokens of a template, with their places."""
    found, at = [], 0
    for _, kind, text in environment.lex(source):
        start = source.find(text, at)
        if start >= 0:
            at = start + len(text)
            if kind not in IGNORED:
                found.append(Token(start, at, kind, text))
    return found


def edits(environment, source, rng):
    """Yield every single-token edit of a template: its kind, what it is, and the text."""
    found = tokens(environment, source)
    for index, token in enumerate(found):
        where = f"line {source.count(chr(10), 0, token.start) + 1}"
        for kind, start, end, new in edits_of(source, found, index, rng):
            text = source[:start] + new + source[end:]
            if text != source:
                yield kind, f"{where}: {source[start:end][:40]!r} > {new[:40]!r}", text
    for name in sorted(undeclared(environment, source)):
        yield "option renamed", name, re.sub(rf"\b{name}\b", f"{name}x", source)


def undeclared(environment, source):
    from jinja2 import meta

    return meta.find_undeclared_variables(environment.parse(source)) - GIVEN


def edits_of(source, found, index, rng):
    """Yield the edits of one token: the kind, and what is replaced with what."""
    token = found[index]
    before = found[index - 1] if index else Token(0, 0, "", "")
    after = found[index + 1] if index + 1 < len(found) else Token(0, 0, "", "")
    yield from edits_of_a_literal(source, token, before, after, rng)
    if token.kind in ("operator", "name") and token.text in OPPOSITE:
        kind = "constant" if token.text.lower() in ("true", "false", "none") else "compare"
        yield kind, token.start, token.end, OPPOSITE[token.text]
    if token.kind == "integer":
        yield "constant", token.start, token.end, str(int(token.text) + 1)
    if token.kind == "name":
        yield from edits_of_a_name(source, found, index, before, after)
    if token.kind in ("block_begin", "variable_begin"):
        yield (
            "white-space control",
            token.start,
            token.end,
            token.text.rstrip("-") if token.text.endswith("-") else f"{token.text}-",
        )
    if token.kind in ("block_end", "variable_end"):
        bare = token.text.rstrip("\n")
        yield (
            "white-space control",
            token.start,
            token.start + len(bare),
            bare.lstrip("-") if bare.startswith("-") else f"-{bare}",
        )
    if token.kind == "variable_begin":
        yield "statement", token.start, next(each.end for each in found[index:] if each.kind == "variable_end"), ""


def edits_of_a_literal(source, token, before, after, rng):
    is_string = token.kind == "string"
    if not (is_string and len(token.text) > 2) and not (token.kind == "data" and token.text.strip()):
        return
    start, end = (token.start + 1, token.end - 1) if is_string else (token.start, token.end)
    text = source[start:end]
    letters = [at for at, each in enumerate(text) if each.isalnum() and each.isascii() and text[at - 1 : at] != "\\"]
    if letters:
        at = start + rng.choice(letters)
        is_key = is_string and (
            before.text in ("[", "==", "!=", "in", "(", ",") or after.text in ("]", "in", "==", ")")
        )
        yield "literal key" if is_key else "literal text", at, at + 1, "Z" if source[at] != "Z" else "Y"
    if is_string and "\\n" in text:
        at = start + text.rfind("\\n")
        yield "literal space", at, at + 2, ""
    elif is_string and text != text.strip():
        yield "literal space", start, end, text.strip()
    else:
        yield "literal space", end, end, " "


def edits_of_a_name(source, found, index, before, after):
    token = found[index]
    if token.text == "not" and before.text != "is" and after.text != "in":
        yield "compare", token.start, token.end, ""
    elif token.text == "is":
        yield (
            ("compare", token.start, after.end, "is")
            if after.text == "not"
            else ("compare", token.start, token.end, "is not")
        )
    elif (
        token.text == "in"
        and before.text != "not"
        and not re.match(r"\{%[-+]?\s*for\b", source[source.rfind("{%", 0, token.start) :])
    ):
        yield "compare", token.start, token.end, "not in"
    elif before.text == "|" or (before.text == "." and after.text == "(" and token.text in STRIPS):
        yield "filter", before.start, end_of_call(found, index), ""
    elif (
        token.text not in LANGUAGE
        and before.text not in ("is", "not")
        and not (before.text == "." and after.text == "(")
    ):
        yield "name", token.start, token.end, f"{token.text}x"
    if before.kind == "block_begin" and token.text in ("if", "elif", "set"):
        end = next(each for each in found[index:] if each.kind == "block_end")
        if token.text != "set":
            yield "condition", token.end, end.start, " true "
            yield "condition", token.end, end.start, " false "
        elif "=" in source[token.start : end.start]:
            yield "statement", before.start, end.end, ""


def end_of_call(found, index):
    """Return where the name at `index`, with its arguments in brackets if there are any, ends."""
    depth = 0
    for each in found[index + 1 :]:
        depth += (each.text == "(") - (each.text == ")")
        if depth == 0:
            return each.end if each.text == ")" else found[index].end
    return found[index].end


def kept(differ, slug, most):
    """Return edits that a random session shows, at most so many, of all kinds in turn."""
    source = (differ.SHARED / f"oracles/jinja/{slug}.jinja").read_text("utf-8")
    environment, chance = differ.ENVIRONMENT, random.Random(slug)
    sessions = differ.Gen(slug, random.Random(f"{slug} sessions"), "standard")
    asked = [sessions.case() for _ in range(SESSIONS)]
    before = [(case, answer) for case in asked if (answer := rendered(differ, slug, source, case))[0] != "fails"]
    kinds = defaultdict(list)
    for each in edits(environment, source, chance):
        kinds[each[0]].append(each)
    for each in kinds.values():
        chance.shuffle(each)
    found = []
    while any(kinds.values()) and len(found) < most:
        for kind in sorted(kinds):
            if kinds[kind] and len(found) < most:
                _, what, text = kinds[kind].pop()
                answers = differing(differ, slug, text, before)
                if answers:
                    found.append(Mutant(slug, kind, what, text, answers != {"fails"} and answers != {"refuses"}))
    return found


def differing(differ, slug, text, before):
    """Return how the answers of an edited template differ, by their kinds; nothing if they do not."""
    import jinja2

    try:
        differ.ENVIRONMENT.parse(text)
    except jinja2.TemplateError:
        return set()
    answers = ((rendered(differ, slug, text, case), answer) for case, answer in before)
    return {now[0] for now, then in answers if now != then}


def rendered(differ, slug, text, case):
    """Return what a template gives for what it is given by lect: its prompt, a refusal or a failure."""
    import jinja2

    messages = differ.put_right(differential.respelled(text, case["messages"]), *differ.TAKES[slug])
    given = {"messages": list(differ.reference._share_reasoning(json.loads(json.dumps(messages))))}
    special = differ.INDEX[slug]["special_tokens"] or {}
    given |= {"documents": None, **{name: each for name, each in special.items() if isinstance(each, str)}}
    asking = {"tools": case["tools"] or None, "add_generation_prompt": case["gen"], **case["options"]}
    try:
        return "prompt", compiled(differ, text).render(**given, **asking)
    except Exception as error:  # templates raise anything
        return ("refuses" if type(error) is jinja2.TemplateError else "fails"), ""


@lru_cache(maxsize=2)
def compiled(differ, text):
    return differ.ENVIRONMENT.from_string(text)


def made(slugs, each):
    """Return mutants of makers' templates, made in a process of its own."""
    words = [sys.executable, __file__, *slugs, "--each", str(each)]
    rows = subprocess.run(words, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]).stdout
    return [Mutant(*row) for row in json.loads(rows)]


def main():
    import differ as wrapper

    parser = argparse.ArgumentParser()
    parser.add_argument("slugs", nargs="+")
    parser.add_argument("--each", type=int, default=25)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tool = wrapper.copied(Path(folder), only=wanted.slugs)
        del sys.modules["differ"]
        sys.path.insert(0, str(tool.parent))
        import differ

        json.dump([each for slug in wanted.slugs for each in kept(differ, slug, wanted.each)], sys.stdout)


if __name__ == "__main__":
    main()
