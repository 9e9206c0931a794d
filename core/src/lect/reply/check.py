"""Report what is wrong with a grammar before it is used."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from lect.errors import PluginError, saferepr
from lect.reply import grammar as parts

PATTERNS: dict[type, tuple[str, ...]] = {
    parts.Head: ("fields",),
    parts.CallSyntax: ("rename", "counter"),
    parts.Channels: ("shape", "characters", "to", "channel"),
    parts.Grammar: ("stripped",),
}
NEEDED: dict[type, tuple[str, ...]] = {
    parts.Head: ("end",),
    parts.Reasoning: ("close",),
    parts.Params: ("open", "close"),
    parts.Literals: ("close",),
    parts.Channels: ("start", "bodies"),
}
CHOICES = {(parts.Params, "untyped"): ("json", "string"), (parts.Literals, "assign"): ("=", ":")}
KINDS = ("content", "reasoning", "call", "")
Problems = Iterator[tuple[str, str, str]]
"""The path of a fact, what is wrong with it, and what to write instead; after the first one nothing is certain."""
LIST_OF = re.compile(r"tuple\[([A-Z]\w+), \.\.\.\]").fullmatch


def check(grammar: parts.Grammar) -> None:
    """Refuse a grammar that is invalid; the error names the fact that is wrong, and says what to write instead."""
    for path, problem, instead in _part(grammar, ""):
        raise PluginError(f"the grammar {saferepr(grammar.name)} is invalid: {path} {problem}\n  try: {instead}")


def _part(part: Any, path: str) -> Problems:
    kind = type(part)
    for name, wanted in kind.kinds.items():
        yield from _fact(kind, name, wanted, getattr(part, name), f"{path}{name}")
    if kind in RULES:
        yield from RULES[kind](part, path)


def _fact(kind: type[parts.GrammarPart], name: str, wanted: str, value: Any, path: str) -> Problems:
    given = f"is {saferepr(value)}"
    if name in NEEDED.get(kind, ()) and not value:
        yield path, "is empty", "the marks that are written there"
    if (kind, name) in CHOICES and value not in CHOICES[kind, name]:
        yield path, given, " or ".join(map(repr, CHOICES[kind, name]))
    if (kind, name) == (parts.Channels, "bodies"):
        if not isinstance(value, tuple) or not all(
            isinstance(pair, tuple) and len(pair) == 2 and pair[0] and pair[1] in KINDS for pair in value
        ):
            yield path, given, "pairs of a mark and 'content', 'reasoning', 'call', or '' where the header says it"
    elif listed := LIST_OF(wanted):
        item = listed[1]
        if not isinstance(value, tuple) or not all(isinstance(each, getattr(parts, item)) for each in value):
            yield path, given, f"a tuple of {item}, such as ({item}(...),)"
        for index, each in enumerate(value):
            yield from _part(each, f"{path}[{index}].")
    elif wanted in ("tuple[str, ...]", "Marks"):
        yield from _marks(value, path, rows=wanted == "Marks", spaces=kind is parts.Head or name == "before")
    elif expected := getattr(parts, wanted.removesuffix(" | None"), None):
        if value is None and wanted.endswith(" | None"):
            return
        if not isinstance(value, expected):
            yield path, given, " or ".join(each.__name__ for each in getattr(expected, "__args__", (expected,)))
        yield from _part(value, f"{path}.")
    elif (wanted == "str" and not isinstance(value, str)) or (wanted == "bool" and not isinstance(value, bool)):
        yield path, given, "a text" if wanted == "str" else "True or False"
    elif name in ("open", "close", "value") and value.isspace():
        yield path, given, "a mark that is more than white space"
    elif name in PATTERNS.get(kind, ()):
        try:
            re.compile(value)
        except re.error as error:
            yield path, f"is not a regular expression: {error}", "a regular expression"


def _marks(value: Any, path: str, *, rows: bool, spaces: bool) -> Problems:
    """Yield what is wrong with marks: a string instead of a tuple would be read character by character."""
    if not isinstance(value, tuple):
        instead = f"a tuple, ({value!r:.40},)" if isinstance(value, str) else "a tuple of marks"
        yield path, f"is {saferepr(value)}", instead
    for mark in value:
        row = mark if rows and isinstance(mark, tuple) and mark else (mark,)
        if not all(isinstance(each, str) and each for each in row):
            yield path, f"contains {saferepr(mark)}", "marks that are text and not empty"
        # White space can separate marks anywhere else.
        if not spaces and any(map(str.isspace, row)):
            yield path, f"contains {saferepr(mark)}", "marks that are more than white space"


def _reasoning(reasoning: parts.Reasoning, path: str) -> Problems:
    """Yield what is wrong with what the model writes round reasoning: it must close it."""
    pair = reasoning.written
    if pair is None:
        return
    if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(each, str) for each in pair):
        instead = 'two texts, before and after it: ("\\n", "\\n</think>\\n\\n")'
        yield f"{path}written", f"is {saferepr(pair)}", instead
    if not any(close in pair[1] for close in reasoning.close):
        yield f"{path}written[1]", f"is {saferepr(pair[1])}", f"a text with {' or '.join(reasoning.close)} in it"


def _section(section: parts.Section, path: str) -> Problems:
    """Yield what is wrong with a section: something must open it, and there must be a call in it."""
    if not section.calls:
        yield f"{path}calls", "is empty", "how a call is written: (CallSyntax(...),)"
    if not section.open and not section.start and not all(call.open for call in section.calls):
        instead = "open=(...) in it or in its calls, or start=True where a reply begins with it"
        yield path.rstrip("."), "has nothing that opens it", instead


def _call(call: parts.CallSyntax, path: str) -> Problems:
    """Yield what is wrong with a call: it must have a name, and its parameters an end."""
    arguments = call.arguments
    names = isinstance(arguments, parts.Json | parts.JsonMap | parts.Code) or path.startswith("channels")
    if not names and (call.head is None or "(?P<name>" not in call.head.fields):
        yield f"{path}head", "names nothing", "head=Head((...,)), or fields with a group (?P<name>...)"
    if call.rename and not re.compile(call.rename).groups:
        yield f"{path}rename", "has no group", "a pattern whose first group is the name: r'functions\\.(.+)'"
    if isinstance(arguments, parts.Params):
        if len(arguments.trim) > 1 or arguments.close.startswith("{key}"):
            problem = "has a trim of several characters, or a close that begins with its key"
            yield f"{path}arguments", problem, "trim of one character, and a mark before {key}"
        if not call.close:
            yield f"{path}close", "is empty", "the mark that ends the parameters: close=(...,)"
        if "(?P<key>" not in arguments.head.fields:
            yield f"{path}arguments.head", "names no key", "Head((...,), KEY), or fields with a group (?P<key>...)"


RULES: dict[type, Callable[[Any, str], Problems]] = {
    parts.Section: _section,
    parts.CallSyntax: _call,
    parts.Reasoning: _reasoning,
}
