"""Report what is wrong with a grammar before it is used."""

import re
from typing import Any, NoReturn

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
LIST_OF = re.compile(r"tuple\[([A-Z]\w+), \.\.\.\]").fullmatch


def check(grammar: parts.Grammar) -> None:
    """Check that a grammar is valid.

    Raises:
        PluginError: If it is not; the error names the fact that is wrong, and says what to write instead.
    """
    _Check(grammar.name).part(grammar, "")


class _Check:
    """The check of one grammar."""

    def __init__(self, name: object):
        self.name = name

    def fail(self, path: str, problem: str, instead: str) -> NoReturn:
        msg = f"the grammar {saferepr(self.name)} is invalid: {path} {problem}\n  try: {instead}"
        raise PluginError(msg)

    def part(self, part: Any, path: str) -> None:
        """Check all facts of a part."""
        kind = type(part)
        for name, wanted in kind.kinds.items():
            self.fact(kind, name, wanted, getattr(part, name), f"{path}{name}")
        if kind is parts.Section:
            self.section(part, path)
        elif kind is parts.CallSyntax:
            self.call(part, path)
        elif kind is parts.Reasoning and part.written is not None:
            self.written(part, f"{path}written")

    def fact(self, kind: type[parts.GrammarPart], name: str, wanted: str, value: Any, path: str) -> None:
        """Check one fact, and what is in it."""
        if name in NEEDED.get(kind, ()) and not value:
            self.fail(path, "is empty", "the marks that are written there")
        if (kind, name) in CHOICES and value not in CHOICES[kind, name]:
            self.fail(path, f"is {saferepr(value)}", " or ".join(map(repr, CHOICES[kind, name])))
        if (kind, name) == (parts.Channels, "bodies"):
            self.bodies(value, path)
        elif listed := LIST_OF(wanted):
            item = listed[1]
            if not isinstance(value, tuple) or not all(isinstance(each, getattr(parts, item)) for each in value):
                self.fail(path, f"is {saferepr(value)}", f"a tuple of {item}, such as ({item}(...),)")
            for index, each in enumerate(value):
                self.part(each, f"{path}[{index}].")
        elif wanted in ("tuple[str, ...]", "Marks"):
            self.marks(value, path, rows=wanted == "Marks", spaces=kind is parts.Head or name == "before")
        elif expected := getattr(parts, wanted.removesuffix(" | None"), None):
            if value is None and wanted.endswith(" | None"):
                return
            if not isinstance(value, expected):
                self.fail(path, f"is {saferepr(value)}", _names(expected))
            self.part(value, f"{path}.")
        elif (wanted == "str" and not isinstance(value, str)) or (wanted == "bool" and not isinstance(value, bool)):
            self.fail(path, f"is {saferepr(value)}", "a text" if wanted == "str" else "True or False")
        elif name in ("open", "close", "value") and value.isspace():
            self.fail(path, f"is {saferepr(value)}", "a mark that is more than white space")
        elif name in PATTERNS.get(kind, ()):
            try:
                re.compile(value)
            except re.error as error:
                self.fail(path, f"is not a regular expression: {error}", "a regular expression")

    def marks(self, value: Any, path: str, *, rows: bool, spaces: bool) -> None:
        """Check marks: a string instead of a tuple would be read character by character.

        White space can separate marks anywhere, so that only where `spaces` is True may it be one.
        """
        if not isinstance(value, tuple):
            instead = f"a tuple, ({value!r:.40},)" if isinstance(value, str) else "a tuple of marks"
            self.fail(path, f"is {saferepr(value)}", instead)
        for mark in value:
            row = mark if rows and isinstance(mark, tuple) and mark else (mark,)
            if not all(isinstance(each, str) and each for each in row):
                self.fail(path, f"contains {saferepr(mark)}", "marks that are text and not empty")
            if not spaces and any(map(str.isspace, row)):
                self.fail(path, f"contains {saferepr(mark)}", "marks that are more than white space")

    def bodies(self, value: Any, path: str) -> None:
        """Check the marks that start a body, and the kind of each."""
        if not isinstance(value, tuple) or not all(
            isinstance(pair, tuple) and len(pair) == 2 and pair[0] and pair[1] in KINDS for pair in value
        ):
            instead = "pairs of a mark and 'content', 'reasoning', 'call', or '' where the header says it"
            self.fail(path, f"is {saferepr(value)}", instead)

    def written(self, reasoning: parts.Reasoning, path: str) -> None:
        """Check that what the model writes round reasoning closes it."""
        pair = reasoning.written
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(each, str) for each in pair):
            self.fail(path, f"is {saferepr(pair)}", 'two texts, before and after it: ("\\n", "\\n</think>\\n\\n")')
        if not any(close in pair[1] for close in reasoning.close):
            self.fail(f"{path}[1]", f"is {saferepr(pair[1])}", f"a text with {' or '.join(reasoning.close)} in it")

    def section(self, section: parts.Section, path: str) -> None:
        """Check that something opens a section, and that there is a call in it."""
        if not section.calls:
            self.fail(f"{path}calls", "is empty", "how a call is written: (CallSyntax(...),)")
        if not section.open and not section.start and not all(call.open for call in section.calls):
            instead = "open=(...) in it or in its calls, or start=True where a reply begins with it"
            self.fail(path.rstrip("."), "has nothing that opens it", instead)

    def call(self, call: parts.CallSyntax, path: str) -> None:
        """Check that a call has a name, and that its parameters have an end."""
        names = isinstance(call.arguments, parts.Json | parts.JsonMap | parts.Code) or path.startswith("channels")
        if not names and (call.head is None or "(?P<name>" not in call.head.fields):
            self.fail(f"{path}head", "names nothing", "head=Head((...,)), or fields with a group (?P<name>...)")
        if call.rename and not re.compile(call.rename).groups:
            self.fail(f"{path}rename", "has no group", "a pattern whose first group is the name: r'functions\\.(.+)'")
        if isinstance(call.arguments, parts.Params):
            if len(call.arguments.trim) > 1 or call.arguments.close.startswith("{key}"):
                problem = "has a trim of several characters, or a close that begins with its key"
                self.fail(f"{path}arguments", problem, "trim of one character, and a mark before {key}")
            if not call.close:
                self.fail(f"{path}close", "is empty", "the mark that ends the parameters: close=(...,)")
            if "(?P<key>" not in call.arguments.head.fields:
                instead = "Head((...,), KEY), or fields with a group (?P<key>...)"
                self.fail(f"{path}arguments.head", "names no key", instead)


def _names(kinds: Any) -> str:
    return " or ".join(kind.__name__ for kind in getattr(kinds, "__args__", (kinds,)))
