"""Calls as every installed grammar writes them, and the mistakes that models make in each notation of arguments.

A mistake belongs to the notation in which it is made, not to a format: it is generated for every place where a grammar
lets arguments be written that way.
"""

import json
import re
from functools import cache

import hostile
import replies
import writing

from lect.reply.grammar import Code, Json, JsonMap, Literals, NamedJson, ReplyFormat

ARGUMENTS = {"s": "it is so, or not", "n": 3, "b": True, "z": None, "o": {"k": "v", "l": [1, 2]}}
TYPES = {"s": "string", "n": "integer", "b": "boolean", "z": ["string", "null"], "o": "object"}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in TYPES.items()}},
        },
    }
]
JSON_KINDS = (Json, JsonMap, NamedJson)
SAID = {"s": "@@"}


@cache
def grammars():
    """Return every installed format, by name, and the grammar of every template that is none of them."""
    found = dict(replies.formats())
    known = {each.grammar for each in found.values()}
    for name, template in hostile.installed().items():
        if template.reply is not None and template.reply not in known:
            known.add(template.reply)
            found[name] = ReplyFormat(template.reply, stop=tuple(template.stop))
    return found


def places(grammar):
    """Yield each way to write a call: its number, its section (None for a message), its syntax, and a reply with it."""
    ways = [(section, call) for section in grammar.sections for call in section.calls]
    if grammar.channels is not None and grammar.channels.call is not None:
        ways.append((None, grammar.channels.call))
    for number, (section, call) in enumerate(ways):
        if not isinstance(call.arguments, Code):
            sections = (section.but(calls=(call,)),) if section else ()
            yield number, section, call, writing.write(grammar.but(sections=sections), "", None, [("f", SAID)])


def announced(section, call):
    """Say whether marks, not only brackets, words or a fence, surround a call, so that JSON may stand for it."""
    rows = [*(section.open if section else ()), *call.open]
    marks = [mark for row in rows for mark in ((row,) if isinstance(row, str) else row)]
    return any(mark.strip("[{(<") and not mark.startswith("```") for mark in marks) and not call.known


def mistaken(grammar):
    """Yield what is wrong, and the reply in which it is wrong, for every place and mistake."""
    for number, section, call, text in places(grammar):
        kind = call.arguments
        if isinstance(kind, JSON_KINDS):
            written, mistakes = json.dumps(SAID), dict(IN_JSON)
            if not getattr(kind, "text", "") or call.rename:
                mistakes |= TEXTS
            if call.head and call.head.end == ("{",):
                # The brace is what ends the name.
                mistakes = {name: made for name, made in mistakes.items() if made.startswith("{")}
        elif isinstance(kind, Literals):
            written = call.head.end[0] + writing.write_literals(kind, "f", SAID)
            mistakes = in_braces(kind) if kind.assign == ":" else IN_PYTHON
        else:
            written, mistakes = writing.write_params(kind, "f", SAID), in_tags(kind)
        assert text.count(written) == 1, (text, written)
        for name, made in mistakes.items():
            yield (number, type(kind).__name__, name), text.replace(written, made)
        if announced(section, call) and not isinstance(kind, Json) and section and section.open:
            whole = json.dumps({"name": "f", "arguments": ARGUMENTS})
            inner = writing.write_call(call, "f", SAID)
            yield (number, type(kind).__name__, "an object for the call"), text.replace(inner, whole)
            yield (number, type(kind).__name__, "a dict for the call"), text.replace(inner, python(whole))


def python(text):
    """Return JSON as Python would print it."""
    return repr(json.loads(text))


PLAIN = json.dumps(ARGUMENTS)
ASSIGNED = re.sub(r'"(\w+)": ', r"\1=", PLAIN)
BARE = re.sub(r'"(\w+)":', r"\1:", PLAIN)
CURLY = re.sub(r'"([^"]*)"', "“\\1”", PLAIN)
WORDS = PLAIN.replace("true", "True").replace("null", "None")
IN_JSON = {
    "none": PLAIN,
    "single quotes": python(PLAIN),
    "Python's words": WORDS,
    "an extra comma": PLAIN[:-1] + ",}",
    "bare keys": BARE,
    "bare keys, single quotes": BARE.replace('"', "'"),
    "curly quotes": CURLY,
    "single curly quotes": CURLY.replace("“", "‘").replace("”", "’"),
    "equals signs": ASSIGNED,
    "equals signs after quotes": PLAIN.replace('": ', '"='),
    "a comment to the line end": PLAIN.replace('"n"', '// a number, {\n"n"'),
    "a comment of Python": PLAIN.replace('"n"', '# a number, {\n"n"'),
    "a comment within": PLAIN.replace('"n"', '/* a number, { */ "n"'),
    "a fence": f"```json\n{PLAIN}\n```",
    "a fence without a language": f"```\n{PLAIN}\n```",
    "a list around": f"[{PLAIN}]",
    "doubled braces": f"{{{PLAIN}}}",
    "every brace doubled": PLAIN.replace("{", "{{").replace("}", "}}"),
    "an extra brace": PLAIN + "}",
    "a missing brace": PLAIN[:-1],
    "two missing braces": PLAIN[:-2],
    "a raw line end": PLAIN.replace("so, ", "so,\n"),
    "a raw tab": PLAIN.replace("so, ", "so,\t"),
    "a raw quote": PLAIN.replace("so,", '"so",'),
    "a missing comma": PLAIN.replace(", ", " "),
    "a missing quote": PLAIN.replace('not"', "not"),
}
"""Each mistake with the text of the arguments in which it is made."""
TEXTS = {
    "text": json.dumps(PLAIN),
    "text twice": json.dumps(json.dumps(PLAIN)),
    "a dict in a text": json.dumps(python(PLAIN)),
}


def pythonic(sign="=", key="{}", true="True", null="None", quote=repr):
    """Return the arguments as in Python."""
    values = {"s": quote(ARGUMENTS["s"]), "n": "3", "b": true, "z": null, "o": quoted(ARGUMENTS["o"], quote)}
    return ", ".join(f"{key.format(name)}{sign}{value}" for name, value in values.items())


def quoted(value, quote):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quote(key)}: {quoted(each, quote)}" for key, each in value.items()) + "}"
    return quote(value) if isinstance(value, str) else json.dumps(value)


IN_PYTHON = {
    "none": f"({pythonic()})",
    "colons": f"({pythonic(': ')})",
    "quoted keys": "(" + pythonic("=", '"{}"') + ")",
    "quoted keys and colons": "(" + pythonic(": ", '"{}"') + ")",
    "JSON in brackets": f"({PLAIN})",
    "a dict in brackets": f"({python(PLAIN)})",
    "JSON's words": f"({pythonic(true='true', null='null')})",
    "JSON's quotes": f"({pythonic(quote=json.dumps)})",
    "curly quotes": f"({pythonic(quote='“{}”'.format)})",
    "an extra comma": f"({pythonic()},)",
    "a comment": f"({pythonic()})".replace("n=", "# a number, (\nn="),
    "bare keys within": f"({pythonic()})".replace("'k'", "k").replace("'l'", "l"),
    "a raw line end": f"({pythonic()})".replace("so, ", "so,\n"),
    "a raw quote": f"({pythonic()})".replace("so,", "'so',"),
    "doubled brackets": f"(({pythonic()}))",
    "a missing bracket": f"({pythonic()}",
    "a missing quote": f"({pythonic()})".replace("not'", "not"),
}


def in_braces(kind):
    """Return the mistakes in a notation in braces, with its own marks around strings."""
    own = ",".join(f"{key}:{writing.literal(kind, value)}" for key, value in ARGUMENTS.items())
    return {
        "none": f"{{{own}}}",
        "equals signs": "{" + own.replace(":", "=") + "}",
        "equals signs and quotes": ASSIGNED,
        "JSON": PLAIN,
        "a dict": python(PLAIN),
        "bare keys, quotes": BARE,
        "Python's words": WORDS,
        "curly quotes": CURLY,
        "an extra comma": f"{{{own},}}",
        "in brackets": f"({pythonic()})",
        "in brackets with colons": f"({pythonic(': ', quote=json.dumps)})",
        "JSON in brackets": f"({PLAIN})",
        "doubled braces": f"{{{PLAIN}}}",
        "a raw line end": f"{{{own}}}".replace("so, ", "so,\n"),
        "a missing brace": f"{{{own}",
        "no quotes": "{s:it is so, or not,n:3,b:true,z:null,o:{k:v,l:[1,2]}}",
        "a missing quote": PLAIN.replace('not"', "not"),
    }


def in_tags(kind):
    """Return the mistakes in values between tags."""
    inner = json.dumps(ARGUMENTS["o"])
    values = {
        "none": {},
        "Python's words": {"b": "True", "z": "None"},
        "a dict": {"o": python(inner)},
        "an extra comma": {"o": inner[:-1] + ",}"},
        "bare keys": {"o": re.sub(r'"(\w+)":', r"\1:", inner)},
        "curly quotes": {"o": re.sub(r'"([^"]*)"', "“\\1”", inner)},
        "text": {"o": json.dumps(inner)},
        "a fence": {"o": f"```json\n{inner}\n```"},
    }
    written = {name: writing.write_params(kind, "f", ARGUMENTS | changes) for name, changes in values.items()}
    return written | {"JSON for the parameters": f"\n{PLAIN}\n", "a dict for the parameters": f"\n{python(PLAIN)}\n"}
